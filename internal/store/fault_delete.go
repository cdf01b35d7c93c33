package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
)

const deleteFault = `-- store.deleteFault
DELETE FROM faults WHERE project_id = $1 AND id = $2 RETURNING created_at`

// Nothing is merged into a fault that is being deleted.
const lockDeleted = faultExists + " {{for update}}"

const deleteFaultCounts = `-- store.deleteFaultCounts
DELETE FROM fault_counts WHERE project_id = $1 AND fault_id = $2 RETURNING last_notice_at`

const newestNotice = `-- store.newestNotice
SELECT coalesce(max(id), 0) FROM fault_notices WHERE fault_id = $1`

// DeleteFault deletes a fault and everything of it; what its project has counted stays. The fault itself goes first:
// then nobody sees it and no notice joins it any more. The rest goes in small steps, each a transaction, so that others
// can write in between; they are done even when ctx is cancelled. The error is NotFound when there is no such fault.
func (s *Store) DeleteFault(ctx context.Context, projectID, faultID int64) error {
	parts, err := s.takeFault(ctx, projectID, faultID)
	if err != nil {
		return err
	}
	return s.deleteParts(context.WithoutCancel(ctx), parts)
}

// takeFault deletes a fault itself and returns its parts, which are still to be deleted.
func (s *Store) takeFault(ctx context.Context, projectID, faultID int64) (parts []mergedSpan, err error) {
	var first, last int64 // µs
	err = s.inTx(ctx, "delete fault", func(t *tx) (err error) {
		if _, err := s.listIDs(ctx, t, lockDeleted, projectID, faultID); err != nil {
			return err
		}
		if parts, err = t.dropParts(ctx, projectID, faultID); err != nil {
			return err
		}
		if _, err := t.exec(ctx, deleteShare, projectID, faultID); err != nil {
			return err
		}
		err = t.QueryRowContext(ctx, s.text(deleteFault), projectID, faultID).Scan(&first)
		if err != nil {
			return notFound(err, "Fault", "delete fault")
		}
		return t.QueryRowContext(ctx, s.text(deleteFaultCounts), projectID, faultID).Scan(&last)
	})
	return append(parts, mergedSpan{faultID, first, last}), err
}

// deleteParts deletes what was counted of faults that are gone.
func (s *Store) deleteParts(ctx context.Context, parts []mergedSpan) error {
	if err := s.Fold(ctx); err != nil { // or what is pending would come after the sweep
		return err
	}
	for _, part := range parts {
		if err := s.deletePart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// mergedSpan is a part of a fault, which was made and had its last notice then, in µs.
type mergedSpan struct{ id, first, last int64 }

const dropParts = `-- store.dropParts
DELETE FROM merged_faults WHERE project_id = $1 AND into_id = $2 RETURNING id, created_at, last_notice_at`

// dropParts deletes the faults that were merged into one, and returns whose notices are left.
func (t *tx) dropParts(ctx context.Context, projectID, faultID int64) (found []mergedSpan, err error) {
	rows, err := t.QueryContext(ctx, t.s.text(dropParts), projectID, faultID)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var part mergedSpan
		err := rows.Scan(&part.id, &part.first, &part.last)
		found = append(found, part)
		return err
	})
	if err != nil {
		return nil, wrap("delete merged faults", err)
	}
	for _, part := range found {
		if _, err := t.exec(ctx, deleteShare, projectID, part.id); err != nil {
			return nil, wrap("delete links of merged faults", err)
		}
	}
	return found, nil
}

// deletePart deletes what was counted under an id.
func (s *Store) deletePart(ctx context.Context, part mergedSpan) error {
	var newest sett.NoticeID // the counts did not hold what was pending
	if err := s.read.QueryRowContext(ctx, s.text(newestNotice), part.id).Scan(&newest); err != nil {
		return fmt.Errorf("find newest notice of fault: %w", err)
	}
	return errors.Join(
		s.deleteFaultNotices(ctx, part.id),
		s.deleteFaultUsers(ctx, part.id),
		s.deleteFaultBuckets(ctx, part.id, fromMicros(part.first), fromMicros(max(part.last, micros(newest.Time())))),
	)
}

const deleteFaultNotices = `-- store.deleteFaultNotices
DELETE FROM fault_notices WHERE fault_id = $1 AND id IN (SELECT id FROM fault_notices WHERE fault_id = $1 ORDER BY id LIMIT $2)
RETURNING id`

func (s *Store) deleteFaultNotices(ctx context.Context, faultID int64) error {
	return s.sweep(ctx, "delete notices of fault", rowsAtOnce, func(t *tx) (int64, error) {
		return t.removeNotices(ctx, deleteFaultNotices, faultID, rowsAtOnce)
	})
}

const deleteNotices = `-- store.deleteNotices
DELETE FROM notices WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING id, token, bundle_id, slot`

const releaseTokens = `-- store.releaseTokens
DELETE FROM notice_tokens WHERE (token, notice_id) IN (SELECT k.token, k.notice_id FROM {{rows k(token bytea, notice_id bigint)}})`

// removeNotices runs a statement that takes notices out of table fault_notices and returns their ids, and deletes them.
// Their number is returned.
func (t *tx) removeNotices(ctx context.Context, statement string, args ...any) (n int64, err error) {
	notices, err := t.s.listIDs(ctx, t, statement, args...)
	if err != nil {
		return 0, err
	}
	return int64(len(notices)), t.deleteNotices(ctx, notices)
}

// deleteNotices deletes notices and their payloads; their tokens are free again.
func (t *tx) deleteNotices(ctx context.Context, notices []int64) error {
	var tokens [][]byte
	var ids []int64
	slots := map[int64]int64{}
	scan := func(rows *sql.Rows) error {
		var id, bundle, slot int64
		var token []byte
		err := rows.Scan(&id, &token, &bundle, &slot)
		slots[bundle] |= 1 << slot
		if token != nil {
			tokens, ids = append(tokens, token), append(ids, id)
		}
		return err
	}
	if err := t.eachRow(ctx, deleteNotices, scan, notices); err != nil {
		return err
	}
	return errors.Join(t.clearSlots(ctx, slots), t.each(ctx, releaseTokens, tokens, ids))
}

const deleteFaultUsers = `-- store.deleteFaultUsers
DELETE FROM fault_users WHERE fault_id = $1 AND name IN (SELECT name FROM fault_users WHERE fault_id = $1 ORDER BY name LIMIT $2)`

func (s *Store) deleteFaultUsers(ctx context.Context, faultID int64) error {
	return s.sweep(ctx, "delete users of fault", rowsAtOnce, func(t *tx) (int64, error) {
		return t.changed(ctx, deleteFaultUsers, faultID, rowsAtOnce)
	})
}

const faultDays = `-- store.faultDays
SELECT at FROM fault_buckets WHERE width = $1 AND fault_id = $2 AND at IN `

const deleteBuckets = `-- store.deleteBuckets
DELETE FROM fault_buckets WHERE width = $1 AND fault_id = $2 AND at IN `

// deleteFaultBuckets deletes the buckets of a fault that had notices from first to last. They are ordered by time and
// not by fault, so each is looked up by its start, on the days that have any.
func (s *Store) deleteFaultBuckets(ctx context.Context, faultID int64, first, last time.Time) error {
	const skew = time.Hour // by which the clock of another node may have been behind
	for month := range slices.Chunk(starts(sett.Day(first.Add(-skew)).Unix(), last.Unix()+1, day), 30) {
		list, at := in(3, month)
		days, err := s.listIDs(ctx, s.read, faultDays+list, append([]any{day, faultID}, at...)...)
		if err != nil {
			return fmt.Errorf("find buckets of fault: %w", err)
		}
		for _, at := range days {
			err := s.inTx(ctx, "delete buckets of fault", func(t *tx) error { return t.deleteDay(ctx, faultID, at) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteDay deletes the buckets of every width that a fault has on the day that begins at at.
func (t *tx) deleteDay(ctx context.Context, faultID, at int64) error {
	for _, width := range widths {
		list, starts := in(3, starts(at, at+day, width))
		if _, err := t.exec(ctx, deleteBuckets+list, append([]any{width, faultID}, starts...)...); err != nil {
			return err
		}
	}
	return nil
}

// starts returns when the buckets of a width begin, in seconds, from the one that begins at from up to to.
func starts(from, to, width int64) (at []int64) {
	for ; from < to; from += width {
		at = append(at, from)
	}
	return at
}
