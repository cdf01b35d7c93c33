package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// AddedUser is a user who was added to an account.
type AddedUser struct {
	ID    int64
	Known bool // the user existed before
}

// AddAccount creates an account and its owner: the user with the address, or a new one. Its errors are those of AddUser.
func (s *Store) AddAccount(ctx context.Context, now time.Time, name string, owner NewUser) (accountID string, added AddedUser, err error) {
	accountID = sett.NewAccountID(db.RandomOf(ctx))
	auditIn(ctx, accountID)
	owner.AccountID, owner.Role = accountID, accounts.Owner
	err = s.inTx(ctx, "add account", func(t Tx) error {
		if _, err := t.Exec(ctx, insertAccount, accountID, name, owner.Email, db.Micros(now)); err != nil {
			return err
		}
		added, err = t.addUser(ctx, now, owner)
		return err
	})
	return accountID, added, err
}

// AddUser adds the user with an address to an account, and creates the user if there is none; an existing user keeps name and password.
// The error is NotFound if the account is unknown. It is Conflict if the user already belongs to the account, or has not verified their
// address: then another person may have created the user and may be waiting for this.
func (s *Store) AddUser(ctx context.Context, now time.Time, u NewUser) (added AddedUser, err error) {
	err = s.inTx(ctx, "add user", func(t Tx) error {
		if err := t.QueryRowContext(ctx, s.db.Text(lockAccount), u.AccountID).Scan(new(string)); err != nil {
			return db.NotFound(err, "Account", "lock account")
		}
		added, err = t.addUser(ctx, now, u)
		return err
	})
	return added, err
}

const userToAdd = `-- accountdb.userToAdd
SELECT id, proven FROM users WHERE email = $1 {{for update}}`

func (t Tx) addUser(ctx context.Context, now time.Time, u NewUser) (added AddedUser, err error) {
	var proven bool
	err = t.QueryRowContext(ctx, t.s.db.Text(userToAdd), u.Email).Scan(&added.ID, &proven)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		added.ID, err = t.createUser(ctx, now, u)
		return added, err
	case err != nil:
		return added, fmt.Errorf("find user: %w", err)
	case !proven:
		return added, sett.Errorf(sett.Conflict, "the user with the address %s has not verified it yet; "+
			"give them a new password first, with sett user password %[1]s", u.Email)
	}
	added.Known = true
	_, err = t.Exec(ctx, insertMembership, u.AccountID, added.ID, string(u.Role), db.Micros(now))
	if err != nil && t.s.db.Conflict(err) {
		return added, sett.Errorf(sett.Conflict, "the user with the address %s already belongs to the account %s; "+
			"change their role with sett user role %[1]s", u.Email, u.AccountID)
	}
	return added, err
}
