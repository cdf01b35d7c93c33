package sett

import (
	"testing"
	"time"
)

// The first occurrence that Paused does not silence is the one that is waited for.
func TestTheEndOfAPauseIsWhereItsSilenceEnds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, s := range []FaultState{{PausedCount: 10}, {PausedUntil: now.Add(time.Hour)}} {
		end, ok := FaultState{}.EndOfPause(s, now, 0)
		if !ok {
			t.Errorf("%+v: nothing is waited for", s)
		}
		for _, at := range []time.Time{now, now.Add(time.Hour - 1), now.Add(time.Hour), now.Add(2 * time.Hour)} {
			for before := range int64(20) {
				if got, want := end.Passed(before+1, at), !s.Paused(at, before); got != want {
					t.Errorf("%+v, the notice after %d at %v: %v, want %v", s, before, at, got, want)
				}
			}
		}
	}
	if (PauseEnd{}).Passed(100, now) {
		t.Error("who waits for nothing is told")
	}
}

func TestEndOfPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	open, counted := FaultState{}, FaultState{PausedCount: 12}
	timed, over := FaultState{PausedUntil: now.Add(time.Second)}, FaultState{PausedUntil: now}
	resolved := timed
	resolved.Resolved = true
	for _, c := range []struct {
		name     string
		from, to FaultState
		notices  int64
		want     PauseEnd
		ok       bool
	}{
		{"nothing", open, open, 3, PauseEnd{}, false},
		{"by count", open, counted, 2, PauseEnd{Count: 12}, true},
		{"by time", open, timed, 2, PauseEnd{At: now.Add(time.Second)}, true},
		{"by time in place of count", counted, timed, 2, PauseEnd{At: now.Add(time.Second)}, true},
		{"by count in place of time", timed, counted, 2, PauseEnd{Count: 12}, true},
		{"resolved", timed, resolved, 2, PauseEnd{}, false},
		{"ended by hand", timed, open, 2, PauseEnd{At: now}, true},
		{"ended by hand, by count", counted, open, 11, PauseEnd{At: now}, true},
		{"over before", over, open, 2, PauseEnd{At: now}, false},
		{"over before, by count", counted, open, 12, PauseEnd{At: now}, false},
	} {
		if got, ok := c.from.EndOfPause(c.to, now, c.notices); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
