package faultdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// mergingFault is a fault in a merge, on either side.
type mergingFault struct {
	faults.Fault
	parts int   // including its own
	own   int64 // notices with its own fingerprint
}

const lockMerging = `-- faultdb.lockMerging
SELECT f.id, f.environment, f.class FROM faults f WHERE f.project_id = $1 AND f.id IN ($2, $3) ORDER BY f.id {{for update}}`

const lockMergingCounts = `-- faultdb.lockMergingCounts
SELECT c.fault_id, c.notices_count, c.last_notice_at FROM fault_counts c
WHERE c.project_id = $1 AND c.fault_id IN ($2, $3) ORDER BY c.fault_id {{for update}}`

const sumParts = `-- faultdb.sumParts
SELECT count(*), coalesce(CAST(sum(notices_count) AS bigint), 0) FROM merged_faults WHERE into_id = $1`

// lockMerging reads faults whose counts are about to change, and locks them against changes and counting. A conflicting transaction that
// counts notices is retried; see dialect.busy.
func (t Tx) lockMerging(ctx context.Context, projectID, one, other int64) (map[int64]*mergingFault, error) {
	found := map[int64]*mergingFault{}
	rows, err := t.QueryContext(ctx, t.s.db.Text(lockMerging), projectID, one, other)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f := &mergingFault{}
		err := rows.Scan(&f.ID, &f.Environment, &f.Class)
		found[f.ID] = f
		return err
	})
	if err != nil {
		return nil, db.Wrap("lock faults", err)
	}
	rows, err = t.QueryContext(ctx, t.s.db.Text(lockMergingCounts), projectID, one, other)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, count, last int64
		err := rows.Scan(&id, &count, &last)
		if f := found[id]; f != nil {
			f.NoticesCount, f.LastNoticeAt = count, db.FromMicros(last)
		}
		return err
	})
	if err != nil {
		return nil, db.Wrap("lock counts of faults", err)
	}
	for id, f := range found {
		var merged int64
		if err := t.QueryRowContext(ctx, t.s.db.Text(sumParts), id).Scan(&f.parts, &merged); err != nil {
			return nil, db.Wrap("count parts of fault", err)
		}
		f.parts, f.own = f.parts+1, f.NoticesCount-merged
	}
	return found, nil
}

// MergeFault merges a fault of a project into another, which then stands for both and for everything that was merged into either. The
// error is NotFound if the project has no such fault, and Invalid if the two cannot be merged.
func (s *Store) MergeFault(ctx context.Context, now time.Time, userID, projectID, faultID int64, m triage.FaultMerge) error {
	return s.inTx(ctx, "merge faults", func(t Tx) error {
		return t.merge(ctx, now, userID, projectID, faultID, m.IntoID.Value)
	})
}

// MergeOutcome is the result of a merge of several faults.
type MergeOutcome struct {
	BulkOutcome
	Nested bool // some already had parts, which UndoFaults does not give back to them
}

// mergesInLot is how many faults one transaction merges, or splits off: each moves its comments and counts.
const mergesInLot = 10

// MergeFaults merges some faults of a project into another, in lots. It skips the other and those that do not exist. It fails as MergeFault
// does, before anything is merged if one of them cannot be.
func (s *Store) MergeFaults(ctx context.Context, now time.Time, userID, projectID int64, faults []int64, intoID int64) (done MergeOutcome, err error) {
	faults = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(faults))), func(id int64) bool { return id == intoID })
	var ids []int64
	err = s.inTx(ctx, "check merge of faults", func(t Tx) error {
		t.KeepsCaches = true
		ids, done.Nested, err = t.mergeable(ctx, projectID, faults, intoID)
		return err
	})
	if err != nil {
		return MergeOutcome{}, err
	}
	done.BulkOutcome, err = s.changeMany(ctx, projectID, ids, manyChange{UserID: userID, At: db.Micros(now), Into: intoID})
	done.Left += int64(len(faults) - len(ids))
	return done, err
}

// mergeable returns the existing ones of some faults, if all of them can be merged into another, and whether some have parts.
func (t Tx) mergeable(ctx context.Context, projectID int64, faults []int64, intoID int64) (ids []int64, nested bool, err error) {
	more := 0 // parts of those before
	for _, id := range faults {
		fault, _, err := t.checkMerge(ctx, projectID, id, intoID, more)
		if sett.CodeOf(err) == sett.NotFound {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		ids, nested, more = append(ids, id), nested || fault.parts > 1, more+fault.parts
	}
	return ids, nested, nil
}

// mergeLot merges some faults into another. It skips those that were deleted or merged meanwhile.
func (t Tx) mergeLot(ctx context.Context, projectID int64, ids []int64, m *manyChange) (done BulkOutcome, err error) {
	for _, id := range ids {
		switch err := t.merge(ctx, m.at(), m.UserID, projectID, id, m.Into); {
		case sett.CodeOf(err) == sett.NotFound:
			done.Left++
		case err != nil:
			return done, err
		default:
			done.Changed++
		}
	}
	return done, nil
}

// merge merges a fault into another.
func (t Tx) merge(ctx context.Context, now time.Time, userID, projectID, faultID, intoID int64) error {
	fault, into, err := t.checkMerge(ctx, projectID, faultID, intoID, 0)
	if err != nil {
		return err
	}
	return t.mergeFault(ctx, now, userID, fault, into)
}

// checkMerge locks and returns a fault and the one that it can be merged into, which will have gained some more parts by then.
func (t Tx) checkMerge(ctx context.Context, projectID, faultID, intoID int64, more int) (fault, into *mergingFault, err error) {
	found, err := t.lockMerging(ctx, projectID, faultID, intoID)
	if err != nil {
		return nil, nil, err
	}
	fault, into = found[faultID], found[intoID]
	if fault == nil || into == nil {
		return nil, nil, t.refuseMerge(ctx, projectID, faultID, intoID, fault == nil)
	}
	return fault, into, triage.CheckMerge(fault.Fault, into.Fault, fault.parts, into.parts+more)
}

// refuseMerge is the error of a merge in which one fault does not exist: the first if absent is true, else the other.
func (t Tx) refuseMerge(ctx context.Context, projectID, faultID, intoID int64, absent bool) error {
	missing := intoID
	if absent {
		missing = faultID
	}
	var into int64
	err := t.QueryRowContext(ctx, t.s.db.Text(mergedInto), projectID, missing).Scan(&into)
	err = db.NotFound(err, "Fault", "find merged fault")
	switch {
	case absent && err == nil:
		return triage.MergedError(faultID, into)
	case absent || err != nil && sett.CodeOf(err) != sett.NotFound:
		return err
	case err == nil:
		return sett.Refuse("into_id", "is a fault that was merged into fault %d: give that id instead", into)
	}
	return sett.Refuse("into_id", "must be the id of another fault of this project")
}

var insertMerged = `-- faultdb.insertMerged
INSERT INTO merged_faults (` + merged.Names() + `, id, into_id, key, assignee_id, paused_count, notices_count, last_notice_at, awaited_count, resumes_at, merged_at, merged_by,
    pause_users, pause_users_before, pause_notices, pause_per, pause_since, pause_by)
SELECT ` + merged.Of("f") + `, f.id, $2, f.key, f.assignee_id, CASE WHEN f.paused_count = 0 THEN 0 ELSE f.paused_count - $7 END, $3, $4,
    CASE WHEN c.paused_count = 0 THEN 0 ELSE c.paused_count - $7 END, c.resumes_at, $5, $6,
    coalesce(k.users, 0), CASE WHEN k.users_before > $8 THEN k.users_before - $8 ELSE 0 END, coalesce(k.notices, 0), coalesce(k.per, 0),
    coalesce(k.created_at, 0), coalesce(k.created_by, 0)
FROM faults f JOIN fault_counts c ON c.fault_id = f.id LEFT JOIN pause_conditions k ON k.fault_id = f.id WHERE f.id = $1`

const moveParts = `-- faultdb.moveParts
UPDATE merged_faults SET into_id = $2 WHERE into_id = $1`

const moveKeys = `-- faultdb.moveKeys
UPDATE fault_keys SET fault_id = $2 WHERE fault_id = $1`

const storeLinks = `-- faultdb.storeLinks
INSERT INTO merged_links (fault_id, integration_id, data, created_at, updated_at, issue_state, issue_at)
SELECT fault_id, integration_id, data, created_at, updated_at, issue_state, issue_at FROM fault_links WHERE fault_id = $1`

const lendComments = `-- faultdb.lendComments
UPDATE comments SET fault_id = $2, part_id = CASE WHEN part_id = 0 THEN $1 ELSE part_id END WHERE fault_id = $1`

const dropFault = `-- faultdb.dropFault
DELETE FROM faults WHERE id = $1`

const dropFaultCounts = `-- faultdb.dropFaultCounts
DELETE FROM fault_counts WHERE fault_id = $1`

// mergeFault makes one fault, with its own parts, a part of another.
func (t Tx) mergeFault(ctx context.Context, now time.Time, userID int64, fault, into *mergingFault) error {
	last, err := t.lastOwn(ctx, fault)
	if err != nil {
		return err
	}
	waiting, err := t.usersWaitedFor(ctx, into.ID)
	if err != nil {
		return err
	}
	if err := t.storeMerged(ctx, now, userID, fault, into, last); err != nil {
		return err
	}
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{moveParts, []any{fault.ID, into.ID}},
		{moveKeys, []any{fault.ID, into.ID}},
		{storeLinks, []any{fault.ID}},
		{lendComments, []any{fault.ID, into.ID}},
		{dropFaultCounts, []any{fault.ID}},
		{dropFault, []any{fault.ID}},
	} {
		if _, err := t.Exec(ctx, step.statement, step.args...); err != nil {
			return fmt.Errorf("merge fault: %w", err)
		}
	}
	last = max(db.Micros(into.LastNoticeAt), db.Micros(fault.LastNoticeAt))
	return cmp.Or(t.shift(ctx, into.ID, fault.NoticesCount, last), t.shiftUsers(ctx, into.ID, waiting), t.recountComments(ctx, into.ID),
		t.addEntry(ctx, now, userID, triage.MergedEntry(fault.ID, fault.Class), into.ID))
}

// storeMerged stores a fault as a part of another. The pause that it has then lasts as long for its own notices and users alone.
func (t Tx) storeMerged(ctx context.Context, now time.Time, userID int64, fault, into *mergingFault, last int64) error {
	all, err := t.usersWaitedFor(ctx, fault.ID)
	if err != nil {
		return err
	}
	var others int64 // users of its parts alone
	if all > 0 {
		own, err := t.s.usersOfParts(ctx, t, []int64{fault.ID}, mostUsersBefore+1)
		if others = all - own; err != nil {
			return err
		}
	}
	_, err = t.Exec(ctx, insertMerged, fault.ID, into.ID, fault.own, last, db.Micros(now), userID, fault.NoticesCount-fault.own, others)
	return db.Wrap("insert merged fault", err)
}

// lastOwn returns the time of the last notice with the fault's own fingerprint.
func (t Tx) lastOwn(ctx context.Context, f *mergingFault) (int64, error) {
	if f.parts == 1 {
		return db.Micros(f.LastNoticeAt), nil
	}
	return t.s.lastOfPart(ctx, t, f.ID)
}

const shiftCounts = `-- faultdb.shiftCounts
UPDATE fault_counts SET notices_count = notices_count + $2, last_notice_at = $3,
    paused_count = CASE WHEN paused_count = 0 THEN 0 ELSE paused_count + $2 END WHERE fault_id = $1`

const shiftPause = `-- faultdb.shiftPause
UPDATE faults SET paused_count = paused_count + $2 WHERE id = $1 AND paused_count > 0`

// shift adds the notices of other parts to a fault, or subtracts them, and adjusts its pause so that it lasts as long as before.
func (t Tx) shift(ctx context.Context, faultID, notices, last int64) error {
	if _, err := t.Exec(ctx, shiftCounts, faultID, notices, last); err != nil {
		return fmt.Errorf("shift counts of fault: %w", err)
	}
	if _, err := t.Exec(ctx, shiftPause, faultID, notices); err != nil {
		return fmt.Errorf("shift pause of fault: %w", err)
	}
	return nil
}
