package accountdb

import (
	"context"
	"database/sql"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// NamedAccounts finds the accounts of a user by name, with their role.
const NamedAccounts = `-- accountdb.NamedAccounts
SELECT a.id, a.name, m.role FROM memberships m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = $1 ORDER BY m.created_at, a.id`

// NamedAccounts returns the accounts that a user belongs to, the oldest first.
func (s *Store) NamedAccounts(ctx context.Context, userID int64) (all []accounts.NamedAccount, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(NamedAccounts), userID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a accounts.NamedAccount
		err := rows.Scan(&a.ID, &a.Name, &a.Role)
		all = append(all, a)
		return err
	})
	return all, s.db.Explain(db.Wrap("list accounts by name", err))
}

const namedProjects = `-- accountdb.NamedProjects
SELECT p.id, p.name, p.account_id FROM memberships m JOIN projects p ON p.account_id = m.account_id
WHERE m.user_id = $1 AND m.account_id = $2 AND p.active AND ` + SeenBy + ` ORDER BY p.id`

// NamedProjects returns the active projects of an account that a user can see, the oldest first.
func (s *Store) NamedProjects(ctx context.Context, userID int64, accountID string) (all []accounts.NamedProject, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(namedProjects), userID, accountID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p accounts.NamedProject
		err := rows.Scan(&p.ID, &p.Name, &p.AccountID)
		all = append(all, p)
		return err
	})
	return all, s.db.Explain(db.Wrap("list projects by name", err))
}
