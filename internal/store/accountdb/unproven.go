package accountdb

import (
	"context"
	"fmt"
)

const proveUser = `-- accountdb.proveUser
UPDATE users SET proven = true WHERE id = $1 AND NOT proven`

// unprovenWays delete every means of access that a user can have created, whether or not a new password ends it as well.
var unprovenWays = [...]string{
	`-- accountdb.prove tokens
DELETE FROM tokens WHERE user_id = $1`,
	`-- accountdb.prove sessions
DELETE FROM sessions WHERE user_id = $1`,
	`-- accountdb.prove passkeys
DELETE FROM passkeys WHERE user_id = $1`,
	`-- accountdb.prove identities
DELETE FROM oidc_identities WHERE user_id = $1`,
	`-- accountdb.prove challenges
DELETE FROM challenges WHERE user_id = $1`,
	dropSecondFactor, dropRecoveryCodes, dropLoginStepsOf,
}

// prove records that the address of a user is verified, because they have read a mail to it, or because a trusted party says so. The
// caller has set a new password, or deletes it (proveByProxy). Everything with which a person could act as the unverified user is
// deleted: another person may have created the user. It reports whether the user was unverified before.
func (t Tx) prove(ctx context.Context, userID int64) (proved bool, err error) {
	n, err := t.Changed(ctx, proveUser, userID)
	if err != nil || n == 0 {
		return false, err
	}
	for _, statement := range unprovenWays {
		if _, err := t.Exec(ctx, statement, userID); err != nil {
			return false, fmt.Errorf("end what was made before the proof: %w", err)
		}
	}
	return true, nil
}

const dropPassword = `-- accountdb.dropPassword
UPDATE users SET password = '' WHERE id = $1`

// proveByProxy is Prove for a user whom the trusted proxy has signed in. It also deletes their password: another person may have created
// the user with it, and no new one was set.
func (t Tx) proveByProxy(ctx context.Context, userID int64) error {
	proved, err := t.prove(ctx, userID)
	if err != nil || !proved {
		return err
	}
	if _, err := t.Exec(ctx, dropPassword, userID); err != nil {
		return err
	}
	return t.auditOwn(ctx, userID, map[string]any{"all_ways_in_ended": true})
}
