package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
)

const secondFactor = `-- accountdb.SecondFactor
SELECT secret, confirmed, (SELECT count(*) FROM recovery_codes c WHERE c.user_id = f.user_id)
FROM second_factors f WHERE f.user_id = $1`

// SecondFactor returns the authenticator app of a user; the zero SecondFactor if they have none.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (f signin.SecondFactor, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(secondFactor), userID).Scan(&f.Secret, &f.Confirmed, &f.RecoveryCodes)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return f, fmt.Errorf("find second factor: %w", err)
	}
	f.Secret, err = s.db.Reveal(sealedFactor, f.Secret, userID)
	return f, err
}

const proposeSecondFactor = `-- accountdb.ProposeSecondFactor
INSERT INTO second_factors (user_id, secret, confirmed, last_step) VALUES ($1, $2, false, 0)
ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, last_step = 0 WHERE NOT second_factors.confirmed`

// ProposeSecondFactor stores the secret (base32) of an app that the user of a session is setting up. It has no effect until it is
// confirmed, and does not replace a confirmed one.
func (s *Store) ProposeSecondFactor(ctx context.Context, by signin.Session, secret string) error {
	return s.ChangeOwn(ctx, "propose second factor", by, func(t Tx) error {
		sealed, err := t.Seal(ctx, sealedFactor, secret, by.UserID)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, proposeSecondFactor, by.UserID, sealed)
		return err
	})
}

const lockSecondFactor = `-- accountdb.lockSecondFactor
SELECT secret FROM second_factors WHERE user_id = $1 AND NOT confirmed {{for update}}`

const confirmSecondFactor = `-- accountdb.ConfirmSecondFactor
UPDATE second_factors SET confirmed = true, last_step = $2 WHERE user_id = $1`

// ConfirmSecondFactor activates the proposed secret, with the time step of the code that proved it and the SHA-256 hashes of new recovery
// codes, and queues a mail to the user. The error is Conflict if the secret is no longer the proposed one.
func (s *Store) ConfirmSecondFactor(ctx context.Context, now time.Time, by signin.Session, secret string, step int64, codes [][]byte) error {
	return s.ChangeOwn(ctx, "confirm second factor", by, func(t Tx) error {
		if err := t.checkProposed(ctx, by.UserID, secret); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, confirmSecondFactor, by.UserID, step); err != nil {
			return err
		}
		if err := t.replaceRecoveryCodes(ctx, by.UserID, codes); err != nil {
			return err
		}
		if err := t.notify(ctx, now, by, alerts.SecondFactorOn, ""); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, nil)
	})
}

// checkProposed returns a Conflict if a secret is not the one that a user proposed last.
func (t Tx) checkProposed(ctx context.Context, userID int64, secret string) error {
	var proposed string
	err := t.QueryRowContext(ctx, t.s.db.Text(lockSecondFactor), userID).Scan(&proposed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("find second factor: %w", err)
	}
	if proposed, err = t.s.db.Reveal(sealedFactor, proposed, userID); err != nil {
		return err
	}
	if proposed == "" || proposed != secret {
		return sett.Errorf(sett.Conflict, "Another code was set up meanwhile. Start again.")
	}
	return nil
}

const useStep = `-- accountdb.UseStep
UPDATE second_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2 AND confirmed`

// UseStep uses up the code of a time step of a user's app, and returns false if it, or a later one, was used before.
func (s *Store) UseStep(ctx context.Context, userID, step int64) (fresh bool, err error) {
	err = s.inTx(ctx, "use code", func(t Tx) error {
		n, err := t.Changed(ctx, useStep, userID, step)
		fresh = n > 0
		return err
	})
	return fresh, err
}

const useRecoveryCode = `-- accountdb.UseRecoveryCode
DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2`

// UseRecoveryCode uses up a user's recovery code with the given SHA-256 hash, and returns false if they have no such code.
func (s *Store) UseRecoveryCode(ctx context.Context, userID int64, hash []byte) (had bool, err error) {
	err = s.inTx(ctx, "use recovery code", func(t Tx) error {
		n, err := t.Changed(ctx, useRecoveryCode, userID, hash)
		had = n > 0
		return err
	})
	return had, err
}

// RenewRecoveryCodes replaces the recovery codes of the user of a session, who has a second factor, by their SHA-256 hashes, and queues a
// mail to them.
func (s *Store) RenewRecoveryCodes(ctx context.Context, now time.Time, by signin.Session, codes [][]byte) error {
	return s.ChangeOwn(ctx, "renew recovery codes", by, func(t Tx) error {
		if err := t.replaceRecoveryCodes(ctx, by.UserID, codes); err != nil {
			return err
		}
		if err := t.notify(ctx, now, by, alerts.CodesRenewed, ""); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, nil)
	})
}

const dropRecoveryCodes = `-- accountdb.dropRecoveryCodes
DELETE FROM recovery_codes WHERE user_id = $1`

const insertRecoveryCode = `-- accountdb.insertRecoveryCode
INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)`

func (t Tx) replaceRecoveryCodes(ctx context.Context, userID int64, codes [][]byte) error {
	if _, err := t.Exec(ctx, dropRecoveryCodes, userID); err != nil {
		return err
	}
	for _, hash := range codes {
		if _, err := t.Exec(ctx, insertRecoveryCode, userID, hash); err != nil {
			return err
		}
	}
	return nil
}

const dropSecondFactor = `-- accountdb.DropSecondFactor
DELETE FROM second_factors WHERE user_id = $1`

// DropSecondFactor removes the second factor of the user of a session, and queues a mail to them. Without a second factor it changes
// nothing.
func (s *Store) DropSecondFactor(ctx context.Context, now time.Time, by signin.Session) error {
	return s.ChangeOwn(ctx, "drop second factor", by, func(t Tx) error {
		dropped, err := t.Changed(ctx, dropSecondFactor, by.UserID)
		if err != nil || dropped == 0 {
			return err
		}
		if _, err := t.Exec(ctx, dropRecoveryCodes, by.UserID); err != nil {
			return err
		}
		if err := t.notify(ctx, now, by, alerts.SecondFactorOff, ""); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, nil)
	})
}
