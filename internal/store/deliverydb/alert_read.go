package deliverydb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// alertColumns are the columns that scanAlert reads.
const alertColumns = `a.id, a.project_id, a.event, a.subject, a.fault_id, a.environment, a.integration_id, a.at, a.created_at, a.facts`

// scanAlert reads a row of alertColumns, and the columns after them into more. If the facts cannot be read, the error is unreadable.
func scanAlert(row db.Row, more ...any) (a alerts.Alert, err error) {
	var at, created int64
	var facts []byte
	err = row.Scan(append([]any{
		&a.ID, &a.ProjectID, &a.Event, &a.Subject, &a.FaultID, &a.Environment, &a.IntegrationID, &at, &created, &facts,
	}, more...)...)
	if err != nil {
		return a, err
	}
	a.At, a.CreatedAt = db.FromMicros(at), db.FromMicros(created)
	if err := json.Unmarshal(facts, &a.Facts); err != nil {
		a.Facts = alerts.AlertFacts{}
		return a, db.UnreadableError(fmt.Errorf("read facts of alert %d: %w", a.ID, err))
	}
	return a, nil
}

// alerts runs a statement that returns alertColumns. An alert whose facts cannot be read is returned without them, so that it does not
// block others; the dispatcher reports the error.
func (s *Store) alerts(ctx context.Context, q db.Querier, statement string, args ...any) (found []alerts.Alert, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		a, err := scanAlert(rows)
		found = append(found, a)
		if _, ok := errors.AsType[db.Unreadable](err); ok {
			return nil
		}
		return err
	})
	return found, err
}
