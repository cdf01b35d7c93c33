package intakedb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// What people do to a fault holds for the very next notice, although the store remembers faults between batches.
func TestRememberedFaultsFollowPeople(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		set := func(c faults.FaultChange) {
			t.Helper()
			if err := s.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("A"), c); err != nil {
				t.Fatal(err)
			}
		}
		outcome := func() accounts.Outcome { return d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))[0].Outcome }
		outcome()
		set(faults.FaultChange{Ignored: sett.Some(true)})
		got := []accounts.Outcome{outcome()}
		set(faults.FaultChange{Ignored: sett.Some(false), Resolved: sett.Some(true)})
		got = append(got, outcome())
		if diff := cmp.Diff([]accounts.Outcome{accounts.Ignored, accounts.Stored}, got); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if n := d.Numbers(`SELECT count(*) FROM faults WHERE resolved`, 1)[0]; n != 0 {
			t.Error("a fault that was resolved and occurred again is still resolved")
		}
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("A")); err != nil {
			t.Fatal(err)
		}
		outcome()
		if n := d.Numbers(`SELECT notices_count FROM fault_counts`, 1)[0]; n != 1 {
			t.Errorf("a fault that was deleted and occurred again has %d notices, want 1", n)
		}
	})
}
