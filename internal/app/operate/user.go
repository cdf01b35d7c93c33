package operate

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// NewUser is a user to add to an account.
type NewUser struct {
	Account  string // its id
	Email    string
	Name     string // of a new user
	Role     string
	Password string // of a new user; "" for none
}

// AddedUser is who came to an account.
type AddedUser struct {
	UserID    int64         `json:"user_id"`
	Email     string        `json:"email"`
	AccountID string        `json:"account_id"`
	Account   string        `json:"account"`
	Role      accounts.Role `json:"role"`
	NewUser   bool          `json:"new_user"`
	Password  bool          `json:"password"` // whether a new user has one
}

// AddUser adds a user to an account: the user with the address, or a new one. Invalid input is an Invalid error, and nothing
// is created.
func AddUser(ctx context.Context, in Installation, o NewUser) (AddedUser, error) {
	o.Email, o.Name = address(o.Email), strings.TrimSpace(o.Name)
	return administer(ctx, in, func(a *administration) (r AddedUser, err error) {
		role := a.role(o.Role)
		account, err := a.account(ctx, o.Account)
		if err != nil {
			return r, err
		}
		if err := a.checkNewUser(ctx, o); err != nil {
			return r, err
		}
		u := accountdb.NewUser{AccountID: account.ID, Email: o.Email, Name: o.Name, Role: role, Proven: true}
		if o.Password != "" {
			u.Password = auth.HashPassword(o.Password)
		}
		ctx := a.audited(ctx, accounts.OperatorAction{
			Command: "sett user add", Name: "addAccountUser", AccountID: account.ID, Account: account.Name,
			Target:  map[string]string{"account_id": account.ID},
			Changes: map[string]any{"user": map[string]any{"email": o.Email, "role": role}},
		})
		added, err := a.Store.Accounts.AddUser(ctx, a.now, u)
		return AddedUser{added.ID, o.Email, account.ID, account.Name, role, !added.Known, !added.Known && o.Password != ""}, err
	})
}

// checkNewUser returns an Invalid error with all that is wrong, also what was noted before. Who exists already needs no
// name, and keeps their password.
func (a *administration) checkNewUser(ctx context.Context, o NewUser) error {
	sett.CheckEmail(&a.problems, "--email", o.Email)
	_, _, err := a.Accounts.PasswordByEmail(ctx, o.Email)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		sett.CheckName(&a.problems, "--name", o.Name)
		if o.Password != "" {
			signin.CheckNewPassword(&a.problems, "--password", o.Password, o.Email, o.Name)
		}
	case err != nil:
		return err
	case o.Password != "":
		a.problems.Add("--password", "is only for new users, and %s already exists: use sett user password instead", o.Email)
	}
	return a.problems.Err()
}

// role reads a role in upper or lower case; an unknown one is added to the problems.
func (a *administration) role(text string) accounts.Role {
	i := slices.IndexFunc(accounts.Roles, func(r accounts.Role) bool { return strings.EqualFold(string(r), strings.TrimSpace(text)) })
	if i < 0 {
		accounts.CheckRole(&a.problems, "--role", accounts.Role(text))
		return ""
	}
	return accounts.Roles[i]
}

// ListedUser is a user as the command line lists them.
type ListedUser struct {
	ID           int64          `json:"id"`
	Email        string         `json:"email"`
	Name         string         `json:"name"`
	SecondFactor bool           `json:"second_factor"`
	Accounts     []ListedUserIn `json:"accounts"`
}

// ListedUserIn is an account of a user, and what they are in it.
type ListedUserIn struct {
	ID   string        `json:"id"`
	Name string        `json:"name"`
	Role accounts.Role `json:"role"`
}

// ListUsers returns all users, or those of an account, ordered by id.
func ListUsers(ctx context.Context, in Installation, accountID string) ([]ListedUser, error) {
	return administer(ctx, in, func(a *administration) ([]ListedUser, error) {
		if accountID != "" {
			if _, err := a.account(ctx, accountID); err != nil {
				return nil, err
			}
		}
		if err := a.problems.Err(); err != nil {
			return nil, err
		}
		users, err := a.Accounts.AllUsers(ctx, accountID)
		list := []ListedUser{}
		for _, u := range users {
			in := []ListedUserIn{}
			for _, account := range u.Accounts {
				in = append(in, ListedUserIn(account))
			}
			list = append(list, ListedUser{u.ID, u.Email, u.Name, u.SecondFactor, in})
		}
		return list, err
	})
}

// changeMember runs change on a user of an account, and returns the name of the account. A user of another account is a
// NotFound error.
func (a *administration) changeMember(ctx context.Context, email, accountID string, change func(accounts.User, accounts.OperatorAction) error) (string, error) {
	user, err := a.user(ctx, email)
	if err != nil {
		return "", err
	}
	account, err := a.account(ctx, accountID)
	if err != nil {
		return "", err
	}
	if err := a.problems.Err(); err != nil {
		return "", err
	}
	err = change(user, accounts.OperatorAction{
		AccountID: account.ID, Account: account.Name,
		Target: map[string]string{"account_id": account.ID, "user_id": strconv.FormatInt(user.ID, 10)},
	})
	if sett.CodeOf(err) == sett.NotFound {
		err = sett.Errorf(sett.NotFound, "%s is not a user of the account %s; sett user list --account %s shows its users", user.Email, account.Name, account.ID)
	}
	return account.Name, err
}

// ChangeRole gives a user of an account another role, by the rules of the interface, and returns the role and what the
// account is called.
func ChangeRole(ctx context.Context, in Installation, email, accountID, to string) (role accounts.Role, account string, err error) {
	account, err = administer(ctx, in, func(a *administration) (string, error) {
		role = a.role(to)
		return a.changeMember(ctx, email, accountID, func(u accounts.User, action accounts.OperatorAction) error {
			action.Command, action.Name = "sett user role", "updateAccountUser"
			action.Changes = map[string]any{"user": map[string]any{"role": role}}
			return a.Accounts.UpdateAccountUser(a.audited(ctx, action), accounts.Operator, accountID, u.ID, accounts.AccountUserChange{Role: sett.Some(role)})
		})
	})
	return role, account, err
}

// RemoveUser takes a user out of an account, by the rules of the interface, and returns what the account is called.
func RemoveUser(ctx context.Context, in Installation, email, accountID string) (account string, err error) {
	return administer(ctx, in, func(a *administration) (string, error) {
		return a.changeMember(ctx, email, accountID, func(u accounts.User, action accounts.OperatorAction) error {
			action.Command, action.Name = "sett user remove", "removeAccountUser"
			return a.Accounts.RemoveAccountUser(a.audited(ctx, action), accounts.Operator, accountID, u.ID)
		})
	})
}

// SetOperator says whether a user sees the pages about the server itself.
func SetOperator(ctx context.Context, in Installation, email string, is bool) (accounts.User, error) {
	return administer(ctx, in, func(a *administration) (u accounts.User, err error) {
		if u, err = a.user(ctx, email); err != nil {
			return u, err
		}
		if err := a.problems.Err(); err != nil {
			return u, err
		}
		return u, a.Store.Accounts.SetOperator(a.auditedOwn(ctx, "sett user operator", "setOperator", u), u.ID, is)
	})
}
