package accountdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const accountColumns = `a.id, a.name, a.email, a.active, a.parked, a.created_at`

// joined is an account with the time at which a user joined it, in µs. Accounts are listed in that order, so that a new one is last.
type joined struct {
	accounts.Account
	at int64
}

const accountsOf = `-- accountdb.ListAccounts
SELECT ` + accountColumns + `, m.created_at FROM memberships m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = $1`

const (
	listAccounts     = accountsOf + " AND (m.created_at, m.account_id) > ($2, $3) ORDER BY m.created_at, m.account_id LIMIT $4 OFFSET $5"
	listAccountsBack = accountsOf + " AND (m.created_at, m.account_id) <= ($2, $3) ORDER BY m.created_at DESC, m.account_id DESC LIMIT $4 OFFSET $5"
)

// ListAccounts returns a page of the accounts that a user belongs to, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListAccounts(ctx context.Context, userID int64, p sett.Page) (accounts []accounts.Account, marks sett.Marks, err error) {
	var at int64
	id, numbers, _ := strings.Cut(p.Mark, ".")
	if p.Mark != "" {
		if err := db.ParseMark(numbers, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	statement := listAccounts
	if p.Back {
		statement = listAccountsBack
	}
	skip, most := p.Rows()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), userID, at, id, most, skip)
	var found []joined
	err = db.ScanAll(rows, err, func(rows *sql.Rows) (err error) {
		var j joined
		j.Account, err = scanAccount(rows, &j.at)
		found = append(found, j)
		return err
	})
	if err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list accounts: %w", err)
	}
	found, marks = sett.Cut(p, found, func(j joined) string { return j.ID + "." + db.FormatMark(j.at) })
	for _, j := range found {
		accounts = append(accounts, j.Account)
	}
	return accounts, marks, nil
}

const accountByID = `-- accountdb.AccountByID
SELECT ` + accountColumns + ` FROM accounts a WHERE a.id = $1`

// AccountByID returns an account, or a NotFound error.
func (s *Store) AccountByID(ctx context.Context, accountID string) (accounts.Account, error) {
	a, err := scanAccount(s.db.Read.QueryRowContext(ctx, s.db.Text(accountByID), accountID))
	return a, db.NotFound(err, "Account", "find account")
}

// scanAccount reads a row of accountColumns, and the columns after them into more.
func scanAccount(row db.Row, more ...any) (accounts.Account, error) {
	var a accounts.Account
	var created int64
	err := row.Scan(append([]any{&a.ID, &a.Name, &a.Email, &a.Active, &a.Parked, &created}, more...)...)
	a.CreatedAt = db.FromMicros(created)
	return a, err
}
