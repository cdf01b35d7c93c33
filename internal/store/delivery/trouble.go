package delivery

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/sett"
)

// ReceiverSubject is one line of messages, which are told in order.
type ReceiverSubject struct {
	sett.Receiver
	sett.AlertSubject
}

// troubles is what receivers know of subjects.
type troubles map[ReceiverSubject]sett.Trouble

// What was told since the end of the trouble was last told.
const ReadTroubles = `-- store.readTroubles
SELECT k.receiver, k.subject, d.state, count(*) FROM {{rows k(receiver text, subject text)}}
JOIN deliveries d ON d.receiver = k.receiver AND d.subject = k.subject AND d.id > coalesce((SELECT max(e.id) FROM deliveries e
    WHERE e.receiver = k.receiver AND e.subject = k.subject AND e.state <> 'held' AND e.event IN (` + Closing + `)), 0)
WHERE d.event IN (` + Opening + `) GROUP BY k.receiver, k.subject, d.state`

// As sett.OpeningEvents and sett.ClosingEvents.
const (
	Opening = `'occurred', 'rate_exceeded', 'volume_spike', 'unresolved', 'down', 'check_in_missing', 'issue_create', 'issue_reopen'`
	Closing = `'resolved', 'up', 'check_in_reporting', 'issue_close'`
)

// troubles returns what was known before of the subjects whose trouble ends among the messages.
func (t Tx) troubles(ctx context.Context, told []Telling) (troubles, error) {
	known := troubles{}
	var receivers, subjects []string
	asked := map[ReceiverSubject]bool{}
	for _, to := range told {
		about := ReceiverSubject{to.Receiver, to.Subject}
		if slices.Contains(sett.ClosingEvents(), to.Event) && !asked[about] {
			asked[about] = true
			receivers, subjects = append(receivers, string(to.Receiver)), append(subjects, string(to.Subject))
		}
	}
	err := t.EachRow(ctx, ReadTroubles, func(rows *sql.Rows) error {
		var about ReceiverSubject
		var state sett.DeliveryState
		err := rows.Scan(&about.Receiver, &about.AlertSubject, &state, new(int64))
		known[about] = known[about].Opened(state == sett.DeliveryHeld)
		return err
	}, receivers, subjects)
	return known, err
}
