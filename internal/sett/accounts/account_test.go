package accounts

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestNewAccountUsageHasTheDaysThatHaveBegun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now         string
		first, last string
		days        int
	}{
		{"2026-11-01T00:00:00Z", "2026-11-01", "2026-11-01", 1},
		{"2026-11-18T12:30:00Z", "2026-11-01", "2026-11-18", 18},
		{"2026-11-30T23:59:59Z", "2026-11-01", "2026-11-30", 30},
		{"2028-02-29T00:00:01Z", "2028-02-01", "2028-02-29", 29},
		{"2026-11-01T00:30:00+02:00", "2026-10-01", "2026-10-31", 31}, // still October in UTC
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		u := NewAccountUsage(now)
		if len(u) != c.days {
			t.Errorf("at %s: %d days, want %d", c.now, len(u), c.days)
			continue
		}
		first, last := u[0].Day.Format(time.DateOnly), u[len(u)-1].Day.Format(time.DateOnly)
		if first != c.first || last != c.last {
			t.Errorf("at %s: %s to %s, want %s to %s", c.now, first, last, c.first, c.last)
		}
	}
}

func TestAccountUsageSet(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	u := NewAccountUsage(day(11, 2))
	u.Set(UsageDay{Day: day(11, 2), Stored: 5})
	u.Set(UsageDay{Day: day(10, 1), Stored: 7})
	u.Set(UsageDay{Day: day(11, 3), Stored: 9})
	want := AccountUsage{{Day: day(11, 1)}, {Day: day(11, 2), Stored: 5}}
	if diff := cmp.Diff(want, u); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestQuotaConsumed(t *testing.T) {
	t.Parallel()
	u := AccountUsage{{Stored: 500, Limited: 1000}, {Stored: 250, Ignored: 1000, Invalid: 1000}}
	for quota, want := range map[int64]float64{0: 0, 1000: 0.75, 750: 1, 500: 1.5} {
		if got := u.QuotaConsumed(Limits{MonthlyQuota: quota}); got != want {
			t.Errorf("of %d: %v, want %v", quota, got, want)
		}
	}
}

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
			wantRefusal(t, is, "remove", is.Remove(), sett.Forbidden, want(asker, user, removed))
			if asker == user {
				self := Standing{Asker: asker, User: user, Owners: 2, Self: true}
				wantRefusal(t, self, "leave", self.Remove(), "", "")
			}
			for _, to := range Roles {
				wantRefusal(t, is, string("to "+to), is.ChangeRole(to), sett.Forbidden, want(asker, user, to))
				is.Self = true // changes no role
				wantRefusal(t, is, string("oneself to "+to), is.ChangeRole(to), sett.Forbidden, want(asker, user, to))
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
	wantRefusal(t, last, "remove", last.Remove(), sett.Invalid, remove)
	leaving := Standing{Asker: Owner, User: Owner, Owners: 1, Self: true}
	wantRefusal(t, leaving, "leave", leaving.Remove(), sett.Invalid, remove)
	for _, to := range []Role{Member, Billing, Admin} {
		wantRefusal(t, last, string("to "+to), last.ChangeRole(to), sett.Invalid, change)
		other := Standing{Asker: Owner, User: to, Owners: 1}
		wantRefusal(t, other, "remove", other.Remove(), "", "")
		wantRefusal(t, other, "to Owner", other.ChangeRole(Owner), "", "")
		wantRefusal(t, other, "to Member", other.ChangeRole(Member), "", "")
	}
	admin := Standing{Asker: Admin, User: Owner, Owners: 1}
	if err := admin.Remove(); sett.CodeOf(err) != sett.Forbidden {
		t.Errorf("an admin removes the last owner: %v", err)
	}
}

// wantRefusal wants an error with a code and a sentence, or none when the sentence is "".
func wantRefusal(t *testing.T, is Standing, what string, err error, code sett.Code, sentence string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != sentence || sentence != "" && sett.CodeOf(err) != code {
		t.Errorf("%+v, %s: %q (%s), want %q", is, what, got, sett.CodeOf(err), sentence)
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
		`{"role":[1]}`:      {refusal: "Please correct: role must be a string."},
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
		case want.refusal != "" && (sett.CodeOf(err) != sett.Invalid || err.Error() != want.refusal):
			t.Errorf("%s: %v, want %s", body, err, want.refusal)
		}
	}
}

func TestWhoLosesARole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from Role
		want string // of the roles, weakest first, those in which a user has fewer rights than before
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

func TestTeamChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, have, want, refusal string }{
		{body: `{}`, have: "Crew", want: "Crew"},
		{body: `{"colour":"red"}`, have: "Crew", want: "Crew"},
		{body: `{"name":" Çrew 2 "}`, have: "Crew", want: "Çrew 2"},
		{body: `{"name":"` + strings.Repeat("ö", 255) + `"}`, want: strings.Repeat("ö", 255)},
		{body: `{}`, refusal: "name can't be blank"},
		{body: `{"name":""}`, have: "Crew", refusal: "name can't be blank"},
		{body: `{"name":" \t"}`, have: "Crew", refusal: "name can't be blank"},
		{body: `{"name":null}`, have: "Crew", refusal: "name can't be blank"},
		{body: `{"name":[7]}`, have: "Crew", refusal: "name must be a string"},
		{body: `{"name":["a"]}`, have: "Crew", refusal: "name must be a string"},
		{body: `{"name":"a\nb"}`, have: "Crew", refusal: "name must not contain control characters"},
		{body: `{"name":"` + strings.Repeat("ö", 256) + `"}`, refusal: "name is too long (maximum is 255 characters)"},
	} {
		var change TeamChange
		if err := json.Unmarshal([]byte(c.body), &change); err != nil {
			t.Fatal(err)
		}
		got, err := change.Apply(c.have)
		switch {
		case c.refusal == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v; want %q", c.body, got, err, c.want)
		case c.refusal != "" && (sett.CodeOf(err) != sett.Invalid || err.Error() != "Please correct: "+c.refusal+"."):
			t.Errorf("%s: %v, want %s", c.body, err, c.refusal)
		}
	}
}

func TestTeamMemberChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body       string
		have, want bool
		refused    bool
	}{
		{`{}`, true, true, false},
		{`{}`, false, false, false},
		{`{"admin":true}`, false, true, false},
		{`{"admin":"true"}`, false, true, false},
		{`{"admin":false}`, true, false, false},
		{`{"admin":"false"}`, true, false, false},
		{`{"admin":null}`, true, false, false},
		{`{"admin":"yes"}`, true, true, true},
		{`{"admin":1}`, true, true, true},
		{`{"admin":{}}`, true, true, true},
	} {
		var change TeamMemberChange
		if err := json.Unmarshal([]byte(c.body), &change); err != nil {
			t.Fatal(err)
		}
		got, err := change.Apply(c.have)
		if got != c.want || c.refused != (err != nil && err.Error() == "Please correct: admin must be true or false.") {
			t.Errorf("%s: %v, %v; want %v, refused %v", c.body, got, err, c.want, c.refused)
		}
	}
}

func TestWhoMayRemoveAMember(t *testing.T) {
	t.Parallel()
	const want = "Only an admin of this team or of the account can remove others from it. Ask one of them."
	for _, role := range append([]Role{""}, Roles...) {
		for _, admin := range []bool{true, false} {
			asker := Scope{Role: role, OfTeam: true, TeamAdmin: admin}
			may := role == Admin || role == Owner || role == Member && admin
			switch err := (TeamStanding{Asker: asker}).Remove(); {
			case may && err != nil, !may && (sett.CodeOf(err) != sett.Forbidden || err.Error() != want):
				t.Errorf("another, by %+v: %v", asker, err)
			}
			if err := (TeamStanding{Asker: asker, Self: true}).Remove(); err != nil {
				t.Errorf("oneself, by %+v: %v", asker, err)
			}
		}
	}
}
