package rollupdb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/rollupdb"
	"sett/internal/store/storetest"
)

// onSave runs what is given when the next transaction that only saves positions comes to a statement of this name.
func (d *desk) onSave(seen *storetest.Trips, statement string, run func()) {
	saving := false
	seen.Before = func(_ *pgx.Conn, statements []string) {
		if saving = saving || slices.Contains(statements, "setRollups") && d.pending() == 0; saving && slices.Contains(statements, statement) {
			seen.Before = nil
			run()
		}
	}
}

// pending returns how many notices the rollups still have to write, of all kinds together.
func (d *desk) pending() (n int) {
	for kind := range rollupdb.RollupKinds {
		n += d.Rollups.Pending(kind)
	}
	return n
}

// Where few notices arrive, a notice is counted once it is stored, also while positions are saved.
func TestLightBatchesAreCountedWhilePositionsAreSaved(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{"setRollups", "commit"} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			seen := &storetest.Trips{}
			d := newDesk(t, storetest.OpenTest(t, db.Options{Database: storetest.NewCluster(t).Address, Tracer: seen}))
			d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Times(rollupdb.MostAhead, "A")...)
			saved := false
			d.onSave(seen, statement, func() {
				saved = true
				d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Report("A"))
				d.WantCounts("while positions are saved", storetest.All(rollupdb.MostAhead+1))
			})
			if err := d.Intake.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !saved {
				t.Error("no positions were saved")
			}
			d.WantCounts("in the end", storetest.All(rollupdb.MostAhead+1))
		})
	}
}

// An idle server saves all positions after a while, however little it has recorded: then all of it can be compacted.
func TestAnIdleServerSavesPositions(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if _, err := s.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		behind := func() int64 {
			return d.Numbers(`SELECT count(*) FROM digests WHERE upto < (SELECT max(id) FROM notices)`, 1)[0]
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		if behind() == 0 {
			t.Error("there is nothing to save")
		}
		s.Rollups.SavedAt(time.Now().Add(-time.Hour))
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := behind(); n != 0 {
			t.Errorf("%d positions are not saved", n)
		}
	})
}
