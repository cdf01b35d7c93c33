package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// ChangeOwn runs a change that people make, in a browser, of what is their own: their password, tokens, passkeys. Nothing
// ends the session before the transaction does. One that has ended already is an Unauthenticated error, so that nobody
// makes a way in for themselves just after all of theirs were closed. An operator (sett.ByOperator) needs no session.
func (s *Store) ChangeOwn(ctx context.Context, what string, by sett.Session, change func(Tx) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		if err := t.holdSession(ctx, by); err != nil {
			return err
		}
		return change(t)
	})
}

const LockUser = `-- store.lockUser
SELECT id FROM users WHERE id = $1 {{for update}}`

const sessionStands = `-- store.sessionStands
SELECT id FROM sessions WHERE user_id = $1 AND id = $2 {{for key share}}`

// holdSession locks the user of a session before it looks for it, as all do that end sessions because of a password.
func (t Tx) holdSession(ctx context.Context, by sett.Session) error {
	err := t.QueryRowContext(ctx, t.s.db.Text(LockUser), by.UserID).Scan(new(int64))
	if err == nil && by.ID != sett.Operator {
		err = t.QueryRowContext(ctx, t.s.db.Text(sessionStands), by.UserID, by.ID).Scan(new(int64))
	}
	if errors.Is(err, sql.ErrNoRows) {
		return sett.SignedOut()
	}
	return err
}

// tell queues the mail that tells a person of a change. Who has no address is told nothing.
func (t Tx) tell(ctx context.Context, now time.Time, by sett.Session, event sett.SecurityEvent, name string) error {
	person, err := t.Person(ctx, by.UserID)
	if err != nil || person.Email == "" {
		return err
	}
	return t.outbox().QueueMail(ctx, now, by.Notice(person.Email, event, name))
}

const personByID = `-- store.personByID
SELECT id, email, name FROM users WHERE id = $1`

func (t Tx) Person(ctx context.Context, userID int64) (p sett.Person, err error) {
	err = t.QueryRowContext(ctx, t.s.db.Text(personByID), userID).Scan(&p.ID, &p.Email, &p.Name)
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
func (t Tx) auditOwn(ctx context.Context, userID int64, changes map[string]any) error {
	var accounts []string
	rows, err := t.QueryContext(ctx, t.s.db.Text(accountIDsOf), userID)
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
		if err := t.AuditOwnIn(ctx, account, userID, changes); err != nil {
			return err
		}
	}
	return nil
}

// AuditOwnIn is auditOwn for what concerns one account alone.
func (t Tx) AuditOwnIn(ctx context.Context, accountID string, userID int64, changes map[string]any) error {
	entry, ok := ctx.Value(personalAuditKey{}).(func() sett.AuditEntry)
	if !ok {
		return nil
	}
	e := entry()
	if e.User == (sett.Person{}) { // it was no operator
		person, err := t.Person(ctx, userID)
		if err != nil {
			return err
		}
		e.User = person
	}
	e.AccountID, e.Changes = accountID, sett.MaskedFields(changes)
	return t.storeAudit(ctx, &audit{entry: func() sett.AuditEntry { return e }})
}
