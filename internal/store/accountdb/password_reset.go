package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const DropOldResets = `-- accountdb.dropOldResets
DELETE FROM password_resets WHERE expires_at <= $1`

const insertReset = `-- accountdb.insertReset
INSERT INTO password_resets (hash, user_id, expires_at)
VALUES ($1, (SELECT id FROM users WHERE email = $2), $3) RETURNING user_id`

// RequestReset queues a mail to the user with the given address (lower case), with a link that sets a new password and is valid for
// sett.PasswordResetLife. If there is no such user, it does everything except queueing the mail, so that the time does not reveal this;
// the secret is then worthless. It sends at most sett.MostMailsTo mails an hour to an address. hash is the SHA-256 of secret.
func (s *Store) RequestReset(ctx context.Context, now time.Time, email, secret string, hash []byte) error {
	return s.inTx(ctx, "request password reset", func(t Tx) error {
		if _, err := t.Exec(ctx, DropOldResets, db.Micros(now)); err != nil {
			return err
		}
		var user sql.NullInt64
		row := t.QueryRowContext(ctx, t.s.db.Text(insertReset), hash, email, db.Micros(now.Add(signin.PasswordResetLife)))
		if err := row.Scan(&user); err != nil {
			return err
		}
		wait, err := t.takeMailTo(ctx, now, alerts.PasswordResetMail, email)
		if err != nil || wait > 0 || !user.Valid {
			return err
		}
		return t.outbox().QueueMail(ctx, now, alerts.Mail{To: email, Kind: alerts.PasswordResetMail, Fields: map[string]string{"token": secret}})
	})
}

const userOfReset = `-- accountdb.UserOfReset
SELECT u.id, u.email, u.name FROM password_resets r JOIN users u ON u.id = r.user_id
WHERE r.hash = $1 AND r.expires_at > $2`

// UserOfReset returns the user of a password reset link, or a NotFound error if the link was used, has expired or never existed.
func (s *Store) UserOfReset(ctx context.Context, now time.Time, hash []byte) (u accounts.User, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(userOfReset), hash, db.Micros(now)).Scan(&u.ID, &u.Email, &u.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return u, errNoReset()
	}
	return u, db.NotFound(err, "Link", "find password reset")
}

func errNoReset() error {
	return sett.Errorf(sett.NotFound, "This link does not work any more. It sets a password once, within an hour. Ask for a new one.")
}

const takeReset = `-- accountdb.takeReset
DELETE FROM password_resets WHERE hash = $1 AND expires_at > $2 AND user_id IS NOT NULL RETURNING user_id`

// ResetPassword uses up a link and sets its user's password, like SetPassword. The link came by mail, so it verifies the address of an
// unverified user, who loses everything that was created before. The error is NotFound if the link was used, has expired or never
// existed.
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

// AssignPassword sets a password that operators have chosen for a user, and ends everything that a reset by mail ends: they pass it on
// themselves, and thereby confirm that the address is the user's.
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
