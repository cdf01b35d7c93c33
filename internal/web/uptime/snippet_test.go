package uptime

import (
	"net/url"
	"testing"

	"sett/internal/sett/checks"
)

func TestTimesOfACheckIn(t *testing.T) {
	t.Parallel()
	for period, want := range map[string][2]string{
		"1 minute": {"* * * * *", "minutely"}, "5 minutes": {"*/5 * * * *", "*:0/5"}, "45 minutes": {"*/30 * * * *", "*:0/30"},
		"1 hour": {"0 * * * *", "hourly"}, "90 minutes": {"0 * * * *", "hourly"}, "6 hours": {"0 */6 * * *", "0/6:00"}, "5 hours": {"0 */4 * * *", "0/4:00"},
		"1 day": {"0 2 * * *", "daily"}, "3 days": {"0 2 * * *", "daily"}, "1 week": {"0 2 * * 1", "weekly"}, "1 month": {"0 2 1 * *", "monthly"}, "": {"0 2 * * *", "daily"},
	} {
		schedule, calendar := timesOf(checks.CheckInSettings{ScheduleType: checks.SimpleSchedule, ReportPeriod: period})
		if got := [2]string{schedule, calendar}; got != want {
			t.Errorf("%s: %q, want %q", period, got, want)
		}
	}
	if schedule, _ := timesOf(checks.CheckInSettings{ScheduleType: checks.CronSchedule, CronSchedule: "30 4 * * 0", ReportPeriod: "1 hour"}); schedule != "30 4 * * 0" {
		t.Errorf("a cron schedule is %q", schedule)
	}
}

// An address without a scheme is completed as people mean it.
func TestAddressWithoutAScheme(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ kind, address, want string }{
		{"http", " shop.example.test/health", "https://shop.example.test/health"},
		{"http", "http://shop.example.test", "http://shop.example.test"},
		{"tcp", "db.example.test:5432", "tcp://db.example.test:5432"},
		{"http", "", ""},
	} {
		if got := complete(url.Values{"check_type": {tt.kind}, "url": {tt.address}}).Get("url"); got != tt.want {
			t.Errorf("%s %q becomes %q, want %q", tt.kind, tt.address, got, tt.want)
		}
	}
}
