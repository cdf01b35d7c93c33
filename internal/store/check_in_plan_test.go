package store

import (
	"strings"
	"testing"

	"sett/internal/store/uptime"
)

// Neither a ping nor a sweep may take longer where there are many check-ins and events.
func TestPingsAndSweepsLookIntoIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{uptime.PingedCheckIns, []any{1, "x", "y", "z"}},
		{uptime.DueCheckIns, []any{1, 10}},
		{uptime.HasDueCheckIn, []any{1}},
		{uptime.PruneManyCheckInEvents, []any{1, 1, 10}},
		{uptime.SweepProjectCheckIns, []any{1, 10}},
		{uptime.SweepCheckInEvents, []any{1, 10}},
		{uptime.SweepCheckInTurns, []any{1, 10}},
		{uptime.ListCheckInEvents, []any{1, "x", 1, 10, 0}},
		{uptime.CheckInNameTaken, []any{1, "x", ""}},
		{uptime.CheckInSlugTaken, []any{1, "x", ""}},
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
