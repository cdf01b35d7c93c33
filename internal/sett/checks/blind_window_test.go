package checks

import (
	"testing"
	"time"
)

func TestBeat(t *testing.T) {
	t.Parallel()
	now := clockAt("12:00")
	running, begins := Beginning{}, Beginning{Begins: true}
	seen := func(ago time.Duration) Beginning { return Beginning{Begins: true, Seen: now.Add(-ago)} }
	for name, c := range map[string]struct {
		last, next time.Time
		blind      BlindWindow
		begins     Beginning
	}{
		"the first of all":       {time.Time{}, now, BlindWindow{}, running},
		"in time":                {now.Add(-10 * time.Second), now, BlindWindow{}, running},
		"just in time":           {now.Add(-30 * time.Second), now, BlindWindow{}, running},
		"late":                   {now.Add(-30*time.Second - 1), now, BlindWindow{now.Add(-30*time.Second - 1), now}, running},
		"a restart":              {now.Add(-8 * time.Second), now, BlindWindow{now.Add(-8 * time.Second), now}, begins},
		"the start of all":       {time.Time{}, now, BlindWindow{}, begins},
		"a start beside others":  {now.Add(time.Second), now.Add(time.Second), BlindWindow{}, begins},
		"another clock is ahead": {now.Add(5 * time.Minute), now.Add(5 * time.Minute), BlindWindow{}, running},
		"a clock that is ahead begins beside others":  {now.Add(-time.Minute), now, BlindWindow{}, seen(70 * time.Second)},
		"a clock that is behind begins beside others": {now.Add(time.Minute), now.Add(time.Minute), BlindWindow{}, seen(-50 * time.Second)},
		"a start without a heartbeat":                 {now.Add(-time.Minute), now, BlindWindow{now.Add(-time.Minute), now}, seen(time.Minute)},
		"the clock was set back":                      {now.Add(5*time.Minute + 1), now, BlindWindow{}, running},
	} {
		if next, blind := Beat(c.last, now, c.begins); next != c.next || blind != c.blind {
			t.Errorf("%s: %v, %v", name, next, blind)
		}
	}
}

func TestBlindWindowContains(t *testing.T) {
	t.Parallel()
	w := BlindWindow{clockAt("12:00"), clockAt("13:00")}
	for at, want := range map[string]bool{"12:00": false, "12:00:01": true, "13:00": true, "13:00:01": false} {
		if w.Contains(clockAt(at)) != want {
			t.Errorf("%s: %v", at, !want)
		}
	}
}
