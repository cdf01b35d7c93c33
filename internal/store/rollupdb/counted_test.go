package rollupdb_test

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/rollupdb"
	"sett/internal/store/storetest"
)

func (d *desk) wantCounted(when string, s *store.Store, now, before time.Time, want bool) {
	d.T.Helper()
	if got, err := s.Intake.Counted(d.T.Context(), now, before); err != nil || got != want {
		d.T.Errorf("%s: %v, %v, want %v", when, got, err, want)
	}
}

func TestCountedCountsWhatIsLeftToBeCounted(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if _, err := s.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Times(storetest.BusyBatch, "A")...)
		d.wantCounted("of this process", s, storetest.Noon, storetest.Noon.Add(time.Second), true)
		if n := d.Numbers(`SELECT notices_count FROM fault_counts`, 1)[0]; n != storetest.BusyBatch {
			t.Errorf("%d are counted, want %d", n, storetest.BusyBatch)
		}
	})
}

func TestCountedWaitsForOtherNodes(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	busy, other := c.Node(t), c.Node(t)
	d := newDesk(t, busy)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Times(storetest.BusyBatch, "A")...)
	later := storetest.Noon.Add(time.Minute)
	d.wantCounted("a node has not counted", other, later, later, false)
	d.wantCounted("what came later", other, later, storetest.Noon, true)
	d.wantCounted("after too long a time", other, later.Add(rollupdb.MostUncounted+1), later, true)
	storetest.Die(t, busy)
	d.wantCounted("the node is dead", other, later, later, false)
	storetest.TakeOverDead(t, other)
	d.wantCounted("another has counted", other, later, later, true)
}
