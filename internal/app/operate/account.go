package operate

import (
	"context"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

// NewAccount is an account to be made.
type NewAccount struct {
	Name      string
	Owner     string // address of a user, or of one to be made
	OwnerName string // of a new user; "" for what stands before the @ of the address
}

// trimmed returns the account as it is stored, and notes what is wrong with it.
func (o NewAccount) trimmed(p *sett.Problems) NewAccount {
	o.Name, o.Owner, o.OwnerName = strings.TrimSpace(o.Name), address(o.Owner), strings.TrimSpace(o.OwnerName)
	sett.CheckName(p, "--name", o.Name)
	sett.CheckEmail(p, "--owner", o.Owner)
	if o.OwnerName == "" {
		o.OwnerName, _, _ = strings.Cut(o.Owner, "@")
	} else {
		sett.CheckName(p, "--owner-name", o.OwnerName)
	}
	return o
}

// AddedAccount is an account that was made, and who owns it.
type AddedAccount struct {
	AccountID string `json:"account_id"`
	UserID    int64  `json:"user_id"`
	Email     string `json:"email"`
	NewUser   bool   `json:"new_user"` // a user without a password yet
}

// AddAccount creates an account, and its owner if no user has the address. Invalid input is an Invalid error, and nothing is
// created.
func AddAccount(ctx context.Context, in Installation, o NewAccount) (AddedAccount, error) {
	return administer(ctx, in, func(a *administration) (r AddedAccount, err error) {
		o = o.trimmed(&a.problems)
		if err := a.problems.Err(); err != nil {
			return r, err
		}
		ctx := a.audited(ctx, accounts.OperatorAction{
			Command: "sett account add", Name: "createAccount", Account: o.Name,
			Changes: map[string]any{"account": map[string]any{"name": o.Name, "owner": o.Owner}},
		})
		id, added, err := a.Store.Accounts.AddAccount(ctx, a.now, o.Name, accountdb.NewUser{Email: o.Owner, Name: o.OwnerName, Proven: true})
		return AddedAccount{id, added.ID, o.Owner, !added.Known}, err
	})
}

// ListedAccount is an account as the command line lists it.
type ListedAccount struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Owners    []string  `json:"owners"` // their addresses
	Users     int64     `json:"users"`
	Projects  int64     `json:"projects"`
	CreatedAt time.Time `json:"created_at"`
}

// ListAccounts returns every account, the oldest first.
func ListAccounts(ctx context.Context, in Installation) ([]ListedAccount, error) {
	return administer(ctx, in, func(a *administration) ([]ListedAccount, error) {
		accounts, err := a.Accounts.AllAccounts(ctx)
		list := []ListedAccount{}
		for _, s := range accounts {
			list = append(list, ListedAccount{s.ID, s.Name, append([]string{}, s.Owners...), s.Users, s.Projects, s.CreatedAt})
		}
		return list, err
	})
}
