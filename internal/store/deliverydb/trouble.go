package deliverydb

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/sett/alerts"
)

// receiverSubject identifies one ordered line of messages.
type receiverSubject struct {
	alerts.Receiver
	alerts.AlertSubject
}

// troubles holds the state of subjects as receivers know it.
type troubles map[receiverSubject]alerts.Trouble

// The opening messages since the last closing message that was not held.
const readTroubles = `-- deliverydb.readTroubles
SELECT k.receiver, k.subject, d.state, count(*) FROM {{rows k(receiver text, subject text)}}
JOIN deliveries d ON d.receiver = k.receiver AND d.subject = k.subject AND d.id > coalesce((SELECT max(e.id) FROM deliveries e
    WHERE e.receiver = k.receiver AND e.subject = k.subject AND e.state <> 'held' AND e.event IN (` + closing + `)), 0)
WHERE d.event IN (` + opening + `) GROUP BY k.receiver, k.subject, d.state`

// Must match alerts.OpeningEvents and alerts.ClosingEvents.
const (
	opening = `'occurred', 'rate_exceeded', 'volume_spike', 'unresolved', 'down', 'slow', 'check_in_missing', 'check_in_failed', 'alarm_alert', 'issue_create', 'issue_reopen'`
	closing = `'resolved', 'up', 'fast', 'check_in_reporting', 'alarm_ok', 'issue_close'`
)

// troubles returns the earlier state of the subjects that a message closes.
func (t Tx) troubles(ctx context.Context, routes []route) (troubles, error) {
	known := troubles{}
	var receivers, subjects []string
	asked := map[receiverSubject]bool{}
	for _, to := range routes {
		about := receiverSubject{to.Receiver, to.Subject}
		if slices.Contains(alerts.ClosingEvents(), to.Event) && !asked[about] {
			asked[about] = true
			receivers, subjects = append(receivers, string(to.Receiver)), append(subjects, string(to.Subject))
		}
	}
	err := t.EachRow(ctx, readTroubles, func(rows *sql.Rows) error {
		var about receiverSubject
		var state alerts.DeliveryState
		err := rows.Scan(&about.Receiver, &about.AlertSubject, &state, new(int64))
		known[about] = known[about].Opened(state == alerts.DeliveryHeld)
		return err
	}, receivers, subjects)
	return known, err
}
