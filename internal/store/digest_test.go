package store

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/intake"
)

// counts are all the sums that a notice takes part in.
func (d *desk) counts() map[string]int64 {
	d.t.Helper()
	sum := func(table, where string) int64 {
		return d.numbers(`SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM `+table+` WHERE `+where, 1)[0]
	}
	return map[string]int64{
		"faults":   d.numbers(`SELECT CAST(coalesce(sum(notices_count), 0) AS bigint) FROM fault_counts`, 1)[0],
		"minutes":  sum("fault_buckets", "width = 60"),
		"projects": sum("project_buckets", "width = 3600"),
		"classes":  sum("named_buckets", "kind = 'class'"),
		"places":   sum("named_buckets", "kind = 'location' AND name = 'Orders#create'"),
		"users":    sum("fault_users", "name = 'ann@example.test'"),
		"ledger":   d.numbers(`SELECT CAST(coalesce(sum(stored), 0) AS bigint) FROM ledger`, 1)[0],
	}
}

func all(n int64) map[string]int64 {
	return map[string]int64{"faults": n, "minutes": n, "projects": n, "classes": n, "places": n, "users": n, "ledger": n}
}

func (d *desk) wantCounts(when string, want map[string]int64) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.counts()); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// many returns as many reports as make a batch that may wait to be counted.
func (d *desk) many() []*Packed {
	var reports []*Packed
	for i := range intake.BusyBatch {
		reports = append(reports, d.report([]string{"A", "B", "C"}[i%3]))
	}
	return reports
}

func TestCountsFollowBusyBatches(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	d.wantCounts("after a busy batch", all(0))
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantCounts("after a fold", all(intake.BusyBatch))

	d.recordBusy(noon, sett.Limits{}, d.report("A"))
	d.wantCounts("after a light batch", all(intake.BusyBatch+1))

	d.recordBusy(noon, sett.Limits{}, d.many()...)
	d.recordBusy(noon, sett.Limits{}, d.report("A"))
	d.wantCounts("while busy", all(intake.BusyBatch+1))
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.report("A"))
	for _, k := range intake.KindsOfDigests {
		if err := d.FoldDue(t.Context(), noon.Add(k.Wait)); err != nil {
			t.Fatal(err)
		}
	}
	d.wantCounts("after the longest wait", all(2*intake.BusyBatch+3))
}

func TestCountsSurviveACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := openTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.recordBusy(noon, sett.Limits{}, d.report("A"), d.report("B"))
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.many()...)
	d.wantCounts("before the crash", all(2))

	after := openTest(t, db.Options{Dir: dir}) // what the first store has in memory is lost to this one
	for range 2 {
		if _, err := after.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantCounts("after recovery", all(2+intake.BusyBatch))
	}
	if id := after.IDs.Next(noon.Add(-time.Hour)); id <= sett.NoticeIDAt(noon) {
		t.Error("with the clock set back, ids go back")
	}
}

func TestCountsOfDeletedFaultsDoNotComeBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	id := d.numbers(`SELECT id FROM faults WHERE class = 'A'`, 1)[0]
	if err := d.DeleteFault(t.Context(), d.ProjectID, id); err != nil {
		t.Fatal(err)
	}
	if n := d.numbers(`SELECT count(*) FROM fault_buckets b WHERE NOT EXISTS (SELECT 1 FROM faults f WHERE f.id = b.fault_id)`, 1)[0]; n != 0 {
		t.Errorf("%d buckets of a deleted fault", n)
	}
	if got := d.counts()["faults"]; got != intake.BusyBatch*2/3 {
		t.Errorf("%d notices are counted, want those of the other two faults", got)
	}
}

// However far the folds have come, a fault counts the notices that its list has.
func TestCountsAndIndexOfAFaultAgree(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		folded := int64(0)
		for _, next := range s.Digests.Each {
			if err := s.FoldWhere(t.Context(), func(part *intake.Digest) bool { return part == next && part.N > 0 }); err != nil {
				t.Fatal(err)
			}
			if n := d.numbers(`SELECT count(*) FROM fault_counts c
				WHERE c.notices_count <> (SELECT count(*) FROM fault_notices n WHERE n.fault_id = c.fault_id)`, 1)[0]; n != 0 {
				t.Errorf("after digest %d %d faults count other notices than they list", next.ID, n)
			}
			folded = d.numbers(`SELECT count(*) FROM fault_notices`, 1)[0]
		}
		if folded != intake.BusyBatch {
			t.Errorf("%d notices are listed, want %d", folded, intake.BusyBatch)
		}
	})
}

// A fold whose commit was carried out and not answered is tried again, and changes nothing.
func TestFoldsCountOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		s.Digests.Settled()
		num, _ := s.Node.Current()
		for _, part := range s.Digests.Each {
			what, upto := s.Digests.Take(part, func(part *intake.Digest) bool { return part.N > 0 })
			if what == nil {
				continue
			}
			err := s.inTx(t.Context(), "fold", func(t *tx) error { return t.Fold(context.Background(), num, intake.SumsOf(part, what), upto) })
			if err != nil {
				t.Fatal(err)
			}
		}
		d.wantCounts("after folds without an answer", all(intake.BusyBatch))
		if err := d.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantCounts("after they were tried again", all(intake.BusyBatch))
	})
}
