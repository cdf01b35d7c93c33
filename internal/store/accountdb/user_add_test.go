package accountdb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

// newcomer is a user to be added to the desk's account, whose address the operator vouches for.
func (d *desk) newcomer(name string, role accounts.Role) accountdb.NewUser {
	return accountdb.NewUser{AccountID: d.AccountID, Email: name + "@example.test", Name: name, Role: role, Password: "phc", Proven: true}
}

// nameAndPassword returns what is stored of a user.
func (d *desk) nameAndPassword(user int64) (name, password string) {
	d.T.Helper()
	d.Scan(`SELECT name, password FROM users WHERE id = $1`, []any{user}, &name, &password)
	return name, password
}

func TestAddAccount(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		second, olga, err := s.Accounts.AddAccount(t.Context(), storetest.Noon, "Second", accountdb.NewUser{Email: "owner@example.test", Name: "Other", Password: "other"})
		if err != nil || olga != (accountdb.AddedUser{ID: d.UserID, Known: true}) || d.roleOf(second, d.UserID) != accounts.Owner {
			t.Errorf("for a user who exists: %+v, %v, as %q", olga, err, d.roleOf(second, d.UserID))
		}
		if name, password := d.nameAndPassword(d.UserID); name != "Olga" || password != "" {
			t.Errorf("who existed is now %q with the password %q", name, password)
		}
		third, ben, err := s.Accounts.AddAccount(t.Context(), storetest.Noon, "Third", d.newcomer("ben", accounts.Member))
		if err != nil || ben.Known || d.roleOf(third, ben.ID) != accounts.Owner || !d.proven(ben.ID) {
			t.Errorf("for a new user: %+v, %v, as %q", ben, err, d.roleOf(third, ben.ID))
		}
		if stored, err := s.Accounts.AccountByID(t.Context(), third); err != nil || stored.Name != "Third" || stored.Email != "ben@example.test" || !stored.Active {
			t.Errorf("stored %+v, %v", stored, err)
		}
		if role := d.roleOf(d.AccountID, ben.ID); role != "" {
			t.Errorf("ben is %q in an account of others", role)
		}
	})
}

// A failure leaves no account without an owner behind.
func TestAddAccountIsOneTransaction(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.User("guest", accounts.Member) // whose address is not proven
		_, _, err := s.Accounts.AddAccount(t.Context(), storetest.Noon, "Second", accountdb.NewUser{Email: "guest@example.test", Name: "Guest"})
		if accounts := countRows(t, s, "accounts"); sett.CodeOf(err) != sett.Conflict || accounts != 1 {
			t.Errorf("%v, and there are %d accounts", err, accounts)
		}
	})
}

func TestAddUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, _, err := s.Accounts.AddAccount(t.Context(), storetest.Noon, "Second", d.newcomer("sven", accounts.Owner))
		if err != nil {
			t.Fatal(err)
		}
		d.User("guest", accounts.Member)
		in := func(id string, u accountdb.NewUser) accountdb.NewUser {
			u.AccountID = id
			return u
		}
		for _, c := range []struct {
			name  string
			u     accountdb.NewUser
			known bool
			code  sett.Code
			want  string // of the error
		}{
			{"new", d.newcomer("mia", accounts.Billing), false, "", ""},
			{"in another account too", in(other, d.newcomer("mia", accounts.Admin)), true, "", ""},
			{"twice", d.newcomer("mia", accounts.Owner), true, sett.Conflict, "the user with the address mia@example.test already belongs to the account " + d.AccountID +
				"; change their role with sett user role mia@example.test"},
			{"in no account", in("nix", d.newcomer("bo", accounts.Member)), false, sett.NotFound, "Account not found"},
			{"whom another may have made", in(other, d.newcomer("guest", accounts.Member)), false, sett.Conflict, "the user with the address guest@example.test " +
				"has not verified it yet; give them a new password first, with sett user password guest@example.test"},
		} {
			added, err := s.Accounts.AddUser(t.Context(), storetest.Noon, c.u)
			if c.code != "" {
				if sett.CodeOf(err) != c.code || err.Error() != c.want {
					t.Errorf("%s: %v, want %s", c.name, err, c.want)
				}
				continue
			}
			if err != nil || added.Known != c.known || d.roleOf(c.u.AccountID, added.ID) != c.u.Role {
				t.Errorf("%s: %+v, %v, as %q", c.name, added, err, d.roleOf(c.u.AccountID, added.ID))
			}
		}
		for email, want := range map[string]accounts.Role{"mia@example.test": accounts.Billing, "bo@example.test": "", "guest@example.test": accounts.Member} {
			u, _, err := s.Accounts.PasswordByEmail(t.Context(), email)
			if got := d.roleOf(d.AccountID, u.ID); got != want || (err == nil) != (want != "") {
				t.Errorf("%s is %q, %v; want %q", email, got, err, want)
			}
			if got := d.roleOf(other, u.ID); email == "guest@example.test" && got != "" {
				t.Errorf("who was refused is %q", got)
			}
		}
	})
}

// Those who run the server have an owner's rights, and the rules of an owner.
func TestOperatorChangesUsersOfAnAccount(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("mia", accounts.Member)
		change := func(user int64, role accounts.Role) error {
			return s.Accounts.UpdateAccountUser(t.Context(), accounts.Operator, d.AccountID, user, accounts.AccountUserChange{Role: sett.Some(role)})
		}
		remove := func(user int64) error {
			return s.Accounts.RemoveAccountUser(t.Context(), accounts.Operator, d.AccountID, user)
		}
		for _, step := range []struct {
			name string
			err  error
			code sett.Code
		}{
			{"the last owner", change(d.UserID, accounts.Member), sett.Invalid},
			{"remove the last owner", remove(d.UserID), sett.Invalid},
			{"another owner", change(mia, accounts.Owner), ""},
			{"an owner of two", change(d.UserID, accounts.Billing), ""},
			{"remove", remove(d.UserID), ""},
			{"remove twice", remove(d.UserID), sett.NotFound},
			{"an unknown user asks", s.Accounts.RemoveAccountUser(t.Context(), 0, d.AccountID, mia), sett.Forbidden},
		} {
			if sett.CodeOf(step.err) != step.code || (step.err == nil) != (step.code == "") {
				t.Errorf("%s: %v, want %q", step.name, step.err, step.code)
			}
		}
		if tokens := countRows(t, s, "tokens"); tokens != 0 || d.roleOf(d.AccountID, mia) != accounts.Owner {
			t.Errorf("%d tokens are left of who was removed, mia is %q", tokens, d.roleOf(d.AccountID, mia))
		}
	})
}

func TestAssignPassword(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		guest := d.User("guest", accounts.Member)
		for i, user := range []int64{d.UserID, guest} {
			session := signin.Session{UserID: user, How: signin.ByInvitation}
			if err := s.Accounts.CreateSession(t.Context(), storetest.Noon, session, "", []byte{byte(i)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Accounts.CreateToken(t.Context(), storetest.Noon, guest, "cli", []byte("of the guest")); err != nil {
			t.Fatal(err)
		}
		for _, user := range []int64{d.UserID, guest} {
			if err := s.Accounts.AssignPassword(t.Context(), storetest.Noon, user, accountdb.NewPassword{PHC: "new", Device: "somewhere"}); err != nil {
				t.Fatal(err)
			}
			if _, password := d.nameAndPassword(user); password != "new" || !d.proven(user) {
				t.Errorf("user %d: password %q, proven %t", user, password, d.proven(user))
			}
		}
		var tokens, whose int64
		d.Scan(`SELECT count(*), min(user_id) FROM tokens`, nil, &tokens, &whose)
		if sessions := countRows(t, s, "sessions"); tokens != 1 || whose != d.UserID || sessions != 0 {
			t.Errorf("%d sessions are left, and %d tokens, one of user %d; want the setup token of %d alone", sessions, tokens, whose, d.UserID)
		}
		mails := mailsQueued(t, s)
		if len(mails) != 2 || mails[0].To != "owner@example.test" || mails[0].Kind != alerts.PasswordChangedMail || mails[0].Fields["device"] != "somewhere" {
			t.Errorf("mails: %+v", mails)
		}
		if err := s.Accounts.AssignPassword(t.Context(), storetest.Noon, 99999, accountdb.NewPassword{PHC: "new"}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of no user: %v", err)
		}
	})
}
