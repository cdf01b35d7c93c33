package faultdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// FaultsDeleted is the topic of faults whose notices have to be deleted.
const FaultsDeleted db.Topic = "faults deleted"

const lockDeleted = `-- faultdb.lockDeleted
SELECT f.id FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id ORDER BY f.id {{for update of f}}`

const dropParts = `-- faultdb.dropParts
DELETE FROM merged_faults WHERE into_id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING id, created_at, last_notice_at`

const dropShares = `-- faultdb.dropShares
DELETE FROM fault_shares WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const dropOfReleases = `-- faultdb.dropOfReleases
DELETE FROM release_faults WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const (
	dropFixes = `-- faultdb.dropFixes
DELETE FROM fixes WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

	dropSuspects = `-- faultdb.dropSuspects
DELETE FROM suspects WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`
)

// The fault is deleted before its counts.
const dropFaults = `-- faultdb.dropFaults
DELETE FROM faults WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING id, created_at, 0`

const dropCounts = `-- faultdb.dropCounts
DELETE FROM fault_counts WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING fault_id, 0, last_notice_at`

const insertTaken = `-- faultdb.insertTaken
INSERT INTO fault_graves (fault_id, project_id, first_at, last_at)
SELECT k.id, k.project_id, k.first_at, k.last_at FROM {{rows k(id bigint, project_id bigint, first_at bigint, last_at bigint)}}
WHERE true ON CONFLICT (fault_id) DO UPDATE SET first_at = excluded.first_at, last_at = excluded.last_at`

// DeleteFault deletes a fault and everything that belongs to it, except the counts of its project. The fault itself is deleted first:
// then no user sees it and no notice is added to it. The rest is deleted in small steps, each a transaction, so that others can write in
// between. The first ones are done even if ctx is cancelled; SweepFaults does the rest. The error is NotFound if there is no such fault.
func (s *Store) DeleteFault(ctx context.Context, projectID, faultID int64) error {
	var parts []mergedSpan
	err := s.inTx(ctx, "delete fault", func(t Tx) (err error) {
		if parts, err = t.takeFaults(ctx, projectID, []int64{faultID}); err == nil && len(parts) == 0 {
			err = sett.Errorf(sett.NotFound, "Fault not found")
		}
		return err
	})
	if err != nil {
		return err
	}
	pace := &db.Pace{Pieces: piecesOfFault}
	err = s.deleteParts(db.WithPace(context.WithoutCancel(ctx), pace), parts)
	if errors.Is(err, db.ErrPaceEnds) {
		return s.inTx(context.WithoutCancel(ctx), "leave a deletion", func(t Tx) error {
			t.KeepsCaches = true
			t.Wake(FaultsDeleted)
			return nil
		})
	}
	return err
}

// piecesOfFault is how many pieces of a deletion are done before the answer.
const piecesOfFault = 50

// mergedSpan is a fault or a part of one, with the times of its creation and of its last notice, in µs.
type mergedSpan struct{ id, first, last int64 }

// takeFaults deletes the existing ones of some faults of a project, but not their notices and counts. Those have to be deleted later, for
// each fault and for all faults that were merged into it; it returns these and writes tombstones for them.
func (t Tx) takeFaults(ctx context.Context, projectID int64, ids []int64) (parts []mergedSpan, err error) {
	var found []int64 // the lock prevents that more are merged into them
	if err := t.EachRow(ctx, lockDeleted, db.ScanID(func(id int64) { found = append(found, id) }), db.Repeated(projectID, len(ids)), ids); err != nil {
		return nil, err
	}
	if parts, err = t.spans(ctx, dropParts, found); err != nil {
		return nil, db.Wrap("delete merged faults", err)
	}
	all := slices.Clone(found)
	for _, part := range parts {
		all = append(all, part.id)
	}
	for _, statement := range []string{dropShares, dropFollowers, dropOfReleases, dropFixes, dropSuspects} {
		if err := t.Each(ctx, statement, all); err != nil {
			return nil, db.Wrap("delete links of faults", err)
		}
	}
	gone, err := t.spans(ctx, dropFaults, found)
	if err != nil {
		return nil, err
	}
	counted, err := t.spans(ctx, dropCounts, found)
	if err != nil {
		return nil, err
	}
	last := map[int64]int64{}
	for _, c := range counted {
		last[c.id] = c.last
	}
	for _, f := range gone {
		parts = append(parts, mergedSpan{f.id, f.first, last[f.id]})
	}
	return parts, t.noteTaken(ctx, projectID, parts)
}

// spans runs a statement for some faults.
func (t Tx) spans(ctx context.Context, statement string, ids []int64) (found []mergedSpan, err error) {
	err = t.EachRow(ctx, statement, func(rows *sql.Rows) error {
		var part mergedSpan
		err := rows.Scan(&part.id, &part.first, &part.last)
		found = append(found, part)
		return err
	}, ids)
	return found, err
}

func (t Tx) noteTaken(ctx context.Context, projectID int64, parts []mergedSpan) error {
	var ids, firsts, lasts []int64
	for _, part := range parts {
		ids, firsts, lasts = append(ids, part.id), append(firsts, part.first), append(lasts, part.last)
	}
	return t.Each(ctx, insertTaken, ids, db.Repeated(projectID, len(ids)), firsts, lasts)
}

const newestNotice = `-- faultdb.newestNotice
SELECT coalesce(max(id), 0) FROM fault_notices WHERE fault_id = $1`

const dropTombstone = `-- faultdb.dropTombstone
DELETE FROM fault_graves WHERE fault_id = $1`

// deleteParts deletes the notices and counts of deleted faults.
func (s *Store) deleteParts(ctx context.Context, parts []mergedSpan) error {
	if err := s.Counter.Flush(db.WithPace(ctx, nil)); err != nil { // otherwise pending counts would be written after the sweep
		return err
	}
	for _, part := range parts {
		if err := s.deletePart(ctx, part); err != nil {
			return err
		}
		err := s.inTx(ctx, "forget deleted fault", func(t Tx) error {
			t.KeepsCaches = true
			_, err := t.Exec(ctx, dropTombstone, part.id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deletePart deletes the notices and counts under an id.
func (s *Store) deletePart(ctx context.Context, part mergedSpan) error {
	var newest sett.NoticeID // the counts did not include pending notices
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(newestNotice), part.id).Scan(&newest); err != nil {
		return fmt.Errorf("find newest notice of fault: %w", err)
	}
	return errors.Join(
		s.deleteFaultNotices(ctx, part.id),
		s.deleteFaultUsers(ctx, part.id),
		s.deleteFaultMessages(ctx, part.id),
		s.deleteFaultBuckets(ctx, part.id, db.FromMicros(part.first), db.FromMicros(max(part.last, db.Micros(newest.Time())))),
	)
}

const deleteFaultNotices = `-- faultdb.deleteFaultNotices
DELETE FROM fault_notices WHERE fault_id = $1 AND id IN (SELECT id FROM fault_notices WHERE fault_id = $1 ORDER BY id LIMIT $2)
RETURNING id`

func (s *Store) deleteFaultNotices(ctx context.Context, faultID int64) error {
	return s.sweep(ctx, "delete notices of fault", db.RowsAtOnce, func(t Tx) (int64, error) {
		return t.RemoveNotices(ctx, deleteFaultNotices, faultID, db.RowsAtOnce)
	})
}

const deleteNotices = `-- faultdb.deleteNotices
DELETE FROM notices WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING id, fault_id, token, bundle_id, slot`

const ReleaseTokens = `-- faultdb.releaseTokens
DELETE FROM notice_tokens WHERE (token, notice_id) IN (SELECT k.token, k.notice_id FROM {{rows k(token bytea, notice_id bigint)}})`

// RemoveNotices runs a statement that removes notices from table fault_notices and returns their ids, deletes these notices, and returns
// their number.
func (t Tx) RemoveNotices(ctx context.Context, statement string, args ...any) (n int64, err error) {
	notices, err := t.s.db.ListIDs(ctx, t, statement, args...)
	if err != nil {
		return 0, err
	}
	return int64(len(notices)), t.DeleteNotices(ctx, notices)
}

// DeleteNotices deletes notices and their payloads, and frees their tokens.
func (t Tx) DeleteNotices(ctx context.Context, notices []int64) error {
	var tokens [][]byte
	var ids []int64
	gone := block.Gone{}
	scan := func(rows *sql.Rows) error {
		var id, fault, bundle, slot int64
		var token []byte
		err := rows.Scan(&id, &fault, &token, &bundle, &slot)
		gone.Add(id, fault, bundle, slot)
		if token != nil {
			tokens, ids = append(tokens, token), append(ids, id)
		}
		return err
	}
	if err := t.EachRow(ctx, deleteNotices, scan, notices); err != nil {
		return err
	}
	return errors.Join(t.block().Remove(ctx, gone, nil), t.Each(ctx, ReleaseTokens, tokens, ids))
}

const deleteFaultUsers = `-- faultdb.deleteFaultUsers
DELETE FROM fault_users WHERE fault_id = $1 AND name IN (SELECT name FROM fault_users WHERE fault_id = $1 ORDER BY name LIMIT $2)`

func (s *Store) deleteFaultUsers(ctx context.Context, faultID int64) error {
	return s.sweep(ctx, "delete users of fault", db.RowsAtOnce, func(t Tx) (int64, error) {
		return t.Changed(ctx, deleteFaultUsers, faultID, db.RowsAtOnce)
	})
}

const faultDays = `-- faultdb.faultDays
SELECT at FROM fault_buckets WHERE width = $1 AND fault_id = $2 AND at IN `

const deleteBuckets = `-- faultdb.deleteBuckets
DELETE FROM fault_buckets WHERE width = $1 AND fault_id = $2 AND at IN `

// deleteFaultBuckets deletes the buckets of a fault that had notices from first to last. Buckets are sorted by time and not by fault, so
// each is looked up by its start, on the days that have any.
func (s *Store) deleteFaultBuckets(ctx context.Context, faultID int64, first, last time.Time) error {
	const skew = time.Hour // the clock of another node may have been behind by this much
	for month := range slices.Chunk(Starts(accounts.Day(first.Add(-skew)).Unix(), last.Unix()+1, Day), 30) {
		list, at := db.In(s.db, 3, month)
		days, err := s.db.ListIDs(ctx, s.db.Read, faultDays+list, append([]any{Day, faultID}, at...)...)
		if err != nil {
			return fmt.Errorf("find buckets of fault: %w", err)
		}
		for _, at := range days {
			err := s.inTx(ctx, "delete buckets of fault", func(t Tx) error { return t.deleteDay(ctx, faultID, at) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteDay deletes a fault's buckets of every width on the day that starts at at.
func (t Tx) deleteDay(ctx context.Context, faultID, at int64) error {
	for _, width := range Widths {
		list, starts := db.In(t.s.db, 3, Starts(at, at+Day, width))
		if _, err := t.Exec(ctx, deleteBuckets+list, append([]any{width, faultID}, starts...)...); err != nil {
			return err
		}
	}
	return nil
}

// Starts returns the starts of the buckets of a width, in seconds, from the bucket at from up to to.
func Starts(from, to, width int64) (at []int64) {
	for ; from < to; from += width {
		at = append(at, from)
	}
	return at
}
