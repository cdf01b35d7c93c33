package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett"
)

// outcomes lists how a notice can end, in the order of the ledger's columns.
var outcomes = [...]sett.Outcome{sett.Stored, sett.Ignored, sett.Limited, sett.InvalidNotice}

// endings are what a batch or sum adds to the ledger: how many notices ended in each way, in the order of outcomes.
type endings map[ledgerLine]*[len(outcomes)]int64

type ledgerLine struct {
	account string
	day     int64 // microseconds
	project int64
}

// add counts n notices of a project that ended at the given time.
func (e endings) add(account string, project int64, at time.Time, o sett.Outcome, n int64) {
	k := ledgerLine{account, micros(sett.Day(at)), project}
	if e[k] == nil {
		e[k] = new([len(outcomes)]int64)
	}
	e[k][slices.Index(outcomes[:], o)] += n
}

const addLedger = `-- store.addLedger
INSERT INTO ledger (account_id, day, project_id, stored, ignored, limited, invalid)
SELECT k.account_id, k.day, k.project_id, k.stored, k.ignored, k.limited, k.invalid
FROM {{rows k(account_id text, day bigint, project_id bigint, stored bigint, ignored bigint, limited bigint, invalid bigint)}}
WHERE true
ON CONFLICT (account_id, day, project_id) DO UPDATE SET stored = ledger.stored + excluded.stored,
    ignored = ledger.ignored + excluded.ignored, limited = ledger.limited + excluded.limited,
    invalid = ledger.invalid + excluded.invalid`

func (e endings) write(ctx context.Context, t *tx) error {
	var accounts []string
	var days, projects, stored, ignored, limited, invalid []int64
	for _, k := range sorted(e, func(a, b ledgerLine) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day), cmp.Compare(a.project, b.project))
	}) {
		n := e[k]
		accounts, days, projects = append(accounts, k.account), append(days, k.day), append(projects, k.project)
		stored, ignored, limited, invalid = append(stored, n[0]), append(ignored, n[1]), append(limited, n[2]), append(invalid, n[3])
	}
	return t.each(ctx, addLedger, accounts, days, projects, stored, ignored, limited, invalid)
}
