package accountdb

import (
	"context"

	"sett/internal/store/db"
)

const faultColumns = `-- accountdb.FaultColumns
SELECT fault_columns FROM users WHERE id = $1`

// FaultColumns returns the columns of the list of errors that a user has chosen, as they were set.
func (s *Store) FaultColumns(ctx context.Context, userID int64) (columns string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(faultColumns), userID).Scan(&columns)
	return columns, s.db.Explain(db.NotFound(err, "User", "read columns"))
}

const setFaultColumns = `-- accountdb.SetFaultColumns
UPDATE users SET fault_columns = $2 WHERE id = $1`

// SetFaultColumns chooses the columns of the list of errors for a user.
func (s *Store) SetFaultColumns(ctx context.Context, userID int64, columns string) error {
	return s.inTx(ctx, "choose columns", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, setFaultColumns, userID, columns)
		return db.Wrap("choose columns", err)
	})
}
