package user_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
)

var pathOf = map[string]*regexp.Regexp{
	"revoke": regexp.MustCompile(`/me/tokens/\d+/revoke`),
	"end":    regexp.MustCompile(`/me/sessions/\d+/end`),
}

func TestPersonalTokens(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		b.get("/me/tokens").want(200, "You have no tokens")
		secret := b.post("/me/tokens", "name", "deploy", "scope", "write", "days", "30").want(200, "Copy it now", "18 Dec 2026, 10:30 UTC").shownSecret()
		if page := b.get("/me/tokens").want(200, "deploy", `<td data-label="Last used">never</td>`); regexp.MustCompile(regexp.QuoteMeta(secret)).MatchString(page.Body) {
			t.Error("the token is shown twice")
		}
		client := *s.Client
		client.Token = secret
		s.Clock.Push(time.Hour)
		client.Get("/v2/accounts")
		b.get("/me/tokens").want(200, `<time datetime="2026-11-18T11:30:00Z">18 Nov 2026, 11:30 UTC</time> from 127.0.0.1`)
		s.Clock.Push(59 * time.Second)
		client.Get("/v2/accounts")
		b.get("/me/tokens").want(200, "2026-11-18T11:30:00Z")
		s.Clock.Push(time.Second)
		client.Get("/v2/accounts")
		b.get("/me/tokens").want(200, "2026-11-18T11:31:00Z")

		s.Clock.Push(30*24*time.Hour - time.Hour - time.Minute)
		if got := client.Do("GET", "/v2/accounts", nil).Want(401).Errors(); got != "This token expired on 2026-12-18. Create a new one at /me/tokens." {
			t.Errorf("an expired token: %s", got)
		}
		b = newBrowser(t, s).signIn()
		page := b.get("/me/tokens").want(200, "◆ expired")

		newBrowser(t, s).post(pathOf["revoke"].FindString(page.Body)).leads("/login")
		b.post(pathOf["revoke"].FindString(page.Body)).leads("/me/tokens?done=revoked")
		b.get("/me/tokens").want(200, "You have no tokens")
		client.Do("GET", "/v2/accounts", nil).Want(401)
	})
}

func TestReadOnlyToken(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		reader := *s.Client
		reader.Token = b.post("/me/tokens", "name", "reader", "scope", "read", "days", "30").want(200).shownSecret()
		reader.Get("/v2/accounts")
		newBrowser(t, s).do("HEAD", "/v2/accounts", nil, "Authorization", "Bearer "+reader.Token).want(200)
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			path := "/v2/projects"
			if method != "POST" {
				path = fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
			}
			got := reader.Do(method, path, map[string]any{"project": map[string]any{"name": "x"}}).Want(403).Errors()
			if got != "This token is read-only. Use a token with the scope write, which you can create at /me/tokens." {
				t.Errorf("%s: %s", method, got)
			}
		}
	})
}

// A token with scopes is one of /v3 alone.
func TestScopedToken(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	secret := b.post("/me/tokens", "name", "agent", "scope", "scopes", "days", "30", "scopes", "faults:read").want(200, "Copy it now").shownSecret()
	if !strings.HasPrefix(secret, "hbu_") {
		t.Errorf("the token is %.6s…", secret)
	}
	b.get("/me/tokens").want(200, `<td data-label="Scope"><code>faults:read</code></td>`)
	newBrowser(t, s).do("GET", "/v3/token", nil, "Authorization", "Bearer "+secret).want(200, `"scopes":["faults:read"]`, s.Setup.AccountID)
	newBrowser(t, s).do("GET", "/v2/projects", nil, "Authorization", "Bearer "+secret).want(403)
	b.post("/me/tokens", "name", "agent", "scope", "scopes", "days", "30").want(422, "must have at least one scope")
	b.post("/me/tokens", "name", "agent", "scope", "scopes", "days", "30", "scopes", "faults:read", "account_id", "other").want(422, "must be one of your accounts")
}

func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	b.post("/me/tokens", "name", " ", "scope", "write", "days", "30").want(422, "Please correct: name can&#39;t be blank.", "Name can&#39;t be blank.", `aria-invalid="true"`)
	b.post("/me/tokens", "name", "a", "scope", "all", "days", "30").want(422, "Please correct: scope must be read or write.")
	b.post("/me/tokens", "name", "a", "scope", "read", "days", "31").want(422, "Please correct: days must be 30, 90, 365, or 0 for a token that does not expire.")
	b.get("/me/tokens").want(200, "You have no tokens.")
}

func TestTokensOfOthersStay(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		for id := range 10 { // the owner's is among them
			b.post(fmt.Sprintf("/me/tokens/%d/revoke", id)).leads("/me/tokens?done=revoked")
		}
		s.Get("/v2/accounts")
	})
}

func TestSessionsPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		here, there, third := newBrowser(t, s).signIn(), newBrowser(t, s), newBrowser(t, s).signIn()
		there.Agent = `"><script>alert(1)</script> Chrome/140 (iPhone)`
		there.signIn()
		page := here.get("/me/sessions").want(200, "Firefox on Linux", "this browser", "Chrome on iPhone", "127.0.0.1", "by password")
		other := stranger(t, s)
		newest := pathOf["end"].FindString(page.Body) // the one that was signed in last
		other.post(newest).leads("/me/sessions?done=ended")
		there.get("/").want(200)
		here.post(newest).leads("/me/sessions?done=ended")
		if over := there.get("/").Status + third.get("/").Status; over != 200+303 {
			t.Errorf("ending one session leaves answers that add up to %d", over)
		}
		here.post("/me/sessions/others/end").leads("/me/sessions?done=others")
		there.get("/").leads("/login")
		third.get("/").leads("/login")
		here.get("/").want(200)
		other.get("/").want(200)
	})
}

// Users are notified when a token is created for their account.
func TestANewTokenSendsAMail(t *testing.T) {
	t.Parallel()
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true})
	s := setttest.Start(t, "sqlite", func(c *app.Config) {
		c.SMTPURL, c.MailFrom = "smtp://"+mails.Addr+"?tls=none", "errors@example.org"
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	form := url.Values{"name": {"deploy"}, "scope": {"read"}, "days": {"0"}, "password": {annsPassword}}
	b.do("POST", "/me/tokens", form, "X-Forwarded-For", "203.0.113.9").want(200) // within the minute in which the session was seen
	m := mails.Next(t)
	if m.To != annsEmail || m.Header.Get("Subject") != "A personal token was created for your sett account" {
		t.Errorf("to %s: %s", m.To, m.Header.Get("Subject"))
	}
	text := strings.ReplaceAll(string(m.Raw), "=\r\n", "")
	for _, want := range []string{"deploy", "203.0.113.9", "Firefox on Linux", s.App.BaseURL() + "/me/tokens"} {
		if !strings.Contains(text, want) {
			t.Errorf("the mail lacks %s:\n%s", want, text)
		}
	}
}
