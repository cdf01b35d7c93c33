package queue

import (
	"context"
	"fmt"
	"time"
)

// mostCounted is how many rows are counted at most.
const mostCounted = 10_000

// Backlog is what waits in a queue.
type Backlog struct {
	Waiting int64         // open rows, up to mostCounted
	Lag     time.Duration // for which the row that has waited longest has been due; 0: none is
}

const backlog = `-- queue.backlog of @table
SELECT count(*) FROM (SELECT 1 FROM @table d WHERE @open LIMIT $1) x`

// Backlog returns what waits at a time.
func (q *Queue) Backlog(ctx context.Context, now time.Time) (b Backlog, err error) {
	if err := q.db.Read.QueryRowContext(ctx, q.db.Text(q.backlog), mostCounted).Scan(&b.Waiting); err != nil {
		return b, q.db.Explain(fmt.Errorf("count what waits in %s: %w", q.rules.Table, err))
	}
	lanes, err := q.Lanes(ctx)
	if len(lanes) > 0 {
		b.Lag = max(0, now.Sub(lanes[0].At))
	}
	return b, err
}

// Table is the name of the table.
func (q *Queue) Table() string { return q.rules.Table }
