package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Messages to one receiver about one subject are sent in order. A new delivery with an open predecessor is marked as blocked (behind), so
// that no query reads it before its turn: thousands may wait for one that fails. The mark is a hint and may be missing. Where it is used,
// the oldest open delivery is not marked, and the transaction that ends the oldest clears the mark of the next.

// first holds for an open delivery d if it has no open predecessor: an earlier one to the same receiver about the same subject. A direct
// message becomes a delivery at once, and waits here for earlier alerts that are not fanned out yet. Deliveries that users have requested
// again are exempt, because they had their place in the order before.
const first = `d.state = 'due' AND NOT d.behind AND (d.again OR ` + noElder + `
    AND (SELECT a.id FROM alerts a WHERE NOT a.spread AND a.id < d.alert_id AND a.subject = d.subject ORDER BY a.id LIMIT 1) IS NULL)`

// This is not a NOT EXISTS, for which PostgreSQL may scan all open deliveries.
const noElder = `(SELECT o.id FROM deliveries o WHERE o.receiver = d.receiver AND o.subject = d.subject
    AND o.state = 'due' AND NOT o.again AND o.alert_id < d.alert_id ORDER BY o.alert_id LIMIT 1) IS NULL`

// queueUp marks new deliveries that have a predecessor. It locks the predecessor. So the predecessor ends either before, and then there
// is no mark, or after, and then it clears the mark. If another transaction holds the lock, no mark is set.
const queueUp = `-- store.queueUp
UPDATE deliveries SET behind = true WHERE id IN (SELECT d.id FROM {{rows k(alert_id bigint, receiver text)}}
    JOIN deliveries d ON d.alert_id = k.alert_id AND d.receiver = k.receiver
    JOIN deliveries o ON o.id = (SELECT e.id FROM deliveries e WHERE e.receiver = d.receiver AND e.subject = d.subject
        AND e.state = 'due' AND NOT e.again AND e.alert_id < d.alert_id ORDER BY e.alert_id LIMIT 1)
    WHERE d.state = 'due' AND o.state = 'due' {{for update skip locked}})`

// nextInLine unblocks the successors of deliveries that have ended.
const nextInLine = `-- store.nextInLine
UPDATE deliveries SET behind = false WHERE behind AND state = 'due' AND id IN (SELECT (SELECT n.id FROM deliveries n
    WHERE n.receiver = e.receiver AND n.subject = e.subject AND n.state = 'due' AND NOT n.again ORDER BY n.alert_id LIMIT 1)
    FROM {{rows k(id bigint)}} JOIN deliveries e ON e.id = k.id)`

// mergeDeliveries merges deliveries whose news a later message includes: that a site was down, once it is up again; that a check-in was
// missed, once it was missed again or reports. Neither of the two may be in flight. Only unblocked deliveries are merged: if another one
// ended at the same time, neither transaction would see the next in line.
const mergeDeliveries = `-- store.mergeDeliveries
UPDATE deliveries SET state = 'merged', done_at = $2 WHERE id IN (SELECT d.id FROM deliveries d
    WHERE d.receiver = $1 AND d.state = 'due' AND NOT d.behind AND NOT d.again AND d.due_at <= $2 AND d.event IN ('down', 'check_in_missing')
    AND EXISTS (SELECT 1 FROM deliveries o
        WHERE o.receiver = d.receiver AND o.subject = d.subject AND o.state = 'due' AND NOT o.again AND o.alert_id > d.alert_id AND o.due_at <= $2
        AND (d.event = 'down' AND o.event = 'up' OR d.event = 'check_in_missing' AND o.event IN ('check_in_missing', 'check_in_reporting')))
    AND ` + noElder + ` {{for update skip locked}}) RETURNING id`

// merge merges what it can of the deliveries due to a receiver.
func (t Tx) merge(ctx context.Context, now time.Time, to sett.Receiver) error {
	for {
		var merged []int64
		rows, err := t.QueryContext(ctx, t.s.db.Text(mergeDeliveries), string(to), db.Micros(now))
		err = db.ScanAll(rows, err, db.ScanID(func(id int64) { merged = append(merged, id) }))
		if err != nil || len(merged) == 0 {
			return err
		}
		if err := t.Each(ctx, nextInLine, merged); err != nil {
			return err
		}
	}
}

// receiverDue is a receiver, and when its next delivery can be claimed.
type receiverDue struct {
	sett.Receiver
	at time.Time
}

// receiversDue looks up one receiver after another, so that no query reads the whole backlog of a receiver.
const receiversDue = `-- store.receiversDue
WITH RECURSIVE r(receiver) AS (
    SELECT (SELECT d.receiver FROM deliveries d WHERE d.state = 'due' AND NOT d.behind ORDER BY d.receiver LIMIT 1)
    UNION ALL
    SELECT (SELECT d.receiver FROM deliveries d WHERE d.state = 'due' AND NOT d.behind AND d.receiver > r.receiver ORDER BY d.receiver LIMIT 1)
    FROM r WHERE r.receiver IS NOT NULL)
SELECT x.receiver, x.due_at FROM (SELECT r.receiver, (SELECT d.due_at FROM deliveries d
    WHERE d.receiver = r.receiver AND ` + first + ` ORDER BY d.due_at, d.id LIMIT 1) AS due_at FROM r WHERE r.receiver IS NOT NULL) x
WHERE x.due_at IS NOT NULL ORDER BY x.due_at, x.receiver`

// receiversDue returns the receivers with a delivery that can be claimed now or later, sorted by that time.
func (s *Store) receiversDue(ctx context.Context) (due []receiverDue, err error) {
	rows, err := s.db.Keyed().QueryContext(ctx, s.db.Text(receiversDue))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var r receiverDue
		var at int64
		err := rows.Scan(&r.Receiver, &at)
		r.at = db.FromMicros(at)
		due = append(due, r)
		return err
	})
	if err != nil {
		return nil, s.db.Explain(fmt.Errorf("look for deliveries: %w", err))
	}
	return due, nil
}

// NextDelivery returns when the next delivery can be claimed; ok is false if no delivery is open.
func (s *Store) NextDelivery(ctx context.Context) (at time.Time, ok bool, err error) {
	due, err := s.receiversDue(ctx)
	if err != nil || len(due) == 0 {
		return time.Time{}, false, err
	}
	return due[0].at, true, nil
}
