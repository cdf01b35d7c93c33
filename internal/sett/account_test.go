package sett

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNewAccountUsageHasTheDaysThatHaveBegun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now         string
		first, last string
		days        int
	}{
		{"2026-11-01T00:00:00Z", "2026-11-01", "2026-11-01", 1},
		{"2026-11-18T12:30:00Z", "2026-11-01", "2026-11-18", 18},
		{"2026-11-30T23:59:59Z", "2026-11-01", "2026-11-30", 30},
		{"2028-02-29T00:00:01Z", "2028-02-01", "2028-02-29", 29},
		{"2026-11-01T00:30:00+02:00", "2026-10-01", "2026-10-31", 31}, // still October in UTC
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		u := NewAccountUsage(now)
		if len(u) != c.days {
			t.Errorf("at %s: %d days, want %d", c.now, len(u), c.days)
			continue
		}
		first, last := u[0].Day.Format(time.DateOnly), u[len(u)-1].Day.Format(time.DateOnly)
		if first != c.first || last != c.last {
			t.Errorf("at %s: %s to %s, want %s to %s", c.now, first, last, c.first, c.last)
		}
	}
}

func TestAccountUsageSet(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	u := NewAccountUsage(day(11, 2))
	u.Set(UsageDay{Day: day(11, 2), Stored: 5})
	u.Set(UsageDay{Day: day(10, 1), Stored: 7})
	u.Set(UsageDay{Day: day(11, 3), Stored: 9})
	want := AccountUsage{{Day: day(11, 1)}, {Day: day(11, 2), Stored: 5}}
	if diff := cmp.Diff(want, u); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestQuotaConsumed(t *testing.T) {
	t.Parallel()
	u := AccountUsage{{Stored: 500, Limited: 1000}, {Stored: 250, Ignored: 1000, Invalid: 1000}}
	for quota, want := range map[int64]float64{0: 0, 1000: 0.75, 750: 1, 500: 1.5} {
		if got := u.QuotaConsumed(Limits{MonthlyQuota: quota}); got != want {
			t.Errorf("of %d: %v, want %v", quota, got, want)
		}
	}
}
