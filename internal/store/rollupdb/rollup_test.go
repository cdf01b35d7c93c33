package rollupdb_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/rollupdb"
	"sett/internal/store/storetest"
)

func TestCountsFollowBusyBatches(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.WantCounts("after a busy batch", storetest.All(0))
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("after a fold", storetest.All(storetest.BusyBatch))

	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"))
	d.WantCounts("after a light batch", storetest.All(storetest.BusyBatch+1))

	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"))
	d.WantCounts("while busy", storetest.All(storetest.BusyBatch+1))
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Report("A"))
	for _, k := range rollupdb.RollupKinds {
		if err := d.Intake.FlushDue(t.Context(), storetest.Noon.Add(k.Wait)); err != nil {
			t.Fatal(err)
		}
	}
	d.WantCounts("after the longest wait", storetest.All(2*storetest.BusyBatch+3))
}

// Intake asks for what is due after every batch, while the next one is recorded.
func TestLightBatchesAreCountedThoughFlushesFindNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		var asking sync.WaitGroup
		asking.Go(func() {
			for ctx.Err() == nil {
				if err := s.Intake.FlushDue(ctx, storetest.Noon); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
		for n := range int64(50) {
			d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"))
			d.WantCounts("after a light batch", storetest.All(n+1))
		}
		cancel()
		asking.Wait()
	})
}

func TestCountsSurviveACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Many()...)
	d.WantCounts("before the crash", storetest.All(2))

	after := storetest.OpenTest(t, db.Options{Dir: dir}) // what the first store has in memory is lost to this one
	for range 2 {
		if _, err := after.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.WantCounts("after recovery", storetest.All(2+storetest.BusyBatch))
	}
	if id := after.Node.NextID(storetest.Noon.Add(-time.Hour), 0); id <= sett.NoticeIDAt(storetest.Noon) {
		t.Error("with the clock set back, ids go back")
	}
}

func TestCountsOfDeletedFaultsDoNotComeBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	id := d.Numbers(`SELECT id FROM faults WHERE class = 'A'`, 1)[0]
	if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, id); err != nil {
		t.Fatal(err)
	}
	if n := d.Numbers(`SELECT count(*) FROM fault_buckets b WHERE NOT EXISTS (SELECT 1 FROM faults f WHERE f.id = b.fault_id)`, 1)[0]; n != 0 {
		t.Errorf("%d buckets of a deleted fault", n)
	}
	if got := d.Counts()["faults"]; got != storetest.BusyBatch*2/3 {
		t.Errorf("%d notices are counted, want those of the other two faults", got)
	}
}

// However far the flushes have come, a fault counts the notices that its list has.
func TestCountsAndIndexOfAFaultAgree(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		flushed := int64(0)
		for _, next := range s.Rollups.Each() {
			if err := s.Rollups.FlushWhere(t.Context(), func(part *rollupdb.Rollup) bool { return part == next && part.N > 0 }); err != nil {
				t.Fatal(err)
			}
			if n := d.Numbers(`SELECT count(*) FROM fault_counts c
				WHERE c.notices_count <> (SELECT count(*) FROM fault_notices n WHERE n.fault_id = c.fault_id)`, 1)[0]; n != 0 {
				t.Errorf("after digest %d %d faults count other notices than they list", next.ID, n)
			}
			flushed = d.Numbers(`SELECT count(*) FROM fault_notices`, 1)[0]
		}
		if flushed != storetest.BusyBatch {
			t.Errorf("%d notices are listed, want %d", flushed, storetest.BusyBatch)
		}
	})
}

// A flush whose commit was carried out and not answered is tried again, and changes nothing.
func TestFlushsCountOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		s.Rollups.Settled()
		num, _ := s.Node.Current()
		for _, part := range s.Rollups.Each() {
			steps := s.Rollups.Take(func(part *rollupdb.Rollup) bool { return part.N > 0 }, part)
			err := s.Rollups.InOwnTx(t.Context(), "fold", func(t rollupdb.Tx) error { return t.Flush(context.Background(), num, steps) })
			if err != nil {
				t.Fatal(err)
			}
		}
		d.WantCounts("after folds without an answer", storetest.All(storetest.BusyBatch))
		if err := d.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.WantCounts("after they were tried again", storetest.All(storetest.BusyBatch))
	})
}
