package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sett/internal/sett"
)

// FaultChoice says which faults are changed at once: those with the ids, or else those that a filter means.
type FaultChoice struct {
	IDs    []int64 // nil: by the filter
	Filter FaultFilter
	AsOf   time.Time // with a filter: none that were made later; zero for all of now
}

// faultsInLot is how many faults one transaction of a bulk change changes, so that others can write in between.
const faultsInLot = 200

// ChangeFaults does the same to many faults of a project, in lots, and returns how many it changed. Which they are is
// decided once, before the first lot. What is not there, or is so already, is passed over. An error leaves the lots before it done.
func (s *Store) ChangeFaults(ctx context.Context, now time.Time, userID, projectID int64, which FaultChoice, c sett.BulkChange) (n int64, err error) {
	ids := which.IDs
	if ids == nil {
		if ids, err = s.chosenFaults(ctx, now, projectID, which); err != nil {
			return 0, err
		}
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if sett.BulkAction(c.Action.Value) == sett.BulkDelete {
		return s.deleteFaults(ctx, projectID, ids)
	}
	for first := true; first || len(ids) > 0; first = false { // even where there is nothing to do the change was asked for
		lot := ids[:min(len(ids), faultsInLot)]
		ids = ids[len(lot):]
		var changed int64
		err := s.inTx(ctx, "change faults", func(t *tx) (err error) {
			changed, err = t.changeLot(ctx, now, userID, projectID, lot, c)
			return err
		})
		if n += changed; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *Store) chosenFaults(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (ids []int64, err error) {
	err = s.snapshot(ctx, "choose faults", func(q querier) error {
		f, err := which.Filter.dated(ctx, s, q, projectID)
		if err != nil {
			return err
		}
		var a assembly
		a.add("-- store.ChangeFaults\nSELECT f.id")
		a.foundFaults(projectID, now, f)
		if !which.AsOf.IsZero() {
			a.add(" AND f.created_at <= ?", micros(which.AsOf))
		}
		rows, err := q.QueryContext(ctx, a.statement(s.dialect), a.args...)
		return scanAll(rows, err, scanID(func(id int64) { ids = append(ids, id) }))
	})
	return ids, err
}

// deleteFaults deletes faults in lots, of each first the faults themselves, so that they are seen no more: what was counted of
// them takes a while.
func (s *Store) deleteFaults(ctx context.Context, projectID int64, ids []int64) (n int64, err error) {
	for lot := range slices.Chunk(ids, faultsInLot) {
		parts, taken, failed := s.takeFaults(ctx, projectID, lot)
		if n += taken; taken > 0 {
			failed = errors.Join(failed, s.deleteParts(context.WithoutCancel(ctx), parts))
		}
		if failed != nil {
			return n, failed
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, s.inTx(ctx, "delete faults", func(*tx) error { return nil }) // the change was asked for
}

// takeFaults is takeFault for those of some faults that are there, and returns their number too.
func (s *Store) takeFaults(ctx context.Context, projectID int64, ids []int64) (parts []mergedSpan, n int64, err error) {
	for _, id := range ids {
		switch taken, err := s.takeFault(ctx, projectID, id); {
		case err == nil:
			parts, n = append(parts, taken...), n+1
		case sett.CodeOf(err) != sett.NotFound:
			return parts, n, err
		}
	}
	return parts, n, nil
}

const readStates = `-- store.readStates
SELECT f.id, f.environment, f.resolved, f.ignored, f.resolve_on_deploy, f.paused_until, f.paused_count, f.assignee_id,
    (SELECT c.notices_count FROM fault_counts c WHERE c.fault_id = f.id)
FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id ORDER BY f.id {{for no key update of f}}`

// changeLot changes some faults, of which those that are not there are passed over.
func (t *tx) changeLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64, c sett.BulkChange) (n int64, err error) {
	found := map[int64]changingFault{}
	err = t.eachRow(ctx, readStates, func(rows *sql.Rows) error {
		var id, pausedUntil int64
		var f changingFault
		err := rows.Scan(&id, &f.environment, &f.Resolved, &f.Ignored, &f.ResolveOnDeploy, &pausedUntil, &f.PausedCount, &f.assignee, &f.notices)
		f.PausedUntil = fromMicros(pausedUntil)
		found[id] = f
		return err
	}, repeated(projectID, len(ids)), ids)
	if err != nil {
		return 0, wrap("read states of faults", err)
	}
	there := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !isIn(found, id) })
	if sett.BulkAction(c.Action.Value) == sett.BulkResolve {
		return t.resolveLot(ctx, now, userID, projectID, there)
	}
	var who *sett.Person
	if c.AssigneeID.Sent && !c.AssigneeID.Null {
		if who, err = t.assignee(ctx, projectID, c.AssigneeID.Value); err != nil {
			return 0, err
		}
	}
	for _, id := range there {
		changed, err := t.changeOne(ctx, now, userID, projectID, id, found[id], c, who)
		if err != nil {
			return n, err
		}
		if changed {
			n++
		}
	}
	return n, nil
}

func isIn(found map[int64]changingFault, id int64) bool {
	_, ok := found[id]
	return ok
}

// changeOne changes one fault of a lot, unless it is so already; who is to be its assignee.
func (t *tx) changeOne(ctx context.Context, now time.Time, userID, projectID, faultID int64, before changingFault, c sett.BulkChange, who *sett.Person) (bool, error) {
	after := before
	var err error
	if after.FaultState, err = c.Apply(before.FaultState, now, before.notices); err != nil {
		return false, err
	}
	if sett.BulkAction(c.Action.Value) == sett.BulkAssign {
		after.assignee, after.assigned = sql.NullInt64{Int64: c.AssigneeID.Value, Valid: who != nil}, who
	}
	if after.FaultState == before.FaultState && after.assignee == before.assignee {
		return false, nil
	}
	return true, t.writeChange(ctx, now, userID, projectID, faultID, before, after)
}

// resolveLot resolves those of some faults of a project that are not resolved.
func (t *tx) resolveLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64) (int64, error) {
	var resolved []int64
	var told []sett.Fault
	err := t.eachRow(ctx, resolveFaults, func(rows *sql.Rows) error {
		f := sett.Fault{ProjectID: projectID}
		err := rows.Scan(&f.ID, &f.Environment)
		resolved, told = append(resolved, f.ID), append(told, f)
		return err
	}, ids)
	if err != nil {
		return 0, err
	}
	return int64(len(resolved)), errors.Join(t.addEntry(ctx, now, userID, sett.ResolvedEntry(), resolved...), t.raiseResolved(ctx, now, userID, told))
}
