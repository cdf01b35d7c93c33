package accountdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

const userByIdentity = `-- accountdb.UserByIdentity
SELECT u.id, u.email, u.name FROM oidc_identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = $1 AND i.subject = $2`

// UserByIdentity returns the user that an identity belongs to, or a NotFound error.
func (s *Store) UserByIdentity(ctx context.Context, i accounts.Identity) (u accounts.User, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(userByIdentity), i.Issuer, i.Subject).Scan(&u.ID, &u.Email, &u.Name)
	return u, db.NotFound(err, "User", "find user of identity")
}

const identityOf = `-- accountdb.IdentityOf
SELECT subject, email FROM oidc_identities WHERE user_id = $1 AND issuer = $2 ORDER BY created_at, subject LIMIT 1`

// IdentityOf returns a user's identity at an issuer; the zero Identity if they have none.
func (s *Store) IdentityOf(ctx context.Context, userID int64, issuer string) (i accounts.Identity, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(identityOf), userID, issuer).Scan(&i.Subject, &i.Email)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return accounts.Identity{}, nil
	case err != nil:
		return accounts.Identity{}, fmt.Errorf("find identity: %w", err)
	}
	i.Issuer = issuer
	return i, nil
}

// CreateIdentityUser creates a user for an identity that has none, as a member of an account. The error is Conflict if the address is
// taken, because only its user can confirm that both are the same person, and Forbidden if the issuer has not verified the address.
func (s *Store) CreateIdentityUser(ctx context.Context, now time.Time, i accounts.Identity, j accounts.Joining) (u accounts.User, err error) {
	err = s.inTx(ctx, "create user of identity", func(t Tx) error {
		if err := i.CheckEmail(); err != nil {
			return err
		}
		account, err := t.lockJoined(ctx, j)
		if err != nil {
			return err
		}
		u = accounts.User{Email: i.Email, Name: i.UserName()}
		if u.ID, err = t.createUser(ctx, now, NewUser{AccountID: account, Email: u.Email, Name: u.Name, Role: j.Role, Proven: true}); err != nil {
			return err
		}
		if err := t.insertIdentity(ctx, now, u.ID, i); err != nil {
			return err
		}
		return t.AuditOwnIn(ctx, account, u.ID, map[string]any{"issuer": i.Issuer, "email": i.Email, "role": string(j.Role)})
	})
	return u, err
}

// ConnectIdentity connects an identity to the user of a session, who has confirmed it, gives them the role of their groups, and queues a
// mail about it. The error is Conflict if the identity already belongs to a user.
func (s *Store) ConnectIdentity(ctx context.Context, now time.Time, by signin.Session, i accounts.Identity, j accounts.Joining) error {
	return s.inTx(ctx, "connect identity", func(t Tx) error {
		if err := t.follow(ctx, now, by.UserID, j); err != nil { // locks the account: all transactions do that before they lock a user
			return err
		}
		if err := t.holdSession(ctx, by); err != nil {
			return err
		}
		if err := t.insertIdentity(ctx, now, by.UserID, i); err != nil {
			return err
		}
		if err := t.notify(ctx, now, by, alerts.IdentityAdded, cmp.Or(i.Email, i.Subject)); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"issuer": i.Issuer, "email": i.Email})
	})
}

const insertIdentity = `-- accountdb.insertIdentity
INSERT INTO oidc_identities (issuer, subject, user_id, email, created_at) VALUES ($1, $2, $3, $4, $5)`

func (t Tx) insertIdentity(ctx context.Context, now time.Time, userID int64, i accounts.Identity) error {
	_, err := t.Exec(ctx, insertIdentity, i.Issuer, i.Subject, userID, i.Email, db.Micros(now))
	if t.s.db.Conflict(err) {
		return sett.Errorf(sett.Conflict, "This identity is connected already. Sign in with it.")
	}
	return err
}

// FollowGroups gives a user the role of their groups in an account.
func (s *Store) FollowGroups(ctx context.Context, now time.Time, userID int64, j accounts.Joining) error {
	return s.inTx(ctx, "follow groups", func(t Tx) error { return t.follow(ctx, now, userID, j) })
}

func (t Tx) follow(ctx context.Context, now time.Time, userID int64, j accounts.Joining) error {
	if !j.Follow {
		return nil
	}
	account, err := t.lockJoined(ctx, j)
	if err != nil {
		return err
	}
	var is accounts.Standing
	if err := t.QueryRowContext(ctx, t.s.db.Text(standing), account, userID, userID).Scan(&is.Asker, &is.User, &is.Owners); err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	role := is.Follow(j.Role)
	switch {
	case is.User == "":
		_, err = t.Exec(ctx, insertMembership, account, userID, string(role), db.Micros(now))
	case role != is.User:
		err = t.setRole(ctx, account, userID, is, role)
	}
	if err != nil || role == is.User {
		return err
	}
	return t.AuditOwnIn(ctx, account, userID, map[string]any{"role": string(role)})
}

const lockJoined = `-- accountdb.lockJoined
SELECT id FROM accounts WHERE id = $1 OR $1 = '' ORDER BY created_at, id LIMIT 1 {{for update}}`

// lockJoined locks the account that identities join, and returns its id.
func (t Tx) lockJoined(ctx context.Context, j accounts.Joining) (id string, err error) {
	err = t.QueryRowContext(ctx, t.s.db.Text(lockJoined), j.AccountID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", sett.Errorf(sett.Forbidden, "The account that you would join does not exist. Ask the operator of this server to correct its settings.")
	}
	if err != nil {
		return "", fmt.Errorf("lock account: %w", err)
	}
	return id, nil
}
