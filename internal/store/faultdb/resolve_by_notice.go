package faultdb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// ResolveByNotice resolves the fault of a notice for the program that sent it; a fault that is resolved stays as it is. The error is NotFound
// if the project has no such notice.
func (s *Store) ResolveByNotice(ctx context.Context, now time.Time, projectID int64, uuid sett.UUID) error {
	var fault int64
	err := s.db.Snapshot(ctx, "find notice", func(q db.Querier) (err error) {
		_, fault, err = s.findNotice(ctx, q, findNotice, projectID, uuid)
		return err
	})
	if err != nil {
		return err
	}
	return s.UpdateFault(ctx, now, 0, projectID, fault, faults.FaultChange{Resolved: sett.Some(true)})
}
