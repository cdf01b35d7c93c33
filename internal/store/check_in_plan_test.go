package store

import (
	"strings"
	"testing"
)

// Neither a ping nor a sweep may take longer where there are many check-ins and events.
func TestPingsAndSweepsLookIntoIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{pingedCheckIns, []any{1, "x", "y", "z"}},
		{dueCheckIns, []any{1, 10}},
		{hasDueCheckIn, []any{1}},
		{pruneManyCheckInEvents, []any{1, 1, 10}},
		{sweepProjectCheckIns, []any{1, 10}},
		{sweepCheckInEvents, []any{1, 10}},
		{sweepCheckInTurns, []any{1, 10}},
		{listCheckInEvents, []any{1, "x", 1, 10, 0}},
		{checkInNameTaken, []any{1, "x", ""}},
		{checkInSlugTaken, []any{1, "x", ""}},
	} {
		plan := d.plan(d.Text(q.text), q.args...)
		for step := range strings.Lines(plan) {
			for _, whole := range []string{"SCAN c", "SCAN e", "SCAN p", "SCAN check_in", "SCAN t"} {
				if strings.HasPrefix(step, whole) && !strings.Contains(step, "CONSTANT") {
					t.Errorf("%s\nreads a whole table:\n%s", q.text, plan)
				}
			}
		}
	}
}
