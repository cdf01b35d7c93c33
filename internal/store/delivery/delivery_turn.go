package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// What is told to one receiver about one subject is told in turn. A delivery that finds an older one open when it is made
// is marked as behind it, so that nobody looks at it again before its turn: thousands may wait for one that fails. The
// mark is a hint that may be missing. Where it is, the oldest that is open is not marked, and the transaction that ends
// the oldest takes the mark from the next.

// first holds of an open delivery d when nothing that happened before, about its subject, is still to be told to its
// receiver. What is said to one receiver alone is a delivery at once, and waits here for alerts that are not spread yet.
// What people have asked for again was told in its turn before.
const first = `d.state = 'due' AND NOT d.behind AND (d.again OR ` + noElder + `
    AND (SELECT a.id FROM alerts a WHERE NOT a.spread AND a.id < d.alert_id AND a.subject = d.subject ORDER BY a.id LIMIT 1) IS NULL)`

// It is no NOT EXISTS, of which PostgreSQL may make one look at all that is open.
const noElder = `(SELECT o.id FROM deliveries o WHERE o.receiver = d.receiver AND o.subject = d.subject
    AND o.state = 'due' AND NOT o.again AND o.alert_id < d.alert_id ORDER BY o.alert_id LIMIT 1) IS NULL`

// queueUp marks new deliveries that are behind others. The older one is locked, so that its end comes before, and then
// there is no mark, or after, and then takes the mark away; where somebody else has it locked there is none.
const queueUp = `-- store.queueUp
UPDATE deliveries SET behind = true WHERE id IN (SELECT d.id FROM {{rows k(alert_id bigint, receiver text)}}
    JOIN deliveries d ON d.alert_id = k.alert_id AND d.receiver = k.receiver
    JOIN deliveries o ON o.id = (SELECT e.id FROM deliveries e WHERE e.receiver = d.receiver AND e.subject = d.subject
        AND e.state = 'due' AND NOT e.again AND e.alert_id < d.alert_id ORDER BY e.alert_id LIMIT 1)
    WHERE d.state = 'due' AND o.state = 'due' {{for update skip locked}})`

// nextInLine lets those have their turn that waited for deliveries which have come to their end.
const nextInLine = `-- store.nextInLine
UPDATE deliveries SET behind = false WHERE behind AND state = 'due' AND id IN (SELECT (SELECT n.id FROM deliveries n
    WHERE n.receiver = e.receiver AND n.subject = e.subject AND n.state = 'due' AND NOT n.again ORDER BY n.alert_id LIMIT 1)
    FROM {{rows k(id bigint)}} JOIN deliveries e ON e.id = k.id)`

// mergeDeliveries takes what a later message tells too: that a site was down, once it is up again, and that a check-in was
// missed, once it was missed again or reports. Nobody may be at either of the two. Only those whose turn it is are merged:
// were another to end while the first does, neither would see who is next.
const mergeDeliveries = `-- store.mergeDeliveries
UPDATE deliveries SET state = 'merged', done_at = $2 WHERE id IN (SELECT d.id FROM deliveries d
    WHERE d.receiver = $1 AND d.state = 'due' AND NOT d.behind AND NOT d.again AND d.due_at <= $2 AND d.event IN ('down', 'check_in_missing')
    AND EXISTS (SELECT 1 FROM deliveries o
        WHERE o.receiver = d.receiver AND o.subject = d.subject AND o.state = 'due' AND NOT o.again AND o.alert_id > d.alert_id AND o.due_at <= $2
        AND (d.event = 'down' AND o.event = 'up' OR d.event = 'check_in_missing' AND o.event IN ('check_in_missing', 'check_in_reporting')))
    AND ` + noElder + ` {{for update skip locked}}) RETURNING id`

// merge merges what can be of what is due for a receiver.
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

// receiverDue is a receiver, and when the next delivery to it can be claimed.
type receiverDue struct {
	sett.Receiver
	at time.Time
}

// receiversDue looks one receiver up after the other: where much waits for one, nobody looks at all of it.
const receiversDue = `-- store.receiversDue
WITH RECURSIVE r(receiver) AS (
    SELECT (SELECT d.receiver FROM deliveries d WHERE d.state = 'due' AND NOT d.behind ORDER BY d.receiver LIMIT 1)
    UNION ALL
    SELECT (SELECT d.receiver FROM deliveries d WHERE d.state = 'due' AND NOT d.behind AND d.receiver > r.receiver ORDER BY d.receiver LIMIT 1)
    FROM r WHERE r.receiver IS NOT NULL)
SELECT x.receiver, x.due_at FROM (SELECT r.receiver, (SELECT d.due_at FROM deliveries d
    WHERE d.receiver = r.receiver AND ` + first + ` ORDER BY d.due_at, d.id LIMIT 1) AS due_at FROM r WHERE r.receiver IS NOT NULL) x
WHERE x.due_at IS NOT NULL ORDER BY x.due_at, x.receiver`

// receiversDue returns all to whom something can be told, now or later, by when that is.
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

// NextDelivery returns when the next delivery can be claimed; ok is false when there is none that is open.
func (s *Store) NextDelivery(ctx context.Context) (at time.Time, ok bool, err error) {
	due, err := s.receiversDue(ctx)
	if err != nil || len(due) == 0 {
		return time.Time{}, false, err
	}
	return due[0].at, true, nil
}
