package faultdb_test

import (
	"strings"
	"testing"

	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// A page of faults takes no longer where a project has many, nor does what was reopened where much happened.
func TestPagesLookIntoIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct{ text, wants string }{
		{faultdb.FaultsOfProject + "(1, 2, 3)", "SEARCH fault_counts USING INTEGER PRIMARY KEY"},
		{faultdb.SignsOfFaults + "(1, 2, 3)", "SEARCH f USING INTEGER PRIMARY KEY"},
		{faultdb.FaultsByReason + "(1, 2, 3)", "SEARCH f USING INTEGER PRIMARY KEY"},
		{faultdb.LastResolved, "SEARCH c USING INDEX comments_by_fault (fault_id=?)"},
		{faultdb.ReopenedOf, "USING COVERING INDEX comments_told (project_id=? AND event=? AND created_at>?)"},
		{faultdb.Timelines[faults.TimelineReopened] + "(1, 2)" + faultdb.TimelineEndings[faults.TimelineReopened], "SEARCH k USING COVERING INDEX comments_told (project_id=? AND event=? AND created_at>?"},
		{faultdb.Timelines[faults.TimelineNew] + "(1, 2)" + faultdb.TimelineEndings[faults.TimelineNew], "SEARCH k USING COVERING INDEX faults_by_"},
	} {
		args := []any{1, 1, 1, 1}[:highest(q.text)]
		if plan := d.Plan(d.Text(q.text), args...); !strings.Contains(plan, q.wants) {
			t.Errorf("%s\nis not read by %q:\n%s", q.text, q.wants, plan)
		}
	}
}

// What needs attention begins with the few faults that an index finds.
func TestFewFaultsAreFoundByAnIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	if plan := d.Plan(d.Text(faultdb.AssignedFaultIDs), 1, 1, 1); !strings.Contains(plan, "faults_by_assignee (assignee_id=? AND project_id=? AND resolved=? AND ignored=?") {
		t.Errorf("those of a user are read by\n%s", plan)
	}
	for _, q := range []struct {
		text string
		args []any
		want string
	}{
		{faultdb.ActiveFaults, []any{1, 1, 10}, "SEARCH c USING INDEX fault_counts_recent"},
		{faultdb.FaultBuckets + "($2, $3) AND fault_id IN ($4, $5)", []any{60, 1, 2, 3, 4}, "(width=? AND at=? AND fault_id=?)"},
	} {
		plan := d.Plan(d.Text(q.text), q.args...)
		if !strings.Contains(plan, q.want) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nis run as\n%s", q.text, plan)
		}
	}
}

// highest returns the number of a statement's last parameter, at most four.
func highest(text string) int {
	for n := 4; n > 0; n-- {
		if strings.Contains(text, "$"+string(rune('0'+n))) {
			return n
		}
	}
	return 0
}
