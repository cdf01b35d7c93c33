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

// FaultChoice says which faults are changed at once: those with the ids, or else those that a filter means.
type FaultChoice struct {
	IDs    []int64 // nil: by the filter
	Filter FaultFilter
	AsOf   time.Time // none that were made, or changed by somebody, later; zero for all as they are now

	still *FaultFilter // what the filter says of the faults themselves, once it has chosen IDs; see choose
}

// BulkOutcome is what came of a change of many faults.
type BulkOutcome struct {
	Changed int64 // or will be, as Waiting says
	Left    int64 // that the change would have changed, had not something happened to them after the choice's AsOf
	Waiting int64 // of Changed: are being deleted, as SweepFaults comes to them
}

func (o *BulkOutcome) add(more BulkOutcome) {
	o.Changed += more.Changed
	o.Left += more.Left
}

// faultsInLot is how many faults one transaction of a bulk change changes, so that others can write in between.
const faultsInLot = 200

// ChangeFaults does the same to many faults of a project, in lots, and returns what came of it. Which they are is decided
// once, before the first lot; what a search does not find any more when its lot is changed is passed over. So is what is not
// there, or is so already, and what is not any more as the user has seen it is left alone. An error leaves the lots before it done.
func (s *Store) ChangeFaults(ctx context.Context, now time.Time, userID, projectID int64, which FaultChoice, c sett.BulkChange) (done BulkOutcome, err error) {
	if which, err = s.choose(ctx, now, projectID, which); err != nil {
		return done, err
	}
	return s.changeChosen(ctx, now, userID, projectID, which, c)
}

// changeChosen is ChangeFaults once it is known which faults are meant.
func (s *Store) changeChosen(ctx context.Context, now time.Time, userID, projectID int64, which FaultChoice, c sett.BulkChange) (done BulkOutcome, err error) {
	if sett.BulkAction(c.Action.Value) == sett.BulkDelete {
		return s.deleteFaults(ctx, now, projectID, which)
	}
	ids := which.IDs
	var told assignment
	for first := true; first || len(ids) > 0; first = false { // even where there is nothing to do the change was asked for
		lot := ids[:min(len(ids), faultsInLot)]
		ids = ids[len(lot):]
		var some BulkOutcome
		var assigned assignment
		err := s.inTx(ctx, "change faults", func(t Tx) (err error) {
			assigned = told
			if some, err = t.changeLot(ctx, now, userID, projectID, lot, which, c, &assigned); err != nil || len(ids) > 0 {
				return err
			}
			return t.raiseAssigned(ctx, now, userID, assigned)
		})
		if err != nil {
			return done, s.tellAssigned(ctx, now, userID, told, err)
		}
		told = assigned
		done.add(some)
	}
	return done, nil
}

const changedSince = `-- store.changedSince
SELECT DISTINCT c.fault_id FROM {{rows k(id bigint, at bigint)}} JOIN comments c ON c.fault_id = k.id WHERE c.event <> '' AND c.created_at > k.at`

// changedSince returns which of some faults have a history that tells something later than a time, such as that they
// were reopened. What people wrote, and further notices, are no change.
func (s *Store) changedSince(ctx context.Context, q db.Querier, at time.Time, ids ...int64) (changed map[int64]bool, err error) {
	changed = map[int64]bool{}
	if at.IsZero() {
		return changed, nil
	}
	err = s.db.ReadRows(ctx, q, changedSince, db.ScanID(func(id int64) { changed[id] = true }), ids, db.Repeated(db.Micros(at), len(ids)))
	return changed, db.Wrap("look for later changes of faults", err)
}

const readStates = `-- store.readStates
SELECT f.id, f.environment, f.resolved, f.ignored, f.resolve_on_deploy, f.paused_until, f.paused_count, f.assignee_id, f.tags,
    (SELECT c.notices_count FROM fault_counts c WHERE c.fault_id = f.id)
FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id ORDER BY f.id {{for no key update of f}}`

// readStates reads some faults that are about to be changed, without those that are not there, and keeps others from
// changing them.
func (t Tx) readStates(ctx context.Context, projectID int64, ids []int64) (map[int64]changingFault, error) {
	found := map[int64]changingFault{}
	err := t.EachRow(ctx, readStates, func(rows *sql.Rows) error {
		var id, pausedUntil int64
		var tags string
		var f changingFault
		err := rows.Scan(&id, &f.environment, &f.Resolved, &f.Ignored, &f.ResolveOnDeploy, &pausedUntil, &f.PausedCount, &f.assignee, &tags, &f.notices)
		f.PausedUntil, f.tags = db.FromMicros(pausedUntil), sett.SplitLines(tags)
		found[id] = f
		return err
	}, db.Repeated(projectID, len(ids)), ids)
	return found, db.Wrap("read states of faults", err)
}

// changeLot changes some faults. Whose matter they became is added to assigned, for who is told is told once of all lots.
func (t Tx) changeLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64, which FaultChoice, c sett.BulkChange, assigned *assignment) (done BulkOutcome, err error) {
	found, err := t.readStates(ctx, projectID, ids)
	if err != nil {
		return done, err
	}
	if ids, err = t.stillChosen(ctx, now, projectID, which, slices.Sorted(maps.Keys(found))); err != nil {
		return done, err
	}
	late, err := t.s.changedSince(ctx, t, which.AsOf, ids...)
	if err != nil {
		return done, err
	}
	var who *sett.Person
	if c.AssigneeID.Sent && !c.AssigneeID.Null {
		if who, err = t.assignee(ctx, projectID, c.AssigneeID.Value); err != nil {
			return done, err
		}
	}
	var wanted []int64
	for _, id := range ids {
		f := found[id]
		after, err := f.bulk(now, c, who)
		switch {
		case err != nil:
			return done, err
		case !f.differs(after):
		case late[id]:
			done.Left++
		default:
			wanted = append(wanted, id)
		}
	}
	done.Changed = int64(len(wanted))
	switch sett.BulkAction(c.Action.Value) {
	case sett.BulkResolve: // who is told is told of all at once
		done.Changed, err = t.resolveLot(ctx, now, userID, projectID, wanted)
		return done, err
	case sett.BulkAssign:
		some, err := t.assignLot(ctx, now, userID, projectID, wanted, found, who)
		assigned.add(some)
		return done, err
	case sett.BulkTag, sett.BulkUntag:
		return done, t.tagLot(ctx, now, userID, wanted, found, c)
	}
	for _, id := range wanted {
		after, _ := found[id].bulk(now, c, who)
		if err := t.writeChange(ctx, now, userID, projectID, id, found[id], after); err != nil {
			return done, err
		}
	}
	return done, nil
}

// bulk returns what a fault is after a change of many; who is to be its assignee.
func (f changingFault) bulk(now time.Time, c sett.BulkChange, who *sett.Person) (after changingFault, err error) {
	after = f
	if after.FaultState, err = c.Apply(f.FaultState, now, f.notices); err != nil {
		return f, err
	}
	if after.tags, _ = c.ApplyTags(f.tags); sett.BulkAction(c.Action.Value) == sett.BulkAssign {
		after.assignee = sql.NullInt64{Int64: c.AssigneeID.Value, Valid: who != nil}
	}
	return after, nil
}

func (f changingFault) differs(o changingFault) bool {
	return f.FaultState != o.FaultState || f.assignee != o.assignee || !slices.Equal(f.tags, o.tags)
}

const writeTags = `-- store.writeTags
UPDATE faults SET tags = $2 WHERE id = $1`

// tagLot gives some faults tags or takes them away, which their histories tell.
func (t Tx) tagLot(ctx context.Context, now time.Time, userID int64, ids []int64, found map[int64]changingFault, c sett.BulkChange) error {
	for _, id := range ids {
		tags, told := c.ApplyTags(found[id].tags)
		if _, err := t.Exec(ctx, writeTags, id, sett.JoinLines(tags)); err != nil {
			return err
		}
		if err := t.AddEntry(ctx, now, userID, *told, id); err != nil {
			return err
		}
	}
	return nil
}

// resolveLot resolves those of some faults of a project that are not resolved.
func (t Tx) resolveLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64) (int64, error) {
	var resolved []int64
	var told []sett.Fault
	err := t.EachRow(ctx, resolveFaults, func(rows *sql.Rows) error {
		f := sett.Fault{ProjectID: projectID}
		err := rows.Scan(&f.ID, &f.Environment)
		resolved, told = append(resolved, f.ID), append(told, f)
		return err
	}, ids)
	if err != nil {
		return 0, err
	}
	return int64(len(resolved)), errors.Join(t.AddEntry(ctx, now, userID, sett.ResolvedEntry(), resolved...), t.raiseResolved(ctx, now, userID, told))
}
