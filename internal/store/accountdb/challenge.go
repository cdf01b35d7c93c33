package accountdb

import (
	"context"
	"time"

	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const DropChallenges = `-- accountdb.dropChallenges
DELETE FROM challenges WHERE expires_at <= $1`

const insertChallenge = `-- accountdb.insertChallenge
INSERT INTO challenges (hash, purpose, user_id, state, expires_at) VALUES ($1, $2, $3, $4, $5)`

// CreateChallenge stores a browser's challenge, under the SHA-256 hash of the secret that the browser holds, for the lifetime of its
// purpose. The user is the one who is signed in with the browser, or 0.
func (s *Store) CreateChallenge(ctx context.Context, now time.Time, purpose signin.Purpose, userID int64, hash, state []byte) error {
	return s.inTx(ctx, "create challenge", func(t Tx) error {
		if _, err := t.Exec(ctx, DropChallenges, db.Micros(now)); err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertChallenge, hash, string(purpose), db.IDOrNull(userID), state, db.Micros(now.Add(purpose.Life())))
		return err
	})
}

const ofChallenge = ` WHERE hash = $1 AND purpose = $2 AND user_id IS NOT DISTINCT FROM CAST($3 AS bigint) AND expires_at > $4`

const challenge = `-- accountdb.Challenge
SELECT state FROM challenges` + ofChallenge

// Challenge returns a browser's challenge. The error is NotFound if its purpose or user is different, or if it has expired.
func (s *Store) Challenge(ctx context.Context, now time.Time, purpose signin.Purpose, userID int64, hash []byte) (state []byte, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(challenge), hash, string(purpose), db.IDOrNull(userID), db.Micros(now)).Scan(&state)
	return state, db.NotFound(err, "Challenge", "find challenge")
}

const takeChallenge = `-- accountdb.TakeChallenge
DELETE FROM challenges` + ofChallenge + ` RETURNING state`

// TakeChallenge returns a challenge like Challenge, and deletes it, so that it can be answered only once.
func (s *Store) TakeChallenge(ctx context.Context, now time.Time, purpose signin.Purpose, userID int64, hash []byte) (state []byte, err error) {
	err = s.inTx(ctx, "take challenge", func(t Tx) error {
		row := t.QueryRowContext(ctx, s.db.Text(takeChallenge), hash, string(purpose), db.IDOrNull(userID), db.Micros(now))
		return db.NotFound(row.Scan(&state), "Challenge", "find challenge")
	})
	return state, err
}

const answerChallenge = `-- accountdb.AnswerChallenge
UPDATE challenges SET state = $1 WHERE hash = $2 AND purpose = $3 AND user_id IS NULL AND expires_at > $4`

// AnswerChallenge stores an answer as the state of a challenge that no user has; who has its secret takes it. It does nothing if the challenge
// has expired.
func (s *Store) AnswerChallenge(ctx context.Context, now time.Time, purpose signin.Purpose, hash, state []byte) error {
	return s.inTx(ctx, "answer challenge", func(t Tx) error {
		_, err := t.Exec(ctx, answerChallenge, state, hash, string(purpose), db.Micros(now))
		return err
	})
}
