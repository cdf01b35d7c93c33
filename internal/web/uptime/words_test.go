package uptime

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/web"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

func TestWords(t *testing.T) {
	t.Parallel()
	labels := checks.LocationLabels{checks.London: "Vienna"}.With(checks.Virginia)
	for _, c := range []struct{ got, want string }{
		{share(100, true), "100%"},
		{share(99.9999, true), "99.99%"},
		{share(0, true), "0.00%"},
		{share(50, false), "–"},
		{spell(6*24*time.Hour + 4*time.Hour + time.Minute), "6 d 4 h"},
		{spell(14*time.Minute + 2*time.Second), "14 min 2 s"},
		{spell(time.Hour), "1 h"},
		{spell(900 * time.Millisecond), "900 ms"},
		{spell(-time.Hour), "0 ms"},
		{millis(0), "–"},
		{millis(300 * time.Microsecond), "1 ms"},
		{millis(142 * time.Millisecond), "142 ms"},
		{period("1440"), "1 day"},
		{period("90"), "90 minutes"},
		{period("2 weeks"), "14 days"},
		{period("1 month"), "1 month"},
		{period("0"), ""},
		{period("x"), ""},
		{schedule(checks.CheckInSettings{ReportPeriod: "1 hour", GracePeriod: "0"}), "every hour"},
		{schedule(checks.CheckInSettings{ScheduleType: checks.CronSchedule, CronSchedule: "0 2 * * *", GracePeriod: "5"}), "at 02:00 every day, UTC, grace 5 minutes"},
		{schedule(checks.CheckInSettings{ScheduleType: checks.CronSchedule, CronSchedule: "*/7 * * * *", CronTimezone: "Europe/Berlin"}), "cron */7 * * * * Europe/Berlin"},
		{called(checks.CheckIn{ID: "abcdefghij"}), "Check-in abcdef…"},
		{called(checks.CheckIn{ID: "a"}), "Check-in a…"},
		{rule(checks.SiteSettings{Locations: []checks.Location{checks.London, checks.Oregon}}, running(checks.London, checks.Oregon, checks.Virginia), labels), "Down when 1 of 2 locations fail."},
		{rule(checks.SiteSettings{Locations: []checks.Location{checks.London, checks.Oregon}}, running(checks.London, checks.Virginia), labels), "Down when a check from Vienna fails."},
		{rule(checks.SiteSettings{}, running(checks.Virginia), labels), "Down when a check from this server fails."},
		{rule(checks.SiteSettings{}, running(checks.London, checks.Oregon, checks.Virginia), labels), "Down when 2 of 3 locations fail."},
		{rule(checks.SiteSettings{}, nil, labels), "Down when 3 of 5 locations fail."},
		{headerLines(readHeaders("A: b\n\n  C:d: e \nF")), "A: b\nC: d: e\nF: "},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func running(all ...checks.Location) (live []checks.LiveLocation) {
	for _, l := range all {
		live = append(live, checks.LiveLocation{Location: l})
	}
	return live
}

func TestWhatComesNext(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]checks.CheckIn{
		"–":                     {State: sett.CheckInPending},
		"in 3 h":                {State: sett.CheckInReporting, ExpectedAt: noon.Add(3 * time.Hour)},
		"in grace, 11 min left": {State: sett.CheckInReporting, ExpectedAt: noon.Add(-time.Minute), DeadlineAt: noon.Add(10*time.Minute + 30*time.Second)},
		"due 1 min ago":         {State: sett.CheckInReporting, ExpectedAt: noon.Add(-time.Minute), DeadlineAt: noon},
		"3 missed":              {State: sett.CheckInMissing, MissedCount: 3, ExpectedAt: noon},
		"pause ends in 2 h":     {State: sett.CheckInPaused, DeadlineAt: noon.Add(2 * time.Hour)},
	} {
		if got := next(c, noon); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCertificatesThatEndSoonAreSeen(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]struct {
		text string
		mood web.Mood
	}{
		-time.Hour: {"expired", web.Critical}, 25 * time.Hour: {"1 day", web.Critical}, 12*24*time.Hour + 1: {"12 days", web.Warning}, 60 * 24 * time.Hour: {"60 days", ""},
	} {
		if text, mood := certificate(checks.Site{CertWillExpireAt: noon.Add(left)}, noon); text != want.text || mood != want.mood {
			t.Errorf("%s: %q %q", left, text, mood)
		}
	}
	if text, _ := certificate(checks.Site{}, noon); text != "–" {
		t.Errorf("without one: %q", text)
	}
}

// A chart shows when this site was down, and what happened since its last step at its end.
func TestMarksOfASite(t *testing.T) {
	t.Parallel()
	id, other := sett.UUID{1}, sett.UUID{2}
	spans := []stats.DownSpan{
		{SubjectID: id.String(), From: noon.Add(time.Minute), Reason: "Refused"},
		{SubjectID: other.String(), From: noon},
		{SubjectID: id.String(), From: noon.Add(-time.Hour), To: noon.Add(-time.Minute)},
	}
	got := outageEvents(spans, id, noon)
	if len(got) != 2 || !got[0].From.Equal(noon) || got[0].Title != "Down: Refused" || !got[1].From.Equal(noon.Add(-time.Hour)) {
		t.Errorf("%+v", got)
	}
	deploys := deployEvents([]faults.Deploy{{Revision: "abc", Environment: "production", CreatedAt: noon.Add(time.Minute)}}, noon)
	if len(deploys) != 1 || !deploys[0].From.Equal(noon) || deploys[0].Title != "Deploy abc to production" {
		t.Errorf("%+v", deploys)
	}
}
