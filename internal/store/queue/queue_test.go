package queue_test

import (
	"strings"
	"testing"

	"sett/internal/store/queue"
	"sett/internal/store/storetest"
)

// The statements that run again and again read no more where much waits.
func TestQueuesUseIndexes(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	for table, q := range map[string]*queue.Queue{"deliveries": d.Deliveries.Queue, "status_notices": d.Status.Queue, "mails": d.Outbox.Queue} {
		lanes, due, claim, claimers, free := q.Texts()
		for text, args := range map[string][]any{lanes: nil, due: {"x", 1, 1}, claim: {1, 1, "x"}, claimers: {"x"}, free: {"x", 1}} {
			plan := d.Plan(d.Text(text), args...)
			for step := range strings.Lines(plan) {
				switch strings.TrimSpace(step) {
				case "SCAN d", "SCAN o", "SCAN " + table:
					t.Errorf("%s\nreads a whole table:\n%s", text, plan)
				}
			}
		}
	}
}
