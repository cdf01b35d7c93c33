package intakedb

import (
	"cmp"
	"context"
	"errors"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// usage is how much of their limits the accounts and projects of a batch have used.
type usage struct {
	month  map[string]int64
	minute map[int64]int64
}

const storedSince = `-- intakedb.storedSince
SELECT k.account_id, (SELECT CAST(coalesce(sum(l.stored), 0) AS bigint) FROM ledger l WHERE l.account_id = k.account_id AND l.day >= k.day)
FROM {{rows k(account_id text, day bigint)}} WHERE true`

const storedInMinute = `-- intakedb.storedInMinute
SELECT k.id, (SELECT CAST(coalesce(sum(p.count), 0) AS bigint) FROM project_buckets p WHERE p.width = 60 AND p.at = k.at AND p.project_id = k.id)
FROM {{rows k(id bigint, at bigint)}} WHERE true`

// askUsage asks for the usage before now of all accounts and projects with reports.
func (b *batch) askUsage() {
	if b.limits == (accounts.Limits{}) {
		return
	}
	u := usage{map[string]int64{}, map[int64]int64{}}
	for _, r := range b.in.Reports {
		u.month[r.AccountID], u.minute[r.ProjectID] = 0, 0
	}
	all, projects := db.Sorted(u.month, cmp.Compare[string]), db.Sorted(u.minute, cmp.Compare[int64])
	b.used = u
	b.t.Ask(storedSince, func(r db.Row) error {
		var account string
		var n int64
		err := r.Scan(&account, &n)
		u.month[account] = n
		return err
	}, all, db.Repeated(db.Micros(accounts.Month(b.now)), len(all)))
	b.t.Ask(storedInMinute, func(r db.Row) error {
		var project, n int64
		err := r.Scan(&project, &n)
		u.minute[project] = n
		return err
	}, projects, db.Repeated(b.now.Unix()/faultdb.Minute*faultdb.Minute, len(projects)))
}

// admit rejects the reports that are over a quota or throttle.
func (b *batch) admit(context.Context) error {
	if b.limits == (accounts.Limits{}) {
		return nil
	}
	usage := b.used
	if err := b.checkExact(usage); err != nil {
		return err
	}
	b.keep(func(i int) bool {
		r := b.in.Reports[i]
		u := accounts.Usage{Month: usage.month[r.AccountID], Minute: usage.minute[r.ProjectID]}
		ok, wait, why := b.limits.Admit(u, b.now)
		if ok {
			usage.month[r.AccountID]++
			usage.minute[r.ProjectID]++
			return true
		}
		b.receipts[i] = accounts.Receipt{ID: b.receipts[i].ID, Outcome: accounts.Limited, RetryAfter: wait, Why: why}
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
	most := accounts.Usage{}
	for _, n := range u.month {
		most.Month = max(most.Month, n)
	}
	for _, n := range u.minute {
		most.Minute = max(most.Minute, n)
	}
	pending, unseen := b.S.rollups.PendingProjects(), mostUnseen
	if b.S.db.SQLite() { // there are no other nodes
		unseen = 0
	}
	b.exact = b.limits.Near(most, int64(pending+len(b.Live)+unseen))
	if b.exact && pending > 0 {
		return errNearLimit
	}
	return nil
}
