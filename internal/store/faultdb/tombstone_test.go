package faultdb_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
	"sett/internal/store/work"
)

// left counts what is there of deleted faults, by table.
func (d *desk) left() map[string]int64 {
	d.T.Helper()
	rows := map[string]int64{}
	for _, table := range []string{"faults", "merged_faults", "fault_counts", "fault_buckets", "fault_users", "fault_notices", "notices", "fault_shares", "fault_followers", "comments", "fault_graves", "pending_work", "pending_lots"} {
		if n := d.Numbers(`SELECT count(*) FROM `+table, 1)[0]; n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// A deletion is completed even if the process that accepted it dies: another one that knows only the database
// ends it.
func TestDeletionsOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon.Add(-50*24*time.Hour), accounts.Limits{}, d.Report("A"), d.Report("Stays"))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("Part"), d.Report("Gone"))
		d.Comment(d.UserID, "A", "Hm.")
		a, b := d.FaultID("A"), d.FaultID("B")
		d.Share(d.ProjectID, a)
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("Part"), triage.FaultMerge{IntoID: sett.Some(b)}); err != nil {
			t.Fatal(err)
		}
		stays := d.FaultID("Stays")
		gone := d.FaultID("Gone")
		err := s.Faults.InOwnTx(t.Context(), "bury", func(t faultdb.Tx) error { // all that is done before the answer
			return t.AddLots(context.Background(), d.ProjectID, faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("delete")}}, []int64{a, b, gone})
		})
		if err != nil {
			t.Fatal(err)
		}
		if going, err := s.Faults.FaultsWaiting(t.Context(), d.ProjectID); going != 3 || err != nil {
			t.Errorf("%d are going, %v", going, err)
		}
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, gone); err != nil { // another user was faster
			t.Fatal(err)
		}
		d.Finish()
		if going, err := s.Faults.FaultsWaiting(t.Context(), d.ProjectID); going != 0 || err != nil {
			t.Errorf("%d are going, %v", going, err)
		}
		want := map[string]int64{"faults": 1, "fault_counts": 1, "fault_buckets": 3, "fault_users": 1, "fault_notices": 1, "notices": 1}
		if diff := cmp.Diff(want, d.left()); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		if d.FaultID("Stays") != stays {
			t.Error("another fault is gone")
		}
	})
}

func TestManyDeletedFaultsGoAfterTheAnswer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var reports []*faultdb.Packed
		for i := range triage.MostBulkFaults + 7 {
			reports = append(reports, d.Report(fmt.Sprint("E", i)))
		}
		d.Record(storetest.Noon, accounts.Limits{}, reports...)
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		woken, stop := s.Sleep(work.Added)
		defer stop()
		remove := func() faultdb.BulkOutcome {
			t.Helper()
			done, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{}, triage.BulkChange{Action: sett.Some("delete")})
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		got := []faultdb.BulkOutcome{remove()}
		<-woken
		if n := d.left()["faults"]; n != 7 {
			t.Errorf("%d faults are seen", n)
		}
		got = append(got, remove(), remove())
		if diff := cmp.Diff([]faultdb.BulkOutcome{{Changed: triage.MostBulkFaults + 7, Waiting: 7}, {Changed: 7}, {}}, got); diff != "" {
			t.Errorf("asked three times (-want +got):\n%s", diff)
		}
		d.Finish()
		if diff := cmp.Diff(map[string]int64{}, d.left()); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
	})
}
