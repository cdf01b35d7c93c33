package fault

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"sett/internal/store/db"
	"sett/internal/triage"
)

const insertTombstones = `-- store.insertTombstones
INSERT INTO fault_graves (fault_id, project_id, taken, first_at, last_at)
SELECT f.id, f.project_id, false, 0, 0 FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id
WHERE true ON CONFLICT (fault_id) DO NOTHING RETURNING fault_id`

// tombstonesAtOnce is how many tombstones one transaction writes, so that others can write in between.
const tombstonesAtOnce = 1000

// deleteFaults writes tombstones: from then on the deletion will complete, whatever happens. Up to sett.MostBulkFaults of the faults are
// deleted when it returns; SweepFaults deletes the others, and the notices and counts of all.
func (s *Store) deleteFaults(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (done BulkOutcome, err error) {
	var buried []int64
	ids := which.IDs
	for first := true; first || len(ids) > 0; first = false { // run at least once, even if there is nothing to do
		lot := ids[:min(len(ids), tombstonesAtOnce)]
		ids = ids[len(lot):]
		some, left, err := s.deleteLot(ctx, now, projectID, lot, which)
		if err != nil {
			return done, err
		}
		buried, done.Left = append(buried, some...), done.Left+left
		done.Changed, done.Waiting = int64(len(buried)), int64(len(buried))
	}
	for lot := range slices.Chunk(buried[:min(len(buried), triage.MostBulkFaults)], faultsInLot) {
		if err := s.takeLot(context.WithoutCancel(ctx), db.Repeated(projectID, len(lot)), lot); err != nil {
			return done, err
		}
		done.Waiting -= int64(len(lot))
	}
	return done, nil
}

// deleteLot writes tombstones for some faults, and returns these faults and the number of those it skipped.
func (s *Store) deleteLot(ctx context.Context, now time.Time, projectID int64, lot []int64, which FaultChoice) (buried []int64, left int64, err error) {
	err = s.inTx(ctx, "delete faults", func(t Tx) error {
		ids, err := t.lockChosen(ctx, now, projectID, which, lot)
		if err != nil {
			return err
		}
		changed, err := s.changedSince(ctx, t, which.AsOf, ids...)
		if err != nil {
			return err
		}
		wanted := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return changed[id] })
		buried, left = nil, int64(len(changed))
		t.Wake(FaultsDeleted)
		return t.EachRow(ctx, insertTombstones, db.ScanID(func(id int64) { buried = append(buried, id) }), db.Repeated(projectID, len(wanted)), wanted)
	})
	return buried, left, err
}

const dropTombstones = `-- store.dropTombstones
DELETE FROM fault_graves WHERE NOT taken AND fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// takeLot deletes faults with tombstones, and drops the tombstones of faults that no longer exist because a user deleted them
// individually or merged them into others.
func (s *Store) takeLot(ctx context.Context, projects, ids []int64) error {
	return s.inTx(ctx, "delete faults", func(t Tx) error {
		lots := lotsOf(projects, ids)
		for _, project := range slices.Sorted(maps.Keys(lots)) {
			if _, err := t.takeFaults(ctx, project, lots[project]); err != nil {
				return err
			}
		}
		return t.Each(ctx, dropTombstones, ids)
	})
}

// lotsOf groups ids of faults by project.
func lotsOf(projects, ids []int64) map[int64][]int64 {
	sorted := map[int64][]int64{}
	for i, project := range projects {
		sorted[project] = append(sorted[project], ids[i])
	}
	return sorted
}

const openTombstones = `-- store.openTombstones
SELECT project_id, fault_id FROM fault_graves WHERE NOT taken AND ($2 = 0 OR project_id = $2) ORDER BY project_id, fault_id LIMIT $1`

const takenTombstones = `-- store.takenTombstones
SELECT fault_id, first_at, last_at FROM fault_graves WHERE taken AND ($2 = 0 OR project_id = $2) ORDER BY fault_id LIMIT $1`

// partsAtOnce is for how many faults one round of SweepFaults deletes notices and counts.
const partsAtOnce = 50

// SweepFaults continues the deletion of faults, in small steps: first the faults that are still visible, then their notices and counts.
// It reports whether there is more to do at once.
func (s *Store) SweepFaults(ctx context.Context) (more bool, err error) {
	return s.SweepDeleted(ctx, 0)
}

// SweepDeleted is SweepFaults for one project; 0 for all.
func (s *Store) SweepDeleted(ctx context.Context, projectID int64) (more bool, err error) {
	var projects, ids []int64
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(openTombstones), faultsInLot, projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var project, id int64
		err := rows.Scan(&project, &id)
		projects, ids = append(projects, project), append(ids, id)
		return err
	})
	if err != nil {
		return false, s.db.Explain(fmt.Errorf("find faults that are to be deleted: %w", err))
	}
	if len(ids) > 0 {
		return true, s.takeLot(ctx, projects, ids)
	}
	var parts []mergedSpan
	rows, err = s.db.Read.QueryContext(ctx, s.db.Text(takenTombstones), partsAtOnce, projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var part mergedSpan
		err := rows.Scan(&part.id, &part.first, &part.last)
		parts = append(parts, part)
		return err
	})
	if err != nil {
		return false, s.db.Explain(fmt.Errorf("find faults that were deleted: %w", err))
	}
	if len(parts) == 0 {
		return false, nil
	}
	return len(parts) == partsAtOnce, s.deleteParts(ctx, parts)
}

const faultsGoing = `-- store.FaultsGoing
SELECT count(*) FROM fault_graves WHERE project_id = $1 AND NOT taken`

// FaultsGoing returns how many faults of a project have a tombstone and still exist.
func (s *Store) FaultsGoing(ctx context.Context, projectID int64) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(faultsGoing), projectID).Scan(&n)
	return n, db.Wrap("count faults that are to be deleted", err)
}
