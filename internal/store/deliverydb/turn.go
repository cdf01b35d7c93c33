package deliverydb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

// Messages to one receiver about one subject are sent in order. A new delivery with an open predecessor is marked as blocked (behind), so
// that no query reads it before its turn: thousands may wait for one that fails. The mark is a hint and may be missing. Where it is used,
// the oldest open delivery is not marked, and the transaction that ends the oldest clears the mark of the next.

// open holds for a delivery d that is to be sent and not blocked.
const open = `d.state = 'due' AND NOT d.behind`

// first holds for an open delivery d if it has no open predecessor: an earlier one to the same receiver about the same subject. A direct
// message becomes a delivery at once, and waits here for earlier alerts that are not fanned out yet. Deliveries that users have requested
// again are exempt, because they had their place in the order before.
const first = `(d.again OR ` + noElder + `
    AND (SELECT a.id FROM alerts a WHERE NOT a.spread AND a.id < d.alert_id AND a.subject = d.subject ORDER BY a.id LIMIT 1) IS NULL)`

// This is not a NOT EXISTS, for which PostgreSQL may scan all open deliveries.
const noElder = `(SELECT o.id FROM deliveries o WHERE o.receiver = d.receiver AND o.subject = d.subject
    AND o.state = 'due' AND NOT o.again AND o.alert_id < d.alert_id ORDER BY o.alert_id LIMIT 1) IS NULL`

// queueUp marks new deliveries that have a predecessor. It locks the predecessor. So the predecessor ends either before, and then there
// is no mark, or after, and then it clears the mark. If another transaction holds the lock, no mark is set.
const queueUp = `-- deliverydb.queueUp
UPDATE deliveries SET behind = true WHERE id IN (SELECT d.id FROM {{rows k(alert_id bigint, receiver text)}}
    JOIN deliveries d ON d.alert_id = k.alert_id AND d.receiver = k.receiver
    JOIN deliveries o ON o.id = (SELECT e.id FROM deliveries e WHERE e.receiver = d.receiver AND e.subject = d.subject
        AND e.state = 'due' AND NOT e.again AND e.alert_id < d.alert_id ORDER BY e.alert_id LIMIT 1)
    WHERE d.state = 'due' AND o.state = 'due' {{for update skip locked}})`

// nextInLine unblocks the successors of deliveries that have ended.
const nextInLine = `-- deliverydb.nextInLine
UPDATE deliveries SET behind = false WHERE behind AND state = 'due' AND id IN (SELECT (SELECT n.id FROM deliveries n
    WHERE n.receiver = e.receiver AND n.subject = e.subject AND n.state = 'due' AND NOT n.again ORDER BY n.alert_id LIMIT 1)
    FROM {{rows k(id bigint)}} JOIN deliveries e ON e.id = k.id)`

// mergeDeliveries merges deliveries whose news a later message includes: that a site was down or slow, once it is up or fast again; that a check-in was
// missed, or its job failed, once there is more about it. Neither of the two may be in flight. Only unblocked deliveries are merged: if another one
// ended at the same time, neither transaction would see the next in line.
const mergeDeliveries = `-- deliverydb.mergeDeliveries
UPDATE deliveries SET state = 'merged', done_at = $2 WHERE id IN (SELECT d.id FROM deliveries d
    WHERE d.receiver = $1 AND d.state = 'due' AND NOT d.behind AND NOT d.again AND d.due_at <= $2 AND d.event IN ('down', 'slow', 'check_in_missing', 'check_in_failed', 'alarm_alert')
    AND EXISTS (SELECT 1 FROM deliveries o
        WHERE o.receiver = d.receiver AND o.subject = d.subject AND o.state = 'due' AND NOT o.again AND o.alert_id > d.alert_id AND o.due_at <= $2
        AND (d.event = 'down' AND o.event = 'up' OR d.event = 'slow' AND o.event = 'fast' OR d.event = 'alarm_alert' AND o.event = 'alarm_ok' OR d.event IN ('check_in_missing', 'check_in_failed') AND o.event IN ('check_in_missing', 'check_in_failed', 'check_in_reporting')))
    AND ` + noElder + ` {{for update skip locked}}) RETURNING id`

// merge merges what it can of the deliveries due to a receiver.
func (t Tx) merge(ctx context.Context, now time.Time, receiver string) error {
	for {
		merged, err := t.s.db.ListIDs(ctx, t, mergeDeliveries, receiver, db.Micros(now))
		if err != nil || len(merged) == 0 {
			return err
		}
		if err := t.Each(ctx, nextInLine, merged); err != nil {
			return err
		}
	}
}

// NextDelivery returns when the next delivery can be claimed; ok is false if no delivery is open.
func (s *Store) NextDelivery(ctx context.Context) (at time.Time, ok bool, err error) {
	lanes, err := s.Queue.Lanes(ctx)
	if err != nil || len(lanes) == 0 {
		return time.Time{}, false, err
	}
	return lanes[0].At, true, nil
}
