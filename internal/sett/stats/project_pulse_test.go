package stats

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

func TestHealthIsTheWorst(t *testing.T) {
	t.Parallel()
	site := func(active bool, state sett.SiteState) func(*Watched) {
		return func(w *Watched) { w.AddSites(active, state, 2) }
	}
	checkIn := func(state sett.CheckInState, late bool) func(*Watched) {
		return func(w *Watched) { w.AddCheckIns(state, late, 2) }
	}
	up, down := site(true, sett.SiteUp), site(true, sett.SiteDown)
	reports, missing := checkIn(sett.CheckInReporting, false), checkIn(sett.CheckInMissing, true)
	for name, c := range map[string]struct {
		watched []func(*Watched)
		want    Health
	}{
		"nothing":              {nil, HealthNone},
		"nothing seen":         {[]func(*Watched){site(true, sett.SitePending), checkIn(sett.CheckInPending, false)}, HealthPending},
		"all paused":           {[]func(*Watched){site(false, sett.SiteDown), checkIn(sett.CheckInPaused, true)}, HealthPaused},
		"some paused":          {[]func(*Watched){site(false, sett.SiteDown), site(true, sett.SitePending)}, HealthPending},
		"a paused site":        {[]func(*Watched){site(false, sett.SiteDown), up}, HealthUp},
		"a check-in":           {[]func(*Watched){reports}, HealthUp},
		"late":                 {[]func(*Watched){reports, up, checkIn(sett.CheckInReporting, true)}, HealthLate},
		"missing, and late":    {[]func(*Watched){checkIn(sett.CheckInReporting, true), missing, up}, HealthMissing},
		"down, and missing":    {[]func(*Watched){up, down, missing}, HealthDown},
		"down, beside pending": {[]func(*Watched){site(true, sett.SitePending), down}, HealthDown},
	} {
		var w Watched
		for _, add := range c.watched {
			add(&w)
		}
		if got := w.Health(); got != c.want || got.Word() == "" {
			t.Errorf("%s: %q, in words %q; want %q", name, got, got.Word(), c.want)
		}
	}
}

func TestEventsUpTo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 15, 0, 0, time.UTC)
	if got := EventsUpTo(now, []int64{10, 20, 100}); got != 55 {
		t.Errorf("%d, want 55", got)
	}
	day := time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC).Unix()
	if starts := WeekBefore(now); len(starts) != 24 || starts[23] != day {
		t.Errorf("%v, want 24 that end with %d", starts, day)
	}
}

func TestTimeShare(t *testing.T) {
	t.Parallel()
	hours := func(measured, down int) checks.StatusDay {
		return checks.StatusDay{Measured: time.Duration(measured) * time.Hour, Down: time.Duration(down) * time.Hour}
	}
	s := checks.ShareOf(2, []checks.StatusDay{hours(24, 24), hours(10, 1), hours(10, 2)}, []checks.StatusDay{hours(20, 1)})
	if percent, ok := s.Percent(); percent != 90 || !ok {
		t.Errorf("%v, %v, want 90", percent, ok)
	}
	if _, ok := checks.ShareOf(2).Percent(); ok {
		t.Error("of no time there is a share")
	}
}
