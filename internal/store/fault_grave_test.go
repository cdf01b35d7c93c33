package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// left counts what is there of deleted faults, by table.
func (d *desk) left() map[string]int64 {
	d.t.Helper()
	rows := map[string]int64{}
	for _, table := range []string{"faults", "merged_faults", "fault_counts", "fault_buckets", "fault_users", "fault_notices", "notices", "fault_shares", "comments", "fault_graves"} {
		if n := d.numbers(`SELECT count(*) FROM `+table, 1)[0]; n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// sweepDeletions sweeps until there is nothing more to do.
func (d *desk) sweepDeletions(s *Store) {
	d.t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.SweepFaults(d.t.Context()); err != nil {
			d.t.Fatal(err)
		}
	}
}

// What somebody has deleted goes, whatever becomes of the process that was told: another one that knows but the database
// ends it.
func TestDeletionsOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon.Add(-50*24*time.Hour), sett.Limits{}, d.report("A"), d.report("Stays"))
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("Part"), d.report("Gone"))
		d.comment(d.UserID, "A", "Hm.")
		a, b := d.faultID("A"), d.faultID("B")
		d.share(d.ProjectID, a)
		if err := s.MergeFault(t.Context(), noon, d.UserID, d.ProjectID, d.faultID("Part"), sett.FaultMerge{IntoID: sett.Some(b)}); err != nil {
			t.Fatal(err)
		}
		stays := d.faultID("Stays")
		gone := d.faultID("Gone")
		err := s.inTx(t.Context(), "bury", func(t *tx) error { // all that is done before the answer
			return t.EachRow(context.Background(), fault.BuryFaults, db.ScanID(func(int64) {}), db.Repeated(d.ProjectID, 3), []int64{a, b, gone})
		})
		if err != nil {
			t.Fatal(err)
		}
		if going, err := s.FaultsGoing(t.Context(), d.ProjectID); going != 3 || err != nil {
			t.Errorf("%d are going, %v", going, err)
		}
		if err := s.DeleteFault(t.Context(), d.ProjectID, gone); err != nil { // somebody else was quicker
			t.Fatal(err)
		}
		if more, err := s.SweepFaults(t.Context()); !more || err != nil || d.numbers(`SELECT count(*) FROM faults`, 1)[0] != 1 {
			t.Errorf("the first round leaves more %t, %v and not one fault", more, err)
		}
		if going, err := s.FaultsGoing(t.Context(), d.ProjectID); going != 0 || err != nil {
			t.Errorf("%d are going, %v", going, err)
		}
		d.sweepDeletions(s)
		want := map[string]int64{"faults": 1, "fault_counts": 1, "fault_buckets": 3, "fault_users": 1, "fault_notices": 1, "notices": 1}
		if diff := cmp.Diff(want, d.left()); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		if d.faultID("Stays") != stays {
			t.Error("another fault is gone")
		}
	})
}

func TestManyDeletedFaultsGoAfterTheAnswer(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		var reports []*Packed
		for i := range sett.MostBulkFaults + 7 {
			reports = append(reports, d.report(fmt.Sprint("E", i)))
		}
		d.record(noon, sett.Limits{}, reports...)
		if err := s.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		woken, stop := s.Sleep(FaultsDeleted)
		defer stop()
		remove := func() BulkOutcome {
			t.Helper()
			done, err := s.ChangeFaults(t.Context(), noon, d.UserID, d.ProjectID, FaultChoice{}, sett.BulkChange{Action: sett.Some("delete")})
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		got := []BulkOutcome{remove(), remove()}
		if diff := cmp.Diff([]BulkOutcome{{Changed: sett.MostBulkFaults + 7, Waiting: 7}, {}}, got); diff != "" {
			t.Errorf("asked twice (-want +got):\n%s", diff)
		}
		<-woken
		if n := d.left()["faults"]; n != 7 {
			t.Errorf("%d faults are seen", n)
		}
		d.sweepDeletions(s)
		if diff := cmp.Diff(map[string]int64{}, d.left()); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
	})
}
