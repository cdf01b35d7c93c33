package accountdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const allUsers = `-- accountdb.AllUsers
SELECT u.id, u.email, u.name, coalesce(f.confirmed, false), coalesce(a.id, ''), coalesce(a.name, ''), coalesce(m.role, '')
FROM users u LEFT JOIN second_factors f ON f.user_id = u.id
LEFT JOIN memberships m ON m.user_id = u.id LEFT JOIN accounts a ON a.id = m.account_id
WHERE $1 = '' OR EXISTS (SELECT 1 FROM memberships o WHERE o.user_id = u.id AND o.account_id = $1)
ORDER BY u.id, a.id`

// AllUsers returns all users with all their accounts, in the order of their ids; with an account id, only the users of that account. It
// is for operators: it does not check who asks.
func (s *Store) AllUsers(ctx context.Context, accountID string) (users []accounts.UserSummary, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(allUsers), accountID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var u accounts.UserSummary
		var in accounts.UserAccount
		err := rows.Scan(&u.ID, &u.Email, &u.Name, &u.SecondFactor, &in.ID, &in.Name, &in.Role)
		if n := len(users); n == 0 || users[n-1].ID != u.ID {
			users = append(users, u)
		}
		if last := &users[len(users)-1]; in.ID != "" {
			last.Accounts = append(last.Accounts, in)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list all users: %w", err)
	}
	return users, nil
}
