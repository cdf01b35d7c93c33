package uptimedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// A clock that was a day ahead for a moment, and what was noted by it, must not keep anything from being looked at for
// that day.
func TestTimesOfAWrongClockAreCorrected(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		pinged, swept, untouched := d.CheckIn(d.ProjectID, storetest.Hourly("pinged")), d.CheckIn(d.ProjectID, storetest.Hourly("swept")), d.CheckIn(d.ProjectID, storetest.Hourly("untouched"))
		d.BeatAt(storetest.Noon)
		d.PingAt(storetest.Noon, swept)
		tomorrow := storetest.Noon.Add(24 * time.Hour)
		if d.BeatAt(tomorrow).IsZero() {
			t.Fatal("a clock that jumps notes no window")
		}
		d.PingAt(tomorrow, pinged)
		d.SweepAll(tomorrow, 10)
		d.PingAt(storetest.Noon.Add(time.Minute), untouched)
		right := storetest.Noon.Add(2 * time.Minute)
		if blind := d.BeatAt(right); !blind.IsZero() {
			t.Errorf("blind in %v", blind)
		}
		for _, c := range []checks.CheckIn{pinged, swept, untouched} {
			if got := d.checkInNow(c); got.State != sett.CheckInReporting || got.DeadlineAt.After(right.Add(65*time.Minute)) || got.ReportedAt.After(right) {
				t.Errorf("%s is %s since %v, and missing from %v on", c.Name, got.State, got.ReportedAt, got.DeadlineAt)
			}
		}
		for at := right; at.Before(storetest.Noon.Add(70 * time.Minute)); at = at.Add(10 * time.Second) {
			d.BeatAt(at)
		}
		d.SweepAll(storetest.Noon.Add(70*time.Minute), 10)
		want := []string{"reported 12:00:00", "forgiven 12:00:00", "forgiven 12:02:00", "missing 13:07:00"}
		if diff := cmp.Diff(want, d.checkInHistory(swept)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

// Rows that were created, claimed or delayed by a clock that was ahead do not delay notifications about a subject; and
// what waits as long as it should goes on waiting.
func TestDeliveriesOfAWrongClockAreDue(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.BeatAt(storetest.Noon)
		later := storetest.Noon.Add(5 * time.Hour)
		c := d.Due(storetest.Noon, "waits", "was put off")
		d.Settled(storetest.Noon, alerts.DeliveryDue, later, c[0])
		d.Happen(storetest.Noon, storetest.About("was claimed", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon)
		wrong := storetest.Noon.Add(4 * time.Hour)
		d.BeatAt(wrong)
		if got := d.ClaimAll(wrong); len(got) != 2 {
			t.Fatalf("claimed %v", storetest.Brief(got))
		}
		d.Settled(wrong, alerts.DeliveryDue, wrong.Add(28*time.Hour), deliverydb.ClaimedDelivery{Delivery: alerts.Delivery{ID: c[1].ID}, Claim: 2})
		d.Happen(wrong, storetest.About("was made", alerts.AlertOccurred)...)
		d.FanOut(wrong)
		d.Settled(wrong, alerts.DeliveryDue, wrong.Add(time.Hour), d.WantClaims("what was made", wrong, "was made occurred 1")...)
		d.Happen(wrong, storetest.About("is new", alerts.AlertOccurred)...)
		d.FanOut(wrong)
		right := storetest.Noon.Add(time.Minute)
		d.BeatAt(right)
		d.WantClaims("once the clock is right", right, "was put off occurred 3", "was claimed occurred 2", "was made occurred 2", "is new occurred 1")
		d.WantNext("in their time", right.Add(storetest.DeliveryLease))
	})
}

func TestTheLastBeatIsSeen(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if last, err := s.Uptime.LastBeat(t.Context()); !last.IsZero() || err != nil {
			t.Errorf("before the first: %v, %v", last, err)
		}
		d.BeatAt(storetest.Noon)
		last, err := s.Uptime.LastBeat(t.Context())
		if !last.Equal(storetest.Noon) || err != nil {
			t.Errorf("after it: %v, %v", last, err)
		}
		ahead := storetest.Noon.Add(time.Minute)
		if blind, err := s.Uptime.Beat(t.Context(), ahead, checks.Beginning{Begins: true, Seen: storetest.Noon.Add(-time.Second)}); !blind.IsZero() || err != nil {
			t.Errorf("beside others: blind in %v, %v", blind, err)
		}
	})
}
