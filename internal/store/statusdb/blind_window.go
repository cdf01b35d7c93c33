package statusdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const blindWindows = `-- statusdb.blindWindows
SELECT from_at, to_at FROM blind_windows WHERE to_at >= $1 ORDER BY from_at`

// BlindWindows returns the monitoring gaps that end at a time or later, by start.
func (s *Store) BlindWindows(ctx context.Context, q db.Querier, from time.Time) (found []checks.BlindWindow, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(blindWindows), db.Micros(from))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var from, to int64
		err := rows.Scan(&from, &to)
		found = append(found, checks.BlindWindow{From: db.FromMicros(from), To: db.FromMicros(to)})
		return err
	})
	return found, err
}
