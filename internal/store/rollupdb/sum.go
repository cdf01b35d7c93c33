package rollupdb

import (
	"cmp"
	"context"
	"maps"

	"sett/internal/store/db"
)

// sum is what notices add to some of the rollup tables, summed in memory so that each row is written once.
type sum interface {
	// add adds one stored notice. It must be cheap: write computes everything that can be derived.
	add(*Notice)
	// write adds everything to the tables, sorted by key so that two nodes never deadlock.
	write(context.Context, tx) error
}

const holdFaults = `-- rollupdb.holdFaults
SELECT c.fault_id FROM {{rows k(id bigint)}} JOIN fault_counts c ON c.fault_id = k.id {{for key share}}`

const holdMerged = `-- rollupdb.holdMerged
SELECT m.id FROM {{rows k(id bigint)}} JOIN merged_faults m ON m.id = k.id {{for key share}}`

// goneFaults returns the faults that another node has deleted since their notices were stored, and protects the others from deletion
// until the transaction has ended. On SQLite there are none: a deletion flushes before it sweeps.
func (t tx) goneFaults(ctx context.Context, faults map[int64]bool) (map[int64]bool, error) {
	if t.s.db.SQLite() {
		return nil, nil
	}
	gone := maps.Clone(faults)
	for range looksForParts {
		for _, statement := range []string{holdFaults, holdMerged} {
			err := t.EachRow(ctx, statement, db.ScanID(func(id int64) { delete(gone, id) }), db.Sorted(gone, cmp.Compare[int64]))
			if err != nil {
				return nil, err
			}
		}
	}
	return gone, nil
}

const holdProjects = `-- rollupdb.holdProjects
SELECT p.id FROM {{rows k(id bigint)}} JOIN projects p ON p.id = k.id {{for key share}}`

// goneProjects returns the deleted projects, and protects the others from deletion until the transaction has ended. On SQLite there are
// none; see goneFaults.
func (t tx) goneProjects(ctx context.Context, projects map[int64]bool) (map[int64]bool, error) {
	if t.s.db.SQLite() {
		return nil, nil
	}
	gone := maps.Clone(projects)
	err := t.EachRow(ctx, holdProjects, db.ScanID(func(id int64) { delete(gone, id) }), db.Sorted(projects, cmp.Compare[int64]))
	return gone, err
}
