package faultdb

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// A user's actions at one moment. Each statement matches the index that finds them.
const (
	resolvedAt = `-- faultdb.resolvedAt
SELECT c.fault_id FROM comments c WHERE c.project_id = $1 AND c.event IN ('resolved', 'reopened') AND c.event = 'resolved'
AND c.created_at = $2 AND c.author_id = $3`

	ignoredAt = `-- faultdb.ignoredAt
SELECT c.fault_id FROM comments c WHERE c.project_id = $1 AND c.event = 'ignored' AND c.created_at = $2 AND c.author_id = $3`

	mergedAt = `-- faultdb.mergedAt
SELECT id FROM merged_faults WHERE project_id = $1 AND merged_at = $2 AND merged_by = $3`
)

// UndoFaults undoes a user's resolving, ignoring or merging of faults of a project at one moment: they get their earlier state back. Faults
// that were changed since are skipped; those that were merged are split off, whatever happened to the one that they were merged into.
func (s *Store) UndoFaults(ctx context.Context, now time.Time, userID, projectID int64, event faults.CommentEvent, at time.Time) (done BulkOutcome, err error) {
	if err := faults.CheckUndo(event, at, now); err != nil {
		return done, err
	}
	undo := undoing{event, db.Micros(at)}
	if err := s.stopChange(ctx, userID, projectID, undo); err != nil {
		return done, err
	}
	ids, err := s.doneAt(ctx, userID, projectID, undo)
	if err != nil {
		return done, err
	}
	return s.changeMany(ctx, projectID, ids, manyChange{UserID: userID, At: db.Micros(now), Undo: &undo})
}

// undoing is what is undone: what a user did with many faults at one moment, in µs.
type undoing struct {
	Event faults.CommentEvent `json:"event"`
	At    int64               `json:"at"`
}

// stopChange stops a change that is to be undone, and not finished.
func (s *Store) stopChange(ctx context.Context, userID, projectID int64, undo undoing) error {
	return s.inTx(ctx, "stop change of faults", func(t Tx) error {
		t.KeepsCaches = true
		pending, err := t.work().Of(ctx, projectID, ChangesOfFaults)
		if err != nil {
			return err
		}
		for _, i := range pending {
			var m manyChange
			if err := i.Read(&m); err != nil {
				return err
			}
			if m.UserID == userID && m.At == undo.At && m.Undo == nil {
				if err := t.work().Drop(ctx, i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// doneAt returns the faults that a user has changed so at one moment.
func (s *Store) doneAt(ctx context.Context, userID, projectID int64, undo undoing) (ids []int64, err error) {
	statements := map[faults.CommentEvent]string{faults.ResolvedEvent: resolvedAt, faults.IgnoredEvent: ignoredAt, faults.MergedEvent: mergedAt}
	ids, err = s.db.ListIDs(ctx, s.db.Read, statements[undo.Event], projectID, undo.At, userID)
	return slices.Compact(slices.Sorted(slices.Values(ids))), db.Wrap("find actions of user", err)
}

const entriesAt = `-- faultdb.entriesAt
SELECT c.fault_id, c.id FROM {{rows k(fault_id bigint, event text, at bigint, author_id bigint)}}
JOIN comments c ON c.fault_id = k.fault_id AND c.event = k.event AND c.created_at = k.at AND c.author_id = k.author_id`

// entriesAt returns the entries of what is undone in the histories of some faults.
func (t Tx) entriesAt(ctx context.Context, userID int64, undo undoing, ids []int64) (entries map[int64]int64, err error) {
	entries = map[int64]int64{}
	n := len(ids)
	err = t.EachRow(ctx, entriesAt, func(rows *sql.Rows) error {
		var fault, entry int64
		err := rows.Scan(&fault, &entry)
		entries[fault] = entry
		return err
	}, ids, slices.Repeat([]string{string(undo.Event)}, n), db.Repeated(undo.At, n), db.Repeated(userID, n))
	return entries, db.Wrap("find actions of user", err)
}

// Whether an event follows an entry, and the last earlier event that sets what the next deploy does.
const aroundEntry = `-- faultdb.aroundEntry
SELECT EXISTS (SELECT 1 FROM comments c WHERE c.fault_id = $1 AND c.id > $2 AND c.event <> ''),
    coalesce((SELECT c.event FROM comments c WHERE c.fault_id = $1 AND c.id < $2
        AND c.event IN ('` + string(faults.OnDeployEvent) + `', '` + string(faults.NotOnDeployEvent) + `', 'resolved', 'ignored') ORDER BY c.id DESC LIMIT 1), '')`

const dropEntry = `-- faultdb.dropEntry
DELETE FROM comments WHERE id = $1`

// undoLot gives some faults their earlier state back, unless they were changed since. What is undone leaves their histories.
func (t Tx) undoLot(ctx context.Context, projectID int64, ids []int64, m *manyChange) (done BulkOutcome, err error) {
	if m.Undo.Event == faults.MergedEvent {
		return t.splitLot(ctx, projectID, ids, m)
	}
	found, err := t.readStates(ctx, projectID, ids)
	if err != nil {
		return done, err
	}
	entries, err := t.entriesAt(ctx, m.UserID, *m.Undo, ids)
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
		after.FaultState = before.Undo(m.Undo.Event, last == string(faults.OnDeployEvent))
		switch {
		case moved:
			done.Left++
		case before.differs(after):
			done.Changed++
			if err := t.writePlain(ctx, m.at(), m.UserID, projectID, id, before, after); err != nil {
				return done, err
			}
			if _, err := t.Exec(ctx, dropEntry, entries[id]); err != nil {
				return done, db.Wrap("drop entry of what is undone", err)
			}
		}
	}
	return done, nil
}

const stillMerged = `-- faultdb.stillMerged
SELECT into_id FROM merged_faults WHERE project_id = $1 AND id = $2 AND merged_at = $3 AND merged_by = $4`

// splitLot splits off some faults that a user has merged, unless they were split off, merged elsewhere or deleted since.
func (t Tx) splitLot(ctx context.Context, projectID int64, ids []int64, m *manyChange) (done BulkOutcome, err error) {
	for _, id := range ids {
		var survivor int64
		err := t.QueryRowContext(ctx, t.s.db.Text(stillMerged), projectID, id, m.Undo.At, m.UserID).Scan(&survivor)
		if errors.Is(err, sql.ErrNoRows) {
			done.Left++
			continue
		}
		if err != nil {
			return done, db.Wrap("find merged fault", err)
		}
		found, err := t.lockMerging(ctx, projectID, survivor, survivor)
		if err != nil {
			return done, err
		}
		if err := t.splitFault(ctx, m.at(), m.UserID, id, found[survivor]); err != nil {
			return done, err
		}
		done.Changed++
	}
	return done, nil
}

// SplitMerged splits off the faults of a project that a user merged at one moment, however long ago. It skips those that were split off or deleted since, and returns
// how many it split off.
func (s *Store) SplitMerged(ctx context.Context, now time.Time, userID, projectID, mergedBy int64, at time.Time) (split int64, err error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, mergedAt, projectID, db.Micros(at), mergedBy)
	if err != nil {
		return 0, db.Wrap("find merged faults", err)
	}
	for _, id := range ids {
		switch err := s.SplitFault(ctx, now, userID, projectID, id); sett.CodeOf(err) {
		case "":
			if err != nil {
				return split, err
			}
			split++
		case sett.NotFound, sett.Conflict:
		default:
			return split, err
		}
	}
	return split, nil
}
