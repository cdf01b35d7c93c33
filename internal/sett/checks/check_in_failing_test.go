package checks

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// fail has the job report an exit code.
func (j *job) fail(at string, code int) {
	j.notes(j.Ping(Ping{At: clockAt(at), Payload: &PingPayload{ExitCode: &code}}))
}

// notes adds what receivers are notified of, as lines such as "check_in_failed 12:00".
func (j *job) notes(c CheckIn, events []CheckInEvent) {
	j.CheckIn = c
	for _, a := range c.Alerts(events) {
		line := string(a.Event) + " " + a.At.Format("15:04")
		if a.Facts.CheckIn.Again {
			line += " again"
		}
		j.history = append(j.history, line)
	}
}

// An hourly job with a grace of five minutes, whose receivers are notified again after two hours.
func TestAJobThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does  string // f: fails, p: pings, o: a ping of before, s: time passes, z: pauses, u: resumes, e: another schedule, r: a run starts
		state sett.CheckInState
		sent  string
	}{
		"at first":                                {"f12:00", sett.CheckInFailing, "check_in_failed 12:00"},
		"and again soon":                          {"f12:00 f13:00 f13:59", sett.CheckInFailing, "check_in_failed 12:00"},
		"for long":                                {"f12:00 f13:00 f14:00 f15:00 f16:00 f20:00", sett.CheckInFailing, "check_in_failed 12:00, check_in_failed 14:00 again, check_in_failed 16:00 again, check_in_failed 20:00 again"},
		"then succeeds":                           {"p11:00 f12:00 p13:00", sett.CheckInReporting, "check_in_failed 12:00, check_in_reporting 13:00"},
		"then succeeds twice":                     {"f12:00 p13:00 p14:00", sett.CheckInReporting, "check_in_failed 12:00, check_in_reporting 13:00"},
		"succeeds, then fails":                    {"f12:00 p12:01 f12:02", sett.CheckInFailing, "check_in_failed 12:00, check_in_reporting 12:01, check_in_failed 12:02"},
		"then is missing":                         {"f12:00 s13:05", sett.CheckInMissing, "check_in_failed 12:00, check_in_missing 13:05 again"},
		"is missing, then fails":                  {"p11:00 s12:05 f12:10", sett.CheckInFailing, "check_in_missing 12:05, check_in_failed 12:10 again"},
		"is missing, fails, succeeds":             {"p11:00 s12:05 f12:10 p12:20", sett.CheckInReporting, "check_in_missing 12:05, check_in_failed 12:10 again, check_in_reporting 12:20"},
		"starts to run again":                     {"f12:00 r12:30", sett.CheckInFailing, "check_in_failed 12:00"},
		"and its next run does not end":           {"f12:00 r12:01 s12:40", sett.CheckInMissing, "check_in_failed 12:00, check_in_missing 12:31 again"},
		"a late success does not end it":          {"f12:00 o11:59", sett.CheckInFailing, "check_in_failed 12:00"},
		"a late failure does not begin it":        {"p12:00 f11:59", sett.CheckInReporting, ""},
		"a late failure of a missing job":         {"p12:00 s13:05 f11:59", sett.CheckInMissing, "check_in_missing 13:05"},
		"a late success in a pause":               {"f12:00 z12:10 o11:59", sett.CheckInPaused, "check_in_failed 12:00"},
		"a late success after a pause":            {"f12:00 z12:10 u12:20 o11:59", sett.CheckInPending, "check_in_failed 12:00"},
		"pauses":                                  {"f12:00 z12:10", sett.CheckInPaused, "check_in_failed 12:00"},
		"pauses, and fails in the pause":          {"p11:00 z12:10 f12:20", sett.CheckInPaused, ""},
		"pauses, and succeeds in the pause":       {"f12:00 z12:10 p12:20", sett.CheckInPaused, "check_in_failed 12:00, check_in_reporting 12:20"},
		"is unknown after a pause":                {"f12:00 z12:10 u12:20", sett.CheckInPending, "check_in_failed 12:00"},
		"fails after a pause":                     {"f12:00 z12:10 u12:20 f12:30", sett.CheckInFailing, "check_in_failed 12:00, check_in_failed 12:30 again"},
		"succeeds after a pause":                  {"f12:00 z12:10 u12:20 p12:30", sett.CheckInReporting, "check_in_failed 12:00, check_in_reporting 12:30"},
		"is missing after a pause":                {"f12:00 z12:10 u12:20 s13:25", sett.CheckInMissing, "check_in_failed 12:00, check_in_missing 13:25 again"},
		"has another schedule":                    {"f12:00 e12:10", sett.CheckInPending, "check_in_failed 12:00"},
		"has another schedule, and then succeeds": {"f12:00 e12:10 p12:20", sett.CheckInReporting, "check_in_failed 12:00, check_in_reporting 12:20"},
	} {
		s := every("1 hour", "5 minutes")
		s.ReminderInterval = "2 hours"
		j := newJob(t, s)
		for step := range strings.FieldsSeq(c.does) {
			j.step(step[0], step[1:])
		}
		if sent := strings.Join(j.history, ", "); j.State != c.state || sent != c.sent {
			t.Errorf("%s: %s, %s; want %s, %s", name, j.State, sent, c.state, c.sent)
		}
	}
}

func (j *job) step(what byte, at string) {
	switch what {
	case 'f':
		j.fail(at, 3)
	case 'p', 'o':
		j.notes(j.Ping(Ping{At: clockAt(at), Payload: &PingPayload{Status: "success"}}))
	case 's':
		j.notes(j.Sweep(clockAt(at), nil))
	case 'z':
		j.notes(j.Pause(clockAt(at), clockAt("23:00")))
	case 'u':
		j.notes(j.Unpause(clockAt(at)))
	case 'e':
		s := j.CheckInSettings
		s.ReportPeriod = "2 hours"
		j.notes(j.Edit(s, clockAt(at)))
	case 'r':
		p := Ping{At: clockAt(at)}
		p.Run.Started = true
		j.notes(j.Ping(p))
	}
}

// The time of a failure is downtime, until the next success. Between a pause and the first ping nothing is measured.
func TestFailuresAreDowntime(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", "5 minutes"))
	var turns []CheckInTurn
	for _, step := range []string{"p12:00", "f13:00", "p13:15", "f14:00", "z14:10", "u14:20", "p14:50"} {
		before := j.State
		now := j.CheckIn
		j.step(step[0], step[1:])
		var events []CheckInEvent
		switch step[0] {
		case 'z':
			_, events = now.Pause(clockAt(step[1:]), clockAt("23:00"))
		case 'u':
			_, events = now.Unpause(clockAt(step[1:]))
		}
		turns = append(turns, CheckInTurns(before, j.CheckIn, events)...)
	}
	days := CheckInHistory{Turns: turns}.Days(clockAt("15:00"), nil)
	today := days[len(days)-1]
	if today.Down != 25*time.Minute || today.Measured != 2*time.Hour+20*time.Minute || today.Outages != 2 {
		t.Errorf("%v of %v down in %d outages", today.Down, today.Measured, today.Outages)
	}
}

func TestWhatAJobSaysOfItsFailure(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"status":"success"}`:               "",
		`{"exit_code":0}`:                    "",
		`{"check_in":{"status":"error"}}`:    "The job reported a failure.",
		`{"status":"Failed"}`:                "The job reported a failure.",
		`{"status":"success","exit_code":3}`: "The job ended with exit code 3.",
		`{"exit_code":137,"stdout":"a\n"}`:   "The job ended with exit code 137.\n\na",
		`{"exit_code":1,"stdout":"a","stderr":"` + strings.Repeat("x", 1000) + `"}`: "The job ended with exit code 1.\n\n" + sett.CutMark + strings.Repeat("x", mostFailure-len(sett.CutMark)),
	} {
		p, got := ParsePing([]byte(body)), ""
		if p.Failed() {
			got = p.Failure()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// A job that is due each minute is missing for 200 days: it is sent once, and then at intervals that grow.
func TestReminders(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for interval, want := range map[string][]time.Duration{
		"":          {0, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 16 * time.Hour, 32 * time.Hour, 64 * time.Hour, 128 * time.Hour, 256 * time.Hour, 256*time.Hour + 7*day},
		"10":        {0, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, 80 * time.Minute},
		"9 days":    {0, 9 * day, 18 * day, 27 * day},
		RemindNever: {0},
	} {
		s := every("1 minute", "")
		s.ReminderInterval = interval
		j := newJob(t, s)
		j.ping("12:00")
		var sent []time.Duration
		for range 3000 {
			if j.DeadlineAt.IsZero() {
				break
			}
			var events []CheckInEvent
			j.CheckIn, events = j.Sweep(j.DeadlineAt, nil)
			for _, a := range j.Alerts(events) {
				sent = append(sent, a.At.Sub(clockAt("12:01")))
			}
		}
		if j.MissedCount != mostMisses || !j.DeadlineAt.IsZero() {
			t.Errorf("%q: %d misses, and the next deadline is %v", interval, j.MissedCount, j.DeadlineAt)
		}
		if len(sent) < len(want) || !slices.Equal(sent[:len(want)], want) || interval == RemindNever && len(sent) > 1 {
			t.Errorf("%q: sent after %v, want %v", interval, sent, want)
		}
		if last := sent[len(sent)-1]; last > 200*day {
			t.Errorf("%q: sent after %v", interval, last)
		}
	}
	s := every("1 minute", "")
	s.ReminderInterval = RemindAlways
	j := newJob(t, s)
	j.ping("12:00")
	j.notes(j.Sweep(clockAt("19 12:00"), nil))
	if len(j.history) != mostMisses || !j.DeadlineAt.IsZero() {
		t.Errorf("always: %d alerts, and the next deadline is %v", len(j.history), j.DeadlineAt)
	}
}

func TestAnotherReminderIntervalCountsFromNow(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 minute", ""))
	j.ping("12:00")
	j.sweep("13:30")
	edit := func(interval string) {
		s := j.CheckInSettings
		s.ReminderInterval = interval
		j.update(j.Edit(s, clockAt("13:31")))
	}
	edit("10")
	if !j.DeadlineAt.Equal(clockAt("13:41")) {
		t.Errorf("the next reminder is at %v", j.DeadlineAt)
	}
	edit(RemindNever)
	if !j.DeadlineAt.IsZero() {
		t.Errorf("never: the next reminder is at %v", j.DeadlineAt)
	}
	j.ping("13:50")
	if !j.TroubleAt.IsZero() || !j.RemindAt.IsZero() {
		t.Errorf("after a success: %+v", j.CheckIn)
	}
}
