package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const tokenColumns = `t.id, t.name, t.read_only, t.created_at, t.expires_at, t.used_at, t.used_from, t.scopes, t.account_id, t.projects, t.of_account`

const personalTokenByHash = `-- accountdb.PersonalTokenByHash
SELECT ` + tokenColumns + `, u.id, u.email, u.name FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1`

// PersonalTokenByHash returns the personal token with the given SHA-256 hash, even if it has expired, and its user; the error is NotFound
// if there is none.
func (s *Store) PersonalTokenByHash(ctx context.Context, hash []byte) (signin.PersonalToken, accounts.User, error) {
	var u accounts.User
	token, err := scanToken(s.db.Read.QueryRowContext(ctx, s.db.Text(personalTokenByHash), hash), &u.ID, &u.Email, &u.Name)
	return token, u, db.NotFound(err, "Token", "find user by token")
}

func scanToken(row db.Row, more ...any) (signin.PersonalToken, error) {
	var t signin.PersonalToken
	var created, expires, used int64
	var scopes, projects string
	var account sql.NullString
	err := row.Scan(append([]any{&t.ID, &t.Name, &t.ReadOnly, &created, &expires, &used, &t.UsedFrom, &scopes, &account, &projects, &t.Grant.OfAccount}, more...)...)
	if scopes != "" {
		t.Grant.Scopes = strings.Fields(scopes)
	}
	t.Grant.AccountID, t.Grant.Projects = account.String, idsOf(projects)
	t.CreatedAt, t.ExpiresAt, t.UsedAt = db.FromMicros(created), db.FromMicros(expires), db.FromMicros(used)
	return t, err
}

const touchToken = `-- accountdb.TouchToken
UPDATE tokens SET used_at = $3, used_from = $4 WHERE user_id = $1 AND id = $2 AND used_at < $3`

// TouchToken records the use of a user's token, and its origin.
func (s *Store) TouchToken(ctx context.Context, now time.Time, userID, id int64, address string) error {
	return s.touch(ctx, "note the use of a token", func(t Tx) error {
		_, err := t.Exec(ctx, touchToken, userID, id, db.Micros(now), address)
		return err
	})
}

// idsOf reads ids with spaces between them; textOf writes them.
func idsOf(text string) (ids []int64) {
	for field := range strings.FieldsSeq(text) {
		if id, err := strconv.ParseInt(field, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func textOf(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, " ")
}

const listTokens = `-- accountdb.ListTokens
SELECT ` + tokenColumns + `, coalesce(c.expires_at, 0) FROM tokens t LEFT JOIN connections c ON c.token_id = t.id
WHERE t.user_id = $1 AND NOT t.of_account ORDER BY t.id DESC`

// ListTokens returns the personal tokens of a user, without those of accounts, newest first, including expired ones.
func (s *Store) ListTokens(ctx context.Context, userID int64) (tokens []signin.PersonalToken, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listTokens), userID)
	tokens, err = db.Collect(rows, err, func(r db.Row) (signin.PersonalToken, error) {
		var renewed int64
		t, err := scanToken(r, &renewed)
		t.Renewed = db.FromMicros(renewed)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return tokens, nil
}

const insertPersonalToken = `-- accountdb.CreatePersonalToken
INSERT INTO tokens (hash, user_id, name, created_at, read_only, expires_at, scopes, account_id, projects, of_account)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// CreatePersonalToken stores a token of the user of a session, under the SHA-256 hash of its secret, and queues a mail to them.
func (s *Store) CreatePersonalToken(ctx context.Context, by signin.Session, token signin.PersonalToken, hash []byte) error {
	return s.ChangeOwn(ctx, "create personal token", by, func(t Tx) error {
		if err := t.insertToken(ctx, by.UserID, token, hash); err != nil {
			return err
		}
		if err := t.notify(ctx, token.CreatedAt, by, alerts.TokenMade, token.Name); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, token.Audited())
	})
}

func (t Tx) insertToken(ctx context.Context, userID int64, token signin.PersonalToken, hash []byte) error {
	g := token.Grant
	account := sql.NullString{String: g.AccountID, Valid: g.AccountID != ""}
	_, err := t.Exec(ctx, insertPersonalToken, hash, userID, token.Name, db.Micros(token.CreatedAt), token.ReadOnly, db.Micros(token.ExpiresAt),
		strings.Join(g.Scopes, " "), account, textOf(g.Projects), g.OfAccount)
	return err
}

const revokeToken = `-- accountdb.RevokeToken
DELETE FROM tokens WHERE user_id = $1 AND id = $2 AND NOT of_account RETURNING name`

// RevokeToken revokes a token of the user of a session. If it does not exist any more, that is not an error.
func (s *Store) RevokeToken(ctx context.Context, by signin.Session, id int64) error {
	return s.ChangeOwn(ctx, "revoke token", by, func(t Tx) error {
		var name string
		err := t.QueryRowContext(ctx, s.db.Text(revokeToken), by.UserID, id).Scan(&name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"name": name})
	})
}
