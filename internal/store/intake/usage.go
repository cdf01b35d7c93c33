package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// usage is how much of their limits the accounts and projects of a batch have used.
type usage struct {
	month  map[string]int64
	minute map[int64]int64
}

const storedSince = `-- store.storedSince
SELECT CAST(coalesce(sum(stored), 0) AS bigint) FROM ledger WHERE account_id = $1 AND day >= $2`

const storedInMinute = `-- store.storedInMinute
SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM project_buckets WHERE width = 60 AND at = $1 AND project_id = $2`

// usage reads the usage before now of all accounts and projects with reports.
func (t Tx) usage(ctx context.Context, now time.Time, reports []*fault.Packed) (usage, error) {
	u := usage{map[string]int64{}, map[int64]int64{}}
	for _, r := range reports {
		if _, ok := u.month[r.AccountID]; !ok {
			var n int64
			if err := t.QueryRowContext(ctx, t.s.db.Text(storedSince), r.AccountID, db.Micros(sett.Month(now))).Scan(&n); err != nil {
				return u, fmt.Errorf("read month's usage: %w", err)
			}
			u.month[r.AccountID] = n
		}
		if _, ok := u.minute[r.ProjectID]; !ok {
			var n int64
			if err := t.QueryRowContext(ctx, t.s.db.Text(storedInMinute), now.Unix()/fault.Minute*fault.Minute, r.ProjectID).Scan(&n); err != nil {
				return u, fmt.Errorf("read minute's usage: %w", err)
			}
			u.minute[r.ProjectID] = n
		}
	}
	return u, nil
}

// admit rejects the reports that are over a quota or throttle.
func (b *batch) admit(ctx context.Context) error {
	if b.limits == (sett.Limits{}) {
		return nil
	}
	usage, err := b.t.usage(ctx, b.now, b.in.Reports)
	if err != nil {
		return err
	}
	if err := b.checkExact(usage); err != nil {
		return err
	}
	b.keep(func(i int) bool {
		r := b.in.Reports[i]
		u := sett.Usage{Month: usage.month[r.AccountID], Minute: usage.minute[r.ProjectID]}
		ok, wait, why := b.limits.Admit(u, b.now)
		if ok {
			usage.month[r.AccountID]++
			usage.minute[r.ProjectID]++
			return true
		}
		b.receipts[i] = sett.Receipt{ID: b.receipts[i].ID, Outcome: sett.Limited, RetryAfter: wait, Why: why}
		return false
	})
	return nil
}

// mostUnseen is how many notices of other nodes may be stored and not counted yet: nodes flush about every second.
const mostUnseen = 100_000

// errNearLimit says that what this node has stored must be counted before anything else is admitted.
var errNearLimit = errors.New("a limit is near and notices are not counted yet")

// checkExact decides whether what the batch stores is counted with it, so that all nodes see it at once. Far from all limits this is not
// needed.
func (b *batch) checkExact(u usage) error {
	if b.S.db.SQLite() {
		return nil
	}
	most := sett.Usage{}
	for _, n := range u.month {
		most.Month = max(most.Month, n)
	}
	for _, n := range u.minute {
		most.Minute = max(most.Minute, n)
	}
	pending := b.S.rollups.pending(projectRollup)
	b.exact = b.limits.Near(most, int64(pending+len(b.Live)+mostUnseen))
	if b.exact && pending > 0 {
		return errNearLimit
	}
	return nil
}
