package rollupdb_test

import (
	"testing"

	"sett/internal/store/rollupdb"
	"sett/internal/store/storetest"
)

// A purge must not take longer where faults have many users.
func TestUsersAreLoweredByIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.WantNoWholeTable(rollupdb.LowerFaultUsers, 1, "x", 1)
	d.WantNoWholeTable(rollupdb.DropFaultUsers, 1, "x")
}
