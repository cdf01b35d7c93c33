package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// What people do to a fault holds for the very next notice, although the store remembers faults between batches.
func TestRememberedFaultsFollowPeople(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		set := func(c sett.FaultChange) {
			t.Helper()
			if err := s.UpdateFault(t.Context(), noon, d.UserID, d.ProjectID, d.faultID("A"), c); err != nil {
				t.Fatal(err)
			}
		}
		outcome := func() sett.Outcome { return d.record(noon, sett.Limits{}, d.report("A"))[0].Outcome }
		outcome()
		set(sett.FaultChange{Ignored: sett.Some(true)})
		got := []sett.Outcome{outcome()}
		set(sett.FaultChange{Ignored: sett.Some(false), Resolved: sett.Some(true)})
		got = append(got, outcome())
		if diff := cmp.Diff([]sett.Outcome{sett.Ignored, sett.Stored}, got); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if n := d.numbers(`SELECT count(*) FROM faults WHERE resolved`, 1)[0]; n != 0 {
			t.Error("a fault that was resolved and occurred again is still resolved")
		}
		if err := s.DeleteFault(t.Context(), d.ProjectID, d.faultID("A")); err != nil {
			t.Fatal(err)
		}
		outcome()
		if n := d.numbers(`SELECT notices_count FROM fault_counts`, 1)[0]; n != 1 {
			t.Errorf("a fault that was deleted and occurred again has %d notices, want 1", n)
		}
	})
}
