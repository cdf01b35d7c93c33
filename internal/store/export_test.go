package store

import (
	"context"
)

type Tx = tx

func (s *Store) InWhole(ctx context.Context, what string, f func(*tx) error) error {
	return s.inTx(ctx, what, f)
}

func (s *Store) SweepFaultsOf(ctx context.Context, projectID int64) error {
	return s.sweepFaults(ctx, projectID)
}

func (s *Store) SweepNoticesOf(ctx context.Context, projectID int64) error {
	return s.sweepNotices(ctx, projectID)
}

func (s *Store) CloseProject(ctx context.Context, projectID int64) error {
	_, err := s.closeProject(ctx, projectID)
	return err
}

func (s *Store) DeleteEmptyProject(ctx context.Context, projectID int64) error {
	return s.deleteEmptyProject(ctx, projectID)
}

func (t *tx) DeleteNotice(ctx context.Context, id int64) error {
	if _, err := t.Exec(ctx, `DELETE FROM fault_notices WHERE id = $1`, id); err != nil {
		return err
	}
	return t.fault.DeleteNotices(ctx, []int64{id})
}

const (
	OneDay              = oneDay
	MostNamedProjects   = mostNamedProjects
	BucketsAtOnce       = bucketsAtOnce
	FaultsAtOnce        = faultsAtOnce
	PurgeLeaseLife      = purgeLeaseLife
	DropBacktraces      = dropBacktraces
	DropFaultNotices    = dropFaultNotices
	DropNamedOfHours    = dropNamedOfHours
	HasOldBacktrace     = hasOldBacktrace
	NamedOfHours        = namedOfHours
	NoticesOfFaults     = noticesOfFaults
	OldestNamed         = oldestNamed
	OldestNotices       = oldestNotices
	OldestOfFaults      = oldestOfFaults
	PurgeAudit          = purgeAudit
	PurgeDeploys        = purgeDeploys
	PurgeFaultBuckets   = purgeFaultBuckets
	PurgeOutages        = purgeOutages
	PurgeProjectBuckets = purgeProjectBuckets
	PurgeUsage          = purgeUsage
	SweepComments       = sweepComments
	SweepProjectFaults  = sweepProjectFaults
)

var (
	ErrLate      = errLate
	PurgeNotices = purgeNotices
)

// What a page reads of errors, in two projects.
const (
	NamedFaults = namedFaults + "($3,$4)" + newestFaults
	FreshFaults = freshFaults + "($3,$4)" + newestFresh
)

// The statements with which a piece of retention reads beforehand what it deletes.
const (
	WarmNotices = warmNotices
	WarmUsers   = warmUsers
)

// Piece is how many rows the first piece of a purge has.
const Piece = leastInPiece
