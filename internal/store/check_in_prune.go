package store

import "context"

const sweepCheckInEvents = `-- store.sweepCheckInEvents
DELETE FROM check_in_events WHERE id IN (SELECT e.id FROM check_ins c JOIN check_in_events e ON e.check_in = c.number
    WHERE c.project_id = $1 LIMIT $2)`

const sweepProjectCheckIns = `-- store.sweepCheckIns
DELETE FROM check_ins WHERE number IN (SELECT number FROM check_ins WHERE project_id = $1 ORDER BY number LIMIT $2)`

// sweepCheckIns deletes the check-ins of a project. What their jobs tell meanwhile goes with them.
func (s *Store) sweepCheckIns(ctx context.Context, projectID int64) error {
	for _, statement := range []string{sweepCheckInEvents, sweepProjectCheckIns} {
		err := s.sweep(ctx, "delete check-ins", rowsAtOnce, func(t *tx) (int64, error) {
			t.keepsFaults = true
			return t.changed(ctx, statement, projectID, rowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
