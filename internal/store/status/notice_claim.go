package status

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/status"
	"sett/internal/store/db"
)

// StatusQueue is the queue of notices to one kind of subscribers of one page. Queues take turns, so that none waits for another.
type StatusQueue struct {
	Page int64 // its number
	Kind status.SubscriberKind
}

// dueQueues looks up one page after another, so that no query reads the whole backlog of a page.
const dueQueues = `-- store.dueQueues
WITH RECURSIVE p(page) AS (
    SELECT (SELECT n.page FROM status_notices n ORDER BY n.page LIMIT 1)
    UNION ALL
    SELECT (SELECT n.page FROM status_notices n WHERE n.page > p.page ORDER BY n.page LIMIT 1) FROM p WHERE p.page IS NOT NULL)
SELECT x.page, x.kind FROM (SELECT p.page, k.kind, (SELECT n.due_at FROM status_notices n
    WHERE n.page = p.page AND n.kind = k.kind ORDER BY n.due_at LIMIT 1) AS due_at
    FROM p CROSS JOIN (SELECT 'email' AS kind UNION ALL SELECT 'webhook') k WHERE p.page IS NOT NULL) x
WHERE x.due_at <= $1 ORDER BY x.due_at, x.page, x.kind`

// dueQueues returns the queues in which something may be due, the one that has waited longest first.
func (s *Store) dueQueues(ctx context.Context, now time.Time) (due []StatusQueue, err error) {
	rows, err := s.db.Keyed().QueryContext(ctx, s.db.Text(dueQueues), db.Micros(now))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var q StatusQueue
		err := rows.Scan(&q.Page, &q.Kind)
		due = append(due, q)
		return err
	})
	return due, s.db.Explain(db.Wrap("look for notices", err))
}

// This is not a NOT EXISTS, for which PostgreSQL may scan all notices.
const dueNotices = `-- store.dueNotices
SELECT n.id FROM status_notices n WHERE n.page = $1 AND n.kind = $2 AND n.due_at <= $3 AND (SELECT o.id FROM status_notices o
    WHERE o.subscriber_id = n.subscriber_id AND o.id < n.id ORDER BY o.id LIMIT 1) IS NULL
ORDER BY n.due_at, n.id LIMIT $4 {{for update skip locked}}`

const claimNotices = `-- store.claimNotices
UPDATE status_notices SET due_at = k.due_at, trying = true, tries = tries + 1, claims = claims + 1, claimed_by = k.process
FROM {{rows k(id bigint, due_at bigint, process text)}} WHERE status_notices.id = k.id`

// ClaimStatusNotices returns at most limit due notices, from each queue at most as many as room allows, and keeps others from claiming
// them until the lease ends; a notice without a recorded result is then due again. The notices to one subscriber are claimed in order,
// each after its predecessors were sent or given up. If the limit is not enough for all, queues with the most room come first.
func (s *Store) ClaimStatusNotices(ctx context.Context, now time.Time, lease time.Duration, limit int, room func(StatusQueue) int) (claimed []ClaimedStatusNotice, err error) {
	due, err := s.dueQueues(ctx, now)
	if err != nil {
		return nil, err
	}
	due = slices.DeleteFunc(due, func(q StatusQueue) bool { return room(q) <= 0 })
	if len(due) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(due, func(a, b StatusQueue) int { return room(b) - room(a) })
	err = s.inTx(ctx, "claim notices", func(t Tx) error {
		t.KeepsCaches = true
		ids, err := t.claimNotices(ctx, now, lease, limit, due, room)
		if err != nil || len(ids) == 0 {
			claimed = nil
			return err
		}
		claimed, err = s.claimedNotices(ctx, t, ids)
		return err
	})
	return claimed, err
}

func (t Tx) claimNotices(ctx context.Context, now time.Time, lease time.Duration, limit int, due []StatusQueue, room func(StatusQueue) int) (ids []int64, err error) {
	for _, q := range due {
		fit := min(room(q), limit-len(ids))
		if fit <= 0 {
			break
		}
		found, err := t.s.db.ListIDs(ctx, t, dueNotices, q.Page, string(q.Kind), db.Micros(now), fit)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, t.Each(ctx, claimNotices, ids, db.Repeated(db.Micros(now.Add(lease)), len(ids)), slices.Repeat([]string{t.s.db.Process}, len(ids)))
}
