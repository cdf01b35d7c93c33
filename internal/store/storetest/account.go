package storetest

import (
	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// WantNumbers compares the one row of a query.
func (d *Desk) WantNumbers(what, query string, args []any, want ...int64) {
	d.T.Helper()
	got := make([]int64, len(want))
	into := make([]any, len(want))
	for i := range got {
		into[i] = &got[i]
	}
	d.Scan(query, args, into...)
	if diff := cmp.Diff(want, got); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// ToAccount is the body that invites an address to an account.
func ToAccount(email string, role accounts.Role, teams ...int64) accounts.InvitationChange {
	c := accounts.CreateAccountInvitation{Email: sett.Some(email)}
	c.Role, c.TeamIDs = sett.Some(role), sett.Some(teams)
	return c
}

// Invite makes an invitation by the desk's owner.
func (d *Desk) Invite(team int64, change accounts.InvitationChange) accounts.Invitation {
	d.T.Helper()
	i, err := d.Accounts.CreateInvitation(d.T.Context(), Noon, d.Inviting(team), d.UserID, change)
	if err != nil {
		d.T.Fatal(err)
	}
	return i
}

// Inviting is a team, or the desk's account for 0.
func (d *Desk) Inviting(team int64) accountdb.Inviting {
	if team != 0 {
		return accountdb.Inviting{TeamID: team}
	}
	return accountdb.Inviting{AccountID: d.AccountID}
}

// Run executes a statement that the store has no method for yet.
func (d *Desk) Run(statement string, args ...any) {
	d.T.Helper()
	err := d.InTx(d.T.Context(), "change by hand", func(t *db.Tx) error {
		_, err := t.ExecContext(d.T.Context(), statement, args...)
		return err
	})
	if err != nil {
		d.T.Fatal(err)
	}
}

// User makes another user of the account.
func (d *Desk) User(name string, role accounts.Role) int64 {
	d.T.Helper()
	id, err := d.Accounts.CreateUser(d.T.Context(), Noon, accountdb.NewUser{AccountID: d.AccountID, Email: name + "@example.test", Name: name, Role: role})
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

// Team makes a team of the desk's account with one project and members.
func (d *Desk) Team(project int64, members ...int64) (id int64) {
	d.T.Helper()
	admin := map[int64]bool{}
	for _, m := range members {
		admin[m] = false
	}
	id, err := d.Accounts.CreateTeam(d.T.Context(), Noon, d.AccountID, "Crew", []int64{project}, admin)
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

// Project makes another project of the desk's account.
func (d *Desk) Project(name string) accounts.Project {
	d.T.Helper()
	p, err := d.Accounts.CreateProject(d.T.Context(), Noon, d.UserID, d.AccountID, accounts.ProjectChange{Name: sett.Some(name)})
	if err != nil {
		d.T.Fatal(err)
	}
	return p
}

// Stranger makes the owner of another account.
func (d *Desk) Stranger() (accountID string, userID int64) {
	d.T.Helper()
	accountID, userID, err := d.Accounts.CreateAccount(d.T.Context(), Noon, "Others", accountdb.NewUser{Email: "stranger@example.test", Name: "Sven"})
	if err != nil {
		d.T.Fatal(err)
	}
	return accountID, userID
}

// Scan reads the one row of a query.
func (d *Desk) Scan(query string, args []any, into ...any) {
	d.T.Helper()
	if err := d.Read.QueryRowContext(d.T.Context(), query, args...).Scan(into...); err != nil {
		d.T.Fatal(err)
	}
}
