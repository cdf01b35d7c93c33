package app_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

// handedOut are the addresses of a server that it hands out, without the base URL, each with where it was found first.
type handedOut struct {
	base  string
	found map[string]string
}

func newHandedOut(s *setttest.Server) handedOut {
	return handedOut{s.App.BaseURL(), map[string]string{}}
}

var addressIn = regexp.MustCompile("https?://[^\\s\"'`<>\\\\)|,]+")

// readText notes the addresses in a text, without the mark that ends a sentence.
func (h handedOut) readText(where, text string) {
	for _, address := range addressIn.FindAllString(text, -1) {
		h.note(where, strings.TrimRight(html.UnescapeString(address), ".,;:]*"))
	}
}

// note takes an address of the server down, also one that is not below the base URL, which is wrong.
func (h handedOut) note(where, address string) {
	path, own := strings.CutPrefix(address, h.base)
	if (own || strings.HasPrefix(address, "http://127.0.0.1")) && h.found[path] == "" {
		h.found[path] = where
	}
}

// originOf is an address up to its path.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u.Scheme + "://" + u.Host
}

// readJSON notes the addresses in all strings of a value.
func (h handedOut) readJSON(where string, value any) {
	switch v := value.(type) {
	case string:
		h.readText(where, v)
	case []any:
		for _, one := range v {
			h.readJSON(where+"[]", one)
		}
	case map[string]any:
		for name, one := range v {
			h.readJSON(where+"."+name, one)
		}
	}
}

// readBody notes the addresses in an answer: in the strings of JSON, or in the whole text.
func (h handedOut) readBody(where string, body []byte) {
	var value any
	if json.Unmarshal(body, &value) == nil {
		h.readJSON(where, value)
		return
	}
	h.readText(where, string(body))
}

// follower is one who follows addresses: in a browser, and with a token where they lead to the API.
type follower struct {
	*visitor.Browser
	api *setttest.Client // nil: they have no token
}

// follow opens all addresses that were found. Each has to lead to a page, or an answer of the API, that is for the follower.
func (h handedOut) follow(t *testing.T, p follower) {
	t.Helper()
	for path, where := range h.found {
		if problem := p.open(path); problem != "" {
			t.Errorf("%s hands out %s, which %s", where, path, problem)
		}
	}
}

// open opens a path, and returns what is wrong with where it leads.
func (p follower) open(path string) (problem string) {
	if p.api != nil && strings.HasSuffix(path, "/webhook") { // it takes nothing but what a host has signed
		if got := p.api.Do(http.MethodPost, path, `{}`); got.Status != http.StatusUnauthorized {
			return fmt.Sprintf("answers %d to what is not signed", got.Status)
		}
		return ""
	}
	if p.api != nil && (strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/v2/")) {
		if got := p.api.Do(http.MethodGet, path, nil); got.Status >= 300 {
			return fmt.Sprintf("answers %d to a token", got.Status)
		}
		return ""
	}
	at, fragment, _ := strings.Cut(path, "#")
	for range 5 {
		if at != "" && at[0] != '/' && at[0] != '?' {
			return "is not below the base URL"
		}
		got := p.Get(at)
		to, own := p.below(got.Header.Get("Location"))
		switch {
		case got.Status >= 400:
			return fmt.Sprintf("answers %d (at %s)", got.Status, at)
		case got.Status < 300:
			return lacks(got.Body, fragment)
		case !own:
			return "leads away, to " + to
		case strings.HasPrefix(to, "/login") && strings.Trim(path, "/") != "":
			return "asks to sign in"
		}
		if at = to; strings.Contains(at, "#") {
			at, fragment, _ = strings.Cut(at, "#")
		}
	}
	return "leads on and on"
}

// below returns an address, or a path, without the base URL, and whether it was there.
func (p follower) below(address string) (path string, own bool) {
	if strings.HasPrefix(address, "/") {
		address = originOf(p.Base) + address
	}
	return strings.CutPrefix(address, p.Base)
}

// lacks says that a page does not have the place of a fragment. That of the id of a delivery is none: it marks the address in
// an issue, which is known again by it.
func lacks(page, fragment string) string {
	if fragment == "" || strings.HasPrefix(fragment, "msg_") || strings.Contains(page, `id="`+fragment+`"`) {
		return ""
	}
	return "has no #" + fragment
}

// readAPI notes the addresses in all answers of the API about the things.
func (h handedOut) readAPI(t *testing.T, s *setttest.Server, o things) (asked int) {
	t.Helper()
	walkAPI(t, s, o, func(pattern string, answer *setttest.Response) {
		if answer.Status == http.StatusOK {
			h.readBody("GET "+pattern, answer.Body)
			asked++
		}
	})
	return asked
}

// walkAPI shows every answer of the API to a GET about the things, with the path as the OpenAPI document has it.
func walkAPI(t *testing.T, s *setttest.Server, o things, show func(pattern string, answer *setttest.Response)) {
	t.Helper()
	var document struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(visitor.New(t, s).Get("/openapi.json").Want(http.StatusOK).Body), &document); err != nil {
		t.Fatal(err)
	}
	for pattern, methods := range document.Paths {
		path := pattern
		for name, id := range o.ids {
			path = strings.ReplaceAll(path, "{"+name+"}", id)
		}
		if methods["get"] != nil && strings.HasPrefix(path, "/v2/") && !strings.Contains(path, "{") && !strings.HasSuffix(path, "/backup") {
			show(pattern, s.Do(http.MethodGet, path, nil))
		}
	}
}

// enough fails the test when fewer addresses were found, or none under one of the beginnings.
func (h handedOut) enough(t *testing.T, least int, beginnings ...string) {
	t.Helper()
	if len(h.found) < least {
		t.Errorf("only %d addresses were found: %q", len(h.found), slices.Sorted(maps.Keys(h.found)))
	}
	for _, b := range beginnings {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(h.found)), func(path string) bool { return strings.HasPrefix(path, b) }) {
			t.Errorf("no address begins with %s: %q", b, slices.Sorted(maps.Keys(h.found)))
		}
	}
}

// starter starts a server for a test.
type starter func(t *testing.T, options ...func(*app.Config)) *setttest.Server

// below runs a test on servers that are reached below a path: through a proxy that removes it, and as through none. An address
// that was made without the path leads nowhere.
func below(t *testing.T, test func(t *testing.T, start starter)) {
	for name, removes := range map[string]bool{"proxy removes the path": true, "path arrives": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, options ...func(*app.Config)) *setttest.Server {
				t.Helper()
				return startBelow(t, removes, options...)
			})
		})
	}
}

func startBelow(t *testing.T, removes bool, options ...func(*app.Config)) *setttest.Server {
	t.Helper()
	var to atomic.Pointer[httputil.ReverseProxy]
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, below := strings.CutPrefix(r.URL.Path, "/below")
		if !below {
			http.Error(w, "this is not sett", http.StatusNotFound)
			return
		}
		if removes {
			r.URL.Path = "/" + strings.TrimPrefix(path, "/")
		}
		to.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	s := setttest.Start(t, "sqlite", append(options, func(c *app.Config) { c.BaseURL = proxy.URL + "/below" })...)
	s.Base = "http://" + s.App.Addr() // of the client, whose paths are those of the OpenAPI document
	to.Store(httputil.NewSingleHostReverseProxy(must[*url.URL](t)(url.Parse(s.Base))))
	return s
}

// addPerson makes a user of the account with a password, and returns them with their browser.
func addPerson(t *testing.T, s *setttest.Server, email string, role accounts.Role) (int64, follower) {
	t.Helper()
	const password = "seven lonely walruses"
	id := must[int64](t)(s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: email, Name: email, Role: role, Password: setttest.PasswordCost.Hash(password),
	}))
	b := visitor.New(t, s)
	b.Post("/login", "email", email, "password", password).Want(http.StatusSeeOther)
	return id, follower{Browser: b}
}

// addMember is addPerson of a member whose team sees the project.
func addMember(t *testing.T, s *setttest.Server, email string) (int64, follower) {
	t.Helper()
	id, member := addPerson(t, s, email, accounts.Member)
	must[int64](t)(s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Readers", []int64{s.Setup.ProjectID}, map[int64]bool{id: false}))
	return id, member
}

// boom is a notice as furnish reports one.
const boom = `{"error":{"class":"Boom","message":"m"},"server":{"environment_name":"production"}}`

// Every address that the API hands out leads somewhere for the one who has asked.
func TestAddressesHandedOutLeadSomewhere(t *testing.T) {
	t.Parallel()
	below(t, checkAddressesHandedOutLeadSomewhere)
}

func checkAddressesHandedOutLeadSomewhere(t *testing.T, start starter) {
	s := start(t)
	o := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
	_, second := addPerson(t, s, "second@example.test", accounts.Owner)
	second.api = s.Client
	out := newHandedOut(s)
	if asked := out.readAPI(t, s, o); asked < 40 {
		t.Errorf("only %d addresses of the API were asked", asked)
	}
	s.Post("/v1/notices", boom).Want(http.StatusCreated)
	faults := "/v2/projects/" + o.ids["project_id"] + "/faults/"
	fault := faults + o.ids["fault_id"]
	out.readBody("a list of many pages", s.Get(fault+"/notices?limit=1").Body)
	s.Post("/v1/notices", strings.Replace(boom, "Boom", "Bang", 1)).Want(http.StatusCreated)
	var newest serve.List[struct{ ID int64 }]
	s.Get(faults + "?limit=1").Into(&newest)
	merged := fmt.Sprint(faults, newest.Results[0].ID)
	s.Post(merged+"/merge", map[string]any{"into_id": json.RawMessage(o.ids["fault_id"])}).Want(http.StatusOK)
	out.readText("a merged fault", unfollowed(t, s.Base+merged, "Authorization", "Bearer "+s.Token).Header.Get("Location"))
	public := newHandedOut(s)
	public.readBody("POST /share", s.Post(fault+"/share", nil).Want(http.StatusCreated).Body)
	public.enough(t, 1, "/share/")
	public.follow(t, follower{Browser: visitor.New(t, s)})
	out.enough(t, 30, "/v1/", "/v2/", "/projects/", "/status/")
	out.follow(t, second)
}
