package fault

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// A user's actions at one moment. Each statement matches the index that finds them.
const (
	resolvedAt = `-- store.resolvedAt
SELECT c.fault_id, c.id FROM comments c WHERE c.project_id = $1 AND c.event IN ('resolved', 'reopened') AND c.event = 'resolved'
AND c.created_at = $2 AND c.author_id = $3`

	ignoredAt = `-- store.ignoredAt
SELECT c.fault_id, c.id FROM comments c WHERE c.project_id = $1 AND c.event = 'ignored' AND c.created_at = $2 AND c.author_id = $3`
)

// UndoFaults undoes a user's resolving, ignoring or merging of faults of a project at one moment: they get their earlier state back. Faults
// that were changed since are skipped; those that were merged are split off, whatever happened to the one that they were merged into.
func (s *Store) UndoFaults(ctx context.Context, now time.Time, userID, projectID int64, event sett.CommentEvent, at time.Time) (done BulkOutcome, err error) {
	if err := sett.CheckUndo(event, at, now); err != nil {
		return done, err
	}
	if event == sett.MergedEvent {
		return s.undoMerge(ctx, now, userID, projectID, at)
	}
	entries, err := s.doneAt(ctx, userID, projectID, event, at)
	if err != nil {
		return done, err
	}
	for lot := range slices.Chunk(slices.Sorted(maps.Keys(entries)), faultsInLot) {
		var some BulkOutcome
		err := s.inTx(ctx, "undo changes of faults", func(t Tx) (err error) {
			some, err = t.undoLot(ctx, now, userID, projectID, lot, entries, event)
			return err
		})
		if err != nil {
			return done, err
		}
		done.add(some)
	}
	return done, nil
}

// doneAt returns the history entries of a user's actions at one moment, by fault.
func (s *Store) doneAt(ctx context.Context, userID, projectID int64, event sett.CommentEvent, at time.Time) (entries map[int64]int64, err error) {
	entries = map[int64]int64{}
	statement := resolvedAt
	if event == sett.IgnoredEvent {
		statement = ignoredAt
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), projectID, db.Micros(at), userID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var fault, entry int64
		err := rows.Scan(&fault, &entry)
		entries[fault] = entry
		return err
	})
	return entries, db.Wrap("find actions of user", err)
}

// Whether an event follows an entry, and the last earlier event that sets what the next deploy does.
const aroundEntry = `-- store.aroundEntry
SELECT EXISTS (SELECT 1 FROM comments c WHERE c.fault_id = $1 AND c.id > $2 AND c.event <> ''),
    coalesce((SELECT c.event FROM comments c WHERE c.fault_id = $1 AND c.id < $2
        AND c.event IN ('resolve_on_deploy', 'resolve_on_deploy_cancelled', 'resolved', 'ignored') ORDER BY c.id DESC LIMIT 1), '')`

func (t Tx) undoLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64, entries map[int64]int64, event sett.CommentEvent) (done BulkOutcome, err error) {
	found, err := t.readStates(ctx, projectID, ids)
	if err != nil {
		return done, err
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		var moved bool
		var last string
		if err := t.QueryRowContext(ctx, t.s.db.Text(aroundEntry), id, entries[id]).Scan(&moved, &last); err != nil {
			return done, db.Wrap("read history of fault", err)
		}
		before, after := found[id], found[id]
		after.FaultState = before.Undo(event, last == string(sett.OnDeployEvent))
		switch {
		case moved:
			done.Left++
		case before.differs(after):
			done.Changed++
			err = errors.Join(err, t.writeChange(ctx, now, userID, projectID, id, before, after))
		}
	}
	return done, err
}

const mergedAt = `-- store.mergedAt
SELECT id, into_id FROM merged_faults WHERE project_id = $1 AND merged_at = $2 AND merged_by = $3 ORDER BY id`

// undoMerge splits off what a user merged at one moment.
func (s *Store) undoMerge(ctx context.Context, now time.Time, userID, projectID int64, at time.Time) (done BulkOutcome, err error) {
	err = s.inTx(ctx, "undo merge", func(t Tx) error {
		done = BulkOutcome{}
		var merged [][2]int64
		rows, err := t.QueryContext(ctx, s.db.Text(mergedAt), projectID, db.Micros(at), userID)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var one [2]int64
			err := rows.Scan(&one[0], &one[1])
			merged = append(merged, one)
			return err
		})
		if err != nil {
			return db.Wrap("find merged faults", err)
		}
		for _, one := range merged {
			found, err := t.lockMerging(ctx, projectID, one[1], one[1])
			if err != nil {
				return err
			}
			if err := t.splitFault(ctx, now, userID, one[0], found[one[1]]); err != nil {
				return err
			}
			done.Changed++
		}
		return nil
	})
	return done, err
}
