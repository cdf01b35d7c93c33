package account

import (
	"context"
	"fmt"
)

const proveUser = `-- store.proveUser
UPDATE users SET proven = true WHERE id = $1 AND NOT proven`

// unprovenWays end every way in that a user can have made, whether or not a new password by itself ends it.
var unprovenWays = [...]string{
	`-- store.prove tokens
DELETE FROM tokens WHERE user_id = $1`,
	`-- store.prove sessions
DELETE FROM sessions WHERE user_id = $1`,
	`-- store.prove passkeys
DELETE FROM passkeys WHERE user_id = $1`,
	`-- store.prove identities
DELETE FROM oidc_identities WHERE user_id = $1`,
	`-- store.prove challenges
DELETE FROM challenges WHERE user_id = $1`,
	dropSecondFactor, dropRecoveryCodes, dropLoginStepsOf,
}

// prove notes that the address of a user is theirs, because they have read a mail to it, or somebody trusted says so. The
// caller has given them a new password, or takes it away (proveByProxy). Everything with which somebody
// could act as an unproven user goes: it may be that of another person, who has made the user. It reports whether that was
// so, and false for a user who was proven before.
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

const dropPassword = `-- store.dropPassword
UPDATE users SET password = '' WHERE id = $1`

// proveByProxy is prove for a user whom the trusted proxy has signed in. Their password goes as well: it may be that of
// whoever has made the user, and nobody has given them another one.
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
