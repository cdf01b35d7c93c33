package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const insertSession = `-- accountdb.insertSession
INSERT INTO sessions (hash, user_id, how, created_at, last_seen_at, address, user_agent, account_id, factor)
VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8)`

const DropOldSessions = `-- accountdb.dropOldSessions
DELETE FROM sessions WHERE last_seen_at <= $1`

const dropSession = `-- accountdb.dropSession
DELETE FROM sessions WHERE hash = $1`

// CreateSession stores a session under the SHA-256 hash of its secret. It replaces the browser's earlier session; replaced is the hash of
// that one, or nil. It also deletes sessions that were not used for their idle lifetime. phc is the password that was checked; if it was
// replaced meanwhile, the error is sett.WrongPassword. It is "" for a sign-in without a password; if the user no longer has the passkey
// or identity of that sign-in, the error is sett.MeansGone. The assertion of a proxy verifies an unverified user, and so deletes
// everything that they had before. That an owner comes without the single sign-on that their account requires is recorded.
func (s *Store) CreateSession(ctx context.Context, now time.Time, session signin.Session, phc string, hash, replaced []byte) error {
	return s.inTx(ctx, "create session", func(t Tx) error {
		if err := t.holdMeans(ctx, session, phc); err != nil {
			return err
		}
		if session.How == signin.ByProxy {
			if err := t.proveByProxy(ctx, session.UserID); err != nil {
				return err
			}
		}
		if _, err := t.Exec(ctx, DropOldSessions, db.Micros(now.Add(-signin.SessionIdleLife))); err != nil {
			return err
		}
		if replaced != nil {
			if _, err := t.Exec(ctx, dropSession, replaced); err != nil {
				return err
			}
		}
		if err := t.seeZone(ctx, session.UserID, session.Zone); err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertSession, hash, session.UserID, string(session.How), db.Micros(now), session.Address, session.UserAgent, session.Account,
			session.Factor)
		if err != nil {
			return err
		}
		return t.noteExit(ctx, session)
	})
}

const countIdentities = `-- accountdb.countIdentities
SELECT count(*) FROM oidc_identities WHERE user_id = $1`

// holdMeans returns an error if the means of a sign-in was removed meanwhile: a reset deletes everything that an unverified user has. It
// locks the means until the transaction ends.
func (t Tx) holdMeans(ctx context.Context, session signin.Session, phc string) error {
	count := map[signin.How]string{signin.ByPasskey: countPasskeys, signin.ByOIDC: countIdentities, signin.BySAML: countIdentities}[session.How]
	if count == "" {
		return t.holdPassword(ctx, session.UserID, session.How, phc)
	}
	if err := t.QueryRowContext(ctx, t.s.db.Text(LockUser), session.UserID).Scan(new(int64)); err != nil {
		return db.NotFound(err, "User", "lock user")
	}
	var has int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(count), session.UserID).Scan(&has); err != nil || has > 0 {
		return err
	}
	return signin.MeansGone()
}

const sessionColumns = `s.id, s.user_id, s.how, s.created_at, s.last_seen_at, s.address, s.user_agent, s.account_id, s.factor`

const sessionByHash = `-- accountdb.SessionByHash
SELECT ` + sessionColumns + `, u.email, u.name, u.zone, u.browser_zone, ` + asksForSignOn + ` FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.hash = $1`

// SessionByHash returns the session whose secret has the given SHA-256 hash, and its user. Expired sessions are not found.
func (s *Store) SessionByHash(ctx context.Context, now time.Time, hash []byte) (signin.Session, accounts.User, error) {
	var u accounts.User
	var asked bool
	session, err := scanSession(s.db.Read.QueryRowContext(ctx, s.db.Text(sessionByHash), hash), &u.Email, &u.Name, &u.Zone, &u.BrowserZone, &asked)
	if err == nil && session.Over(now) {
		err = sql.ErrNoRows
	}
	if err != nil {
		return signin.Session{}, accounts.User{}, db.NotFound(err, "Session", "find session")
	}
	u.ID, session.Asked = session.UserID, asked
	return session, u, nil
}

func scanSession(row db.Row, more ...any) (signin.Session, error) {
	var session signin.Session
	var created, seen int64
	err := row.Scan(append([]any{
		&session.ID, &session.UserID, &session.How, &created, &seen, &session.Address, &session.UserAgent, &session.Account, &session.Factor,
	}, more...)...)
	session.CreatedAt, session.LastSeenAt = db.FromMicros(created), db.FromMicros(seen)
	return session, err
}

const touchSession = `-- accountdb.TouchSession
UPDATE sessions SET last_seen_at = $3, address = $4 WHERE user_id = $1 AND id = $2 AND last_seen_at < $3`

// TouchSession records the use of a session at its LastSeenAt, its address, and the time zone of its browser.
func (s *Store) TouchSession(ctx context.Context, session signin.Session) error {
	return s.touch(ctx, "note the use of a session", func(t Tx) error {
		if err := t.seeZone(ctx, session.UserID, session.Zone); err != nil {
			return err
		}
		if err := t.noteVisit(ctx, session.UserID, session.LastSeenAt); err != nil {
			return err
		}
		_, err := t.Exec(ctx, touchSession, session.UserID, session.ID, db.Micros(session.LastSeenAt), session.Address)
		return err
	})
}

// touch records the use of something. A crash may lose it.
func (s *Store) touch(ctx context.Context, what string, record func(Tx) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		t.KeepsCaches, t.Unsynced = true, true
		return record(t)
	})
}

const listSessions = `-- accountdb.ListSessions
SELECT ` + sessionColumns + ` FROM sessions s WHERE s.user_id = $1 AND s.last_seen_at > $2 AND s.created_at > $3
ORDER BY s.last_seen_at DESC, s.id DESC`

// ListSessions returns the active sessions of a user, most recently used first.
func (s *Store) ListSessions(ctx context.Context, now time.Time, userID int64) (sessions []signin.Session, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listSessions), userID,
		db.Micros(now.Add(-signin.SessionIdleLife)), db.Micros(now.Add(-signin.SessionLife)))
	sessions, err = db.Collect(rows, err, func(r db.Row) (signin.Session, error) { return scanSession(r) })
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sessions, nil
}

const signOut = `-- accountdb.EndSession
DELETE FROM sessions WHERE user_id = $1 AND id = $2`

// EndSession signs a user out of the browser that they use. If the session does not exist any more, that is not an error.
func (s *Store) EndSession(ctx context.Context, userID, id int64) error {
	return s.inTx(ctx, "end session", func(t Tx) error {
		_, err := t.Exec(ctx, signOut, userID, id)
		return err
	})
}

const revokeSession = signOut + ` RETURNING user_agent`

// RevokeSession signs the user of a session out of another browser, or the same one. If that session does not exist any more, that is not
// an error.
func (s *Store) RevokeSession(ctx context.Context, by signin.Session, id int64) error {
	return s.ChangeOwn(ctx, "revoke session", by, func(t Tx) error {
		var agent string
		err := t.QueryRowContext(ctx, s.db.Text(revokeSession), by.UserID, id).Scan(&agent)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"device": signin.DeviceOf(agent)})
	})
}

const signOutElsewhere = `-- accountdb.signOutElsewhere
DELETE FROM sessions WHERE user_id = $1 AND id <> $2`

// RevokeOtherSessions signs the user of a session out of all other browsers.
func (s *Store) RevokeOtherSessions(ctx context.Context, by signin.Session) error {
	return s.ChangeOwn(ctx, "revoke other sessions", by, func(t Tx) error {
		ended, err := t.Changed(ctx, signOutElsewhere, by.UserID, by.ID)
		if err != nil || ended == 0 {
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"sessions": ended})
	})
}
