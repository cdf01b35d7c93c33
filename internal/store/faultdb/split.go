package faultdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// SplitFault turns a merged fault into a fault of its own again, with its id, its comments, and every notice with its fingerprint,
// whenever it came. The error is NotFound if the project has no such fault, and Conflict if it was not merged.
func (s *Store) SplitFault(ctx context.Context, now time.Time, userID, projectID, faultID int64) error {
	return s.inTx(ctx, "split fault", func(t Tx) error {
		var survivor int64
		err := t.QueryRowContext(ctx, s.db.Text(mergedInto), projectID, faultID).Scan(&survivor)
		if err = db.NotFound(err, "Fault", "find merged fault"); sett.CodeOf(err) == sett.NotFound {
			return cmp.Or(s.checkFault(ctx, t, projectID, faultID), error(sett.Errorf(sett.Conflict, "This fault was not merged into another, so there is nothing to split.")))
		}
		if err != nil {
			return err
		}
		found, err := t.lockMerging(ctx, projectID, survivor, survivor)
		if err != nil {
			return err
		}
		return t.splitFault(ctx, now, userID, faultID, found[survivor])
	})
}

const lockPart = `-- faultdb.lockPart
SELECT class, notices_count FROM merged_faults WHERE id = $1 AND into_id = $2 {{for update}}`

const lastOfOthers = `-- faultdb.lastOfOthers
SELECT coalesce(max(last_notice_at), 0) FROM merged_faults WHERE into_id = $1`

// splitFault splits a part from the locked fault that it was merged into; from is nil if that fault is deleted.
func (t Tx) splitFault(ctx context.Context, now time.Time, userID, partID int64, from *mergingFault) error {
	moved := sett.Errorf(sett.Conflict, "Another user has just merged or split this fault. Reload it and try again.")
	if from == nil {
		return moved
	}
	var class string
	var notices int64
	err := t.QueryRowContext(ctx, t.s.db.Text(lockPart), partID, from.ID).Scan(&class, &notices)
	if err = db.NotFound(err, "Fault", "lock merged fault"); sett.CodeOf(err) == sett.NotFound {
		return moved
	}
	if err != nil {
		return err
	}
	waiting, err := t.usersWaitedFor(ctx, from.ID)
	if err != nil {
		return err
	}
	if err := t.giveBack(ctx, from.ID, partID); err != nil {
		return err
	}
	last, err := t.s.lastOfPart(ctx, t, from.ID)
	if err != nil {
		return err
	}
	var others int64 // the time of the last notice of its other parts
	if err := t.QueryRowContext(ctx, t.s.db.Text(lastOfOthers), from.ID).Scan(&others); err != nil {
		return err
	}
	return errors.Join(t.shift(ctx, from.ID, -notices, max(last, others)), t.shiftUsers(ctx, from.ID, waiting),
		t.addEntry(ctx, now, userID, triage.SplitEntry(partID, class), from.ID),
		t.addEntry(ctx, now, userID, triage.SplitOffEntry(from.ID), partID))
}

// The assignee may have left since, or their team is gone.
var restoreFaults = `-- faultdb.restoreFaults
INSERT INTO faults (` + merged.Names() + `, id, key, assignee_id, paused_count, comments_count)
SELECT ` + merged.Of("m") + `, m.id, m.key,
    coalesce((SELECT s.user_id FROM memberships s JOIN projects p ON p.account_id = s.account_id WHERE p.id = m.project_id AND s.user_id = m.assignee_id),
        (SELECT -a.id FROM teams a WHERE a.id = -m.assignee_id)),
    m.paused_count, 0
FROM {{rows k(id bigint)}} JOIN merged_faults m ON m.id = k.id WHERE true`

const restoreCounts = `-- faultdb.restoreCounts
INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at, paused_count, resumes_at)
SELECT m.id, m.project_id, m.notices_count, m.last_notice_at, m.awaited_count, m.resumes_at
FROM {{rows k(id bigint)}} JOIN merged_faults m ON m.id = k.id WHERE true`

const restoreConditions = `-- faultdb.restoreConditions
INSERT INTO pause_conditions (fault_id, users, users_before, notices, per, created_at, created_by)
SELECT m.id, m.pause_users, m.pause_users_before, m.pause_notices, m.pause_per, m.pause_since, m.pause_by
FROM {{rows k(id bigint)}} JOIN merged_faults m ON m.id = k.id WHERE m.pause_since > 0`

const restoreLinks = `-- faultdb.restoreLinks
INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at, issue_state, issue_at)
SELECT l.fault_id, l.integration_id, l.data, l.created_at, l.updated_at, l.issue_state, l.issue_at
FROM {{rows k(id bigint)}} JOIN merged_links l ON l.fault_id = k.id WHERE true`

const returnComments = `-- faultdb.returnComments
UPDATE comments SET fault_id = k.id, part_id = 0 FROM {{rows k(id bigint, from_id bigint)}}
WHERE comments.fault_id = k.from_id AND comments.part_id = k.id`

const returnKeys = `-- faultdb.returnKeys
UPDATE fault_keys SET fault_id = part_id WHERE part_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const dropMerged = `-- faultdb.dropMerged
DELETE FROM merged_faults WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// giveBack turns parts of a fault into faults again. It does not yet change the fault that they were merged into.
func (t Tx) giveBack(ctx context.Context, from int64, parts ...int64) error {
	for _, statement := range []string{restoreFaults, restoreCounts, restoreConditions, restoreLinks} {
		if err := t.Each(ctx, statement, parts); err != nil {
			return fmt.Errorf("restore merged faults: %w", err)
		}
	}
	return errors.Join(t.Each(ctx, returnComments, parts, db.Repeated(from, len(parts))), t.Each(ctx, returnKeys, parts), t.Each(ctx, dropMerged, parts),
		t.recountComments(ctx, append(parts, from)...))
}

const recountComments = `-- faultdb.recountComments
UPDATE faults SET comments_count = (SELECT count(*) FROM comments c WHERE c.fault_id = faults.id AND c.event = '')
WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// recountComments counts the comments of faults that gained or lost some by a merge or split.
func (t Tx) recountComments(ctx context.Context, faults ...int64) error {
	return db.Wrap("count comments of faults", t.Each(ctx, recountComments, faults))
}

const nextMerged = `-- faultdb.nextMerged
SELECT m.into_id FROM merged_faults m WHERE m.project_id = $1 LIMIT 1`

const lockSurvivor = `-- faultdb.lockSurvivor
SELECT f.id FROM faults f WHERE f.id = $1 {{for update}}`

// splitAtOnce is how many parts one transaction gives back.
const splitAtOnce = 10

// SplitAll splits every merged fault of a project that is being deleted, so that the sweeps find it.
func (s *Store) SplitAll(ctx context.Context, projectID int64) error {
	return s.sweep(ctx, "split faults", 1, func(t Tx) (int64, error) {
		survivors, err := s.db.ListIDs(ctx, t, nextMerged, projectID)
		if err != nil || len(survivors) == 0 {
			return 0, err
		}
		if _, err := s.db.ListIDs(ctx, t, lockSurvivor, survivors[0]); err != nil {
			return 0, err
		}
		parts, err := s.db.ListIDs(ctx, t, partsOfFault, survivors[0])
		if err != nil {
			return 0, err
		}
		return 1, t.giveBack(ctx, survivors[0], parts[:min(len(parts), splitAtOnce)]...)
	})
}
