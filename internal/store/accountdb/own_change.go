package accountdb

import (
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

// ChangeOwn runs a self-service change that a user makes in a browser: of their password, tokens, passkeys. The session cannot end before
// the transaction does. If it has ended already, the error is Unauthenticated, so that an intruder cannot create new access just after
// all sessions were closed. An operator (sett.ByOperator) needs no session.
func (s *Store) ChangeOwn(ctx context.Context, what string, by signin.Session, change func(Tx) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		if err := t.holdSession(ctx, by); err != nil {
			return err
		}
		return change(t)
	})
}

const LockUser = `-- accountdb.lockUser
SELECT id FROM users WHERE id = $1 {{for update}}`

const sessionStands = `-- accountdb.sessionStands
SELECT id FROM sessions WHERE user_id = $1 AND id = $2 {{for key share}}`

// holdSession locks the user of a session before it reads the session, as all transactions do that end sessions because of a password.
func (t Tx) holdSession(ctx context.Context, by signin.Session) error {
	err := t.QueryRowContext(ctx, t.s.db.Text(LockUser), by.UserID).Scan(new(int64))
	if err == nil && by.ID != accounts.Operator {
		err = t.QueryRowContext(ctx, t.s.db.Text(sessionStands), by.UserID, by.ID).Scan(new(int64))
	}
	if errors.Is(err, sql.ErrNoRows) {
		return signin.SignedOut()
	}
	return err
}

// notify queues the mail that notifies a user of a change. A user without an address gets none.
func (t Tx) notify(ctx context.Context, now time.Time, by signin.Session, event alerts.SecurityEvent, name string) error {
	person, err := t.Person(ctx, by.UserID)
	if err != nil || person.Email == "" {
		return err
	}
	return t.outbox().QueueMail(ctx, now, by.Notice(person.Email, event, name))
}

const personByID = `-- accountdb.personByID
SELECT id, email, name FROM users WHERE id = $1`

func (t Tx) Person(ctx context.Context, userID int64) (p sett.Person, err error) {
	err = t.QueryRowContext(ctx, t.s.db.Text(personByID), userID).Scan(&p.ID, &p.Email, &p.Name)
	return p, db.NotFound(err, "User", "read person")
}

type personalAuditKey struct{}

// WithPersonalAudit returns a context under which each self-service change is recorded in the audit log of every account that the user is
// in. The store adds the account, the user and the changes to the entry.
func WithPersonalAudit(ctx context.Context, entry func() accounts.AuditEntry) context.Context {
	return context.WithValue(ctx, personalAuditKey{}, entry)
}

const accountIDsOf = `-- accountdb.accountIDsOf
SELECT account_id FROM memberships WHERE user_id = $1 ORDER BY account_id`

// auditOwn records a user's change in every account that they are in.
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

// AuditOwnIn is auditOwn for a change that concerns only one account.
func (t Tx) AuditOwnIn(ctx context.Context, accountID string, userID int64, changes map[string]any) error {
	entry, ok := ctx.Value(personalAuditKey{}).(func() accounts.AuditEntry)
	if !ok {
		return nil
	}
	e := entry()
	if e.User == (sett.Person{}) { // it was not an operator
		person, err := t.Person(ctx, userID)
		if err != nil {
			return err
		}
		e.User = person
	}
	e.AccountID, e.Changes = accountID, sett.MaskedFields(changes)
	return t.storeAudit(ctx, &audit{entry: func() accounts.AuditEntry { return e }})
}
