package store

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
)

const accountColumns = `a.id, a.name, a.email, a.active, a.parked, a.created_at`

// Accounts are listed in the order in which the user came to belong to them, so that a new one is the last.
const listAccounts = `-- store.ListAccounts
SELECT ` + accountColumns + ` FROM memberships m JOIN accounts a ON a.id = m.account_id
WHERE m.user_id = $1 ORDER BY m.created_at, m.account_id LIMIT $2 OFFSET $3`

// ListAccounts returns at most limit of the accounts that a user belongs to, those before offset left out, and whether
// there are more.
func (s *Store) ListAccounts(ctx context.Context, userID int64, offset, limit int) (accounts []sett.Account, more bool, err error) {
	rows, err := s.read.QueryContext(ctx, s.text(listAccounts), userID, limit+1, offset)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		a, err := scanAccount(rows)
		accounts = append(accounts, a)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("list accounts: %w", err)
	}
	if len(accounts) > limit {
		return accounts[:limit], true, nil
	}
	return accounts, false, nil
}

const accountByID = `-- store.AccountByID
SELECT ` + accountColumns + ` FROM accounts a WHERE a.id = $1`

// AccountByID returns an account, or a NotFound error.
func (s *Store) AccountByID(ctx context.Context, accountID string) (sett.Account, error) {
	a, err := scanAccount(s.read.QueryRowContext(ctx, s.text(accountByID), accountID))
	return a, notFound(err, "Account", "find account")
}

func scanAccount(row interface{ Scan(...any) error }) (sett.Account, error) {
	var a sett.Account
	var created int64
	err := row.Scan(&a.ID, &a.Name, &a.Email, &a.Active, &a.Parked, &created)
	a.CreatedAt = fromMicros(created)
	return a, err
}
