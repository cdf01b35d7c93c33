package accountdb

import (
	"context"

	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const IsOperator = `-- accountdb.IsOperator
SELECT operator FROM users WHERE id = $1`

// IsOperator reports whether a user is an operator of the server. The error is NotFound if there is no such user.
func (s *Store) IsOperator(ctx context.Context, userID int64) (is bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(IsOperator), userID).Scan(&is)
	return is, db.NotFound(err, "User", "check whether a user is an operator")
}

const setOperator = `-- accountdb.SetOperator
UPDATE users SET operator = $2 WHERE id = $1 AND operator <> $2`

// SetOperator sets whether a user is an operator of the server. Only operators may call it.
func (s *Store) SetOperator(ctx context.Context, userID int64, is bool) error {
	return s.ChangeOwn(ctx, "set operator", signin.ByOperator(userID), func(t Tx) error {
		changed, err := t.Changed(ctx, setOperator, userID, is)
		if err != nil || changed == 0 {
			return err
		}
		return t.auditOwn(ctx, userID, map[string]any{"operator": is})
	})
}
