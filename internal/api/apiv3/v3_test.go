package apiv3_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"sett/internal/app"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// client speaks to /v3 with a token.
type client struct {
	t     testing.TB
	base  string
	token string
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   map[string]any
	text   string
}

func (c client) do(method, path string, body any, header ...string) answer {
	c.t.Helper()
	var data []byte
	if text, ok := body.(string); ok {
		data = []byte(text)
	} else if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	once := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := once.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		c.t.Fatal(err)
	}
	a := answer{c.t, response.StatusCode, response.Header, nil, text.String()}
	if text.Len() > 0 {
		if err := json.Unmarshal(text.Bytes(), &a.body); err != nil {
			c.t.Fatalf("%s %s: %v: %s", method, path, err, text.String())
		}
	}
	return a
}

func (c client) get(path string) answer {
	c.t.Helper()
	return c.do("GET", path, nil).want(http.StatusOK)
}

func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, a.text)
	}
	return a
}

// refused wants an error with a code.
func (a answer) refused(status int, code string) map[string]any {
	a.t.Helper()
	problem, _ := a.want(status).body["error"].(map[string]any)
	if problem["code"] != code || problem["message"] == "" {
		a.t.Fatalf("the error is %v, want the code %s", problem, code)
	}
	return problem
}

func (a answer) data() map[string]any {
	a.t.Helper()
	data, ok := a.body["data"].(map[string]any)
	if meta, _ := a.body["meta"].(map[string]any); !ok || meta["request_id"] == "" {
		a.t.Fatalf("no object in an envelope: %s", a.text)
	}
	return data
}

func (a answer) list() []any {
	a.t.Helper()
	list, ok := a.body["data"].([]any)
	if !ok {
		a.t.Fatalf("no list: %s", a.text)
	}
	return list
}

// withGrant returns a client with a new token of the owner.
func withGrant(t testing.TB, s *setttest.Server, grant signin.Grant) client {
	t.Helper()
	var p sett.Problems
	if grant.AccountID == "" {
		grant.AccountID = s.Setup.AccountID
	}
	token := signin.NewScopedToken(&p, s.Clock.Now(), "test", grant, "30")
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	secret := token.NewSecret()
	if err := s.App.Store().Accounts.CreateAccountToken(t.Context(), s.Setup.UserID, token, auth.HashToken(secret)); err != nil {
		t.Fatal(err)
	}
	return client{t, s.App.BaseURL(), secret}
}

func withScopes(t testing.TB, s *setttest.Server, scopes ...string) client {
	t.Helper()
	return withGrant(t, s, signin.Grant{Scopes: scopes})
}

// owner returns a client with all scopes, and the path of the project.
func owner(t testing.TB, s *setttest.Server) (client, string) {
	t.Helper()
	return withScopes(t, s, signin.Scopes()...), fmt.Sprintf("/v3/projects/%d", s.Setup.ProjectID)
}

// report has errors happen, and returns the path of the newest fault.
func report(t testing.TB, s *setttest.Server, classes ...string) (fault string) {
	t.Helper()
	for _, class := range classes {
		s.Client.Post("/v1/notices", map[string]any{
			"error":   map[string]any{"class": class, "message": "is broken", "backtrace": []any{map[string]any{"number": "7", "file": "[PROJECT_ROOT]/a.rb", "method": "run", "context": "app", "source": map[string]any{"6": "x", "7": "y"}}}},
			"request": map[string]any{"context": map[string]any{"user_id": 7}, "url": "https://shop.example.org/", "params": map[string]any{"id": 5}},
			"server":  map[string]any{"environment_name": "production", "revision": "4f2a9c1"},
		}).Want(http.StatusCreated)
	}
	all, project := owner(t, s)
	first, _ := all.get(project + "/faults").list()[0].(map[string]any)
	return project + "/faults/" + first["id"].(string)
}

func TestRequestsWithoutATokenAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	without, all := client{t: t, base: s.App.BaseURL()}, withScopes(t, s, signin.Scopes()...)
	without.do("GET", "/v3/projects", nil).refused(401, "unauthorized")
	if challenge := without.do("GET", "/v3/projects", nil).header.Get("WWW-Authenticate"); challenge != "Bearer" {
		t.Errorf("the challenge is %s", challenge)
	}
	without.do("GET", "/v3/projects", nil, "Authorization", "Basic eDo=").refused(401, "unsupported_auth_scheme")
	without.do("GET", "/v3/projects", nil, "Authorization", "Bearer wrong").refused(401, "unauthorized")
	all.do("GET", "/v3/projects?auth_token="+all.token, nil).refused(401, "credential_in_query")
	without.do("GET", "/v3/projects", nil, "Authorization", "Bearer "+s.Setup.APIKey).refused(401, "project_key_not_accepted")
	all.do("GET", "/v3/nothing", nil).refused(404, "not_found")
	all.do("PUT", "/v3/projects", nil).refused(405, "not_found")
	without.get("/v3/openapi.json")
}

func TestScopes(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		reader := withScopes(t, s, "projects:read")
		reader.get("/v3/projects")
		refused := reader.do("GET", fmt.Sprintf("/v3/projects/%d/faults", s.Setup.ProjectID), nil)
		problem := refused.refused(403, "insufficient_scope")
		if d, _ := problem["details"].(map[string]any); d["required_scope"] != "faults:read" || fmt.Sprint(d["token_scopes"]) != "[projects:read]" {
			t.Errorf("details are %v", d)
		}
		if challenge := refused.header.Get("WWW-Authenticate"); challenge != `Bearer error="insufficient_scope"` {
			t.Errorf("the challenge is %s", challenge)
		}
		writer := withScopes(t, s, "projects:write")
		writer.do("GET", "/v3/projects", nil).refused(403, "insufficient_scope")

		old := *s.Client
		old.Token = reader.token
		if text := old.Do("GET", "/v2/projects", nil).Want(403).Errors(); !strings.Contains(text, "works below /v3 only") {
			t.Errorf("/v2 says %s", text)
		}
		own := client{t, s.App.BaseURL(), s.Client.Token}
		if data := own.get("/v3/token").data(); len(data["scopes"].([]any)) != len(signin.Scopes()) || data["kind"] != "user" {
			t.Errorf("a token of /v2 is %v", data)
		}
	})
}

// A token does not reach beyond its projects, its account and the role of its user.
func TestTheSmallerCounts(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		second := all.do("POST", "/v3/projects", map[string]any{"name": "Second"}).want(201).data()["id"].(string)
		limited := withGrant(t, s, signin.Grant{Scopes: signin.Scopes(), Projects: []int64{s.Setup.ProjectID}})
		limited.get(project)
		limited.do("GET", "/v3/projects/"+second, nil).refused(404, "not_found")
		limited.do("PATCH", "/v3/projects/"+second, map[string]any{"name": "x"}).refused(404, "not_found")
		if list := limited.get("/v3/projects").list(); len(list) != 1 {
			t.Errorf("it lists %v", list)
		}
		if list := limited.get("/v3/projects/occurrences").list(); len(list) != 1 {
			t.Errorf("it lists the occurrences %v", list)
		}
		limited.do("POST", "/v3/projects", map[string]any{"name": "Third"}).refused(403, "project_restricted")
		if ids := limited.get("/v3/token").data()["project_ids"]; fmt.Sprint(ids) != fmt.Sprintf("[%d]", s.Setup.ProjectID) {
			t.Errorf("project_ids are %v", ids)
		}

		stranger := s.AddStranger(t, "x@example.test")
		client{t, s.App.BaseURL(), stranger.Token}.do("GET", project, nil).refused(404, "not_found")
		member, _ := s.AddUser(t, "m@example.test", "Member")
		client{t, s.App.BaseURL(), member.Token}.do("PATCH", project, map[string]any{"name": "x"}).refused(404, "not_found")

		robot := withGrant(t, s, signin.Grant{Scopes: []string{"team:read", "team:write", "faults:read", "faults:write"}, OfAccount: true})
		if kind := robot.get("/v3/token").data()["kind"]; kind != "account" || !strings.HasPrefix(robot.token, "hba_") {
			t.Errorf("it is a token of a %v", kind)
		}
		robot.do("POST", "/v3/teams", map[string]any{"name": "Robots"}).want(201)
		robot.do("POST", "/v3/account/invitations", map[string]any{"email": "new@example.test"}).refused(403, "requires_user_token")
		robot.do("POST", report(t, s, "Comment")+"/comments", map[string]any{"body": "x"}).refused(403, "requires_user_token")
	})
}

// A user who has been removed takes the tokens along, and one in two accounts must say which.
func TestAccountsOfTokens(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		own := client{t, s.App.BaseURL(), s.Client.Token}
		own.get("/v3/account")
		store := s.App.Store().Accounts
		other, _, err := store.AddAccount(t.Context(), s.Clock.Now(), "Second", accountdb.NewUser{Email: s.Setup.Email})
		if err != nil {
			t.Fatal(err)
		}
		own.do("GET", "/v3/account", nil).refused(422, "ambiguous_account")
		if id := all.get("/v3/account").data()["id"]; id != s.Setup.AccountID {
			t.Errorf("the account is %v", id)
		}
		there := withGrant(t, s, signin.Grant{Scopes: signin.Scopes(), AccountID: other})
		there.do("GET", project, nil).refused(404, "not_found")
	})
}

// What is changed by /v3 is in the audit log as what it is in /v2.
func TestAudit(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		all.do("PATCH", project, object{"purge_days": 30}).want(200)
		all.do("POST", project+"/keys", object{"label": "Web"}).want(201)
		var log struct {
			Results []struct {
				Action, Token string
				Target        map[string]string
			}
		}
		s.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log").Into(&log)
		if len(log.Results) < 2 || log.Results[0].Action != "createProjectKey" || log.Results[1].Action != "updateProject" || log.Results[0].Token != "test" {
			t.Errorf("the log is %+v", log.Results)
		}
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.APIRateLimit = 2 })
	one, other := withScopes(t, s, "projects:read"), withScopes(t, s, "projects:read")
	if left := one.get("/v3/projects").header.Get("X-RateLimit-Remaining"); left != "1" {
		t.Errorf("%s remain", left)
	}
	other.get("/v3/projects")
	over := one.do("GET", "/v3/projects", nil)
	over.refused(429, "rate_limit_exceeded")
	if wait := over.header.Get("Retry-After"); wait != "3600" {
		t.Errorf("it says to wait %s seconds", wait)
	}
}

// The document describes every operation with its scope, and is not sent again to who has it.
func TestDocument(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	c := client{t: t, base: s.App.BaseURL()}
	doc := c.get("/v3/openapi.json")
	if again := c.do("GET", "/v3/openapi.json", nil, "If-None-Match", doc.header.Get("ETag")); again.status != http.StatusNotModified {
		t.Errorf("the same again is %d", again.status)
	}
	faults, _ := doc.body["paths"].(map[string]any)["/v3/projects/{project_id}/faults"].(map[string]any)
	if get, _ := faults["get"].(map[string]any); get["x-scope"] != "faults:read" || get["operationId"] != "listFaults" {
		t.Errorf("listFaults is %v", get)
	}
	loaded, err := openapi3.NewLoader().LoadFromData([]byte(doc.text))
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// What belongs to a project does not exist for others, whatever they ask of it.
func TestStrangersFindNothing(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	stranger := client{t, s.App.BaseURL(), s.AddStranger(t, "x@example.test").Token}
	fault := report(t, s, "A")
	tried := 0
	paths, _ := stranger.get("/v3/openapi.json").body["paths"].(map[string]any)
	for path, methods := range paths {
		if !strings.Contains(path, "{project_id}") {
			continue
		}
		path = strings.ReplaceAll(path, "/v3/projects/{project_id}/faults/{fault_id}", fault)
		path = strings.ReplaceAll(path, "{project_id}", fmt.Sprint(s.Setup.ProjectID))
		path = regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(path, "1")
		for method := range methods.(map[string]any) {
			if method == "get" || method == "delete" {
				stranger.do(strings.ToUpper(method), path, nil).refused(404, "not_found")
				tried++
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d operations were tried", tried)
	}
	id, _ := strings.CutPrefix(fault, "/v3/projects/")
	all, _ := owner(t, s)
	notice, _ := all.get("/v3/projects/" + id + "/notices").list()[0].(map[string]any)
	stranger.do("GET", "/v3/notices/"+notice["id"].(string), nil).refused(404, "not_found")
}
