package accountdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const passkeyColumns = `p.id, p.user_id, p.name, p.credential_id, p.handle, p.public_key, p.sign_count, p.syncs, p.copied, p.created_at, p.used_at`

const listPasskeys = `-- accountdb.ListPasskeys
SELECT ` + passkeyColumns + ` FROM passkeys p WHERE p.user_id = $1 ORDER BY p.id`

// ListPasskeys returns the passkeys of a user, oldest first.
func (s *Store) ListPasskeys(ctx context.Context, userID int64) (keys []signin.Passkey, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listPasskeys), userID)
	keys, err = db.Collect(rows, err, func(r db.Row) (signin.Passkey, error) { return scanPasskey(r) })
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return keys, nil
}

func scanPasskey(row db.Row, more ...any) (k signin.Passkey, err error) {
	var created, used int64
	err = row.Scan(append([]any{
		&k.ID, &k.UserID, &k.Name, &k.CredentialID, &k.Handle, &k.PublicKey, &k.Count, &k.Syncs, &k.Copied, &created, &used,
	}, more...)...)
	k.CreatedAt, k.UsedAt = db.FromMicros(created), db.FromMicros(used)
	return k, err
}

const passkeyByCredential = `-- accountdb.PasskeyByCredential
SELECT ` + passkeyColumns + `, u.email, u.name FROM passkeys p JOIN users u ON u.id = p.user_id WHERE p.credential_id = $1`

// PasskeyByCredential returns the passkey with the id that its authenticator has chosen, and its user; the error is NotFound if there is
// none.
func (s *Store) PasskeyByCredential(ctx context.Context, credentialID []byte) (k signin.Passkey, u accounts.User, err error) {
	k, err = scanPasskey(s.db.Read.QueryRowContext(ctx, s.db.Text(passkeyByCredential), credentialID), &u.Email, &u.Name)
	u.ID = k.UserID
	return k, u, db.NotFound(err, "Passkey", "find passkey")
}

const countPasskeys = `-- accountdb.countPasskeys
SELECT count(*) FROM passkeys WHERE user_id = $1`

const insertPasskey = `-- accountdb.insertPasskey
INSERT INTO passkeys (user_id, name, credential_id, handle, public_key, sign_count, syncs, copied, created_at, used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, false, $8, 0)`

// CreatePasskey stores a passkey of the user of a session and queues a mail to them. The error is Invalid if they already have
// sett.MostPasskeys, and Conflict if the passkey already belongs to a user.
func (s *Store) CreatePasskey(ctx context.Context, now time.Time, by signin.Session, k signin.Passkey) error {
	return s.ChangeOwn(ctx, "create passkey", by, func(t Tx) error {
		var has int64
		if err := t.QueryRowContext(ctx, s.db.Text(countPasskeys), by.UserID).Scan(&has); err != nil {
			return err
		}
		if has >= signin.MostPasskeys {
			return sett.Errorf(sett.Invalid, "You already have %d passkeys. Remove one that you do not use.", has)
		}
		_, err := t.Exec(ctx, insertPasskey, by.UserID, k.Name, k.CredentialID, k.Handle, k.PublicKey, int64(k.Count), k.Syncs, db.Micros(now))
		if s.db.Conflict(err) {
			return sett.Errorf(sett.Conflict, "This passkey is already in use. Create a new one.")
		}
		if err != nil {
			return err
		}
		if err := t.notify(ctx, now, by, alerts.PasskeyAdded, k.Name); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"name": k.Name})
	})
}

const usePasskey = `-- accountdb.UsePasskey
UPDATE passkeys SET sign_count = $3, used_at = $4
WHERE user_id = $1 AND id = $2 AND NOT copied AND (sign_count < $3 OR sign_count = 0 AND $3 = 0)`

const markCopied = `-- accountdb.markCopied
UPDATE passkeys SET copied = true WHERE user_id = $1 AND id = $2`

// UsePasskey records the counter of a signature that a user's passkey has just created. A counter that does not increase means that the
// passkey was copied (WebAuthn, section 6.1.1): from then on it returns false.
func (s *Store) UsePasskey(ctx context.Context, now time.Time, userID, id int64, count uint32) (good bool, err error) {
	err = s.inTx(ctx, "use passkey", func(t Tx) error {
		n, err := t.Changed(ctx, usePasskey, userID, id, int64(count), db.Micros(now))
		if good = n > 0; good || err != nil {
			return err
		}
		_, err = t.Exec(ctx, markCopied, userID, id)
		return err
	})
	return good, err
}

const removePasskey = `-- accountdb.RemovePasskey
DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING name`

// RemovePasskey deletes a passkey of the user of a session; the error is NotFound if they have no such passkey.
func (s *Store) RemovePasskey(ctx context.Context, by signin.Session, id int64) error {
	return s.ChangeOwn(ctx, "remove passkey", by, func(t Tx) error {
		var name string
		if err := t.QueryRowContext(ctx, s.db.Text(removePasskey), by.UserID, id).Scan(&name); err != nil {
			return db.NotFound(err, "Passkey", "delete")
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"name": name})
	})
}
