package scim_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

const secret = "sett_d_of-the-directory"

// door is the directory of the account of a server.
type door struct {
	t *testing.T
	*setttest.Server
	token string
	known map[string]string
}

// open gives the account of a server a directory, and the verified domain example.test.
func open(t *testing.T, s *setttest.Server) *door {
	t.Helper()
	d := &door{t, s, secret, map[string]string{"base": s.App.BaseURL()}}
	d.verify("example.test")
	if err := d.store().SetDirectoryToken(t.Context(), s.Clock.Now(), s.Setup.AccountID, auth.HashToken(secret)); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *door) store() *accountdb.Store { return d.App.Store().Accounts }

func (d *door) verify(domain string) {
	d.t.Helper()
	if err := d.store().AddDomain(d.t.Context(), d.Setup.AccountID, directory.Domain{Name: domain, Proof: "p"}); err != nil {
		d.t.Fatal(err)
	}
	if err := d.store().VerifyDomain(d.t.Context(), d.Clock.Now(), d.Setup.AccountID, domain); err != nil {
		d.t.Fatal(err)
	}
}

// step is a recorded request and what the answer has to have.
type step struct {
	What, Ask string
	Body      json.RawMessage
	Status    int
	Want      map[string]any
	Lacks     string            // a member that no resource of the answer has
	Save      string            // under which name the id is kept
	In        map[string]string // roles in the account afterwards; "": none
}

func (d *door) fill(text string) string {
	for name, value := range d.known {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	return text
}

// ask sends a request, whose path is below /scim/v2.
func (d *door) ask(ask, body string) (int, string) {
	d.t.Helper()
	method, path, _ := strings.Cut(d.fill(ask), " ")
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.App.BaseURL()+"/scim/v2"+path, strings.NewReader(d.fill(body)))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Set("Content-Type", "application/scim+json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode == 200 && kind != "application/scim+json" {
		d.t.Errorf("%s has the type %q", ask, kind)
	}
	return answer.StatusCode, string(text)
}

func (d *door) replay(steps []step) {
	d.t.Helper()
	for _, s := range steps {
		status, text := d.ask(s.Ask, string(s.Body))
		var got map[string]any
		if text != "" {
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				d.t.Fatalf("%s: %v in %s", s.What, err, text)
			}
		}
		if s.Save != "" {
			d.known[s.Save], _ = got["id"].(string)
		}
		if status != s.Status || !contains(got, filled(d, s.Want)) {
			d.t.Fatalf("%s: %d %s\nwant %d with %v", s.What, status, text, s.Status, filled(d, s.Want))
		}
		if s.Lacks != "" && strings.Contains(text, `"`+s.Lacks+`"`) {
			d.t.Errorf("%s: the answer has %s: %s", s.What, s.Lacks, text)
		}
		for address, role := range s.In {
			if got := d.role(address); string(got) != role {
				d.t.Errorf("%s: %s has the role %q, want %q", s.What, address, got, role)
			}
		}
	}
}

func filled(d *door, want map[string]any) map[string]any {
	text, _ := json.Marshal(want)
	var all map[string]any
	_ = json.Unmarshal([]byte(d.fill(string(text))), &all)
	return all
}

// contains reports whether a value has all that another one has; lists have as many elements.
func contains(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for key := range w {
			if !contains(g[key], w[key]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, w, contains)
	}
	return got == want
}

// role returns the role in the account of the user with an address; "" for none.
func (d *door) role(address string) accounts.Role {
	d.t.Helper()
	users, err := d.store().AllUsers(d.t.Context(), d.Setup.AccountID)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, u := range users {
		for _, in := range u.Accounts {
			if u.Email == address && in.ID == d.Setup.AccountID {
				return in.Role
			}
		}
	}
	return ""
}

// The requests of each provider, as they were recorded, get the answers that it understands.
func TestProviders(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"okta", "entra", "entra_aadOptscim062020"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, setttest.Start(t, []string{"sqlite", "postgres"}[i%2]))
			text, err := os.ReadFile("testdata/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var steps []step
			if err := json.Unmarshal(text, &steps); err != nil {
				t.Fatal(err)
			}
			d.replay(steps)
		})
	}
}

func user(address string, more ...string) string {
	return `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "` + address + `"` + strings.Join(more, "") + `}`
}

func patch(operations string) string {
	return `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [` + operations + `]}`
}

const off = `{"op": "replace", "path": "active", "value": false}`

// do asks, and returns the id of the resource in the answer.
func (d *door) do(status int, ask, body string) string {
	d.t.Helper()
	got, text := d.ask(ask, body)
	if got != status {
		d.t.Fatalf("%s: %d %s, want %d", ask, got, text, status)
	}
	var answer struct{ ID string }
	_ = json.Unmarshal([]byte(text), &answer)
	return answer.ID
}

// idOf creates a person of the directory, and returns their id there.
func (d *door) idOf(address string) string {
	d.t.Helper()
	return d.do(http.StatusCreated, "POST /Users", user(address))
}

// seen returns the status of a page of the account, or of its API, for who has a session or a token.
func (d *door) seen(session, token string) int {
	d.t.Helper()
	path := "/v2/accounts/" + d.Setup.AccountID
	if session != "" {
		path = "/accounts/" + d.Setup.AccountID + "/people"
	}
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.App.BaseURL()+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if r.SetBasicAuth(token, ""); session != "" {
		r.Header.Del("Authorization")
		r.AddCookie(&http.Cookie{Name: "sett_session", Value: session})
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// letIn gives a user a session and a token with the same secret.
func (d *door) letIn(userID int64, secret string) {
	d.t.Helper()
	ctx, now, hash := d.t.Context(), d.Clock.Now(), auth.HashToken(secret)
	if err := d.store().CreateToken(ctx, now, userID, "t", hash); err != nil {
		d.t.Fatal(err)
	}
	if err := d.store().CreateSession(ctx, now, signin.Session{UserID: userID, How: signin.ByInvitation}, "", hash, nil); err != nil {
		d.t.Fatal(err)
	}
}

// Who the directory deactivates is refused at the next request, with every session and token.
func TestDeactivationEndsEverything(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		d := open(t, s)
		_, ben := s.AddUser(t, "ben@example.test", accounts.Admin)
		id := d.idOf("ben@example.test") // a member of the account already
		d.letIn(ben, "secret")
		if d.seen("", "secret") != http.StatusOK || d.seen("secret", "") != http.StatusOK || d.role("ben@example.test") != accounts.Admin {
			t.Fatal("who is a member already lost what they had")
		}
		d.do(http.StatusOK, "PATCH /Users/"+id, patch(off))
		if d.seen("", "secret") != http.StatusUnauthorized || d.seen("secret", "") == http.StatusOK {
			t.Error("who was deactivated is let in")
		}
		d.do(http.StatusOK, "PATCH /Users/"+id, patch(`{"op": "Replace", "path": "active", "value": "True"}`))
		if d.role("ben@example.test") != accounts.Member {
			t.Error("who is active again is not in the account")
		}
		if d.seen("", "secret") != http.StatusUnauthorized || d.seen("secret", "") == http.StatusOK {
			t.Error("what had ended is back")
		}
	})
}

// Who is in another account as well stays signed in for that one.
func TestDeactivationLeavesOtherAccounts(t *testing.T) {
	t.Parallel()
	d := open(t, setttest.Start(t, "sqlite"))
	id := d.idOf("ben@example.test")
	person, err := d.store().DirectoryPerson(t.Context(), d.Setup.AccountID, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.store().AddAccount(t.Context(), d.Clock.Now(), "Others", accountdb.NewUser{Email: "ben@example.test", Name: "Ben"}); err != nil {
		t.Fatal(err)
	}
	d.letIn(person.UserID, "secret")
	program := signin.PersonalToken{Name: "Agent", CreatedAt: d.Clock.Now(), Grant: signin.Grant{Scopes: signin.ReadScopes(), AccountID: d.Setup.AccountID, OfAccount: true}}
	if err := d.store().CreateAccountToken(t.Context(), person.UserID, program, auth.HashToken("hba_program")); err != nil {
		t.Fatal(err)
	}
	d.do(http.StatusNoContent, "DELETE /Users/"+id, "")
	if left, err := d.store().ListAccountTokens(t.Context(), d.Setup.AccountID); err != nil || len(left) != 0 {
		t.Errorf("tokens of the account that he left: %v %v", left, err)
	}
	if got := d.seen("", "secret"); got != http.StatusNotFound {
		t.Errorf("the account that he left: %d", got)
	}
	d.Token = "secret"
	d.Get("/v2/accounts").Want(http.StatusOK)
}

// A directory reaches no one of another account, no address outside of the domains of the account, and never the last owner.
func TestDirectoryStaysWithinBounds(t *testing.T) {
	t.Parallel()
	d := open(t, setttest.Start(t, "sqlite"))
	d.verify("others.test")
	stranger := d.AddStranger(t, "eve@others.test")
	d.do(http.StatusConflict, "POST /Users", user("eve@others.test"))
	d.do(http.StatusForbidden, "POST /Users", user("joe@elsewhere.test"))
	d.do(http.StatusBadRequest, "POST /Users", user("joe"))
	stranger.Get("/v2/projects").Want(http.StatusOK)

	owner := d.idOf("owner@example.test")
	status, text := d.ask("PATCH /Users/"+owner, patch(off))
	if status != http.StatusBadRequest || !strings.Contains(text, "last owner") {
		t.Errorf("the last owner: %d %s", status, text)
	}
	d.do(http.StatusBadRequest, "DELETE /Users/"+owner, "")
	d.Get("/v2/accounts/" + d.Setup.AccountID).Want(http.StatusOK)
	log := string(d.Get("/v2/accounts/" + d.Setup.AccountID + "/audit_log").Want(http.StatusOK).Body)
	for _, text := range []string{"last owner", `"Directory"`, "scimPatchUser"} {
		if !strings.Contains(log, text) {
			t.Errorf("the audit log lacks %s: %s", text, log)
		}
	}

	d.token = "sett_d_wrong"
	d.do(http.StatusUnauthorized, "GET /Users", "")
	d.token = secret
	if err := d.store().SetDirectoryToken(t.Context(), d.Clock.Now(), d.Setup.AccountID, nil); err != nil {
		t.Fatal(err)
	}
	d.do(http.StatusUnauthorized, "GET /Users", "")
}

// Groups give roles and teams, as the account has mapped them.
func TestGroupsGiveRolesAndTeams(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		d := open(t, s)
		ann, ben := d.idOf("ann@example.test"), d.idOf("ben@example.test")
		group := d.do(http.StatusCreated, "POST /Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Ops", "members": [{"value": "`+ann+`"}]}`)
		team, err := d.store().CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Ops", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		mapTo := func(role accounts.Role, team int64) {
			t.Helper()
			_, _, err := d.store().ChangeDirectoryGroup(t.Context(), s.Clock.Now(), s.Setup.AccountID, group, func(g *directory.Group) error {
				g.Role, g.TeamID = role, team
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		check := func(what string, annIs, benIs accounts.Role, members ...string) {
			t.Helper()
			if a, b := d.role("ann@example.test"), d.role("ben@example.test"); a != annIs || b != benIs {
				t.Errorf("%s: Ann is %q, Ben %q; want %q, %q", what, a, b, annIs, benIs)
			}
			in := map[string]bool{}
			found, _, err := d.store().ListTeamMembers(t.Context(), team, sett.Page{Size: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range found {
				in[m.Email] = true
			}
			if got := slices.Sorted(maps.Keys(in)); !slices.Equal(got, members) {
				t.Errorf("%s: the team has %v, want %v", what, got, members)
			}
		}
		check("before", accounts.Member, accounts.Member)
		mapTo(accounts.Admin, team)
		check("mapped", accounts.Admin, accounts.Member, "ann@example.test")
		d.do(http.StatusOK, "PATCH /Groups/"+group, patch(`{"op": "add", "path": "members", "value": [{"value": "`+ben+`"}]}, {"op": "remove", "path": "members[value eq \"`+ann+`\"]"}`))
		check("swapped", accounts.Member, accounts.Admin, "ben@example.test")
		d.do(http.StatusOK, "PATCH /Users/"+ben, patch(off))
		check("gone", accounts.Member, "")
		d.do(http.StatusOK, "PATCH /Users/"+ben, patch(`{"op": "replace", "path": "active", "value": true}`))
		check("back", accounts.Member, accounts.Admin, "ben@example.test")
		d.do(http.StatusNoContent, "DELETE /Groups/"+group, "")
		check("without the group", accounts.Member, accounts.Admin)
	})
}
