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

func (s *Store) DeleteEmptyProject(ctx context.Context, projectID int64) error {
	return s.deleteEmptyProject(ctx, projectID)
}

const (
	OneDay              = oneDay
	MostNamedProjects   = mostNamedProjects
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
)

var (
	ErrLate      = errLate
	PurgeNotices = purgeNotices
)
