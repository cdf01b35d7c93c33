package accountdb

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const DropLoginSteps = `-- accountdb.dropLoginSteps
DELETE FROM login_steps WHERE expires_at <= $1`

const insertLoginStep = `-- accountdb.insertLoginStep
INSERT INTO login_steps (hash, user_id, how, expires_at, account_id) VALUES ($1, $2, $3, $4, $5)`

// CreateLoginStep stores a half-finished sign-in of a user, under the SHA-256 hash of the secret that their browser holds, for
// sett.LoginStepLife. phc is as in CreateSession.
func (s *Store) CreateLoginStep(ctx context.Context, now time.Time, userID int64, way signin.Way, phc string, hash []byte) error {
	return s.inTx(ctx, "create login step", func(t Tx) error {
		if err := t.holdPassword(ctx, userID, way.How, phc); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, DropLoginSteps, db.Micros(now)); err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertLoginStep, hash, userID, string(way.How), db.Micros(now.Add(signin.LoginStepLife)), way.Account)
		return err
	})
}

const loginStep = `-- accountdb.LoginStep
SELECT u.id, u.email, u.name, u.password, l.how, l.account_id FROM login_steps l JOIN users u ON u.id = l.user_id
WHERE l.hash = $1 AND l.expires_at > $2`

// LoginStep returns the user of a half-finished sign-in, how they signed in, and the PHC text of their password. That is the one that was
// checked, because a new password ends the sign-in. The error is NotFound if the sign-in has expired.
func (s *Store) LoginStep(ctx context.Context, now time.Time, hash []byte) (u accounts.User, way signin.Way, phc string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(loginStep), hash, db.Micros(now)).Scan(&u.ID, &u.Email, &u.Name, &phc, &way.How, &way.Account)
	return u, way, phc, db.NotFound(err, "Sign-in", "find login step")
}

const endLoginStep = `-- accountdb.EndLoginStep
DELETE FROM login_steps WHERE hash = $1`

// EndLoginStep deletes a half-finished sign-in because it is complete.
func (s *Store) EndLoginStep(ctx context.Context, hash []byte) error {
	return s.inTx(ctx, "end login step", func(t Tx) error {
		_, err := t.Exec(ctx, endLoginStep, hash)
		return err
	})
}
