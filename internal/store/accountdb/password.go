package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const passwordByEmail = `-- accountdb.PasswordByEmail
SELECT id, email, name, password FROM users WHERE email = $1`

// PasswordByEmail returns the user with an address (lower case) and the PHC text of their password, "" if they have none; the error is
// NotFound if no user has the address.
func (s *Store) PasswordByEmail(ctx context.Context, email string) (u accounts.User, phc string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(passwordByEmail), email).Scan(&u.ID, &u.Email, &u.Name, &phc)
	return u, phc, db.NotFound(err, "User", "find password by address")
}

const replacePassword = `-- accountdb.ReplacePassword
UPDATE users SET password = $3 WHERE id = $1 AND password = $2`

// ReplacePassword replaces the PHC text of a user's password, if it still is old.
func (s *Store) ReplacePassword(ctx context.Context, userID int64, old, phc string) error {
	return s.inTx(ctx, "replace password", func(t Tx) error {
		_, err := t.Exec(ctx, replacePassword, userID, old, phc)
		return err
	})
}

const holdPassword = `-- accountdb.holdPassword
SELECT id FROM users WHERE id = $1 AND password = $2 AND password <> '' {{for update}}`

// holdPassword returns sett.WrongPassword unless the password of a user is still the one that was checked, and locks it until the
// transaction ends. Ways to sign in without a password check none.
func (t Tx) holdPassword(ctx context.Context, userID int64, how signin.How, phc string) error {
	if phc == "" && how != signin.ByPassword {
		return nil
	}
	err := t.QueryRowContext(ctx, t.s.db.Text(holdPassword), userID, phc).Scan(new(int64))
	if errors.Is(err, sql.ErrNoRows) {
		return signin.WrongPassword()
	}
	return err
}

// NewPassword is a password that a user has chosen, with the details for the mail about it.
type NewPassword struct {
	PHC     string
	Address string // of the network that the request came from
	Device  string
}

const setPassword = `-- accountdb.setPassword
UPDATE users SET password = $2 WHERE id = $1 RETURNING email`

const dropResetsOf = `-- accountdb.dropResetsOf
DELETE FROM password_resets WHERE user_id = $1`

const dropLoginStepsOf = `-- accountdb.dropLoginStepsOf
DELETE FROM login_steps WHERE user_id = $1`

// SetPassword sets a new password of the user of a session. It ends all their other sessions, sign-ins that were started with the old
// password, and all password reset links, and queues a mail to them.
func (s *Store) SetPassword(ctx context.Context, now time.Time, by signin.Session, p NewPassword) error {
	return s.ChangeOwn(ctx, "set password", by, func(t Tx) error {
		if err := t.setPassword(ctx, now, by.UserID, by.ID, p); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, nil)
	})
}

// setPassword is Store.setPassword without the audit log; keep is the session that stays, or 0.
func (t Tx) setPassword(ctx context.Context, now time.Time, userID, keep int64, p NewPassword) error {
	var email string
	if err := t.QueryRowContext(ctx, t.s.db.Text(setPassword), userID, p.PHC).Scan(&email); err != nil {
		return db.NotFound(err, "User", "set password")
	}
	if _, err := t.Exec(ctx, signOutElsewhere, userID, keep); err != nil {
		return err
	}
	for _, statement := range []string{dropLoginStepsOf, dropResetsOf} {
		if _, err := t.Exec(ctx, statement, userID); err != nil {
			return err
		}
	}
	return t.outbox().QueueMail(ctx, now, alerts.Mail{
		To: email, Kind: alerts.PasswordChangedMail, Fields: map[string]string{"address": p.Address, "device": p.Device},
	})
}
