package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

// samlIssuer, the id of an account and what its identity provider calls itself are the issuer of identities that this provider asserts. So no
// provider can speak for that of another account, and a new provider of an account not for the one before, whose names may mean others.
const samlIssuer = "saml:"

// SAMLIssuer returns the issuer of the identities of an account's identity provider.
func SAMLIssuer(accountID, entityID string) string { return samlIssuer + accountID + " " + entityID }

const useAssertion = `-- accountdb.UseAssertion
INSERT INTO challenges (hash, purpose, state, expires_at) VALUES ($1, $2, '', $3) ON CONFLICT (hash) DO NOTHING`

// UseAssertion records that an assertion was used, until it is not accepted any more. It reports whether it was not used before.
func (s *Store) UseAssertion(ctx context.Context, now time.Time, hash []byte, until time.Time) (fresh bool, err error) {
	err = s.inTx(ctx, "use assertion", func(t Tx) error {
		if _, err := t.Exec(ctx, DropChallenges, db.Micros(now)); err != nil {
			return err
		}
		n, err := t.Changed(ctx, useAssertion, hash, string(signin.UsedAssertion), db.Micros(until))
		fresh = n == 1
		return err
	})
	return fresh, err
}

const memberByIdentity = `-- accountdb.memberByIdentity
SELECT u.id, u.email, u.name, EXISTS (SELECT 1 FROM memberships o WHERE o.user_id = u.id AND o.account_id <> $3)
FROM oidc_identities i JOIN users u ON u.id = i.user_id
JOIN memberships m ON m.user_id = u.id AND m.account_id = $3 WHERE i.issuer = $1 AND i.subject = $2`

// SAMLUser returns the user whom the identity provider of an account has signed in. Who signs in for the first time is a member with their
// address, or joins the account if its settings say so. The error is Forbidden if they may not, and Conflict if the address is that of a
// user of other accounts as well, who has to confirm that both are the same person. elsewhere says that the user is in other accounts too. The
// owners of this one must not reach these by their provider, so they have to have the domain of the user's own address. The role and the teams
// of the user follow the groups of the identity.
func (s *Store) SAMLUser(ctx context.Context, now time.Time, accountID string, i accounts.Identity) (u accounts.User, elsewhere bool, err error) {
	err = s.inTx(ctx, "find user of identity provider", func(t Tx) error {
		err := t.QueryRowContext(ctx, s.db.Text(memberByIdentity), i.Issuer, i.Subject, accountID).Scan(&u.ID, &u.Email, &u.Name, &elsewhere)
		switch {
		case err == nil && elsewhere:
			if err := t.checkDomain(ctx, accountID, u.Email); err != nil {
				return err
			}
			return t.followSignIn(ctx, now, accountID, u, i)
		case err == nil:
			return t.followSignIn(ctx, now, accountID, u, i)
		case !errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("find user of identity: %w", err)
		}
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		if err := t.checkDomain(ctx, accountID, i.Email); err != nil {
			return err
		}
		if u.ID, err = t.joinBySAML(ctx, now, accountID, i); err != nil {
			return err
		}
		if err := t.insertIdentity(ctx, now, u.ID, i); err != nil {
			return err
		}
		person, err := t.Person(ctx, u.ID)
		if err != nil {
			return err
		}
		u.Email, u.Name = person.Email, person.Name
		return t.followSignIn(ctx, now, accountID, u, i)
	})
	return u, elsewhere, err
}

const deactivatedHere = `-- accountdb.deactivatedHere
SELECT EXISTS (SELECT 1 FROM directory_people WHERE account_id = $1 AND user_id = $2 AND NOT active)`

// joinBySAML returns the user with the address of an identity, which is in a domain of the account, as a member of it.
func (t Tx) joinBySAML(ctx context.Context, now time.Time, accountID string, i accounts.Identity) (userID int64, err error) {
	d, err := t.s.readDirectory(ctx, t, accountID)
	if err != nil {
		return 0, err
	}
	var proven, here, elsewhere, off bool
	err = t.QueryRowContext(ctx, t.s.db.Text(userToLink), i.Email, accountID).Scan(&userID, &proven, &here, &elsewhere)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("find user: %w", err)
	}
	if err := t.QueryRowContext(ctx, t.s.db.Text(deactivatedHere), accountID, userID).Scan(&off); err != nil {
		return 0, fmt.Errorf("find person of directory: %w", err)
	}
	switch {
	case off:
		return 0, sett.Errorf(sett.Forbidden, "The directory of this account has deactivated you. Ask its administrator.")
	case here && elsewhere:
		return 0, sett.Errorf(sett.Conflict, "A user with the address %s is in other accounts as well.", i.Email)
	case elsewhere:
		return 0, sett.Errorf(sett.Forbidden, "A user with the address %s belongs to another account. Ask an owner of this account to invite you.", i.Email)
	case !here && !d.JustInTime:
		return 0, sett.Errorf(sett.Forbidden, "You are not in this account yet. Ask an owner to invite you, or to assign sett to you in the directory.")
	case userID != 0 && !proven:
		if err := t.proveByProxy(ctx, userID); err != nil {
			return 0, err
		}
	case userID == 0:
		p := directory.Person{Email: i.Email, DisplayName: i.Name}
		if err := t.QueryRowContext(ctx, t.s.db.Text(insertLoneUser), i.Email, p.Name(), db.Micros(now)).Scan(&userID); err != nil {
			return 0, fmt.Errorf("create user of identity: %w", err)
		}
	}
	if here {
		return userID, t.AuditOwnIn(ctx, accountID, userID, map[string]any{"issuer": "SAML", "email": i.Email})
	}
	if _, err := t.Exec(ctx, insertMembership, accountID, userID, string(d.DefaultRole), db.Micros(now)); err != nil {
		return 0, err
	}
	return userID, t.AuditOwnIn(ctx, accountID, userID, map[string]any{"issuer": "SAML", "email": i.Email, "role": string(d.DefaultRole)})
}
