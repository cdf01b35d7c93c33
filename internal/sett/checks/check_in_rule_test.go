package checks

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// job is a check-in on a day of its own, with its history as lines such as "missing 12:05:00".
type job struct {
	t *testing.T
	CheckIn
	history []string
	blind   []BlindWindow
}

func newJob(t *testing.T, s CheckInSettings) *job {
	t.Helper()
	return &job{t: t, CheckIn: NewCheckIn(rand.Reader, 1, s, clockAt("00:00"))}
}

func every(period, grace string) CheckInSettings {
	return CheckInSettings{ScheduleType: SimpleSchedule, ReportPeriod: period, GracePeriod: grace}
}

func cronned(schedule, grace string) CheckInSettings {
	return CheckInSettings{ScheduleType: CronSchedule, CronSchedule: schedule, GracePeriod: grace}
}

// clockAt returns a time of 18 November 2026, or of another date before a blank: "19 12:00".
func clockAt(text string) time.Time {
	layout, day := "2006-01-02 15:04:05", "2026-11-18 "
	if date, clock, ok := strings.Cut(text, " "); ok {
		day, text = "2026-11-"+date+" ", clock
		if len(date) > 2 {
			day = date + " "
		}
	}
	if strings.Count(text, ":") == 1 {
		text += ":00"
	}
	at, err := time.Parse(layout, day+text)
	if err != nil {
		panic(err)
	}
	return at
}

func (j *job) update(c CheckIn, events []CheckInEvent) {
	j.CheckIn = c
	for _, e := range events {
		if e.Kind != CheckInReported {
			j.history = append(j.history, string(e.Kind)+" "+e.At.Format(time.TimeOnly))
		}
	}
}

func (j *job) ping(at string)        { j.update(j.Ping(Ping{At: clockAt(at)})) }
func (j *job) sweep(at string)       { j.update(j.Sweep(clockAt(at), j.blind)) }
func (j *job) pause(at, end string)  { j.update(j.Pause(clockAt(at), clockAt(end))) }
func (j *job) unpause(at string)     { j.update(j.Unpause(clockAt(at))) }
func (j *job) blindFrom(a, b string) { j.blind = append(j.blind, BlindWindow{clockAt(a), clockAt(b)}) }

func (j *job) edit(at string, change func(*CheckInSettings)) {
	s := j.CheckInSettings
	change(&s)
	j.update(j.Edit(s, clockAt(at)))
}

// want compares the state, the expected time, the deadline and the misses: "reporting 13:00:00 13:05:00 0"; "-" is none.
func (j *job) want(when, state string) {
	j.t.Helper()
	show := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Format(time.TimeOnly)
	}
	if got := fmt.Sprintf("%s %s %s %d", j.State, show(j.ExpectedAt), show(j.DeadlineAt), j.MissedCount); got != state {
		j.t.Errorf("%s: %s, want %s", when, got, state)
	}
}

// wantHistory compares the entries of the history since its last call, without pings.
func (j *job) wantHistory(lines ...string) {
	j.t.Helper()
	if diff := cmp.Diff(lines, j.history); diff != "" {
		j.t.Errorf("history (-want +got):\n%s", diff)
	}
	j.history = nil
}

func TestACheckInMissesAndRecovers(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", "5 minutes"))
	j.sweep("19 12:00")
	j.want("never pinged", "pending - - 0")
	j.ping("12:00")
	j.want("pinged", "reporting 13:00:00 13:05:00 0")
	j.sweep("13:04:59")
	j.want("a moment before its deadline", "reporting 13:00:00 13:05:00 0")
	j.sweep("13:05")
	j.want("at its deadline", "missing 14:00:00 14:05:00 1")
	j.wantHistory("missing 13:05:00")
	j.sweep("16:30")
	j.want("three slots later", "missing 17:00:00 17:05:00 4")
	j.wantHistory("missing 14:05:00", "missing 15:05:00", "missing 16:05:00")
	j.ping("16:31")
	j.want("back", "reporting 17:31:00 17:36:00 0")
	j.wantHistory("reporting 16:31:00")
	j.ping("17:00")
	j.wantHistory()
}

func TestCronCheckIns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schedule, ping, want string }{
		"between slots":                 {"*/30 * * * *", "12:10", "reporting 12:30:00 12:31:00 0"},
		"at a slot":                     {"*/30 * * * *", "12:30", "reporting 13:00:00 13:01:00 0"},
		"a minute early":                {"*/30 * * * *", "12:29:00", "reporting 13:00:00 13:01:00 0"},
		"more than a minute early":      {"*/30 * * * *", "12:28:59", "reporting 12:30:00 12:31:00 0"},
		"half a minute early":           {"* * * * *", "12:28:30", "reporting 12:30:00 12:31:00 0"},
		"more than half of that":        {"* * * * *", "12:28:29", "reporting 12:29:00 12:30:00 0"},
		"a slot that is on another day": {"15 3 * * *", "03:15:01", "reporting 03:15:00 03:16:00 0"},
	} {
		j := newJob(t, cronned(c.schedule, "1"))
		j.ping(c.ping)
		j.want(name, c.want)
	}
	j := newJob(t, cronned("0 3 * * *", ""))
	j.CronTimezone = "Europe/Berlin"
	j.ping("12:00")
	j.want("in winter", "reporting 02:00:00 02:00:00 0")
	if !j.ExpectedAt.Equal(clockAt("19 02:00")) || j.ExpectedAt.Location() != time.UTC {
		t.Errorf("expected at %v", j.ExpectedAt)
	}
	j.sweep("21 02:00")
	j.want("three nights later", "missing 02:00:00 02:00:00 3")
	if !j.ExpectedAt.Equal(clockAt("22 02:00")) {
		t.Errorf("expected at %v", j.ExpectedAt)
	}
}

func TestMissesEndInSilence(t *testing.T) {
	t.Parallel()
	s := every("1 minute", "")
	s.ReminderInterval = RemindNever
	j := newJob(t, s)
	j.ping("12:00")
	j.sweep("20 12:00")
	j.want("days later", "missing 13:01:00 - 60")
	if len(j.history) != 60 || j.history[59] != "missing 13:00:00" {
		t.Errorf("%d events: %q", len(j.history), j.history)
	}
	j.history = nil
	j.ping("20 12:00")
	j.want("back", "reporting 12:01:00 12:01:00 0")
	j.wantHistory("reporting 12:00:00")

	for period, want := range map[string]int{"1 month": 7, "6 months": 2, "12 months": 1, "1 week": 26} {
		j := newJob(t, every(period, ""))
		j.ping("12:00")
		j.sweep("2036-11-18 12:00")
		if len(j.history) != want || !j.DeadlineAt.IsZero() || j.State != sett.CheckInMissing {
			t.Errorf("every %s: %d misses within six months and the one after, want %d", period, len(j.history), want)
		}
	}
}

func TestDeadlinesWithoutAServerAreForgiven(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to, back string
		grace          string
		want           string
		history        []string
	}{
		"inside":                  {"12:00", "15:00", "15:00", "", "reporting 15:02:00 15:02:00 0", []string{"forgiven 15:00:00"}},
		"at its end":              {"12:00", "13:00", "13:00", "", "reporting 13:02:00 13:02:00 0", []string{"forgiven 13:00:00"}},
		"with grace":              {"12:00", "15:00", "15:00", "10", "reporting 15:00:00 15:10:00 0", []string{"forgiven 15:00:00"}},
		"the sweep comes later":   {"12:00", "15:00", "15:01", "", "reporting 15:03:00 15:03:00 0", []string{"forgiven 15:01:00"}},
		"before it":               {"13:00", "15:00", "15:00", "", "missing 15:02:00 15:02:00 1", []string{"missing 13:00:00", "forgiven 15:00:00"}},
		"after it":                {"12:00", "12:59:59", "13:00", "", "missing 14:00:00 14:00:00 1", []string{"missing 13:00:00"}},
		"long before it":          {"14:30", "15:30", "15:30", "", "missing 15:32:00 15:32:00 2", []string{"missing 13:00:00", "missing 14:00:00", "forgiven 15:30:00"}},
		"and missed in the end":   {"12:00", "15:00", "15:02", "", "reporting 15:04:00 15:04:00 0", []string{"forgiven 15:02:00"}},
		"forgiven when swept now": {"12:30", "20:00", "20:00", "1 hour", "reporting 20:00:00 21:00:00 0", []string{"forgiven 20:00:00"}},
	} {
		j := newJob(t, every("1 hour", c.grace))
		j.ping("12:00")
		j.blindFrom(c.from, c.to)
		j.sweep(c.back)
		j.want(name, c.want)
		j.wantHistory(c.history...)
	}
}

// Slots that passed while no server was alive are not counted one after the other once it is.
func TestForgivenSlotsAreSkipped(t *testing.T) {
	t.Parallel()
	simple, cron := newJob(t, every("1 minute", "30 minutes")), newJob(t, cronned("*/5 * * * *", "30 minutes"))
	for _, j := range []*job{simple, cron} {
		j.ping("12:00")
		j.blindFrom("12:10", "15:01")
		j.sweep("15:01")
		j.wantHistory("forgiven 15:01:00")
		j.sweep("15:30:59")
		j.wantHistory()
		j.sweep("15:31")
		j.wantHistory("missing 15:31:00")
	}
	simple.want("missed after all", "missing 15:02:00 15:32:00 1")
	cron.want("missed after all", "missing 15:05:00 15:35:00 1")
}

// What is forgiven is expected anew, and missed once: a slot of cron that comes soon after is the same.
func TestForgivenCronSlotsAreMissedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schedule, grace, back string
		forgiven, missed      string
		history               string
	}{
		"a second before a slot":    {"* * * * *", "", "15:00:59", "15:03:00 15:03:00", "15:04:00 15:04:00", "missing 15:03:00"},
		"at a slot":                 {"* * * * *", "", "15:01:00", "15:03:00 15:03:00", "15:04:00 15:04:00", "missing 15:03:00"},
		"with a little grace":       {"* * * * *", "1", "15:00:30", "15:02:00 15:03:00", "15:03:00 15:04:00", "missing 15:03:00"},
		"with grace":                {"* * * * *", "30", "15:00:30", "15:01:00 15:31:00", "15:02:00 15:32:00", "missing 15:31:00"},
		"a slot two minutes later":  {"*/5 * * * *", "", "15:01:00", "15:05:00 15:05:00", "15:10:00 15:10:00", "missing 15:05:00"},
		"more than that":            {"*/5 * * * *", "", "15:00:59", "15:02:59 15:02:59", "15:05:00 15:05:00", "missing 15:02:59"},
		"the next slot is far away": {"0 12 * * *", "", "15:00:00", "15:02:00 15:02:00", "12:00:00 12:00:00", "missing 15:02:00"},
		"the next slot is near":     {"0 15,16 * * *", "5", "15:59:30", "16:00:00 16:05:00", "15:00:00 15:05:00", "missing 16:05:00"},
	} {
		j := newJob(t, cronned(c.schedule, c.grace))
		j.ping("17 17:00")
		j.blindFrom("17 16:59", c.back)
		j.sweep(c.back)
		j.want(name+", forgiven", "reporting "+c.forgiven+" 0")
		j.wantHistory("forgiven " + clockAt(c.back).Format(time.TimeOnly))
		deadline := j.DeadlineAt
		j.update(j.Sweep(deadline.Add(-time.Second), j.blind))
		j.wantHistory()
		j.update(j.Sweep(deadline, j.blind))
		j.want(name+", missed after all", "missing "+c.missed+" 1")
		j.wantHistory(c.history)
	}
}

func TestEditsOfACheckIn(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", "5 minutes"))
	j.ping("12:00")
	j.edit("12:01", func(s *CheckInSettings) { s.Name = "Other" })
	j.wantHistory()
	j.edit("12:10", func(s *CheckInSettings) { s.GracePeriod = "1 hour" })
	j.want("more grace", "reporting 13:00:00 14:00:00 0")
	j.edit("12:11", func(s *CheckInSettings) { s.GracePeriod = "" })
	j.want("no grace", "reporting 13:00:00 13:00:00 0")
	j.wantHistory("changed 12:10:00", "changed 12:11:00")
	if !j.UpdatedAt.Equal(clockAt("12:11")) {
		t.Errorf("updated at %v", j.UpdatedAt)
	}
	j.sweep("13:30")
	j.edit("13:31", func(s *CheckInSettings) { s.ReportPeriod = "2 hours" })
	j.want("another period", "pending - - 0")
	j.wantHistory("missing 13:00:00", "changed 13:31:00")
	j.sweep("20 13:31")
	j.want("days later", "pending - - 0")
	j.edit("20 14:00", func(s *CheckInSettings) { s.GracePeriod = "1 hour" })
	j.want("grace while nothing is expected", "pending - - 0")
	j.history = nil
	j.ping("20 15:00")
	j.want("another ping", "reporting 17:00:00 18:00:00 0")
	j.wantHistory("reporting 15:00:00")

	forgiven := newJob(t, every("1 hour", "5"))
	forgiven.ping("12:00")
	forgiven.blindFrom("12:30", "15:00")
	forgiven.sweep("15:00")
	forgiven.edit("15:01", func(s *CheckInSettings) { s.GracePeriod = "7" })
	forgiven.want("grace after it was forgiven", "reporting 15:00:00 15:07:00 0")

	cron := newJob(t, cronned("0 * * * *", ""))
	for _, change := range []func(*CheckInSettings){
		func(s *CheckInSettings) { s.CronSchedule = "5 * * * *" }, func(s *CheckInSettings) { s.CronTimezone = "Europe/Berlin" },
	} {
		cron.ping("12:10")
		cron.edit("12:20", change)
		cron.want("another schedule", "pending - - 0")
	}
}

func TestPausesOfACheckIn(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", "5"))
	j.ping("12:00")
	j.sweep("14:00")
	j.pause("14:01", "18:00")
	j.want("paused", "paused - 18:00:00 1")
	j.ping("15:00")
	j.want("pinged meanwhile", "paused - 18:00:00 0")
	if !j.ReportedAt.Equal(clockAt("15:00")) {
		t.Errorf("reported at %v", j.ReportedAt)
	}
	j.edit("15:01", func(s *CheckInSettings) { s.GracePeriod = "10" })
	j.want("more grace", "paused - 18:00:00 0")
	j.sweep("17:59:59")
	j.want("a moment before its end", "paused - 18:00:00 0")
	j.sweep("18:00:30")
	j.want("at its end", "pending 19:00:00 19:10:00 0")
	j.wantHistory("missing 13:05:00", "paused 14:01:00", "reporting 15:00:00", "changed 15:01:00", "resumed 18:00:00")
	j.pause("18:10", "20:00")
	j.unpause("18:20")
	j.want("ended by a user", "pending 19:20:00 19:30:00 0")
	j.unpause("18:30")
	j.want("ended twice", "pending 19:20:00 19:30:00 0")
	j.wantHistory("paused 18:10:00", "resumed 18:20:00")
	j.pause("18:40", "20:00")
	j.sweep("22:00")
	j.want("no server was alive at its end", "missing 22:00:00 22:10:00 1")
	j.wantHistory("paused 18:40:00", "resumed 20:00:00", "missing 21:10:00")

	j.pause("22:05", "23:00")
	j.unpause("22:06")
	j.want("it was missing before the pause", "pending 23:06:00 23:16:00 0")
	j.ping("22:07")
	j.want("it reports again after the pause", "reporting 23:07:00 23:17:00 0")
	j.ping("22:08")
	j.wantHistory("paused 22:05:00", "resumed 22:06:00", "reporting 22:07:00")

	fresh := newJob(t, every("1 hour", ""))
	fresh.pause("12:00", "13:00")
	fresh.sweep("13:00")
	fresh.want("never pinged", "pending - - 0")
	fresh.pause("13:00", "14:00")
	fresh.ping("13:30")
	fresh.sweep("14:00")
	fresh.want("first pinged in its pause", "pending 15:00:00 15:00:00 0")
	fresh.pause("14:10", "18:00")
	fresh.edit("14:20", func(s *CheckInSettings) { s.ReportPeriod = "2 hours" })
	fresh.want("another schedule ends it", "pending - - 0")
	fresh.pause("14:30", "15:00")
	fresh.sweep("15:00")
	fresh.want("not pinged under that schedule", "pending - - 0")
}

func TestPingsInAnyOrder(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", ""))
	j.ping("12:00")
	j.ping("11:50")
	j.want("an older one", "reporting 13:00:00 13:00:00 0")
	if !j.ReportedAt.Equal(clockAt("12:00")) {
		t.Errorf("reported at %v", j.ReportedAt)
	}
	j.sweep("13:30")
	j.ping("11:55") // the clock was set back
	j.want("it still says that the job is alive", "reporting 13:00:00 13:00:00 0")
}

func TestTheHistoryContainsSomePings(t *testing.T) {
	t.Parallel()
	c := NewCheckIn(rand.Reader, 1, every("1 minute", ""), clockAt("00:00"))
	var history []string
	for _, p := range []struct {
		at      string
		payload *PingPayload
	}{
		{"12:00:00", nil},
		{"12:00:29", nil},
		{"12:00:30", nil},
		{"12:00:31", &PingPayload{Status: "error"}},
		{"12:00:32", &PingPayload{Status: "success"}},
		{"12:01:01", nil},
		{"12:01:02", nil},
		{"11:00:00", nil},
	} {
		var events []CheckInEvent
		c, events = c.Ping(Ping{At: clockAt(p.at), Payload: p.payload})
		for _, e := range events {
			line := string(e.Kind) + " " + e.At.Format(time.TimeOnly)
			if e.Payload != nil {
				line += " " + e.Payload.Status
			}
			history = append(history, line)
		}
	}
	want := []string{"reported 12:00:00", "reported 12:00:30", "reported 12:00:31 error", "reported 12:00:32 success", "reporting 12:00:32", "reported 12:01:02", "reported 11:00:00"}
	if diff := cmp.Diff(want, history); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was stored may be unreadable to a later program; that is no reason to fail or to tell anybody anything.
func TestSchedulesThatCannotBeReadExpectNothing(t *testing.T) {
	t.Parallel()
	for _, s := range []CheckInSettings{
		{}, every("soon", ""), every("", ""), cronned("soon", ""), {ScheduleType: CronSchedule, CronSchedule: "* * * * *", CronTimezone: "Atlantis"},
	} {
		j := newJob(t, s)
		j.ping("12:00")
		j.want(fmt.Sprintf("%+v", s), "reporting - - 0")
		j.sweep("20 12:00")
		j.edit("20 12:00", func(s *CheckInSettings) { s.GracePeriod = "5" })
		j.pause("20 12:00", "20 13:00")
		j.sweep("20 14:00")
		j.want(fmt.Sprintf("%+v", s), "pending - - 0")
	}
}

func TestAClockThatWasSetBackDelaysNoCheckIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings CheckInSettings
		before   func(*job)
		want     string
		forgiven bool
	}{
		"pinged by it":         {every("1 hour", "5 minutes"), func(j *job) { j.ping("19 12:00") }, "reporting 13:00:00 13:05:00 0", true},
		"swept by it":          {every("1 hour", "5 minutes"), func(j *job) { j.ping("11:30"); j.sweep("19 12:00") }, "missing 13:00:00 13:05:00 24", true},
		"forgiven by it":       {every("1 hour", "1 hour"), func(j *job) { j.ping("11:30"); j.blindFrom("11:31", "19 12:00"); j.sweep("19 12:00") }, "reporting 13:00:00 14:00:00 0", true},
		"of cron":              {cronned("30 * * * *", ""), func(j *job) { j.ping("19 12:00") }, "reporting 12:30:00 12:30:00 0", true},
		"pinged just now":      {every("1 hour", "5 minutes"), func(j *job) { j.ping("12:00") }, "reporting 13:00:00 13:05:00 0", false},
		"by a clock like ours": {every("1 hour", ""), func(j *job) { j.ping("12:05") }, "reporting 13:05:00 13:05:00 0", false},
		"paused by people":     {every("1 hour", ""), func(j *job) { j.ping("11:30"); j.pause("11:40", "19 12:00") }, "paused - 12:00:00 0", false},
		"never pinged":         {every("1 hour", ""), func(*job) {}, "pending - - 0", false},
	} {
		j := newJob(t, c.settings)
		c.before(j)
		j.history = nil
		j.update(j.SetBack(clockAt("12:00")))
		j.want(name, c.want)
		if forgiven := slices.Equal(j.history, []string{"forgiven 12:00:00"}); forgiven != c.forgiven {
			t.Errorf("%s: history %v", name, j.history)
		}
		if j.ReportedAt.After(clockAt("12:05")) {
			t.Errorf("%s: reported at %v", name, j.ReportedAt)
		}
	}
}
