package user_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// calls has an agent of an older revision of MCP call a tool with a token.
func calls(t *testing.T, s *setttest.Server, token, tool string) (status int, challenge, body string) {
	t.Helper()
	arguments := "{}"
	if tool == "start_maintenance" {
		arguments = fmt.Sprintf(`{"project":"%d","reason":"Disk"}`, s.Setup.ProjectID)
	}
	text := `{"jsonrpc":"2.0","id":"c7","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.App.BaseURL()+"/mcp", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("WWW-Authenticate"), string(read)
}

var scopeInChallenge = regexp.MustCompile(`scope="([^"]*)"`)

// An agent calls a tool that its person has not allowed, asks the person for what the answer names, and calls it again. It keeps what it had.
func TestAProgramAsksForMore(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	s.Put(fmt.Sprintf("/v2/accounts/%s/users/%d", s.Setup.AccountID, addAnn(t, s)), map[string]any{"user": map[string]any{"role": "Admin"}})
	b := newBrowser(t, s)
	b.signIn()
	id := send(t, s, "/oauth/register", 201, registration()).ID
	connect := func(scope string, ticked ...string) string {
		t.Helper()
		got := send(t, s, "/oauth/token", 200, redeems(id, b.allowed(s, asks(id, "scope", scope), ticked...)))
		return got.Access
	}
	about := `resource_metadata="` + s.App.BaseURL() + `/.well-known/oauth-protected-resource/mcp"`
	refused := func(token, tool, scope string) string {
		t.Helper()
		status, challenge, body := calls(t, s, token, tool)
		if want := `Bearer error="insufficient_scope", scope="` + scope + `", ` + about; status != http.StatusForbidden || challenge != want {
			t.Errorf("%s is refused with %d, %s, want 403, %s", tool, status, challenge, want)
		}
		var said struct {
			Version string `json:"jsonrpc"`
			ID      string
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil || said.Version != "2.0" || said.ID != "c7" || said.Error.Code >= 0 || !strings.Contains(said.Error.Message, "signing in to sett again") {
			t.Errorf("%s is refused with the body %s", tool, body)
		}
		if found := scopeInChallenge.FindStringSubmatch(challenge); found != nil {
			return found[1]
		}
		return ""
	}
	works := func(token, tool string) {
		t.Helper()
		if status, challenge, body := calls(t, s, token, tool); status != http.StatusOK || challenge != "" || strings.Contains(body, "lacks the scope") {
			t.Errorf("%s answers %d, %s, %s", tool, status, challenge, body)
		}
	}
	reads := connect("read triage write")
	works(reads, "whoami")
	wanted := refused(reads, "comment_on_error", "read triage")
	triages := connect(wanted, "triage")
	works(triages, "comment_on_error")
	wanted = refused(triages, "start_maintenance", "read triage write")
	writes := connect(wanted, "triage", "write")
	works(writes, "start_maintenance")
	works(writes, "comment_on_error")
	if log := string(s.Client.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log?action=createMaintenanceWindow").Body); strings.Count(log, `"Agent <b>7</b> (connected agent)"`) != 1 {
		t.Errorf("the audit log does not say which program has done it: %s", log)
	}

	if status, challenge, body := calls(t, s, reads, "drop_all"); status == http.StatusForbidden || challenge != "" || !strings.Contains(body, "-32602") {
		t.Errorf("a tool that does not exist: %d, %s, %s", status, challenge, body)
	}
	if status, challenge, body := calls(t, s, s.Setup.AuthToken, "comment_on_error"); status != http.StatusOK || challenge != "" || !strings.Contains(body, "lacks the scope faults:write") || !strings.Contains(body, "/me/tokens") {
		t.Errorf("a token of a person: %d, %s, %s", status, challenge, body)
	}
}
