package intakedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const accountUsage = `-- intakedb.AccountUsage
SELECT day, CAST(sum(stored) AS bigint), CAST(sum(limited) AS bigint), CAST(sum(ignored) AS bigint), CAST(sum(invalid) AS bigint)
FROM (SELECT day, stored, limited, ignored, invalid FROM ledger WHERE account_id = $1 AND day >= $2 AND day <= $3
    UNION ALL SELECT day, 0, limited, ignored, invalid FROM refusals WHERE account_id = $1 AND day >= $2 AND day <= $3) k GROUP BY day`

// AccountUsage returns the outcome counts of an account's notices in the month of now, including those of deleted projects.
func (s *Store) AccountUsage(ctx context.Context, accountID string, now time.Time) (accounts.AccountUsage, error) {
	usage := accounts.NewAccountUsage(now)
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(accountUsage), accountID, db.Micros(accounts.Month(now)), db.Micros(accounts.Day(now)))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var d accounts.UsageDay
		var day int64
		err := rows.Scan(&day, &d.Stored, &d.Limited, &d.Ignored, &d.Invalid)
		d.Day = db.FromMicros(day)
		usage.Set(d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read account's usage: %w", err)
	}
	return usage, nil
}
