package account

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const DropOldResets = `-- store.dropOldResets
DELETE FROM password_resets WHERE expires_at <= $1`

const insertReset = `-- store.insertReset
INSERT INTO password_resets (hash, user_id, expires_at)
VALUES ($1, (SELECT id FROM users WHERE email = $2), $3) RETURNING user_id`

// RequestReset queues a mail with a link that sets a new password, for sett.PasswordResetLife, to the user with the
// given address (lower case). When there is none it does the same but for the mail, so that nobody can tell from how
// long it takes; the secret then is worth nothing. An address that was sent sett.MostMailsTo within the hour is sent no more. hash is the SHA-256 of secret.
func (s *Store) RequestReset(ctx context.Context, now time.Time, email, secret string, hash []byte) error {
	return s.inTx(ctx, "request password reset", func(t Tx) error {
		if _, err := t.Exec(ctx, DropOldResets, db.Micros(now)); err != nil {
			return err
		}
		var user sql.NullInt64
		row := t.QueryRowContext(ctx, t.s.db.Text(insertReset), hash, email, db.Micros(now.Add(sett.PasswordResetLife)))
		if err := row.Scan(&user); err != nil {
			return err
		}
		wait, err := t.takeMailTo(ctx, now, sett.PasswordResetMail, email)
		if err != nil || wait > 0 || !user.Valid {
			return err
		}
		return t.outbox().QueueMail(ctx, now, sett.Mail{To: email, Kind: sett.PasswordResetMail, Fields: map[string]string{"token": secret}})
	})
}

const userOfReset = `-- store.UserOfReset
SELECT u.id, u.email, u.name FROM password_resets r JOIN users u ON u.id = r.user_id
WHERE r.hash = $1 AND r.expires_at > $2`

// UserOfReset returns whose password a link sets, or a NotFound error when the link was used, is too old or never was.
func (s *Store) UserOfReset(ctx context.Context, now time.Time, hash []byte) (u sett.User, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(userOfReset), hash, db.Micros(now)).Scan(&u.ID, &u.Email, &u.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return u, errNoReset()
	}
	return u, db.NotFound(err, "Link", "find password reset")
}

func errNoReset() error {
	return sett.Errorf(sett.NotFound, "This link does not work any more. It sets a password once, within an hour. Ask for a new one.")
}

const takeReset = `-- store.takeReset
DELETE FROM password_resets WHERE hash = $1 AND expires_at > $2 AND user_id IS NOT NULL RETURNING user_id`

// ResetPassword uses up a link: its user gets the password, as by SetPassword. The link came by mail, so a user who was
// not proven is so now, and loses all that was made before. A link that was used, is too old or never was is a NotFound
// error.
func (s *Store) ResetPassword(ctx context.Context, now time.Time, hash []byte, p NewPassword) error {
	return s.inTx(ctx, "reset password", func(t Tx) error {
		var user int64
		err := t.QueryRowContext(ctx, t.s.db.Text(takeReset), hash, db.Micros(now)).Scan(&user)
		if errors.Is(err, sql.ErrNoRows) {
			return errNoReset()
		}
		if err != nil {
			return err
		}
		if err := t.setPassword(ctx, now, user, 0, p); err != nil {
			return err
		}
		proved, err := t.prove(ctx, user)
		if err != nil {
			return err
		}
		return t.auditOwn(ctx, user, map[string]any{"all_ways_in_ended": proved})
	})
}

// AssignPassword gives a user the password that those who run the server have chosen for them, and ends what a reset by
// mail ends: they hand it over themselves, and so say that the address is the user's.
func (s *Store) AssignPassword(ctx context.Context, now time.Time, userID int64, p NewPassword) error {
	return s.inTx(ctx, "assign password", func(t Tx) error {
		if err := t.setPassword(ctx, now, userID, 0, p); err != nil {
			return err
		}
		proved, err := t.prove(ctx, userID)
		if err != nil {
			return err
		}
		return t.auditOwn(ctx, userID, map[string]any{"all_ways_in_ended": proved})
	})
}
