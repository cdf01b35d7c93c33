package faultdb

import (
	"context"
	"math"
	"time"

	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// UserDays are how many users a fault affected in the last 24 hours, and in the 24 before. No row has them: they are counted from the newest
// notices of each day.
type UserDays struct {
	Today, Yesterday int64
	Some             bool // Today had more notices than are read: it had at least so many users
	Unknown          bool // Yesterday had more notices than are read
}

// UsersOfDays counts the affected users of a fault by day. The error is NotFound if the project has no such fault.
func (s *Store) UsersOfDays(ctx context.Context, now time.Time, projectID, faultID int64) (d UserDays, err error) {
	err = s.db.Snapshot(ctx, "count users of days", func(q db.Querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		parts, err := s.PartsOf(ctx, q, faultID)
		if err != nil {
			return err
		}
		count := func(from, to int64) (int64, bool, error) {
			facets, all, err := s.facetsOf(ctx, q, projectID, parts, nil, from, to, explainedBlocks)
			return triage.UsersIn(facets), !all, err
		}
		day, before := NoticeIDAt(now.Add(-24*time.Hour)), NoticeIDAt(now.Add(-48*time.Hour))
		if d.Today, d.Some, err = count(day, math.MaxInt64); err == nil {
			d.Yesterday, d.Unknown, err = count(before, day)
		}
		return err
	})
	return d, err
}
