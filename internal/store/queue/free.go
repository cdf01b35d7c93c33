package queue

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/store/db"
)

// The claims of a process are its own until the outcomes are recorded, the lease ends, or the process is dead. On SQLite there is one
// process at a time, and all others are dead. On PostgreSQL a process without a node is dead. It may only be cut off: then it has a moment
// to renew its node; if it cannot, it has to cancel what it is sending.

const deadClaimers = `-- queue.deadClaimers of @table
SELECT DISTINCT d.claimed_by FROM @table d WHERE d.trying AND d.claimed_by NOT IN ('', $1) AND d.claimed_by NOT IN (SELECT n.process FROM nodes n)`

const free = `-- queue.free in @table
UPDATE @table AS d SET due_at = k.due_at, trying = false, tries = tries - 1
FROM {{rows k(process text, due_at bigint)}} WHERE d.claimed_by = k.process AND d.trying AND @open`

// Free makes the claims of dead processes due again, without counting an attempt. If a process that seems dead may be alive, it waits
// first. Call it before the first claim of a process, and regularly afterwards.
func (q *Queue) Free(ctx context.Context, now time.Time, wait time.Duration) error {
	dead, err := q.deadClaimers(ctx, now)
	if err != nil {
		return q.db.Explain(fmt.Errorf("look for dead processes with claims in %s: %w", q.rules.Table, err))
	}
	var names []string
	for name, since := range dead {
		if q.db.SQLite() || now.Sub(since) >= wait {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return q.db.InTx(ctx, "free claims", func(t *db.Tx) error {
		t.KeepsCaches = true
		t.Wake(q.rules.Topic)
		return t.Each(ctx, q.free, names, db.Repeated(db.Micros(now), len(names)))
	})
}

// deadClaimers returns the dead processes that have left claims, and when each was first noticed.
func (q *Queue) deadClaimers(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	dead := map[string]time.Time{}
	rows, err := q.db.Read.QueryContext(ctx, q.db.Text(q.claimers), q.db.Process)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		if dead[name] = now; !q.dead[name].IsZero() {
			dead[name] = q.dead[name]
		}
		return err
	})
	if err == nil {
		q.dead = dead
	}
	return dead, err
}
