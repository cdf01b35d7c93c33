package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const dropConnections = `-- accountdb.dropConnections
DELETE FROM tokens WHERE user_id = $1 AND id IN (SELECT token_id FROM connections WHERE expires_at <= $2)`

const insertConnection = `-- accountdb.CreateConnection
INSERT INTO connections (token_id, client, refresh_hash, before_hash, salt, refreshed_at, expires_at)
SELECT id, $2, $3, $4, $5, $6, $7 FROM tokens WHERE hash = $1`

// ConnectionHashes are the SHA-256 hashes of the secrets of a connection, and of what they were made from.
type ConnectionHashes struct{ Access, Refresh, Before []byte }

// CreateConnection stores the token of a program that the user of a session has allowed, and how the program renews it. It queues a mail to the
// user, as CreatePersonalToken does, and deletes the connections of the user that have ended.
func (s *Store) CreateConnection(ctx context.Context, by signin.Session, token signin.PersonalToken, c signin.Connection, hashes ConnectionHashes) error {
	return s.ChangeOwn(ctx, "create connection", by, func(t Tx) error {
		if _, err := t.Exec(ctx, dropConnections, by.UserID, db.Micros(token.CreatedAt)); err != nil {
			return err
		}
		if err := t.insertToken(ctx, by.UserID, token, hashes.Access); err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertConnection, hashes.Access, c.Client, hashes.Refresh, hashes.Before, c.Salt, db.Micros(c.RefreshedAt), db.Micros(c.ExpiresAt))
		if err != nil {
			return err
		}
		if err := t.notify(ctx, token.CreatedAt, by, alerts.ProgramConnected, token.Name); err != nil {
			return err
		}
		changes := token.Audited()
		changes["expires_at"] = c.ExpiresAt.UTC().Format(time.RFC3339) // the program renews the token until then
		return t.AuditOwnIn(ctx, token.Grant.AccountID, by.UserID, changes)
	})
}

const connectionByHash = `-- accountdb.Connection
SELECT c.token_id, c.client, c.salt, c.refreshed_at, c.expires_at, t.created_at, t.scopes, c.refresh_hash = $1
FROM connections c JOIN tokens t ON t.id = c.token_id WHERE c.refresh_hash = $1 OR c.before_hash = $1`

// Connection returns the connection with a refresh token, or with the one before or the code. The error is NotFound if there is none.
func (s *Store) Connection(ctx context.Context, hash []byte) (c signin.Connection, err error) {
	var refreshed, expires, made int64
	row := s.db.Read.QueryRowContext(ctx, s.db.Text(connectionByHash), hash)
	err = row.Scan(&c.TokenID, &c.Client, &c.Salt, &refreshed, &expires, &made, &c.Scope, &c.Newest)
	c.RefreshedAt, c.ExpiresAt, c.MadeAt = db.FromMicros(refreshed), db.FromMicros(expires), db.FromMicros(made)
	return c, db.NotFound(err, "Connection", "find connection")
}

const (
	refreshConnection = `-- accountdb.Refresh
UPDATE connections SET refresh_hash = $3, before_hash = $2, refreshed_at = $4, expires_at = $5 WHERE token_id = $1 AND refresh_hash = $2`
	renewToken = `-- accountdb.renewToken
UPDATE tokens SET hash = $2, expires_at = $3 WHERE id = $1`
)

// Refresh puts new secrets in the place of those of a connection. It does nothing if the refresh token before is not the newest any more: the
// same secrets follow from it, and are stored already.
func (s *Store) Refresh(ctx context.Context, now time.Time, c signin.Connection, hashes ConnectionHashes) error {
	return s.inTx(ctx, "refresh connection", func(t Tx) error {
		result, err := t.Exec(ctx, refreshConnection, c.TokenID, hashes.Before, hashes.Refresh, db.Micros(now), db.Micros(c.Until(now)))
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		_, err = t.Exec(ctx, renewToken, c.TokenID, hashes.Access, db.Micros(now.Add(signin.AccessLife)))
		return err
	})
}

const dropConnection = `-- accountdb.DropConnection
DELETE FROM tokens WHERE id = $1 AND id IN (SELECT token_id FROM connections) RETURNING user_id, account_id, name`

// DropConnection ends a connection, with its token. If it has ended already, that is not an error.
func (s *Store) DropConnection(ctx context.Context, tokenID int64) error {
	return s.inTx(ctx, "end connection", func(t Tx) error {
		var user int64
		var account, name string
		err := t.QueryRowContext(ctx, s.db.Text(dropConnection), tokenID).Scan(&user, &account, &name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		return t.AuditOwnIn(ctx, account, user, map[string]any{"name": name})
	})
}
