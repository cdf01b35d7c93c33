package store

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/intake"
)

func (d *desk) wantCounted(when string, s *Store, now, before time.Time, want bool) {
	d.t.Helper()
	if got, err := s.Counted(d.t.Context(), now, before); err != nil || got != want {
		d.t.Errorf("%s: %v, %v, want %v", when, got, err, want)
	}
}

func TestCountedCountsWhatIsLeftToBeCounted(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		if _, err := s.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.recordBusy(noon, sett.Limits{}, d.times(intake.BusyBatch, "A")...)
		d.wantCounted("of this process", s, noon, noon.Add(time.Second), true)
		if n := d.numbers(`SELECT notices_count FROM fault_counts`, 1)[0]; n != intake.BusyBatch {
			t.Errorf("%d are counted, want %d", n, intake.BusyBatch)
		}
	})
}

func TestCountedWaitsForOtherNodes(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	busy, other := c.node(t), c.node(t)
	d := newDesk(t, busy)
	d.recordBusy(noon, sett.Limits{}, d.times(intake.BusyBatch, "A")...)
	later := noon.Add(time.Minute)
	d.wantCounted("a node has not counted", other, later, later, false)
	d.wantCounted("what came later", other, later, noon, true)
	d.wantCounted("after too long a time", other, later.Add(intake.MostUncounted+1), later, true)
	die(t, busy)
	d.wantCounted("the node is dead", other, later, later, false)
	adoptDead(t, other)
	d.wantCounted("another has counted", other, later, later, true)
}
