package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/directory"
	"sett/internal/store/db"
)

const directoryOf = `-- accountdb.Directory
SELECT token_hash IS NOT NULL, made_at, used_at, default_role, just_in_time, metadata_url, metadata, read_at, problem, group_attribute, sign_on_required
FROM directories WHERE account_id = $1`

// Directory returns the settings of the directory of an account; those of directory.Initial if there are none.
func (s *Store) Directory(ctx context.Context, accountID string) (directory.Settings, error) {
	return s.readDirectory(ctx, s.db.Read, accountID)
}

func (s *Store) readDirectory(ctx context.Context, q db.Querier, accountID string) (directory.Settings, error) {
	d := directory.Initial(accountID)
	var made, used, read int64
	err := q.QueryRowContext(ctx, s.db.Text(directoryOf), accountID).Scan(
		&d.HasToken, &made, &used, &d.DefaultRole, &d.JustInTime, &d.MetadataURL, &d.Metadata, &read, &d.Problem, &d.GroupAttribute, &d.Required)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return d, fmt.Errorf("read directory: %w", err)
	}
	d.TokenMadeAt, d.UsedAt, d.ReadAt = db.FromMicros(made), db.FromMicros(used), db.FromMicros(read)
	return d, nil
}

const saveDirectory = `-- accountdb.ChangeDirectory
INSERT INTO directories (account_id, made_at, used_at, default_role, just_in_time, metadata_url, metadata, read_at, problem, group_attribute, sign_on_required)
VALUES ($1, 0, 0, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (account_id) DO UPDATE SET default_role = excluded.default_role, just_in_time = excluded.just_in_time,
    metadata_url = excluded.metadata_url, metadata = excluded.metadata, read_at = excluded.read_at, problem = excluded.problem, group_attribute = excluded.group_attribute,
    sign_on_required = excluded.sign_on_required`

// ChangeDirectory applies a change to the settings of the directory of an account. It does not change the token.
func (s *Store) ChangeDirectory(ctx context.Context, accountID string, change func(*directory.Settings) error) error {
	return s.inTx(ctx, "change directory", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		d, err := s.readDirectory(ctx, t, accountID)
		if err != nil {
			return err
		}
		if err := change(&d); err != nil {
			return err
		}
		return t.saveDirectory(ctx, d)
	})
}

func (t Tx) saveDirectory(ctx context.Context, d directory.Settings) error {
	_, err := t.Exec(ctx, saveDirectory, d.AccountID, string(d.DefaultRole), d.JustInTime, d.MetadataURL, d.Metadata, db.Micros(d.ReadAt), d.Problem,
		d.GroupAttribute, d.Required)
	return err
}

// lockAccount locks an account until the transaction ends, as all do that change who is in it.
func (t Tx) lockAccount(ctx context.Context, accountID string) error {
	return db.NotFound(t.QueryRowContext(ctx, t.s.db.Text(lockAccount), accountID).Scan(new(string)), "Account", "lock account")
}

const (
	setDirectoryToken = `-- accountdb.SetDirectoryToken
UPDATE directories SET token_hash = $2, made_at = $3, used_at = 0 WHERE account_id = $1`
	dropSignedIn = `-- accountdb.dropSignedIn
DELETE FROM directory_people WHERE account_id = $1 AND signed_in`
)

// SetDirectoryToken replaces the token with which the directory of an account asks, by the SHA-256 hash of its secret; nil revokes it. The
// token before is refused from then on. With a token, only what the directory sends counts: people keep what groups of sign-ins gave them
// until it sends their groups.
func (s *Store) SetDirectoryToken(ctx context.Context, now time.Time, accountID string, hash []byte) error {
	return s.inTx(ctx, "set token of directory", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		d, err := s.readDirectory(ctx, t, accountID)
		if err != nil {
			return err
		}
		if err := t.saveDirectory(ctx, d); err != nil {
			return err
		}
		if hash == nil {
			now = time.Time{}
		} else if _, err := t.Exec(ctx, dropSignedIn, accountID); err != nil {
			return err
		}
		_, err = t.Exec(ctx, setDirectoryToken, accountID, hash, db.Micros(now))
		return err
	})
}

const directoryByToken = `-- accountdb.DirectoryByToken
SELECT account_id, used_at FROM directories WHERE token_hash = $1`

// DirectoryByToken returns the account whose directory has the token with a SHA-256 hash, and when it last asked; the error is NotFound if
// none has.
func (s *Store) DirectoryByToken(ctx context.Context, hash []byte) (accountID string, used time.Time, err error) {
	var at int64
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(directoryByToken), hash).Scan(&accountID, &at)
	return accountID, db.FromMicros(at), db.NotFound(err, "Token", "find directory by token")
}

const touchDirectory = `-- accountdb.TouchDirectory
UPDATE directories SET used_at = $2 WHERE account_id = $1 AND used_at < $2`

// TouchDirectory records that the directory of an account asks.
func (s *Store) TouchDirectory(ctx context.Context, now time.Time, accountID string) error {
	return s.touch(ctx, "note the use of a directory", func(t Tx) error {
		_, err := t.Exec(ctx, touchDirectory, accountID, db.Micros(now))
		return err
	})
}
