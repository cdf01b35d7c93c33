package accountdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const allAccounts = `-- accountdb.AllAccounts
SELECT ` + accountColumns + `,
    (SELECT coalesce(string_agg(u.email, ' ' ORDER BY u.email), '') FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.account_id = a.id AND m.role = 'Owner'),
    (SELECT count(*) FROM memberships m WHERE m.account_id = a.id),
    (SELECT count(*) FROM projects p WHERE p.account_id = a.id AND NOT p.deleting)
FROM accounts a ORDER BY a.created_at, a.id`

// AllAccounts returns every account, oldest first. It is for operators: it does not check who asks.
func (s *Store) AllAccounts(ctx context.Context) (all []accounts.AccountSummary, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(allAccounts))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) (err error) {
		var a accounts.AccountSummary
		var owners string
		a.Account, err = scanAccount(rows, &owners, &a.Users, &a.Projects)
		if owners != "" {
			a.Owners = strings.Split(owners, " ") // addresses contain no spaces
		}
		all = append(all, a)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list all accounts: %w", err)
	}
	return all, nil
}
