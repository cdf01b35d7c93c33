package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// A clock that was a day ahead for a moment, and what was noted by it, must not keep anything from being looked at for
// that day.
func TestWhatAWrongClockNotedIsMended(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		pinged, swept, untouched := d.checkIn(d.ProjectID, hourly("pinged")), d.checkIn(d.ProjectID, hourly("swept")), d.checkIn(d.ProjectID, hourly("untouched"))
		d.beat(noon)
		d.ping(noon, swept)
		tomorrow := noon.Add(24 * time.Hour)
		if d.beat(tomorrow).IsZero() {
			t.Fatal("a clock that jumps notes no window")
		}
		d.ping(tomorrow, pinged)
		d.sweepAll(tomorrow, 10)
		d.ping(noon.Add(time.Minute), untouched)
		right := noon.Add(2 * time.Minute)
		if blind := d.beat(right); !blind.IsZero() {
			t.Errorf("blind in %v", blind)
		}
		for _, c := range []sett.CheckIn{pinged, swept, untouched} {
			if got := d.checkInNow(c); got.State != sett.CheckInReporting || got.DeadlineAt.After(right.Add(65*time.Minute)) || got.ReportedAt.After(right) {
				t.Errorf("%s is %s since %v, and missing from %v on", c.Name, got.State, got.ReportedAt, got.DeadlineAt)
			}
		}
		for at := right; at.Before(noon.Add(70 * time.Minute)); at = at.Add(10 * time.Second) {
			d.beat(at)
		}
		d.sweepAll(noon.Add(70*time.Minute), 10)
		want := []string{"reported 12:00:00", "forgiven 12:00:00", "forgiven 12:02:00", "missing 13:07:00"}
		if diff := cmp.Diff(want, d.checkInHistory(swept)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

func TestTheLastBeatIsSeen(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		if last, err := s.LastBeat(t.Context()); !last.IsZero() || err != nil {
			t.Errorf("before the first: %v, %v", last, err)
		}
		d.beat(noon)
		last, err := s.LastBeat(t.Context())
		if !last.Equal(noon) || err != nil {
			t.Errorf("after it: %v, %v", last, err)
		}
		ahead := noon.Add(time.Minute)
		if blind, err := s.Beat(t.Context(), ahead, sett.Beginning{Begins: true, Seen: noon.Add(-time.Second)}); !blind.IsZero() || err != nil {
			t.Errorf("beside others: blind in %v, %v", blind, err)
		}
	})
}
