package sett

import (
	"encoding/json"
	"testing"
)

// Who may give whom which role, or remove them, in an account with two owners: "" is yes.
func TestWhoMayChangeWhom(t *testing.T) {
	t.Parallel()
	const (
		role  = "Your role in this account does not allow this. Ask an admin or owner of it."
		touch = "Only an owner of this account can change or remove an owner. Ask one of them."
		give  = "Only an owner of this account can make another user an owner. Ask one of them."
	)
	const removed = Role("") // in place of a new role
	want := func(asker, user, to Role) string {
		switch {
		case asker == Owner:
			return ""
		case asker != Admin:
			return role
		case user == Owner:
			return touch
		case to == Owner:
			return give
		default:
			return ""
		}
	}
	for _, asker := range append([]Role{""}, Roles...) {
		for _, user := range Roles {
			is := Standing{Asker: asker, User: user, Owners: 2}
			wantRefusal(t, is, "remove", is.Remove(), Forbidden, want(asker, user, removed))
			if asker == user {
				self := Standing{Asker: asker, User: user, Owners: 2, Self: true}
				wantRefusal(t, self, "leave", self.Remove(), "", "")
			}
			for _, to := range Roles {
				wantRefusal(t, is, string("to "+to), is.ChangeRole(to), Forbidden, want(asker, user, to))
				is.Self = true // gives nobody another role
				wantRefusal(t, is, string("oneself to "+to), is.ChangeRole(to), Forbidden, want(asker, user, to))
				is.Self = false
			}
		}
	}
}

func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	const change = "Please correct: role can't be changed, because this is the last owner of the account: make another user an owner first."
	const remove = "This is the last owner of the account. Make another user an owner first."
	last := Standing{Asker: Owner, User: Owner, Owners: 1}
	wantRefusal(t, last, "stays one", last.ChangeRole(Owner), "", "")
	wantRefusal(t, last, "remove", last.Remove(), Invalid, remove)
	leaving := Standing{Asker: Owner, User: Owner, Owners: 1, Self: true}
	wantRefusal(t, leaving, "leave", leaving.Remove(), Invalid, remove)
	for _, to := range []Role{Member, Billing, Admin} {
		wantRefusal(t, last, string("to "+to), last.ChangeRole(to), Invalid, change)
		other := Standing{Asker: Owner, User: to, Owners: 1}
		wantRefusal(t, other, "remove", other.Remove(), "", "")
		wantRefusal(t, other, "to Owner", other.ChangeRole(Owner), "", "")
		wantRefusal(t, other, "to Member", other.ChangeRole(Member), "", "")
	}
	admin := Standing{Asker: Admin, User: Owner, Owners: 1}
	if err := admin.Remove(); CodeOf(err) != Forbidden {
		t.Errorf("an admin who removes the last owner is told %v", err)
	}
}

// wantRefusal wants an error with a code and a sentence, or none when the sentence is "".
func wantRefusal(t *testing.T, is Standing, what string, err error, code Code, sentence string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != sentence || sentence != "" && CodeOf(err) != code {
		t.Errorf("%+v, %s: %q (%s), want %q", is, what, got, CodeOf(err), sentence)
	}
}

func TestAccountUserChange(t *testing.T) {
	t.Parallel()
	const list = "Please correct: role is not included in the list: Member, Billing, Admin, Owner."
	for body, want := range map[string]struct {
		role    Role
		refusal string
	}{
		`{}`:                {role: Billing},
		`{"colour":"red"}`:  {role: Billing},
		`{"role":"Owner"}`:  {role: Owner},
		`{"role":"Member"}`: {role: Member},
		`{"role":"owner"}`:  {refusal: list},
		`{"role":""}`:       {refusal: list},
		`{"role":null}`:     {refusal: list},
		`{"role":"Root"}`:   {refusal: list},
		`{"role":1}`:        {refusal: "Please correct: role must be a string."},
		`{"role":["Ow"]}`:   {refusal: "Please correct: role must be a string."},
	} {
		var c AccountUserChange
		if err := json.Unmarshal([]byte(body), &c); err != nil {
			t.Fatal(err)
		}
		got, err := c.Apply(Billing)
		switch {
		case want.refusal == "" && (err != nil || got != want.role):
			t.Errorf("%s: %q, %v; want %q", body, got, err, want.role)
		case want.refusal != "" && (CodeOf(err) != Invalid || err.Error() != want.refusal):
			t.Errorf("%s: %v, want %s", body, err, want.refusal)
		}
	}
}

func TestWhoLosesARole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from Role
		want string // of the roles, weakest first, those in which somebody is less than before
	}{{Member, ""}, {Billing, ""}, {Admin, "Member Billing "}, {Owner, "Member Billing Admin "}} {
		var lost string
		for _, to := range Roles {
			if (Standing{User: c.from}).Loses(to) {
				lost += string(to) + " "
			}
		}
		if lost != c.want {
			t.Errorf("%s: %s, want %s", c.from, lost, c.want)
		}
	}
}

func TestWhoLosesTeams(t *testing.T) {
	t.Parallel()
	for _, from := range Roles {
		for _, to := range Roles {
			if got := (Standing{User: from}).LosesTeams(to); got != (from != Billing && to == Billing) {
				t.Errorf("from %s to %s: %t", from, to, got)
			}
		}
	}
}
