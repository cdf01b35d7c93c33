package intake

import (
	"cmp"
	"context"
	"maps"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// sum is what notices add to some of the tables that follow them, summed in memory so that each row is written once.
type sum interface {
	// add takes in one stored notice. It must cost little: whatever can be told from something else is told by write.
	add(*noted)
	// write adds everything to the tables, keys in order so that two nodes never wait for each other in a circle.
	write(context.Context, Tx) error
}

// noted is what sums know of one stored notice.
type noted struct {
	id    sett.NoticeID
	owner owner
	token sett.UUID
	facts fault.Facts
}

// owner is whose a notice is.
type owner struct {
	account     string
	project     int64
	environment string
	fault       int64
}

const holdFaults = `-- store.holdFaults
SELECT c.fault_id FROM {{rows k(id bigint)}} JOIN fault_counts c ON c.fault_id = k.id {{for key share}}`

const holdMerged = `-- store.holdMerged
SELECT m.id FROM {{rows k(id bigint)}} JOIN merged_faults m ON m.id = k.id {{for key share}}`

// goneFaults returns those of the faults that another node has deleted since their notices were stored, and keeps the
// others from being deleted until the transaction has ended. On SQLite there are none: whoever deletes folds before it
// sweeps.
func (t Tx) goneFaults(ctx context.Context, faults map[int64]bool) (map[int64]bool, error) {
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

const holdProjects = `-- store.holdProjects
SELECT p.id FROM {{rows k(id bigint)}} JOIN projects p ON p.id = k.id {{for key share}}`

// goneProjects returns those of the projects that are deleted, and keeps the others from it until the transaction has ended.
// On SQLite there are none; see goneFaults.
func (t Tx) goneProjects(ctx context.Context, projects map[int64]bool) (map[int64]bool, error) {
	if t.s.db.SQLite() {
		return nil, nil
	}
	gone := maps.Clone(projects)
	err := t.EachRow(ctx, holdProjects, db.ScanID(func(id int64) { delete(gone, id) }), db.Sorted(projects, cmp.Compare[int64]))
	return gone, err
}
