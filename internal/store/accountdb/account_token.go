package accountdb

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const listAccountTokens = `-- accountdb.ListAccountTokens
SELECT ` + tokenColumns + `, u.name FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.account_id = $1 AND t.of_account ORDER BY t.id DESC`

// AccountToken is a token of an account, with the name of the user who made it.
type AccountToken struct {
	signin.PersonalToken
	MadeBy string
}

// ListAccountTokens returns the tokens of an account, the newest first, including expired ones.
func (s *Store) ListAccountTokens(ctx context.Context, accountID string) ([]AccountToken, error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listAccountTokens), accountID)
	tokens, err := db.Collect(rows, err, func(r db.Row) (t AccountToken, err error) {
		t.PersonalToken, err = scanToken(r, &t.MadeBy)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("list tokens of account: %w", err)
	}
	return tokens, nil
}

// CreateAccountToken stores a token of an account, under the SHA-256 hash of its secret. It may do what the user may who made it.
func (s *Store) CreateAccountToken(ctx context.Context, userID int64, token signin.PersonalToken, hash []byte) error {
	return s.inTx(ctx, "create account token", func(t Tx) error { return t.insertToken(ctx, userID, token, hash) })
}

const revokeAccountToken = `-- accountdb.RevokeAccountToken
DELETE FROM tokens WHERE account_id = $1 AND id = $2 AND of_account`

// RevokeAccountToken revokes a token of an account, or returns a NotFound error.
func (s *Store) RevokeAccountToken(ctx context.Context, accountID string, id int64) error {
	return s.inTx(ctx, "revoke account token", func(t Tx) error {
		n, err := t.Changed(ctx, revokeAccountToken, accountID, id)
		if err == nil && n == 0 {
			return sett.Errorf(sett.NotFound, "Token not found")
		}
		return err
	})
}
