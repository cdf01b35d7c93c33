package user_test

import (
	"html"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// entraGroups is how Entra ID calls the attribute with the groups of a person.
const entraGroups = "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups"

// naming returns a change of an assertion that names groups in an attribute.
func naming(attribute string, groups ...string) func(*saml.Assertion) {
	return func(a *saml.Assertion) {
		values := []saml.AttributeValue{}
		for _, g := range groups {
			values = append(values, saml.AttributeValue{Type: "xs:string", Value: g})
		}
		a.AttributeStatements = append(a.AttributeStatements, saml.AttributeStatement{Attributes: []saml.Attribute{{Name: attribute, Values: values}}})
	}
}

// signInAs signs Ann in with what the provider says of her.
func (i *provider) signInAs(change func(*saml.Assertion)) {
	i.t.Helper()
	b := newBrowser(i.t, i.s)
	i.post(b, i.answer(i.leave(b), change, nil)).leads("/me/sessions")
}

// groups are those of the account, by name.
func (i *provider) groups() map[string]directory.Group {
	i.t.Helper()
	list, _, err := i.s.App.Store().Accounts.ListDirectoryGroups(i.t.Context(), i.s.Setup.AccountID, accountdb.DirectoryFilter{Count: 100}, true)
	if err != nil {
		i.t.Fatal(err)
	}
	all := map[string]directory.Group{}
	for _, g := range list {
		all[g.Name] = g
	}
	return all
}

// gives maps a group of the account.
func (i *provider) gives(name string, role accounts.Role, team int64) {
	i.t.Helper()
	_, _, err := i.s.App.Store().Accounts.ChangeDirectoryGroup(i.t.Context(), i.s.Clock.Now(), i.s.Setup.AccountID, i.groups()[name].ID, func(g *directory.Group) error {
		g.Role, g.TeamID = role, team
		return nil
	})
	if err != nil {
		i.t.Fatal(err)
	}
}

func (i *provider) wantRole(what, email string, want accounts.Role) {
	i.t.Helper()
	if got := rolesOf(i.t, i.s)[email]; got != want {
		i.t.Errorf("%s: %s has the role %q, want %q", what, email, got, want)
	}
}

// audited returns what the directory did by sign-ins, newest first.
func (i *provider) audited() (changes []string) {
	i.t.Helper()
	entries, _, err := i.s.App.Store().Accounts.ListAudit(i.t.Context(), i.s.Setup.AccountID, accountdb.AuditFilter{Actions: []string{"followSignIn"}, Page: sett.Page{Size: 50}})
	if err != nil {
		i.t.Fatal(err)
	}
	for _, e := range entries {
		if e.User.Name != accounts.DirectoryName || e.User.ID != 0 {
			i.t.Errorf("%s did it", e.User.Called())
		}
		changes = append(changes, e.Object+" "+string(e.Changes))
	}
	return changes
}

// Role and teams follow the groups of each sign-in that names them.
func TestSAMLGroups(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		i := newProvider(t, s)
		store := s.App.Store().Accounts
		team, err := store.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Ops", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		inTeam := func() bool {
			t.Helper()
			teams, err := store.OwnTeams(t.Context(), idOf(t, s, annsEmail), 9)
			if err != nil {
				t.Fatal(err)
			}
			return slices.ContainsFunc(teams, func(in accountdb.OwnTeam) bool { return in.ID == team })
		}

		i.signInAs(naming(entraGroups, "Ops", " Admins ", "", "Admins", "Bad\nname"))
		i.wantRole("unmapped groups", annsEmail, accounts.Member)
		if g := i.groups(); len(g) != 2 || g["Ops"].People != 1 || g["Admins"].People != 1 || !g["Ops"].SignedIn {
			t.Fatalf("the account has the groups %+v", g)
		}
		i.gives("Admins", accounts.Admin, 0)
		i.gives("Ops", "", team)
		i.wantRole("a mapped group", annsEmail, accounts.Admin)
		if !inTeam() {
			t.Error("Ann is not in the team of her group")
		}
		i.signInAs(nil)
		i.wantRole("no attribute", annsEmail, accounts.Admin)
		i.signInAs(naming("http://schemas.microsoft.com/claims/groups.link", "https://graph.test/groups"))
		i.wantRole("a link to the groups", annsEmail, accounts.Admin)
		if got := i.audited(); len(got) == 0 || !strings.Contains(got[0], "did not send the groups") {
			t.Errorf("of a link, the audit log has %q", got)
		}
		i.signInAs(naming("groups", "Admins"))
		i.wantRole("one group", annsEmail, accounts.Admin)
		if inTeam() {
			t.Error("Ann is still in the team of a group that she left")
		}
		i.signInAs(naming("memberOf"))
		i.wantRole("no group", annsEmail, accounts.Member)
		if got := i.audited(); len(got) < 2 || got[0] != annsEmail+` {"role":"Member"}` || got[1] != annsEmail+` {"removed":["Admins"]}` {
			t.Errorf("the audit log has %q", got)
		}

		// The owner who is in no group stays one while there is no other.
		i.session.NameID = "owner@example.test"
		i.signInAs(naming("groups", "Admins"))
		i.wantRole("the last owner", "owner@example.test", accounts.Owner)
		i.session.NameID = annsEmail

		// Groups that mean nothing and have no one go away; an attribute that the owner names counts alone.
		i.signInAs(naming("groups", "Temporary"))
		i.signInAs(naming("groups"))
		if g := i.groups(); len(g) != 2 {
			t.Errorf("the account has the groups %v", g)
		}
		if err := store.ChangeDirectory(t.Context(), s.Setup.AccountID, func(d *directory.Settings) error { d.GroupAttribute = "settRoles"; return nil }); err != nil {
			t.Fatal(err)
		}
		i.signInAs(naming("groups", "Admins"))
		i.wantRole("another attribute", annsEmail, accounts.Member)
		i.signInAs(naming("settroles", "Admins"))
		i.wantRole("the attribute of the owner", annsEmail, accounts.Admin)
	})
}

// Groups outside of what is signed, and those of other accounts, give nothing.
func TestSAMLGroupsRefused(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i := newProvider(t, s)
	i.signInAs(naming("groups", "Owners"))
	i.gives("Owners", accounts.Owner, 0)
	i.signInAs(naming("groups"))
	i.wantRole("no group", annsEmail, accounts.Member)

	statement := func() *etree.Element {
		all := etree.NewElement("saml:AttributeStatement")
		all.CreateAttr("xmlns:saml", "urn:oasis:names:tc:SAML:2.0:assertion")
		attribute := all.CreateElement("saml:Attribute")
		attribute.CreateAttr("Name", "groups")
		attribute.CreateElement("saml:AttributeValue").SetText("Owners")
		return all
	}
	outside := func(r *etree.Element) { drop(r); r.AddChild(statement()) }
	extended := func(r *etree.Element) {
		drop(r)
		extensions := etree.NewElement("samlp:Extensions")
		extensions.AddChild(statement())
		r.InsertChildAt(1, extensions)
	}
	inside := func(r *etree.Element) { drop(r); assertionIn(r).AddChild(statement()) }
	for name, forge := range map[string]func(*etree.Element){"beside the assertion": outside, "in an extension": extended, "in the signed assertion": inside} {
		b := newBrowser(t, s)
		got := i.post(b, i.answer(i.leave(b), nil, forge))
		if name == "in the signed assertion" && (got.Status != 403 || !strings.Contains(html.UnescapeString(got.Body), "has no valid signature")) {
			t.Errorf("%s: %d", name, got.Status)
		}
		i.wantRole(name, annsEmail, accounts.Member)
	}

	// The same name in another account is another group.
	other, _, err := s.App.Store().Accounts.AddAccount(t.Context(), s.Clock.Now(), "Other", accountdb.NewUser{Email: "boss@other.test", Name: "Boss"})
	if err != nil {
		t.Fatal(err)
	}
	store := s.App.Store().Accounts
	g, _, err := store.CreateDirectoryGroup(t.Context(), s.Clock.Now(), other, directory.Group{Name: "Elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.ChangeDirectoryGroup(t.Context(), s.Clock.Now(), other, g.ID, func(g *directory.Group) error { g.Role = accounts.Admin; return nil }); err != nil {
		t.Fatal(err)
	}
	i.signInAs(naming("groups", "Elsewhere"))
	i.wantRole("a group of another account", annsEmail, accounts.Member)
	if g, err := store.DirectoryGroup(t.Context(), other, g.ID); err != nil || g.People != 0 {
		t.Errorf("the group of the other account has %d people, %v", g.People, err)
	}
}

// Where a directory sends people by SCIM, its groups count alone. It takes over groups of sign-ins, with what they give.
func TestSAMLGroupsBesideSCIM(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i, store, account, now := newProvider(t, s), s.App.Store().Accounts, s.Setup.AccountID, s.Clock.Now()
	i.signInAs(naming("groups", "Admins"))
	i.gives("Admins", accounts.Admin, 0)
	if err := store.SetDirectoryToken(t.Context(), now, account, auth.HashToken("sett_d_x")); err != nil {
		t.Fatal(err)
	}
	i.signInAs(naming("groups"))
	i.wantRole("with SCIM", annsEmail, accounts.Admin)
	list, total, err := store.ListDirectoryGroups(t.Context(), account, accountdb.DirectoryFilter{Count: 9, Sent: true}, false)
	if err != nil || total != 0 || len(list) != 0 {
		t.Errorf("the directory sees %v, %v", list, err)
	}

	ann, err := store.CreateDirectoryPerson(t.Context(), now, account, directory.Person{UserName: annsEmail, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	i.wantRole("before its groups are sent", annsEmail, accounts.Admin)
	g, _, err := store.CreateDirectoryGroup(t.Context(), now, account, directory.Group{Name: "Admins", ExternalID: "7"})
	if err != nil || g.Role != accounts.Admin || g.SignedIn || g.ExternalID != "7" {
		t.Fatalf("the group is %+v, %v", g, err)
	}
	i.wantRole("in a group without members", annsEmail, accounts.Member)
	if _, _, err := store.ChangeDirectoryGroup(t.Context(), now, account, g.ID, func(g *directory.Group) error { g.Members = []string{ann.ID}; return nil }); err != nil {
		t.Fatal(err)
	}
	i.signInAs(naming("groups"))
	i.wantRole("in the group that was sent", annsEmail, accounts.Admin)

	// Without SCIM, sign-ins count again; who leaves the account is forgotten by them.
	if err := store.SetDirectoryToken(t.Context(), now, account, nil); err != nil {
		t.Fatal(err)
	}
	i.signInAs(naming("groups", strings.Repeat("x", directory.LongestText+1)))
	i.wantRole("without SCIM", annsEmail, accounts.Member)
	i.session.NameID = "joe@example.test"
	i.signInAs(naming("groups", "Admins"))
	i.wantRole("another person", "joe@example.test", accounts.Admin)
	if err := store.RemoveAccountUser(t.Context(), accounts.Operator, account, idOf(t, s, "joe@example.test")); err != nil {
		t.Fatal(err)
	}
	i.signInAs(naming("groups"))
	i.wantRole("who joins again", "joe@example.test", accounts.Member)
}

// idOf returns the id of a user of the account.
func idOf(t *testing.T, s *setttest.Server, email string) int64 {
	t.Helper()
	users, _, err := s.App.Store().Accounts.ListAccountUsers(t.Context(), s.Setup.AccountID, accountdb.AccountUserFilter{Named: email, Page: sett.Page{Size: 1}})
	if err != nil || len(users) != 1 {
		t.Fatalf("%s is %v, %v", email, users, err)
	}
	return users[0].ID
}
