package faultdb

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// Chosen are the faults of a bulk change.
type Chosen struct {
	IDs   []int64
	AsOf  time.Time // skip faults that were created or changed later; zero: change all
	Still Still     // nil: all are changed
}

// Still returns which of some faults that a transaction has locked still match the search that chose them. A search is above this package.
type Still func(ctx context.Context, q db.Querier, now time.Time, ids []int64) ([]int64, error)

// BulkOutcome is the result of a bulk change.
type BulkOutcome struct {
	Changed int64 // or will be; see Waiting
	Left    int64 // skipped, because they were changed after the choice's AsOf
	Waiting int64 // of Changed: still to be changed in the background
}

func (o *BulkOutcome) add(more BulkOutcome) {
	o.Changed += more.Changed
	o.Left += more.Left
}

// faultsInLot is how many faults one transaction of a bulk change changes, so that others can write in between.
const faultsInLot = 100

// ChangeFaults makes the same change to many faults of a project, in lots, and returns the outcome. It skips faults that no longer match
// when their lot is changed, faults that do not exist or already have the change, and faults that were changed since the user saw them. Up
// to sett.MostBulkFaults are changed when it returns; the others are changed in the background, unless they are changed or occur after the
// call.
func (s *Store) ChangeFaults(ctx context.Context, now time.Time, userID, projectID int64, which Chosen, c triage.BulkChange) (done BulkOutcome, err error) {
	c.FaultIDs = sett.Optional[[]int64]{}
	if err := s.checkRelease(ctx, s.db.Read, projectID, c.ResolvedIn.Value); err != nil {
		return done, err
	}
	m := manyChange{UserID: userID, At: db.Micros(now), AsOf: db.Micros(which.AsOf), Change: &c, still: which.Still}
	return s.changeMany(ctx, projectID, which.IDs, m)
}

const changedSince = `-- faultdb.changedSince
SELECT DISTINCT c.fault_id FROM {{rows k(id bigint, at bigint)}} JOIN comments c ON c.fault_id = k.id WHERE c.event <> '' AND c.created_at > k.at`

// changedSince returns which of the faults have a history entry later than a time, for example that they were reopened. Comments and
// further notices do not count.
func (s *Store) changedSince(ctx context.Context, q db.Querier, at time.Time, ids ...int64) (changed map[int64]bool, err error) {
	changed = map[int64]bool{}
	if at.IsZero() {
		return changed, nil
	}
	err = s.db.ReadRows(ctx, q, changedSince, db.ScanID(func(id int64) { changed[id] = true }), ids, db.Repeated(db.Micros(at), len(ids)))
	return changed, db.Wrap("look for later changes of faults", err)
}

var readStates = "-- faultdb.readStates\nSELECT " + aState.Of("f") + `, f.id, f.environment, f.assignee_id, f.tags, c.notices_count, c.last_notice_at
FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id
JOIN fault_counts c ON c.fault_id = f.id ORDER BY f.id {{for no key update of f}}`

// readStates reads the existing ones of some faults and locks them against changes.
func (t Tx) readStates(ctx context.Context, projectID int64, ids []int64) (map[int64]changingFault, error) {
	found := map[int64]changingFault{}
	var id int64
	var tags string
	var f changingFault
	into := append(stateOf(&f.FaultState).Into(), &id, &f.environment, &f.assignee, &tags, &f.notices, &f.lastNotice)
	err := t.EachRow(ctx, readStates, func(rows *sql.Rows) error {
		err := rows.Scan(into...)
		f.tags = faults.SplitLines(tags)
		found[id] = f
		return err
	}, db.Repeated(projectID, len(ids)), ids)
	return found, db.Wrap("read states of faults", err)
}

// changeLot changes some faults as a user has asked.
func (t Tx) changeLot(ctx context.Context, projectID int64, ids []int64, m *manyChange) (done BulkOutcome, err error) {
	found, err := t.readStates(ctx, projectID, ids)
	if err != nil {
		return done, err
	}
	ids = slices.Sorted(maps.Keys(found))
	if m.still != nil && len(ids) > 0 {
		if ids, err = m.still(ctx, t, m.at(), ids); err != nil {
			return done, err
		}
	}
	late, err := t.s.changedSince(ctx, t, m.unchangedSince(), ids...)
	if err != nil {
		return done, err
	}
	var who *sett.Person
	if c := m.Change; c.AssigneeID.Sent && !c.AssigneeID.Null {
		if who, err = t.assignee(ctx, projectID, c.AssigneeID.Value); err != nil {
			return done, err
		}
	}
	var wanted []int64
	for _, id := range ids {
		f := found[id]
		after, err := f.bulk(m.at(), *m.Change, who)
		switch {
		case err != nil:
			return done, err
		case !f.differs(after) && m.action() != triage.BulkDelete:
		case late[id], m.occurredSince(f):
			done.Left++
		default:
			wanted = append(wanted, id)
		}
	}
	done.Changed = int64(len(wanted))
	return done, t.changeWanted(ctx, projectID, wanted, found, m, who)
}

// changeWanted changes the faults of a lot that are to be changed.
func (t Tx) changeWanted(ctx context.Context, projectID int64, ids []int64, found map[int64]changingFault, m *manyChange, who *sett.Person) error {
	switch m.action() {
	case triage.BulkDelete:
		t.Wake(FaultsDeleted)
		_, err := t.takeFaults(ctx, projectID, ids)
		return err
	case triage.BulkResolve: // one alert covers many of them
		resolved, err := t.resolveLot(ctx, m.at(), m.UserID, projectID, m.Change.ResolvedIn.Value, ids)
		m.announce(resolved)
		return err
	case triage.BulkAssign: // one alert covers all of them
		m.announce(assigned(projectID, ids, found))
		return t.assignLot(ctx, m.at(), m.UserID, projectID, ids, who)
	case triage.BulkUnpause:
		return t.unpauseLot(ctx, m.at(), m.UserID, ids)
	case triage.BulkTag, triage.BulkUntag:
		return t.tagLot(ctx, m.at(), m.UserID, ids, found, *m.Change)
	}
	for _, id := range ids {
		after, err := found[id].bulk(m.at(), *m.Change, who)
		if err != nil {
			return err
		}
		if err := t.writeChange(ctx, m.at(), m.UserID, projectID, id, found[id], after); err != nil {
			return err
		}
	}
	return nil
}

// bulk returns the state of a fault after a bulk change; who is its new assignee.
func (f changingFault) bulk(now time.Time, c triage.BulkChange, who *sett.Person) (after changingFault, err error) {
	after = f
	if after.FaultState, err = c.Apply(f.FaultState, now, f.notices); err != nil {
		return f, err
	}
	if after.tags, _ = c.ApplyTags(f.tags); triage.BulkAction(c.Action.Value) == triage.BulkAssign {
		after.assignee = sql.NullInt64{Int64: c.AssigneeID.Value, Valid: who != nil}
	}
	return after, nil
}

func (f changingFault) differs(o changingFault) bool {
	return f.FaultState != o.FaultState || f.assignee != o.assignee || !slices.Equal(f.tags, o.tags)
}

const writeTags = `-- faultdb.writeTags
UPDATE faults SET tags = $2 WHERE id = $1`

// tagLot adds or removes tags of some faults, and adds this to their histories.
func (t Tx) tagLot(ctx context.Context, now time.Time, userID int64, ids []int64, found map[int64]changingFault, c triage.BulkChange) error {
	for _, id := range ids {
		tags, entry := c.ApplyTags(found[id].tags)
		if _, err := t.Exec(ctx, writeTags, id, faults.JoinLines(tags)); err != nil {
			return err
		}
		if err := t.addEntry(ctx, now, userID, *entry, id); err != nil {
			return err
		}
	}
	return nil
}

const unpauseFaults = `-- faultdb.unpauseFaults
UPDATE faults SET paused_until = 0, paused_count = 0 WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// unpauseLot ends the pauses of some faults that are paused.
func (t Tx) unpauseLot(ctx context.Context, now time.Time, userID int64, ids []int64) error {
	return cmp.Or(t.Each(ctx, unpauseFaults, ids), t.Each(ctx, dropConditions, ids),
		t.Await(ctx, faults.PauseEnd{At: now}, ids...), t.addEntry(ctx, now, userID, faults.UnpausedEntry(), ids...))
}
