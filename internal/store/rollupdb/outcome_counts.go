package rollupdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// outcomes lists how a notice can end, in the order of the columns of tables ledger and refusals.
var outcomes = [...]accounts.Outcome{accounts.Stored, accounts.Ignored, accounts.Limited, accounts.InvalidNotice}

// OutcomeCounts counts the outcomes of the notices of a batch or sum, in the order of outcomes.
type OutcomeCounts map[usageLine]*[len(outcomes)]int64

type usageLine struct {
	account string
	day     int64 // microseconds
	project int64
}

// Add counts n notices of a project with an outcome at the given time.
func (e OutcomeCounts) Add(account string, project int64, at time.Time, o accounts.Outcome, n int64) {
	k := usageLine{account, db.Micros(accounts.Day(at)), project}
	if e[k] == nil {
		e[k] = new([len(outcomes)]int64)
	}
	e[k][slices.Index(outcomes[:], o)] += n
}

const addUsage = `-- rollupdb.addUsage
INSERT INTO ledger (account_id, day, project_id, stored, ignored, limited, invalid)
SELECT k.account_id, k.day, k.project_id, k.stored, 0, 0, 0
FROM {{rows k(account_id text, day bigint, project_id bigint, stored bigint)}} WHERE true
ON CONFLICT (account_id, day, project_id) DO UPDATE SET stored = ledger.stored + excluded.stored`

// writeStored adds the stored notices to rows that all nodes share.
func (e OutcomeCounts) writeStored(ctx context.Context, t tx) error {
	accounts, days, projects, ns := e.columns()
	return t.Each(ctx, addUsage, accounts, days, projects, ns[0])
}

const addRefusals = `-- rollupdb.addRefusals
INSERT INTO refusals (node, account_id, day, project_id, ignored, limited, invalid)
SELECT k.node, k.account_id, k.day, k.project_id, k.ignored, k.limited, k.invalid
FROM {{rows k(node bigint, account_id text, day bigint, project_id bigint, ignored bigint, limited bigint, invalid bigint)}} WHERE true
ON CONFLICT (account_id, day, project_id, node) DO UPDATE SET ignored = refusals.ignored + excluded.ignored,
    limited = refusals.limited + excluded.limited, invalid = refusals.invalid + excluded.invalid`

// WriteRefused adds the notices that were not stored to rows of this node only.
func (e OutcomeCounts) WriteRefused(ctx context.Context, t *db.Tx, node int64) error {
	accounts, days, projects, ns := e.columns()
	return t.Later(ctx, addRefusals, db.Repeated(node, len(days)), accounts, days, projects, ns[1], ns[2], ns[3])
}

// columns returns the lines in order, and the numbers of each in the order of outcomes.
func (e OutcomeCounts) columns() (accounts []string, days, projects []int64, ns [len(outcomes)][]int64) {
	for _, k := range db.Sorted(e, func(a, b usageLine) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day), cmp.Compare(a.project, b.project))
	}) {
		accounts, days, projects = append(accounts, k.account), append(days, k.day), append(projects, k.project)
		for o, n := range e[k] {
			ns[o] = append(ns[o], n)
		}
	}
	return accounts, days, projects, ns
}
