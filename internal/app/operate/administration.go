package operate

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
)

// administration is one command that reads or changes accounts and people. It notes all that is wrong before it says so.
type administration struct {
	*store.Store
	now      time.Time
	problems sett.Problems
}

// administer lets do work on the database of in, beside a live server or without one. Where nothing was set up yet, the
// error says how to do that, and nothing is made.
func administer[T any](ctx context.Context, in Installation, do func(*administration) (T, error)) (result T, err error) {
	s, err := store.Open(ctx, in.existing())
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return result, nothingYet(in)
	case err != nil:
		return result, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch has, err := s.Accounts.HasUsers(ctx); { // before the schema is made or changed
	case err != nil:
		return result, err
	case !has:
		return result, nothingYet(in)
	}
	if _, _, err := s.Migrate(ctx); err != nil {
		return result, err
	}
	if _, err := s.Unlock(ctx); err != nil {
		return result, err
	}
	return do(&administration{Store: s, now: time.Now()})
}

func nothingYet(in Installation) error {
	return sett.Errorf(sett.NotFound, "this database has no account yet; create the first one with %s", SetupCommand(in.Options))
}

// user returns the user with an email address in any case; an unknown one is added to the problems.
func (a *administration) user(ctx context.Context, email string) (accounts.User, error) {
	u, _, err := a.Accounts.PasswordByEmail(ctx, address(email))
	if sett.CodeOf(err) == sett.NotFound {
		a.problems.Add(strconv.Quote(address(email)), "is not the email address of a user: sett user list shows all users")
		return u, nil
	}
	return u, err
}

// account returns an account; an unknown id is added to the problems.
func (a *administration) account(ctx context.Context, id string) (accounts.Account, error) {
	if strings.TrimSpace(id) == "" {
		a.problems.Add("--account", "can't be blank: sett account list shows all ids")
		return accounts.Account{}, nil
	}
	account, err := a.Accounts.AccountByID(ctx, strings.ToValidUTF8(id, "\uFFFD"))
	if sett.CodeOf(err) == sett.NotFound {
		a.problems.Add("--account", "%q is not the id of an account: sett account list shows all accounts", id)
		return account, nil
	}
	return account, err
}

// audited returns a context under which the change leaves an entry in the audit log of its account.
func (a *administration) audited(ctx context.Context, action accounts.OperatorAction) context.Context {
	return accountdb.WithAudit(ctx, func() accounts.AuditEntry { return action.Entry(a.now) })
}

// auditedOwn returns a context under which a change of what is a user's own leaves an entry in all of their accounts.
func (a *administration) auditedOwn(ctx context.Context, command, name string, user accounts.User) context.Context {
	action := accounts.OperatorAction{Command: command, Name: name, Target: map[string]string{"user_id": strconv.FormatInt(user.ID, 10)}}
	return accountdb.WithPersonalAudit(ctx, func() accounts.AuditEntry { return action.Entry(a.now) })
}

// address returns an address of mail as it is stored.
func address(text string) string { return strings.ToLower(strings.TrimSpace(text)) }
