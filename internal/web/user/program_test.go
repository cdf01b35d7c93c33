package user_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest"
)

const (
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	goesTo   = "http://127.0.0.1:33418/"
)

// answerOf is what a program reads of an answer.
type answerOf struct {
	ID      string `json:"client_id"`
	Self    string `json:"registration_client_uri"`
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Life    int64  `json:"expires_in"`
	Error   string `json:"error"`
	Text    string `json:"error_description"`
	Code    string `json:"device_code"`
	Typed   string `json:"user_code"`
}

// send posts a form, or JSON, as a program does.
func send(t *testing.T, s *setttest.Server, path string, status int, body any) (a answerOf) {
	t.Helper()
	form, ok := body.(url.Values)
	media, text := "application/x-www-form-urlencoded", form.Encode()
	if !ok {
		written, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		media, text = "application/json", string(written)
	}
	response, err := http.Post(s.App.BaseURL()+path, media, strings.NewReader(text)) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil || response.StatusCode != status {
		t.Fatalf("%s answers %d, want %d: %+v, %v", path, response.StatusCode, status, a, err)
	}
	if response.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer of %s may be stored", path)
	}
	return a
}

// asks is the query with which a program sends a person to sett.
func asks(id string, more ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {goesTo}, "state": {"s&1"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "scope": {"read triage write offline_access"},
	}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return q
}

// program returns what the program hears at its address when the browser goes on from an answer.
func (a *answer) program(at string) url.Values {
	a.t.Helper()
	_, to, _ := strings.Cut(a.Header.Get("Refresh"), "url=")
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, at+"?") {
		a.t.Fatalf("%s leads to %q", a.Header, to)
	}
	return u.Query()
}

// allowed returns the code that a program gets when the person allows what it asks for.
func (b *browser) allowed(s *setttest.Server, q url.Values, levels ...string) string {
	b.t.Helper()
	form := url.Values{"request": {q.Encode()}, "answer": {"allow"}, "levels": levels}
	heard := b.do("POST", "/oauth/authorize", form).want(200, "You go on to", `href="http://127.0.0.1:33418/?`).program(q.Get("redirect_uri"))
	if heard.Get("state") != "s&1" || heard.Get("iss") != s.App.BaseURL() || heard.Get("code") == "" {
		b.t.Fatalf("the program hears %v", heard)
	}
	return heard.Get("code")
}

func redeems(id, code string, more ...string) url.Values {
	q := url.Values{"grant_type": {"authorization_code"}, "client_id": {id}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {goesTo}}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return q
}

// status asks /v3 for the projects with a token.
func status(s *setttest.Server, method, token string) int {
	r, err := http.NewRequest(method, s.App.BaseURL()+"/v3/projects", nil) //nolint:noctx // a test
	if err != nil {
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// agentStatus asks for the tools of agents with a token, as clients do that find where to sign in by the answer.
func agentStatus(s *setttest.Server, token string) (status int, challenge string) {
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}`
	r, err := http.NewRequest("POST", s.App.BaseURL()+"/mcp", strings.NewReader(body)) //nolint:noctx // a test
	if err != nil {
		return 0, ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header.Get("WWW-Authenticate")
}

// A program registers, a person allows it to read and triage, and it renews its token until the person ends it.
func TestAProgramConnects(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s)
		known := send(t, s, "/oauth/register", 201, registration())
		id := known.ID
		b.get(strings.TrimPrefix(known.Self, s.App.BaseURL())).want(200, `"client_id":"`+id+`"`)
		b.get("/oauth/register?client_id=registered.x").want(400, "invalid_client")
		q := asks(id)
		b.get("/oauth/authorize?" + q.Encode()).leads("/login?next=" + url.QueryEscape("/oauth/authorize?"+q.Encode()))
		b.signIn()
		b.get("/oauth/authorize?"+q.Encode()).want(200, "Agent &lt;b&gt;7&lt;/b&gt;</strong> asks", "sett cannot check who made it", "<strong>127.0.0.1:33418</strong>",
			`value="triage"`, `value="write"`).CheckPage()
		if page := b.get("/oauth/authorize?" + q.Encode()); strings.Contains(page.Body, " checked") || strings.Contains(page.Body, "\u202e") {
			t.Errorf("something is allowed already, or hostile text shown: %s", page.Body)
		}
		code := b.allowed(s, q, "triage")
		got := send(t, s, "/oauth/token", 200, redeems(id, code))
		if got.Scope != "read triage" || got.Life != 8*3600 || status(s, "GET", got.Access) != 200 || status(s, "POST", got.Access) != 403 {
			t.Errorf("the token: %+v, %d, %d", got, status(s, "GET", got.Access), status(s, "POST", got.Access))
		}
		if is, _ := agentStatus(s, got.Access); is != 200 {
			t.Errorf("an agent with its token gets %d", is)
		}
		where := `Bearer resource_metadata="` + s.App.BaseURL() + `/.well-known/oauth-protected-resource/mcp", scope="read triage write"`
		if is, says := agentStatus(s, "none"); is != 401 || says != where {
			t.Errorf("an agent without a token gets %d, %s", is, says)
		}
		b.get("/me/tokens").want(200, "Agent &lt;b&gt;7&lt;/b&gt;", "connected program, until").CheckPage()

		log := string(s.Client.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log").Body)
		if !strings.Contains(log, `"connectProgram"`) || strings.Contains(log, got.Access) || strings.Contains(log, got.Refresh) {
			t.Errorf("the audit log: %s", log)
		}

		s.Clock.Push(9 * time.Hour)
		if status(s, "GET", got.Access) != 401 {
			t.Error("a token lasts longer than it says")
		}
		refresh := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {got.Refresh}}
		next := send(t, s, "/oauth/token", 200, refresh)
		if again := send(t, s, "/oauth/token", 200, refresh); again.Access != next.Access || again.Refresh != next.Refresh || status(s, "GET", next.Access) != 200 {
			t.Errorf("who asks twice gets %+v and %+v", next, again)
		}
		s.Clock.Push(2 * time.Minute)
		if stolen := send(t, s, "/oauth/token", 400, refresh); stolen.Error != "invalid_grant" || status(s, "GET", next.Access) != 401 {
			t.Errorf("a copied refresh token: %+v", stolen)
		}
		b.get("/me/tokens").want(200, "You have no tokens")
		if log := string(s.Client.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log").Body); !strings.Contains(log, `"disconnectProgram"`) {
			t.Errorf("the audit log: %s", log)
		}

		got = send(t, s, "/oauth/token", 200, redeems(id, b.allowed(s, q)))
		if got.Scope != "read" {
			t.Errorf("nothing was ticked, and the scope is %s", got.Scope)
		}
		b.post(pathOf["revoke"].FindString(b.get("/me/tokens").Body)).leads("/me/tokens?done=revoked")
		refresh.Set("refresh_token", got.Refresh)
		if ended := send(t, s, "/oauth/token", 400, refresh); ended.Error != "invalid_grant" || status(s, "GET", got.Access) != 401 {
			t.Errorf("a connection that the person ended: %+v", ended)
		}

		got = send(t, s, "/oauth/token", 200, redeems(id, b.allowed(s, q)))
		send(t, s, "/oauth/revoke", 200, url.Values{"token": {got.Refresh}})
		send(t, s, "/oauth/revoke", 200, url.Values{"token": {got.Refresh}})
		if status(s, "GET", got.Access) != 401 {
			t.Error("a token outlives its connection")
		}
	})
}

func registration(redirects ...string) map[string]any {
	return map[string]any{"client_name": "Agent\u202e <b>7</b>", "redirect_uris": append(redirects, goesTo), "token_endpoint_auth_method": "none"}
}

// A code is for the program that asked, once, with the secret of PKCE, in a session that still stands.
func TestACodeInWrongHands(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	id, other := send(t, s, "/oauth/register", 201, registration()).ID, send(t, s, "/oauth/register", 201, registration("https://a.example.org/")).ID
	for name, more := range map[string][]string{
		"another program":  {"client_id", other},
		"no verifier":      {"code_verifier", ""},
		"another verifier": {"code_verifier", strings.Repeat("a", 43)},
		"another address":  {"redirect_uri", "http://127.0.0.1:1/"},
	} {
		code := b.allowed(s, asks(id))
		if got := send(t, s, "/oauth/token", 400, redeems(id, code, more...)); got.Error != "invalid_grant" || got.Text == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if got := send(t, s, "/oauth/token", 400, redeems(id, code)); got.Error != "invalid_grant" {
			t.Errorf("%s: the code is good a second time: %+v", name, got)
		}
	}
	code := b.allowed(s, asks(id))
	got := send(t, s, "/oauth/token", 200, redeems(id, code))
	renew := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {code}}
	if copied := send(t, s, "/oauth/token", 400, renew); copied.Error != "invalid_grant" || copied.Access != "" {
		t.Errorf("who has the code and no verifier gets the token: %+v", copied)
	}
	send(t, s, "/oauth/token", 400, redeems(id, code))
	if status(s, "GET", got.Access) != 401 {
		t.Error("a code was copied, and its token is still good")
	}
	code = b.allowed(s, asks(id))
	s.Clock.Push(6 * time.Minute)
	send(t, s, "/oauth/token", 400, redeems(id, code))
	code = b.allowed(s, asks(id))
	b.post("/logout")
	if got := send(t, s, "/oauth/token", 400, redeems(id, code)); got.Error != "invalid_grant" {
		t.Errorf("the person has signed out: %+v", got)
	}
	b.signIn()
	if got := send(t, s, "/oauth/token", 400, redeems(id, b.allowed(s, asks(id)), "resource", "https://evil.example.org/mcp")); got.Error != "invalid_target" {
		t.Errorf("a token for another server: %+v", got)
	}
}

// Requests that cannot be trusted lead nowhere; those that are wrong lead to the program, with the reason.
func TestRequestsOfPrograms(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	id := send(t, s, "/oauth/register", 201, registration("https://app.example.org/cb?x=1", "cursor://anysphere.cursor-mcp/cb")).ID
	for _, evil := range []string{"https://evil.example.org/", "https://app.example.org/cb", "https://app.example.org/cb?x=1&y", "javascript:alert(1)", "", "http://127.0.0.1:1/other", "http://127.0.0.1.evil.example.org/"} {
		page := b.get("/oauth/authorize?"+asks(id, "redirect_uri", evil).Encode()).want(400, "cannot be connected")
		if page.Header.Get("Refresh") != "" || page.Header.Get("Location") != "" {
			t.Errorf("%s: the browser is led to %s", evil, page.Header)
		}
		b.post("/oauth/authorize", "request", asks(id, "redirect_uri", evil).Encode(), "answer", "allow").want(400)
	}
	for _, client := range []string{"", "registered.e30", "registered.!", "https://app.example.org", "http://app.example.org/client.json", "sett-cli"} {
		b.get("/oauth/authorize?"+asks(client).Encode()).want(400, "client_id").CheckPage()
	}
	for code, more := range map[string][]string{
		"unsupported_response_type": {"response_type", "token"},
		"invalid_request":           {"code_challenge_method", "plain"},
		"invalid_target":            {"resource", "https://other.example.org/mcp"},
	} {
		page := b.get("/oauth/authorize?"+asks(id, more...).Encode()).want(400, `href="`+goesTo+`?error=`+code+`&amp;`, "state=s%261", "<strong>127.0.0.1:33418</strong>").CheckPage()
		if page.Header.Get("Refresh") != "" || page.Header.Get("Location") != "" {
			t.Errorf("%s: any link to sett leads to any address: %s", code, page.Header)
		}
	}
	for _, fits := range []string{"http://127.0.0.1:50123/", "https://app.example.org/cb?x=1", "cursor://anysphere.cursor-mcp/cb"} {
		b.get("/oauth/authorize?" + asks(id, "redirect_uri", fits, "resource", s.App.BaseURL()+"/mcp").Encode()).want(200)
	}
	if heard := b.post("/oauth/authorize", "request", asks(id).Encode(), "answer", "deny").want(200).program(goesTo); heard.Get("error") != "access_denied" || heard.Has("code") {
		t.Errorf("who is refused hears %v", heard)
	}
	if page := b.get("/oauth/authorize?" + asks(id, "scope", "read").Encode()).want(200); strings.Contains(page.Body, `value="write"`) {
		t.Error("a person may allow more than was asked for")
	}
	got := send(t, s, "/oauth/token", 200, redeems(id, b.allowed(s, asks(id, "scope", "read"), "triage", "write")))
	if got.Scope != "read" {
		t.Errorf("the program asked to read, and gets %s", got.Scope)
	}
	if page := b.do("POST", "/oauth/authorize", url.Values{"request": {asks(id).Encode()}, "answer": {"allow"}}, "Origin", "https://evil.example.org", "Sec-Fetch-Site", "cross-site"); page.Status != 403 {
		t.Errorf("a form of another site is answered with %d", page.Status)
	}
}

// The command line signs in by a code that a person types.
func TestACommandLineSignsIn(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	begin := func() (answerOf, url.Values) {
		got := send(t, s, "/oauth/device_authorization", 200, url.Values{"client_id": {"sett-cli"}, "device_name": {"laptop"}})
		return got, url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {"sett-cli"}, "device_code": {got.Code}}
	}
	send(t, s, "/oauth/device_authorization", 400, url.Values{"client_id": {"other"}})
	device, poll := begin()
	if got := send(t, s, "/oauth/token", 400, poll); got.Error != "authorization_pending" {
		t.Errorf("before the person answers: %+v", got)
	}
	b.get("/oauth/device").want(200, "Code").CheckPage()
	b.get("/oauth/device?user_code=BCDF-BCDF").want(422, "No command line waits").CheckPage()
	stranger := newBrowser(t, s).signIn()
	for range 20 {
		if stranger.get("/oauth/device?user_code=BCDF-BCDF").Status == http.StatusTooManyRequests {
			stranger = nil
			break
		}
	}
	if stranger != nil {
		t.Error("codes can be guessed without end")
	}
	s.Clock.Push(time.Minute)
	b.get("/oauth/device?user_code="+device.Typed).want(200, "laptop", "127.0.0.1", device.Typed, "Allow it only if").CheckPage()
	if got := send(t, s, "/oauth/token", 400, poll); got.Error != "authorization_pending" {
		t.Errorf("a page that was only opened allows it: %+v", got)
	}
	b.post("/oauth/device", "user_code", strings.ToLower(device.Typed), "scope", "read", "answer", "allow").leads("/oauth/device?done=device_allowed")
	b.post("/oauth/device", "user_code", device.Typed, "answer", "allow").want(422)
	got := send(t, s, "/oauth/token", 200, poll)
	client := *s.Client
	client.Token = got.Access
	client.Get("/v2/projects")
	client.Do("POST", "/v2/projects", map[string]any{"project": map[string]any{"name": "x"}}).Want(403)
	b.get("/me/tokens").want(200, "sett on laptop")
	if again := send(t, s, "/oauth/token", 400, poll); again.Error != "expired_token" {
		t.Errorf("a second token: %+v", again)
	}
	device, poll = begin()
	b.post("/oauth/device", "user_code", device.Typed, "answer", "deny").leads("/oauth/device?done=device_denied")
	if got := send(t, s, "/oauth/token", 400, poll); got.Error != "access_denied" {
		t.Errorf("who is refused: %+v", got)
	}
	poll = nil
	for range 100 {
		if response, err := http.PostForm(s.App.BaseURL()+"/oauth/device_authorization", url.Values{"client_id": {"sett-cli"}}); err == nil { //nolint:noctx // a test
			response.Body.Close()
			if response.StatusCode == http.StatusTooManyRequests && response.Header.Get("Retry-After") != "" {
				s.Clock.Push(time.Hour)
				_, poll = begin()
				break
			}
		}
	}
	if poll == nil {
		t.Error("a flood of sign-ins fills the database")
	}
	s.Clock.Push(11 * time.Minute)
	if got := send(t, s, "/oauth/token", 400, poll); got.Error != "expired_token" {
		t.Errorf("who waits too long: %+v", got)
	}
}
