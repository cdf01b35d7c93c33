package deliverydb_test

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

func TestPruneAlertsKeepsWhatIsStillToBeNotified(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		c := d.Due(storetest.Noon, "a", "b", "c", "d")
		d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, c[0], c[2], c[3])
		d.Happen(storetest.Noon.Add(time.Minute), storetest.About("e", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon.Add(time.Minute))
		d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, d.ClaimAll(storetest.Noon.Add(time.Minute))...) // "b" again, and "e"
		d.Run(`UPDATE deliveries SET state = 'due' WHERE subject = 'b'`)
		d.Happen(storetest.Noon, storetest.About("f", alerts.AlertOccurred)...)
		prune := func(before time.Time, limit int, more bool, left ...int64) {
			t.Helper()
			got, err := s.Deliveries.PruneAlerts(t.Context(), before, limit)
			if err != nil || got != more {
				t.Errorf("up to %v: more is %v, %v", before, got, err)
			}
			d.WantNumbers("left", `SELECT (SELECT count(*) FROM alerts), (SELECT count(*) FROM deliveries), (SELECT count(*) FROM attempts)`, nil, left...)
		}
		prune(storetest.Noon, 10, false, 6, 5, 5)
		prune(storetest.Noon.Add(time.Second), 1, true, 5, 4, 4)
		prune(storetest.Noon.Add(time.Second), 1, true, 4, 3, 3)   // "b" is before "c"
		prune(storetest.Noon.Add(time.Second), 10, false, 3, 2, 2) // left are "b" that is due, "e" that is newer and "f" that is not spread
		prune(storetest.Noon.Add(time.Hour), 10, false, 2, 1, 1)
	})
}

// None of what loops do again and again takes longer where there are many alerts and deliveries.
func TestAlertsAreLookedUpInIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{deliverydb.HasRaised, nil},
		{deliverydb.AlertsToFanOut, []any{1}},
		{deliverydb.MarkFanOut, []any{1}},
		{deliverydb.QueueUp, []any{1, "x"}},
		{deliverydb.NextInLine, []any{1}},
		{deliverydb.MergeDeliveries, []any{"x", 1}},
		{deliverydb.ReadClaimed + "(1)", nil},
		{deliverydb.SettleDeliveries, []any{1, 1, "", 1, 1, 1, "", 0}},
		{deliverydb.InsertAttempts, []any{1, 1, 1, 1, ""}},
		{deliverydb.HastenDeliveries, []any{"x", 1}},
		{deliverydb.ReadTroubles, []any{"x", "y"}},
		{deliverydb.ReadFloods, []any{"x", true}},
		{deliverydb.FreeElders, []any{"x", "y", 1, 1}},
		{deliverydb.HoldQuiet, []any{1}},
		{deliverydb.KeepQuiet, []any{1, 1}},
		{deliverydb.UrgentBehind, []any{"x", "y"}},
		{deliverydb.MoveQuiet, []any{"x", 1, 1, 1}},
		{deliverydb.FreeUrgent, []any{"x", 1, 1, 1}},
		{deliverydb.UrgentSubjects, []any{"x"}},
		{deliverydb.MoveQuietFlood, []any{"x", 1, 1}},
		{deliverydb.ListDeliveries, []any{1, 1, 1, 1, 1, 0}},
		{deliverydb.NewestDelivery, []any{1}},
		{deliverydb.OneDelivery, []any{1, 1, 1}},
		{deliverydb.SweepProjectAlerts, []any{1, 1}},
	} {
		plan := d.Plan(d.Text(q.text), q.args...)
		for step := range strings.Lines(plan) {
			switch strings.TrimSpace(step) {
			case "SCAN a", "SCAN alerts", "SCAN d", "SCAN o", "SCAN e", "SCAN deliveries", "SCAN attempts", "SCAN f", "SCAN floods", "SCAN u", "SCAN i":
				t.Errorf("%s\nreads a whole table:\n%s", q.text, plan)
			}
		}
	}
}
