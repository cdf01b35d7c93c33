package faultdb

import (
	"context"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const deployBefore = findDeploys + ` AND environment IN ($2, '') AND created_at <= $3 AND created_at >= $4 ORDER BY created_at DESC, id DESC LIMIT 1`

// deployBefore returns the last deploy to the environment of a fault, or to its whole project, before its first notice, with the revision that
// it replaced; nil if there was none in the time in which one is suspect.
func (s *Store) deployBefore(ctx context.Context, q db.Querier, f faults.Fault) (*faults.Deploy, error) {
	found, err := s.deploys(ctx, q, deployBefore, f.ProjectID, f.Environment, db.Micros(f.CreatedAt), db.Micros(f.CreatedAt.Add(-faults.SuspectFor)))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	found[0].Previous, err = s.previousRevision(ctx, q, f.ProjectID, found[0].ID)
	return &found[0], err
}
