package movedb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
	"sett/internal/store/storetest"
)

// An error that is open again at its source is resolved in no release.
func TestStateOfTheSourceEndsARelease(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	d.Deploy(storetest.Noon, faults.Deploy{Revision: "r1"})
	arrive := func(state move.State) faults.FaultState {
		t.Helper()
		page := movedb.FaultPage{
			From: move.Place{Source: "sentry", Host: "a"}, ProjectID: d.ProjectID, List: "l",
			Faults: []move.Fault{{ID: "1", Class: "A", State: state, First: storetest.Noon, Last: storetest.Noon}},
		}
		if _, err := d.Moves.Faults(t.Context(), storetest.Noon, page); err != nil {
			t.Fatal(err)
		}
		return d.Fault("A").FaultState
	}
	arrive(move.Resolved)
	d.Update("A", faults.FaultChange{ResolvedIn: sett.Some("r1")})
	if got := arrive(move.Open); got != (faults.FaultState{}) {
		t.Errorf("it is %+v", got)
	}
}
