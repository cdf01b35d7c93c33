package accountdb_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// join makes a user of another account belong to this one as well.
func (d *desk) join(account string, user int64, role accounts.Role) {
	d.T.Helper()
	d.Run(`INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, $3, 0)`, account, user, string(role))
}

// roleOf is the role of a user in an account, or "".
func (d *desk) roleOf(account string, user int64) accounts.Role {
	d.T.Helper()
	scope, err := d.Accounts.AccountScope(d.T.Context(), user, account)
	if err != nil {
		d.T.Fatal(err)
	}
	return scope.Role
}

func TestListAccountUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		person := func(id int64, name string, role accounts.Role) accounts.AccountUser {
			return accounts.AccountUser{Person: sett.Person{ID: id, Email: name + "@example.test", Name: name}, Role: role}
		}
		olga := person(d.UserID, "owner", accounts.Owner)
		olga.Name = "Olga"
		mia, bill := person(d.User("mia", accounts.Member), "mia", accounts.Member), person(d.User("bill", accounts.Billing), "bill", accounts.Billing)
		d.join(other, mia.ID, accounts.Admin)

		mark := func(u accounts.AccountUser) string { return fmt.Sprint(u.ID) }
		for _, c := range []struct {
			name  string
			named string
			page  sett.Page
			want  []accounts.AccountUser
			marks sett.Marks
		}{
			{"all", "", sett.Page{Size: 3}, []accounts.AccountUser{olga, mia, bill}, sett.Marks{}},
			{"first page", "", sett.Page{Size: 2}, []accounts.AccountUser{olga, mia}, sett.Marks{Next: mark(mia)}},
			{"by number", "", sett.Page{Size: 1, Offset: 1}, []accounts.AccountUser{mia}, sett.Marks{Prev: mark(olga), Next: mark(mia)}},
			{"by mark", "", sett.Page{Size: 2, Mark: mark(olga)}, []accounts.AccountUser{mia, bill}, sett.Marks{Prev: mark(olga)}},
			{"named", "M", sett.Page{Size: 3}, []accounts.AccountUser{olga, mia, bill}, sett.Marks{}},
			{"named in part", "MIA", sett.Page{Size: 1}, []accounts.AccountUser{mia}, sett.Marks{}},
			{"by email", "owner@", sett.Page{Size: 3}, []accounts.AccountUser{olga}, sett.Marks{}},
			{"named, second page", "example", sett.Page{Size: 1, Offset: 1}, []accounts.AccountUser{mia}, sett.Marks{Prev: mark(olga), Next: mark(mia)}},
			{"no wildcard", "%", sett.Page{Size: 3}, nil, sett.Marks{}},
			{"back", "", sett.Page{Size: 1, Mark: mark(mia), Back: true}, []accounts.AccountUser{mia}, sett.Marks{Prev: mark(olga), Next: mark(mia)}},
		} {
			got, marks, err := s.Accounts.ListAccountUsers(t.Context(), d.AccountID, accountdb.AccountUserFilter{Named: c.named, Page: c.page})
			if diff := cmp.Diff(c.want, got); diff != "" || marks != c.marks || err != nil {
				t.Errorf("%s: marks %+v, want %+v, %v; users (-want +got):\n%s", c.name, marks, c.marks, err, diff)
			}
		}
		if _, _, err := s.Accounts.ListAccountUsers(t.Context(), d.AccountID, accountdb.AccountUserFilter{Page: sett.Page{Size: 1, Mark: "x"}}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
		if got, err := s.Accounts.AccountUserByID(t.Context(), other, mia.ID); err != nil || got.Role != accounts.Admin {
			t.Errorf("mia in the other account: %+v, %v", got, err)
		}
		for name, err := range map[string]error{
			"show":   func() error { _, err := s.Accounts.AccountUserByID(t.Context(), d.AccountID, stranger); return err }(),
			"change": s.Accounts.UpdateAccountUser(t.Context(), d.UserID, d.AccountID, stranger, accounts.AccountUserChange{Role: sett.Some(accounts.Member)}),
			"remove": s.Accounts.RemoveAccountUser(t.Context(), d.UserID, d.AccountID, stranger),
		} {
			if sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%s the user of another account: %v", name, err)
			}
		}
		if role := d.roleOf(other, stranger); role != accounts.Owner {
			t.Errorf("the stranger is now %q at home", role)
		}
	})
}

func TestUpdateAccountUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, _ := d.Stranger()
		admin, member := d.User("ada", accounts.Admin), d.User("mia", accounts.Member)
		d.join(other, member, accounts.Billing)
		for _, c := range []struct {
			name        string
			asker, user int64
			to          accounts.Role
			code        sett.Code
		}{
			{"by an admin", admin, member, accounts.Billing, ""},
			{"an admin of themselves", admin, admin, accounts.Owner, sett.Forbidden},
			{"an owner by an admin", admin, d.UserID, accounts.Member, sett.Forbidden},
			{"by a member", member, admin, accounts.Member, sett.Forbidden},
			{"by no user", 99999, member, accounts.Member, sett.Forbidden},
			{"of no user", admin, 99999, accounts.Member, sett.NotFound},
			{"to nothing", admin, member, "Root", sett.Invalid},
			{"the last owner", d.UserID, d.UserID, accounts.Admin, sett.Invalid},
			{"a second owner", d.UserID, member, accounts.Owner, ""},
			{"the first of two owners", member, d.UserID, accounts.Admin, ""},
			{"an owner who is none any more", d.UserID, member, accounts.Member, sett.Forbidden},
		} {
			before := d.roleOf(d.AccountID, c.user)
			err := s.Accounts.UpdateAccountUser(t.Context(), c.asker, d.AccountID, c.user, accounts.AccountUserChange{Role: sett.Some(c.to)})
			want := c.to
			if c.code != "" {
				want = before
			}
			if got := d.roleOf(d.AccountID, c.user); sett.CodeOf(err) != c.code || (err == nil) != (c.code == "") || got != want {
				t.Errorf("%s: now %q, %v; want %q, %q", c.name, got, err, want, c.code)
			}
		}
		if got := d.roleOf(other, member); got != accounts.Billing {
			t.Errorf("in the other account, the member became %q", got)
		}
	})
}

func TestLeavingAnAccount(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, role := range []accounts.Role{accounts.Member, accounts.Billing, accounts.Admin, accounts.Owner} {
			user := d.User(string(role), role)
			if err := s.Accounts.RemoveAccountUser(t.Context(), user, d.AccountID, user); err != nil || d.roleOf(d.AccountID, user) != "" {
				t.Errorf("%s goes: %v", role, err)
			}
		}
		mia := d.User("mia", accounts.Member)
		for user, code := range map[int64]sett.Code{d.UserID: sett.Invalid, mia: ""} {
			if err := s.Accounts.RemoveAccountUser(t.Context(), user, d.AccountID, user); sett.CodeOf(err) != code {
				t.Errorf("user %d: %v, want %q", user, err, code)
			}
		}
		if err := s.Accounts.RemoveAccountUser(t.Context(), mia, d.AccountID, mia); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("once more: %v", err)
		}
	})
}

// Two owners who make one another members, or remove one another, at the same moment: one of them stays.
func TestTwoOwnersLeaveAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		demote := func(asker, user int64) error {
			return s.Accounts.UpdateAccountUser(t.Context(), asker, d.AccountID, user, accounts.AccountUserChange{Role: sett.Some(accounts.Member)})
		}
		remove := func(asker, user int64) error {
			return s.Accounts.RemoveAccountUser(t.Context(), asker, d.AccountID, user)
		}
		for round := range 10 {
			first, second := d.User(fmt.Sprint("a", round), accounts.Owner), d.User(fmt.Sprint("b", round), accounts.Owner)
			d.Run(`UPDATE memberships SET role = 'Member' WHERE user_id NOT IN ($1, $2)`, first, second)
			changes := []func() error{
				func() error { return demote(first, first) }, func() error { return demote(second, second) },
				func() error { return remove(first, second) }, func() error { return remove(second, first) },
			}
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for _, change := range changes {
				wg.Go(func() {
					<-begin
					if err := change(); err != nil && sett.CodeOf(err) == "" {
						t.Errorf("a change failed: %v", err)
					}
				})
			}
			close(begin)
			wg.Wait()
			if n := d.Numbers(`SELECT count(*) FROM memberships WHERE role = 'Owner'`, 1)[0]; n != 1 {
				t.Fatalf("round %d left %d owners", round, n)
			}
		}
	})
}

func TestRemoveAccountUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		mia := d.User("mia", accounts.Admin)
		d.join(other, mia, accounts.Admin)
		for _, token := range []struct {
			user int64
			hash string
		}{{mia, "hers"}, {d.UserID, "owner's"}} {
			if err := s.Accounts.CreateToken(t.Context(), storetest.Noon, token.user, "cli", []byte(token.hash)); err != nil {
				t.Fatal(err)
			}
		}
		d.Team(d.ProjectID, mia, d.UserID)
		here, there := d.hold(d.AccountID, mia), d.hold(other, mia)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("F"))
		d.Update("E", faults.FaultChange{AssigneeID: sett.Some(mia)})
		d.Update("F", faults.FaultChange{AssigneeID: sett.Some(d.UserID)})

		remove := func(asker int64, account string) {
			t.Helper()
			if err := s.Accounts.RemoveAccountUser(t.Context(), asker, account, mia); err != nil {
				t.Fatal(err)
			}
		}
		traces := `SELECT (SELECT count(*) FROM memberships WHERE user_id = $1), (SELECT count(*) FROM team_members WHERE user_id = $1),
			(SELECT count(*) FROM teams WHERE owner_id = $1), (SELECT count(*) FROM projects WHERE owner_id = $1),
			(SELECT count(*) FROM faults WHERE assignee_id = $1), (SELECT count(*) FROM tokens WHERE user_id = $1)`
		d.WantNumbers("before", traces, []any{mia}, 2, 3, 2, 2, 1, 1)
		remove(d.UserID, d.AccountID)
		d.WantNumbers("out of one account", traces, []any{mia}, 1, 1, 1, 1, 0, 1)
		d.WantNumbers("of the owner", traces, []any{d.UserID}, 1, 1, 0, 1, 1, 2) // with the token of the setup
		if scope, err := s.Accounts.ProjectScope(t.Context(), mia, here); err != nil || scope != (accounts.Scope{}) {
			t.Errorf("in a project that was hers she is %+v, %v", scope, err)
		}
		if scope, err := s.Accounts.ProjectScope(t.Context(), mia, there); err != nil || !scope.May(accounts.ManageProject) {
			t.Errorf("in her project of the other account she is %+v, %v", scope, err)
		}
		remove(stranger, other)
		d.WantNumbers("out of the last account", traces, []any{mia}, 0, 0, 0, 0, 0, 0)
		if n := d.Numbers(`SELECT count(*) FROM users WHERE email = 'mia@example.test'`, 1)[0]; n != 1 {
			t.Error("the user cannot sign in any more")
		}
	})
}

// hold makes a project and a team of an account that a user owns.
func (d *desk) hold(account string, user int64) (project int64) {
	d.T.Helper()
	p, err := d.Accounts.CreateProject(d.T.Context(), storetest.Noon, user, account, accounts.ProjectChange{Name: sett.Some("Held")})
	if err != nil {
		d.T.Fatal(err)
	}
	if _, err := d.Accounts.StartTeam(d.T.Context(), storetest.Noon, user, account, accounts.TeamChange{Name: sett.Some("Held")}); err != nil {
		d.T.Fatal(err)
	}
	return p.ID
}

// A user who is added to a team while they are removed from the account is not a member afterwards. On SQLite one
// would wait for the other in any case.
func TestJoiningATeamWhileLeavingTheAccount(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	d := newDesk(t, s)
	user := d.User("mia", accounts.Member)
	joined := make(chan error, 1)
	err := s.Accounts.InOwnTx(t.Context(), "leave", func(leaving accountdb.Tx) error {
		if err := leaving.Leave(t.Context(), d.AccountID, user); err != nil {
			return err
		}
		go func() {
			_, err := s.Accounts.CreateTeam(t.Context(), storetest.Noon, d.AccountID, "Crew", nil, map[int64]bool{user: true})
			joined <- err
		}()
		for waiting := int64(0); waiting == 0 && len(joined) == 0; { // until it has come as far as it comes
			waiting = d.Numbers(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, 1)[0]
		}
		return nil
	})
	if err := errors.Join(err, <-joined); err != nil {
		t.Fatal(err)
	}
	if n := d.Numbers(`SELECT count(*) FROM team_members`, 1)[0]; n != 0 {
		t.Errorf("%d members of the team, who are in no account", n)
	}
}

// A user who is removed from both of their accounts at once has no account left, and so no token.
func TestLeavingTheLastTwoAccountsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		for round := range 10 {
			user := d.User(fmt.Sprint("u", round), accounts.Member)
			d.join(other, user, accounts.Member)
			if err := s.Accounts.CreateToken(t.Context(), storetest.Noon, user, "cli", fmt.Append(nil, "token ", round)); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for account, owner := range map[string]int64{d.AccountID: d.UserID, other: stranger} {
				wg.Go(func() {
					<-begin
					if err := s.Accounts.RemoveAccountUser(t.Context(), owner, account, user); err != nil {
						t.Error(err)
					}
				})
			}
			close(begin)
			wg.Wait()
			d.WantNumbers("tokens", `SELECT count(*) FROM tokens WHERE user_id = $1`, []any{user}, 0)
		}
	})
}
