package directory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	const none, member, billing, admin, owner = accounts.Role(""), accounts.Member, accounts.Billing, accounts.Admin, accounts.Owner
	for name, c := range map[string]struct {
		has      accounts.Role
		byGroups bool
		roles    []accounts.Role
		teams    []int64
		want     Place
	}{
		"new, without roles of groups":  {none, false, nil, nil, Place{Role: billing}},
		"known, without them":           {admin, false, nil, []int64{2, 1, 2}, Place{Teams: []int64{1, 2}}},
		"new, in no group with a role":  {none, true, nil, nil, Place{Role: billing}},
		"known, in none with a role":    {owner, true, nil, nil, Place{Role: billing}},
		"the strongest of their groups": {member, true, []accounts.Role{member, admin, billing}, nil, Place{Role: admin}},
		"an owner by a group":           {none, true, []accounts.Role{owner}, []int64{3}, Place{Role: owner, Teams: []int64{3}}},
	} {
		if diff := cmp.Diff(c.want, PlaceOf(c.has, billing, c.byGroups, c.roles, c.teams)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAddressAndName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p             Person
		address, name string
	}{
		{Person{UserName: " Ann@Example.test "}, "ann@example.test", "ann@example.test"},
		{Person{UserName: "ann", Email: "Ann@example.test", GivenName: "Ann", FamilyName: "Ode"}, "ann@example.test", "Ann Ode"},
		{Person{UserName: "ann@a.test", DisplayName: "Ann B", GivenName: "Ann"}, "ann@a.test", "Ann B"},
		{Person{UserName: "ann", DisplayName: "\x00"}, "", ""},
		{Person{UserName: "ann@example.test@evil.test"}, "", ""},
	} {
		address, err := c.p.Address()
		if address != c.address || c.p.Name() != c.name || (err == nil) != (c.address != "") {
			t.Errorf("%+v: %q, %v, %q; want %q, %q", c.p, address, err, c.p.Name(), c.address, c.name)
		}
	}
	for _, p := range []Person{{}, {UserName: "a"}, {UserName: "a@b.test", ExternalID: strings.Repeat("x", LongestText+1)}, {UserName: "a@b.test", GivenName: "\n"}} {
		if err := p.Check(); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%.80v is taken: %v", p, err)
		}
	}
}

func TestNewDomain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Example.org": "example.org", "@example.org.": "example.org", "bücher.example": "xn--bcher-kva.example", "org": "", "127.0.0.1": "", "[::1]": "", "a b.test": "", "": "", "https://a.test": "",
	} {
		var problems sett.Problems
		d := NewDomain(&problems, text)
		if d.Name != want || (len(problems) == 0) != (want != "") {
			t.Errorf("%q is %q, %v; want %q", text, d.Name, problems, want)
		}
	}
	var problems sett.Problems
	d := NewDomain(&problems, "example.org")
	if d.RecordName() != "_sett.example.org" || !d.Proven([]string{"v=spf1", d.Proof}) || d.Proven([]string{d.Proof + "x", "sett-verification="}) || d.Proven(nil) {
		t.Errorf("%+v is proven by the wrong records", d)
	}
	if DomainOf("a@Bücher.example") != "xn--bcher-kva.example" || DomainOf("a") != "" {
		t.Error("the domain of an address is wrong")
	}
}
