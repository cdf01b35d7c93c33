package faultdb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const laterNotice = `-- faultdb.laterNotice
SELECT EXISTS (SELECT 1 FROM notices n JOIN fault_notices later ON later.fault_id = n.fault_id AND later.id > n.id WHERE n.id = $1)`

// ResolveByNotice resolves the fault of a notice for the program that sent it; a fault that is resolved stays as it is. The error is NotFound
// if the project has no such notice, or the fault occurred again since.
func (s *Store) ResolveByNotice(ctx context.Context, now time.Time, projectID int64, uuid sett.UUID) error {
	var fault int64
	err := s.db.Snapshot(ctx, "find notice", func(q db.Querier) error {
		id, of, err := s.findNotice(ctx, q, findNotice, projectID, uuid)
		if err != nil {
			return err
		}
		var again bool
		if err := q.QueryRowContext(ctx, s.db.Text(laterNotice), id).Scan(&again); err != nil {
			return err
		}
		if again {
			return sett.Errorf(sett.NotFound, "The fault occurred again since")
		}
		fault = of
		return nil
	})
	if err != nil {
		return err
	}
	return s.UpdateFault(ctx, now, 0, projectID, fault, faults.FaultChange{Resolved: sett.Some(true)})
}
