package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// changeOwn runs a change that people make, in a browser, of what is their own: their password, tokens, passkeys. Nothing
// ends the session before the transaction does. One that has ended already is an Unauthenticated error, so that nobody
// makes a way in for themselves just after all of theirs were closed. An operator (sett.ByOperator) needs no session.
func (s *Store) changeOwn(ctx context.Context, what string, by sett.Session, change func(*tx) error) error {
	return s.inTx(ctx, what, func(t *tx) error {
		if err := t.holdSession(ctx, by); err != nil {
			return err
		}
		return change(t)
	})
}

const lockUser = `-- store.lockUser
SELECT id FROM users WHERE id = $1 {{for update}}`

const sessionStands = `-- store.sessionStands
SELECT id FROM sessions WHERE user_id = $1 AND id = $2 {{for key share}}`

// holdSession locks the user of a session before it looks for it, as all do that end sessions because of a password.
func (t *tx) holdSession(ctx context.Context, by sett.Session) error {
	err := t.QueryRowContext(ctx, t.s.Text(lockUser), by.UserID).Scan(new(int64))
	if err == nil && by.ID != sett.Operator {
		err = t.QueryRowContext(ctx, t.s.Text(sessionStands), by.UserID, by.ID).Scan(new(int64))
	}
	if errors.Is(err, sql.ErrNoRows) {
		return sett.SignedOut()
	}
	return err
}

// tell queues the mail that tells a person of a change. Who has no address is told nothing.
func (t *tx) tell(ctx context.Context, now time.Time, by sett.Session, event sett.SecurityEvent, name string) error {
	person, err := t.person(ctx, by.UserID)
	if err != nil || person.Email == "" {
		return err
	}
	return t.queueMail(ctx, now, by.Notice(person.Email, event, name))
}

const personByID = `-- store.personByID
SELECT id, email, name FROM users WHERE id = $1`

func (t *tx) person(ctx context.Context, userID int64) (p sett.Person, err error) {
	err = t.QueryRowContext(ctx, t.s.Text(personByID), userID).Scan(&p.ID, &p.Email, &p.Name)
	return p, db.NotFound(err, "User", "read person")
}

type personalAuditKey struct{}

// WithPersonalAudit returns a context under which each change that a person makes of what is their own leaves an entry in
// the audit log of every account that they are in. Of the entry, the store adds the account, the person and the changes.
func WithPersonalAudit(ctx context.Context, entry func() sett.AuditEntry) context.Context {
	return context.WithValue(ctx, personalAuditKey{}, entry)
}

const accountIDsOf = `-- store.accountIDsOf
SELECT account_id FROM memberships WHERE user_id = $1 ORDER BY account_id`

// auditOwn stores what a person has changed, in every account that they are in.
func (t *tx) auditOwn(ctx context.Context, userID int64, changes map[string]any) error {
	var accounts []string
	rows, err := t.QueryContext(ctx, t.s.Text(accountIDsOf), userID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		accounts = append(accounts, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("list accounts of user: %w", err)
	}
	for _, account := range accounts {
		if err := t.auditOwnIn(ctx, account, userID, changes); err != nil {
			return err
		}
	}
	return nil
}

// auditOwnIn is auditOwn for what concerns one account alone.
func (t *tx) auditOwnIn(ctx context.Context, accountID string, userID int64, changes map[string]any) error {
	entry, ok := ctx.Value(personalAuditKey{}).(func() sett.AuditEntry)
	if !ok {
		return nil
	}
	e := entry()
	if e.User == (sett.Person{}) { // it was no operator
		person, err := t.person(ctx, userID)
		if err != nil {
			return err
		}
		e.User = person
	}
	e.AccountID, e.Changes = accountID, sett.MaskedFields(changes)
	return t.storeAudit(ctx, &audit{entry: func() sett.AuditEntry { return e }})
}
