package sett

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNewUptimeSpan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	day := func(month time.Month, n int) time.Time { return time.Date(2026, month, n, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		from, to string
		want     UptimeSpan
		problem  string
	}{
		{"", "", UptimeSpan{day(10, 20), day(11, 19)}, ""},
		{"2026-11-18", "", UptimeSpan{day(11, 18), day(11, 19)}, ""},
		{"2026-11-17T23:59:59Z", "2026-11-18T00:00:01Z", UptimeSpan{day(11, 17), day(11, 19)}, ""},
		{"2026-11-16", "2026-11-18T00:00:00Z", UptimeSpan{day(11, 16), day(11, 18)}, ""}, // the moment in which the day begins is none of it
		{"2026-11-18T23:00:00-02:00", "2026-11-20", UptimeSpan{day(11, 19), day(11, 21)}, ""},
		{"", "2026-12-31", UptimeSpan{day(12, 2), day(13, 1)}, ""}, // days to come are empty
		{"2025-11-18", "", UptimeSpan{day(-1, 18), day(11, 19)}, ""},
		{"2025-11-17", "", UptimeSpan{}, "from must be at most 366 days before to, which is now unless it is given"},
		{"2026-11-19", "", UptimeSpan{}, "from must not be after to, which is now unless it is given"},
		{"2026-11-18T12:00:00Z", "2026-11-18T11:00:00Z", UptimeSpan{}, "from must not be after to, which is now unless it is given"},
		{"2026-11-18T12:00:00Z", "2026-11-18", UptimeSpan{day(11, 18), day(11, 19)}, ""},
	} {
		bound := func(text string) (b ReportBound) {
			if text != "" {
				var err error
				if b, err = ParseReportBound(text); err != nil {
					t.Fatal(err)
				}
			}
			return b
		}
		var problems Problems
		got := NewUptimeSpan(&problems, bound(tt.from), bound(tt.to), now)
		switch {
		case tt.problem != "" && (len(problems) != 1 || problems[0] != tt.problem):
			t.Errorf("%s to %s: %q, want %q", tt.from, tt.to, problems, tt.problem)
		case tt.problem == "" && (problems != nil || cmp.Diff(tt.want, got) != ""):
			t.Errorf("%s to %s: %q (-want +got):\n%s", tt.from, tt.to, problems, cmp.Diff(tt.want, got))
		}
	}
}
