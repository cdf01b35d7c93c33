package faultdb

import (
	"context"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// FaultReleases is what the releases of a project mean for the state of a fault.
type FaultReleases struct {
	Newest string // the release that was named last, in which an open fault can be resolved; "" for none
	Older  bool   // the fault is resolved in a release, and has occurred in older ones since
}

// FaultReleases returns what releases mean for the state of a fault.
func (s *Store) FaultReleases(ctx context.Context, f faults.Fault) (FaultReleases, error) {
	return s.readReleases(ctx, s.db.Read, f)
}

const lastResolved = `-- faultdb.lastResolved
SELECT coalesce((SELECT c.created_at FROM comments c WHERE c.fault_id = $1 AND c.event = 'resolved' ORDER BY c.id DESC LIMIT 1), 0)`

// readReleases is FaultReleases in a snapshot. A fault that is still resolved in a release can have occurred in older ones only.
func (s *Store) readReleases(ctx context.Context, q db.Querier, f faults.Fault) (r FaultReleases, err error) {
	if !f.Resolved {
		r.Newest, err = s.release.ReadNewest(ctx, q, f.ProjectID)
		return r, err
	}
	if f.ResolvedIn == "" {
		return r, nil
	}
	var at int64
	err = q.QueryRowContext(ctx, s.db.Text(lastResolved), f.ID).Scan(&at)
	r.Older = at > 0 && db.Micros(f.LastNoticeAt) > at
	return r, db.Wrap("find when fault was resolved", err)
}
