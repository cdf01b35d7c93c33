package sett

import (
	"testing"
	"time"
)

func TestBeat(t *testing.T) {
	t.Parallel()
	now := clockAt("12:00")
	for name, c := range map[string]struct {
		last, next time.Time
		blind      BlindWindow
		begins     bool
	}{
		"the first of all":       {time.Time{}, now, BlindWindow{}, false},
		"in time":                {now.Add(-10 * time.Second), now, BlindWindow{}, false},
		"just in time":           {now.Add(-30 * time.Second), now, BlindWindow{}, false},
		"late":                   {now.Add(-30*time.Second - 1), now, BlindWindow{now.Add(-30*time.Second - 1), now}, false},
		"a restart":              {now.Add(-8 * time.Second), now, BlindWindow{now.Add(-8 * time.Second), now}, true},
		"the start of all":       {time.Time{}, now, BlindWindow{}, true},
		"a start beside others":  {now.Add(time.Second), now.Add(time.Second), BlindWindow{}, true},
		"another clock is ahead": {now.Add(5 * time.Minute), now.Add(5 * time.Minute), BlindWindow{}, false},
		"the clock was set back": {now.Add(5*time.Minute + 1), now, BlindWindow{}, false},
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
