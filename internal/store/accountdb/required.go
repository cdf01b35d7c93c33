package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

// asksForSignOn holds for users with an account that requires single sign-on of some of its people.
const asksForSignOn = `EXISTS (SELECT 1 FROM memberships m JOIN directories y ON y.account_id = m.account_id WHERE m.user_id = u.id AND y.sign_on_required)`

const requiredOf = `-- accountdb.Required
SELECT a.id, a.name, m.role, y.metadata <> '' FROM domains d JOIN directories y ON y.account_id = d.account_id
JOIN memberships m ON m.account_id = d.account_id AND m.user_id = $1 JOIN accounts a ON a.id = d.account_id
WHERE d.domain = $2 AND d.verified_at > 0 AND y.sign_on_required`

// Required returns the account that requires a user with an address to sign in with its identity provider; the zero Required for none.
func (s *Store) Required(ctx context.Context, userID int64, email string) (directory.Required, error) {
	return s.readRequired(ctx, s.db.Read, userID, email)
}

func (s *Store) readRequired(ctx context.Context, q db.Querier, userID int64, email string) (directory.Required, error) {
	r := directory.Required{Domain: directory.DomainOf(email)}
	err := q.QueryRowContext(ctx, s.db.Text(requiredOf), userID, r.Domain).Scan(&r.AccountID, &r.Account, &r.Role, &r.SAML)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("find required single sign-on: %w", err)
	}
	return r, nil
}

const ownersWithExit = `-- accountdb.ownersWithExit
SELECT u.email, u.password <> '' AND EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = u.id AND f.confirmed)
    OR EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id)
FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 AND m.role = 'Owner'`

// RequireSignOn has an account require single sign-on of its people, or not any more, on behalf of an owner with a session. The error is Invalid
// if the owner would lose the account by it, or no owner could reach it without the identity provider. oidc says that the issuer of the
// server signs in people of this account.
func (s *Store) RequireSignOn(ctx context.Context, by signin.Session, accountID string, on, oidc bool) error {
	return s.inTx(ctx, "require single sign-on", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		d, err := s.readDirectory(ctx, t, accountID)
		if err != nil {
			return err
		}
		d.Required = on
		if err := t.saveDirectory(ctx, d); err != nil || !on {
			return err
		}
		if d.Metadata == "" && !oidc {
			return sett.Refuse("required", "needs an identity provider: save its metadata above first")
		}
		return t.checkExits(ctx, by, accountID)
	})
}

// checkExits returns an Invalid error if no owner could reach an account without its identity provider, or the session of an owner would end.
func (t Tx) checkExits(ctx context.Context, by signin.Session, accountID string) error {
	domains, err := t.s.readDomains(ctx, t, accountID)
	if err != nil {
		return err
	}
	verified := map[string]bool{}
	for _, d := range domains {
		verified[d.Name] = !d.VerifiedAt.IsZero()
	}
	exits := false
	rows, err := t.QueryContext(ctx, t.s.db.Text(ownersWithExit), accountID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var email string
		var factors bool
		err := rows.Scan(&email, &factors)
		exits = exits || factors || !verified[directory.DomainOf(email)]
		return err
	})
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	if !exits {
		return sett.Refuse("required", "needs an owner who could sign in if the identity provider fails: set up a second factor or a passkey on your page Security")
	}
	person, err := t.Person(ctx, by.UserID)
	if err != nil {
		return err
	}
	r, err := t.s.readRequired(ctx, t, by.UserID, person.Email)
	if err == nil && r.AccountID == accountID && !r.Opens(by.Account, by.Factor) {
		err = sett.Refuse("required", "would sign you out: sign in with the single sign-on first, so that you know that it works")
	}
	return err
}

const asksUser = `-- accountdb.asksUser
SELECT ` + asksForSignOn + ` FROM users u WHERE u.id = $1`

// noteExit records that an owner has signed in to an account without the single sign-on that it requires.
func (t Tx) noteExit(ctx context.Context, session signin.Session) error {
	var asks bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(asksUser), session.UserID).Scan(&asks); err != nil || !asks {
		return db.Wrap("look for required single sign-on", err)
	}
	person, err := t.Person(ctx, session.UserID)
	if err != nil {
		return err
	}
	r, err := t.s.readRequired(ctx, t, session.UserID, person.Email)
	if err != nil || r.AccountID == "" || session.Account == r.AccountID || !r.Opens(session.Account, session.Factor) {
		return err
	}
	return t.AuditOwnIn(ctx, r.AccountID, session.UserID, map[string]any{"how": string(session.How)})
}

const firstAccount = `-- accountdb.firstAccount
SELECT id FROM accounts ORDER BY created_at, id LIMIT 1`

// JoinedAccount returns the account that identities of the server's issuer join; "" if there is none.
func (s *Store) JoinedAccount(ctx context.Context, j accounts.Joining) (id string, err error) {
	if j.AccountID != "" {
		return j.AccountID, nil
	}
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(firstAccount)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, db.Wrap("find first account", err)
}
