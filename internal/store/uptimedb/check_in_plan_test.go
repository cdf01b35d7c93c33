package uptimedb_test

import (
	"strings"
	"testing"

	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// Neither a ping nor a sweep may take longer where there are many check-ins and events.
func TestPingsAndSweepsLookIntoIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{uptimedb.PingedCheckIns, []any{1, "x", "y", "z"}},
		{uptimedb.DueCheckIns, []any{1, 10}},
		{uptimedb.OverdueRuns, []any{1, 10}},
		{uptimedb.HasDueCheckIn, []any{1}},
		{uptimedb.PruneManyCheckInEvents, []any{1, 1, 10}},
		{uptimedb.SweepProjectCheckIns, []any{1, 10}},
		{uptimedb.SweepCheckInEvents, []any{1, 10}},
		{uptimedb.SweepCheckInTurns, []any{1, 10}},
		{uptimedb.SweepCheckInDays, []any{1, 10}},
		{uptimedb.ListCheckInEvents, []any{1, "x", 1, 10, 0}},
		{uptimedb.CheckInNameTaken, []any{1, "x", ""}},
		{uptimedb.CheckInSlugTaken, []any{1, "x", ""}},
	} {
		plan := d.Plan(d.Text(q.text), q.args...)
		for step := range strings.Lines(plan) {
			for _, whole := range []string{"SCAN c", "SCAN e", "SCAN p", "SCAN check_in", "SCAN t"} {
				if strings.HasPrefix(step, whole) && !strings.Contains(step, "CONSTANT") {
					t.Errorf("%s\nreads a whole table:\n%s", q.text, plan)
				}
			}
		}
	}
	for text, args := range map[string][]any{uptimedb.TurnsToFold: {1}, uptimedb.DropRolledUpTurns: {1, 1}} {
		plan := d.Plan(d.Text(text), args...)
		if strings.HasPrefix(plan, "SCAN") || strings.Contains(plan, "\nSCAN") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nreads or sorts a whole table:\n%s", text, plan)
		}
	}
	plan := d.Plan(d.Text(uptimedb.FoldableCheckIns), 1, 1)
	if strings.Contains(plan, "SCAN t") {
		t.Errorf("check-ins with many turns are found by reading all turns:\n%s", plan)
	}
}
