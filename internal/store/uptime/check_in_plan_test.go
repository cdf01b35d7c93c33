package uptime_test

import (
	"strings"
	"testing"

	"sett/internal/store/storetest"
	"sett/internal/store/uptime"
)

// Neither a ping nor a sweep may take longer where there are many check-ins and events.
func TestPingsAndSweepsLookIntoIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{uptime.PingedCheckIns, []any{1, "x", "y", "z"}},
		{uptime.DueCheckIns, []any{1, 10}},
		{uptime.OverdueRuns, []any{1, 10}},
		{uptime.HasDueCheckIn, []any{1}},
		{uptime.PruneManyCheckInEvents, []any{1, 1, 10}},
		{uptime.SweepProjectCheckIns, []any{1, 10}},
		{uptime.SweepCheckInEvents, []any{1, 10}},
		{uptime.SweepCheckInTurns, []any{1, 10}},
		{uptime.SweepCheckInDays, []any{1, 10}},
		{uptime.ListCheckInEvents, []any{1, "x", 1, 10, 0}},
		{uptime.CheckInNameTaken, []any{1, "x", ""}},
		{uptime.CheckInSlugTaken, []any{1, "x", ""}},
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
	for text, args := range map[string][]any{uptime.TurnsToFold: {1}, uptime.DropRolledUpTurns: {1, 1}} {
		plan := d.Plan(d.Text(text), args...)
		if strings.HasPrefix(plan, "SCAN") || strings.Contains(plan, "\nSCAN") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nreads or sorts a whole table:\n%s", text, plan)
		}
	}
	plan := d.Plan(d.Text(uptime.FoldableCheckIns), 1, 1)
	if strings.Contains(plan, "SCAN t") {
		t.Errorf("check-ins with many turns are found by reading all turns:\n%s", plan)
	}
}
