package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
)

// agent is a client of /mcp with a token.
type agent struct {
	t     testing.TB
	base  string
	token string
}

// withScopes returns an agent with a new token of the owner.
func withScopes(t testing.TB, s *setttest.Server, scopes ...string) agent {
	t.Helper()
	return withGrant(t, s, s.Setup.UserID, signin.Grant{AccountID: s.Setup.AccountID, Scopes: scopes})
}

func withGrant(t testing.TB, s *setttest.Server, user int64, grant signin.Grant) agent {
	t.Helper()
	var p sett.Problems
	token := signin.NewScopedToken(&p, s.Clock.Now(), "Robot", grant, "30")
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	secret := token.NewSecret()
	if err := s.App.Store().Accounts.CreateAccountToken(t.Context(), user, token, auth.HashToken(secret)); err != nil {
		t.Fatal(err)
	}
	return agent{t: t, base: s.App.BaseURL(), token: secret}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
}

// send sends a body as it is.
func (a agent) send(body string, header ...string) answer {
	a.t.Helper()
	return a.request(http.MethodPost, body, header...)
}

func (a agent) request(method, body string, header ...string) answer {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.base+"/mcp", strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// ask sends a request of revision 2026-07-28.
func (a agent) ask(version, method string, params map[string]any, header ...string) answer {
	a.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo": map[string]any{"name": "Test\u202e <b>agent", "version": "1.0"},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		a.t.Fatal(err)
	}
	name, _ := params["name"].(string)
	return a.send(string(body), append([]string{"MCP-Protocol-Version", version, "Mcp-Method", method, "Mcp-Name", name}, header...)...)
}

const newest = "2026-07-28"

// call calls a tool, and returns the text of its result.
func (a agent) call(tool string, arguments map[string]any) (text string, failed bool) {
	a.t.Helper()
	got := a.ask(newest, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	var reply struct {
		Result struct {
			IsError    bool
			Content    []struct{ Text string }
			ResultType string
		}
	}
	if err := json.Unmarshal([]byte(got.text), &reply); err != nil || got.status != http.StatusOK || len(reply.Result.Content) != 1 || reply.Result.ResultType != "complete" {
		a.t.Fatalf("%s answers %d: %s", tool, got.status, got.text)
	}
	return reply.Result.Content[0].Text, reply.Result.IsError
}

// does calls a tool, which must succeed.
func (a agent) does(tool string, arguments map[string]any) string {
	a.t.Helper()
	text, failed := a.call(tool, arguments)
	if failed {
		a.t.Fatalf("%s is refused: %s", tool, text)
	}
	return text
}

// refused calls a tool, which must say what is wrong.
func (a agent) refused(tool string, arguments map[string]any, want string) {
	a.t.Helper()
	if text, failed := a.call(tool, arguments); !failed || !strings.Contains(text, want) {
		a.t.Errorf("%s with %v answers %q (refused: %v), want %q", tool, arguments, text, failed, want)
	}
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	a := withScopes(t, s, signin.ReadScopes()...)
	want := func(name string, got answer, status int, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if got.status != status || !strings.Contains(got.text, text) {
				t.Errorf("%s: %d %.600s, want %d and %q", name, got.status, got.text, status, text)
			}
		}
	}
	initialize := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`
	}
	want("discover", a.ask(newest, "server/discover", nil), 200, newest, `"instructions"`)
	want("list", a.ask(newest, "tools/list", nil), 200, `"get_error"`, `"cacheScope":"private"`, `"resultType":"complete"`)
	want("unknown version", a.ask("2030-01-01", "tools/list", nil), 400, "-32022", newest)
	want("other header", a.ask(newest, "tools/list", nil, "MCP-Protocol-Version", "2025-11-25"), 400, "-32020")
	want("unknown method", a.ask(newest, "tools/none", nil), 404, "-32601")
	want("unknown tool", a.ask(newest, "tools/call", map[string]any{"name": "drop_all"}), 400, "-32602")
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		want(version, a.send(initialize(version)), 200, `"protocolVersion":"`+version+`"`)
		want(version, a.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "MCP-Protocol-Version", version), 200, `"get_error"`)
		want(version, a.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`, "MCP-Protocol-Version", version), 200, "# Projects")
	}
	want("no version at all", a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), 200, `"get_error"`)
	want("old and unknown", a.send(initialize("1999-01-01")), 200, `"protocolVersion":"20`)
	want("no JSON", a.send("{"), 400, "")
	if got := a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x", 200_000) + `"}}`); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: %d", got.status)
	}
	if got := s.Do("GET", "/mcp", nil); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("GET answers %d", got.Status)
	}
}

func TestWhoIsRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	a := withGrant(t, s, s.Setup.UserID, signin.Grant{AccountID: s.Setup.AccountID, Scopes: signin.ReadScopes(), OfAccount: true})
	if got := a.ask(newest, "tools/list", nil, "Origin", "https://evil.example.org"); got.status != http.StatusForbidden {
		t.Errorf("a forged origin: %d", got.status)
	}
	if got := a.ask(newest, "tools/list", nil, "Origin", s.App.BaseURL()); got.status != http.StatusOK {
		t.Errorf("the own origin: %d %s", got.status, got.text)
	}
	for _, token := range []string{"", "wrong", s.Setup.APIKey} {
		without := a
		without.token = token
		if got := without.ask(newest, "tools/list", nil); got.status != http.StatusUnauthorized || !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("with the token %q: %d %v", token, got.status, got.header)
		}
	}
	tokens, err := s.App.Store().Accounts.ListAccountTokens(t.Context(), s.Setup.AccountID)
	if err != nil || len(tokens) == 0 {
		t.Fatalf("tokens %v, %v", tokens, err)
	}
	if err := s.App.Store().Accounts.RevokeAccountToken(t.Context(), s.Setup.AccountID, tokens[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := a.ask(newest, "tools/list", nil); got.status != http.StatusUnauthorized {
		t.Errorf("after it was revoked: %d", got.status)
	}
}

func TestATokenHasItsPace(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	a, other := withScopes(t, s, "faults:read"), withScopes(t, s, "faults:read")
	last := answer{}
	for range 121 {
		last = a.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	}
	if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" {
		t.Errorf("the 121st request: %d %v", last.status, last.header)
	}
	if got := other.ask(newest, "tools/list", nil); got.status != http.StatusOK {
		t.Errorf("another token: %d", got.status)
	}
}

// bearer adds the token of an agent to requests.
type bearer struct{ agent }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func TestTheClientOfTheSDK(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	a := withScopes(t, s, signin.Scopes()...)
	client := sdk.NewClient(&sdk.Implementation{Name: "sdk", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: a.base + "/mcp", HTTPClient: &http.Client{Transport: bearer{a}}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	writes, total := 0, 0
	for _, tool := range listed.Tools {
		text, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		total += len(text)
		t.Logf("%s: %d tokens", tool.Name, len(text)/4)
		if !tool.Annotations.ReadOnlyHint {
			writes++
		}
	}
	if t.Logf("all: %d tokens", total/4); len(listed.Tools) > 20 || total/4 > 6000 || writes != 6 {
		t.Errorf("%d tools, %d of them write, with %d tokens", len(listed.Tools), writes, total/4)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "whoami"})
	if err != nil || result.IsError || !strings.Contains(result.Content[0].(*sdk.TextContent).Text, fmt.Sprintf("id=%d", s.Setup.ProjectID)) {
		t.Errorf("whoami: %+v, %v", result, err)
	}
	reader := withScopes(t, s, signin.ReadScopes()...).ask(newest, "tools/list", nil)
	if n := bytes.Count([]byte(reader.text), []byte(`"inputSchema"`)); n != len(listed.Tools)-writes {
		t.Errorf("a token that reads sees %d tools", n)
	}
}

// What ends a token ends it on every node: the next request is refused there, without waiting.
func TestARevokedTokenIsRefusedOnEveryNode(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "postgres")
	other := s.Moved(t, s.Config)
	here := withGrant(t, s, s.Setup.UserID, signin.Grant{AccountID: s.Setup.AccountID, OfAccount: true, Scopes: signin.ReadScopes()})
	there := here
	there.base = other.App.BaseURL()
	for _, a := range []agent{here, there} {
		if got := a.ask(newest, "tools/list", nil); got.status != http.StatusOK {
			t.Fatalf("before it was revoked: %d %s", got.status, got.text)
		}
	}
	tokens, err := s.App.Store().Accounts.ListAccountTokens(t.Context(), s.Setup.AccountID)
	if err != nil || len(tokens) != 1 {
		t.Fatalf("tokens %v, %v", tokens, err)
	}
	if err := s.App.Store().Accounts.RevokeAccountToken(t.Context(), s.Setup.AccountID, tokens[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, a := range []agent{there, here} {
		if got := a.ask(newest, "tools/list", nil); got.status != http.StatusUnauthorized {
			t.Errorf("after it was revoked: %d %s", got.status, got.text)
		}
	}
}
