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

// Neither what a clock that was ahead has made, nor what it has claimed or put off, holds up what is told of a subject; and
// what waits as long as it should goes on waiting.
func TestDeliveriesOfAWrongClockAreDue(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		d.beat(noon)
		later := noon.Add(5 * time.Hour)
		c := d.due(noon, "waits", "was put off")
		d.settled(noon, sett.DeliveryDue, later, c[0])
		d.happen(noon, about("was claimed", sett.AlertOccurred)...)
		d.spread(noon)
		wrong := noon.Add(4 * time.Hour)
		d.beat(wrong)
		if got := d.claimAll(wrong); len(got) != 2 {
			t.Fatalf("claimed %v", brief(got))
		}
		d.settled(wrong, sett.DeliveryDue, wrong.Add(28*time.Hour), ClaimedDelivery{Delivery: sett.Delivery{ID: c[1].ID}, Claim: 2})
		d.happen(wrong, about("was made", sett.AlertOccurred)...)
		d.spread(wrong)
		d.settled(wrong, sett.DeliveryDue, wrong.Add(time.Hour), d.wantClaims("what was made", wrong, "was made occurred 1")...)
		d.happen(wrong, about("is new", sett.AlertOccurred)...)
		d.spread(wrong)
		right := noon.Add(time.Minute)
		d.beat(right)
		d.wantClaims("once the clock is right", right, "was put off occurred 3", "was claimed occurred 2", "was made occurred 2", "is new occurred 1")
		d.wantNext("in their time", right.Add(deliveryLease))
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
