package sett

import (
	"testing"
	"time"
)

func TestHealthIsTheWorst(t *testing.T) {
	t.Parallel()
	site := func(active bool, state SiteState) func(*Watched) {
		return func(w *Watched) { w.AddSites(active, state, 2) }
	}
	checkIn := func(state CheckInState, late bool) func(*Watched) {
		return func(w *Watched) { w.AddCheckIns(state, late, 2) }
	}
	up, down := site(true, SiteUp), site(true, SiteDown)
	reports, missing := checkIn(CheckInReporting, false), checkIn(CheckInMissing, true)
	for name, c := range map[string]struct {
		watched []func(*Watched)
		want    Health
	}{
		"nothing":              {nil, HealthNone},
		"nothing seen":         {[]func(*Watched){site(true, SitePending), checkIn(CheckInPending, false)}, HealthPending},
		"all paused":           {[]func(*Watched){site(false, SiteDown), checkIn(CheckInPaused, true)}, HealthPaused},
		"some paused":          {[]func(*Watched){site(false, SiteDown), site(true, SitePending)}, HealthPending},
		"a paused site":        {[]func(*Watched){site(false, SiteDown), up}, HealthUp},
		"a check-in":           {[]func(*Watched){reports}, HealthUp},
		"late":                 {[]func(*Watched){reports, up, checkIn(CheckInReporting, true)}, HealthLate},
		"missing, and late":    {[]func(*Watched){checkIn(CheckInReporting, true), missing, up}, HealthMissing},
		"down, and missing":    {[]func(*Watched){up, down, missing}, HealthDown},
		"down, beside pending": {[]func(*Watched){site(true, SitePending), down}, HealthDown},
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
	hours := func(measured, down int) StatusDay {
		return StatusDay{Measured: time.Duration(measured) * time.Hour, Down: time.Duration(down) * time.Hour}
	}
	s := ShareOf(2, []StatusDay{hours(24, 24), hours(10, 1), hours(10, 2)}, []StatusDay{hours(20, 1)})
	if percent, ok := s.Percent(); percent != 90 || !ok {
		t.Errorf("%v, %v, want 90", percent, ok)
	}
	if _, ok := ShareOf(2).Percent(); ok {
		t.Error("of no time there is a share")
	}
}
