package store

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
)

// usage is what the accounts and projects of a batch have used of their limits.
type usage struct {
	month  map[string]int64
	minute map[int64]int64
}

const storedSince = `-- store.storedSince
SELECT CAST(coalesce(sum(stored), 0) AS bigint) FROM ledger WHERE account_id = $1 AND day >= $2`

const storedInMinute = `-- store.storedInMinute
SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM project_buckets WHERE width = 60 AND at = $1 AND project_id = $2`

// usage reads what has been used before now by everybody who reports.
func (t *tx) usage(ctx context.Context, now time.Time, reports []*Packed) (usage, error) {
	u := usage{map[string]int64{}, map[int64]int64{}}
	for _, r := range reports {
		if _, ok := u.month[r.AccountID]; !ok {
			var n int64
			if err := t.QueryRowContext(ctx, t.s.text(storedSince), r.AccountID, micros(sett.Month(now))).Scan(&n); err != nil {
				return u, fmt.Errorf("read month's usage: %w", err)
			}
			u.month[r.AccountID] = n
		}
		if _, ok := u.minute[r.ProjectID]; !ok {
			var n int64
			if err := t.QueryRowContext(ctx, t.s.text(storedInMinute), now.Unix()/minute*minute, r.ProjectID).Scan(&n); err != nil {
				return u, fmt.Errorf("read minute's usage: %w", err)
			}
			u.minute[r.ProjectID] = n
		}
	}
	return u, nil
}
