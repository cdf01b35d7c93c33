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

// AddedUser is who came to an account.
type AddedUser struct {
	ID    int64
	Known bool // they were a user before
}

// AddAccount makes an account and its owner: the user with the address, or a new one. Its errors are those of AddUser.
func (s *Store) AddAccount(ctx context.Context, now time.Time, name string, owner NewUser) (accountID string, added AddedUser, err error) {
	accountID = sett.NewAccountID(db.RandomOf(ctx))
	auditIn(ctx, accountID)
	owner.AccountID, owner.Role = accountID, sett.Owner
	err = s.inTx(ctx, "add account", func(t Tx) error {
		if _, err := t.Exec(ctx, insertAccount, accountID, name, owner.Email, db.Micros(now)); err != nil {
			return err
		}
		added, err = t.addUser(ctx, now, owner)
		return err
	})
	return accountID, added, err
}

// AddUser makes the user with an address belong to an account, a new one where nobody has it: who exists keeps name and
// password. An account that is unknown is a NotFound error. It is a Conflict when the user belongs to the account already,
// or has not shown yet that the address is theirs: then another person may have made the user, and waits.
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

const userToAdd = `-- store.userToAdd
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
		return added, sett.Errorf(sett.Conflict, "the user with the address %s has not shown yet that it is theirs; "+
			"give them a new password first, with sett user password %[1]s", u.Email)
	}
	added.Known = true
	_, err = t.Exec(ctx, insertMembership, u.AccountID, added.ID, string(u.Role), db.Micros(now))
	if err != nil && t.s.db.Conflict(err) {
		return added, sett.Errorf(sett.Conflict, "the user with the address %s belongs to the account %s already; "+
			"change their role with sett user role %[1]s", u.Email, u.AccountID)
	}
	return added, err
}
