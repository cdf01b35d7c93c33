package checks

import (
	"slices"
	"testing"
)

func TestTurnsOfCheckIns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*job)
		then   func(*job) (CheckIn, []CheckInEvent)
		want   []string
	}{
		"first ping":  {func(*job) {}, pinging("12:00"), []string{"reporting 12:00"}},
		"second ping": {func(j *job) { j.ping("12:00") }, pinging("12:30"), nil},
		"a ping after a miss": {
			func(j *job) { j.ping("12:00"); j.sweep("13:10") }, pinging("13:20"), []string{"reporting 13:20"},
		},
		"a ping in a pause after a miss": {
			func(j *job) { j.ping("12:00"); j.sweep("13:10"); j.pause("13:15", "15:00") }, pinging("13:20"), nil,
		},
		"several misses": {func(j *job) { j.ping("12:00") }, sweeping("16:00"), []string{"missing 13:05"}},
		"a miss after the end of a pause": {
			func(j *job) { j.ping("12:00"); j.pause("12:10", "13:10") }, sweeping("15:00"), []string{"pending 13:10", "missing 14:15"},
		},
		"the end of a pause without a ping": {
			func(j *job) { j.pause("12:10", "13:10") }, sweeping("15:00"), []string{"pending 13:10"},
		},
		"a forgiven deadline": {
			func(j *job) { j.ping("12:00"); j.blindFrom("13:00", "13:30") }, sweeping("13:30"), nil,
		},
		"pause":   {func(j *job) { j.ping("12:00") }, func(j *job) (CheckIn, []CheckInEvent) { return j.Pause(clockAt("12:10"), clockAt("13:10")) }, []string{"paused 12:10"}},
		"unpause": {func(j *job) { j.pause("12:10", "13:10") }, func(j *job) (CheckIn, []CheckInEvent) { return j.Unpause(clockAt("12:20")) }, []string{"pending 12:20"}},
		"another schedule": {
			func(j *job) { j.ping("12:00") }, editing("12:10", func(s *CheckInSettings) { s.ReportPeriod = "2 hours" }), []string{"pending 12:10"},
		},
		"another grace period": {
			func(j *job) { j.ping("12:00") }, editing("12:10", func(s *CheckInSettings) { s.GracePeriod = "6 minutes" }), nil,
		},
		"a ping that is not in the history": {
			func(j *job) {
				j.ping("12:00")
				j.edit("12:00:10", func(s *CheckInSettings) { s.ReportPeriod = "2 hours" })
			}, pinging("12:00:20"), []string{"reporting 12:00"},
		},
	} {
		j := newJob(t, every("1 hour", "5 minutes"))
		c.before(j)
		before := j.State
		after, events := c.then(j)
		var got []string
		for _, turn := range CheckInTurns(before, after, events) {
			got = append(got, string(turn.State)+" "+turn.At.Format("15:04"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if turns := CheckInTurns(before, after, events); len(turns) > 0 && turns[len(turns)-1].State != after.State || len(turns) == 0 && before != after.State {
			t.Errorf("%s: the last turn is not to %s", name, after.State)
		}
	}
}

func pinging(at string) func(*job) (CheckIn, []CheckInEvent) {
	return func(j *job) (CheckIn, []CheckInEvent) { return j.Ping(Ping{At: clockAt(at)}) }
}

func sweeping(at string) func(*job) (CheckIn, []CheckInEvent) {
	return func(j *job) (CheckIn, []CheckInEvent) { return j.Sweep(clockAt(at), j.blind) }
}

func editing(at string, change func(*CheckInSettings)) func(*job) (CheckIn, []CheckInEvent) {
	return func(j *job) (CheckIn, []CheckInEvent) {
		s := j.CheckInSettings
		change(&s)
		return j.Edit(s, clockAt(at))
	}
}
