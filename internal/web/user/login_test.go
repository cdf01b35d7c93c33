package user_test

import (
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/serve/auth"
	"sett/internal/setttest"
)

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s)
		b.get("/").leads("/login")
		b.get("/me/tokens?a=b").leads("/login?next=%2Fme%2Ftokens%3Fa%3Db")
		b.get("/login?next=%2Fme%2Ftokens").want(200, `name="next" value="/me/tokens"`, `type="email" autofocus`)
		b.post("/me/tokens", "name", "x").leads("/login")

		const wrong = "The email address or the password is wrong."
		b.post("/login", "email", annsEmail, "password", "no", "next", "/me/tokens").want(422, wrong, `value="/me/tokens"`, annsEmail)
		b.post("/login", "email", "unknown@example.test", "password", annsPassword).want(422, wrong)
		b.post("/login", "email", "owner@example.test", "password", "").want(422, wrong) // has no password
		b.get("/").leads("/login")

		b.post("/login", "email", " Ann@Example.test ", "password", annsPassword, "next", "/me/tokens").leads("/me/tokens")
		b.get("/").want(200, "Welcome to Acme, Ann Other.", "Acme", `href="/docs/api"`)
		b.get("/login?next=/me/sessions").leads("/me/sessions")

		kept := b.cookie("sett_session")
		b.post("/logout").leads("/login?done=signed_out")
		b.get("/login?done=signed_out").want(200, "You are signed out.")
		if b.cookie("sett_session") != "" {
			t.Error("the cookie is still there")
		}
		again := b.do("GET", "/", nil, "Cookie", "sett_session="+kept)
		again.leads("/login")
	})
}

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s)
		login := b.do("POST", "/login", url.Values{"email": {annsEmail}, "password": {annsPassword}}, "Cookie", "sett_session=chosen-by-an-attacker")
		login.leads("/")
		set := login.Header.Get("Set-Cookie")
		for _, part := range []string{"sett_session=", "Path=/;", "Max-Age=7776000", "HttpOnly", "SameSite=Lax"} {
			if !strings.Contains(set, part) {
				t.Errorf("Set-Cookie: %s lacks %s", set, part)
			}
		}
		if strings.Contains(set, "Secure") || strings.Contains(set, "chosen-by-an-attacker") {
			t.Errorf("Set-Cookie: %s", set)
		}
		first := b.cookie("sett_session")
		b.signIn() // once more, in the same browser
		if b.cookie("sett_session") == first {
			t.Error("signing in keeps the session's secret")
		}
		other := newBrowser(t, s)
		other.do("GET", "/", nil, "Cookie", "sett_session="+first).leads("/login")
	})
}

func TestSecureCookie(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.BaseURL = "https://sett.example.test/errors" })
	addAnn(t, s)
	b := newBrowser(t, s)
	b.Base = "http://" + s.App.Addr()
	login := b.post("/login", "email", annsEmail, "password", annsPassword)
	login.leads("/errors/") // the proxy that serves sett below /errors takes that away
	if set := login.Header.Get("Set-Cookie"); !strings.Contains(set, "; Secure") || !strings.Contains(set, "; Path=/errors/;") || !strings.HasPrefix(set, "__Secure-sett_session=") {
		t.Errorf("Set-Cookie: %s", set)
	}
	b.get("/login").want(200, `action="/errors/login"`, `href="/errors/forgot"`, `href="/errors/s/app.`)
}

// Under https no other host of the domain can set the cookie of a session.
func TestHostCookie(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.BaseURL = "https://sett.example.test" })
	addAnn(t, s)
	b := newBrowser(t, s)
	b.Base = "http://" + s.App.Addr()
	login := b.post("/login", "email", annsEmail, "password", annsPassword)
	set := login.Header.Get("Set-Cookie")
	for _, part := range []string{"__Host-sett_session=", "; Path=/;", "; Secure", "; HttpOnly"} {
		if !strings.Contains(set, part) {
			t.Errorf("Set-Cookie lacks %q: %s", part, set)
		}
	}
	if strings.Contains(set, "Domain=") {
		t.Errorf("Set-Cookie: %s", set)
	}
	cookie, _, _ := strings.Cut(set, ";")
	other := newBrowser(t, s)
	other.Base = b.Base
	other.do("GET", "/me/tokens", nil, "Cookie", strings.TrimPrefix(cookie, "__Host-")).leads("/login?next=%2Fme%2Ftokens")
	other.do("GET", "/me/tokens", nil, "Cookie", cookie).want(200)
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		const day = 24 * time.Hour
		idle, busy := newBrowser(t, s).signIn(), newBrowser(t, s).signIn()
		for range 3 {
			s.Clock.Push(29 * day)
			busy.get("/").want(200)
		}
		idle.get("/").leads("/login")
		s.Clock.Push(3*day - time.Second)
		busy.get("/").want(200)
		s.Clock.Push(time.Second)
		busy.get("/").leads("/login")
	})
}

func TestNextLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	signedIn := newBrowser(t, s).signIn()
	for next, want := range map[string]string{
		"":                             "/",
		"/me/tokens":                   "/me/tokens",
		"/projects/1/faults?q=is%3Aok": "/projects/1/faults?q=is%3Aok",
		"/search?q=http://x.test/":     "/search?q=http://x.test/",
		"//evil.test":                  "/",
		"///evil.test":                 "/",
		`/\evil.test`:                  "/",
		`\\evil.test`:                  "/",
		"/\t/evil.test":                "/",
		"\t//evil.test":                "/",
		"/%2f/evil.test\r\nX: y":       "/",
		"http://evil.test/":            "/",
		"https:evil.test":              "/",
		"javascript:alert(1)":          "/",
		"me/tokens":                    "/",
		"@evil.test":                   "/",
	} {
		signedIn.get("/login?next=" + url.QueryEscape(next)).leads(want)
		newBrowser(t, s).get("/login?next="+url.QueryEscape(next)).want(200, `name="next" value="`+html.EscapeString(want)+`"`)
	}
	newBrowser(t, s).post("/login", "email", annsEmail, "password", annsPassword, "next", "//evil.test").leads("/")
	b := newBrowser(t, s)
	b.post("/login", "email", annsEmail, "password", "wrong", "next", "//evil.test").want(422, `name="next" value="/"`)
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		for _, email := range []string{annsEmail, "unknown@example.test"} {
			b := newBrowser(t, s)
			for range 5 {
				b.post("/login", "email", email, "password", "wrong").want(422)
			}
			for _, wait := range []int{1, 2, 4} {
				refused := b.post("/login", "email", email, "password", annsPassword).want(429, "Wait "+strconv.Itoa(wait)+" second")
				if got := refused.Header.Get("Retry-After"); got != strconv.Itoa(wait) {
					t.Errorf("Retry-After: %s, want %d", got, wait)
				}
				s.Clock.Push(time.Duration(wait) * time.Second)
				b.post("/login", "email", email, "password", "wrong").want(422)
			}
		}
		b := newBrowser(t, s)
		b.post("/login", "email", "owner@example.test", "password", "wrong").want(422) // another account is free
		s.Clock.Push(8 * time.Second)
		b.signIn() // and clears
		for range 4 {
			b.post("/login", "email", annsEmail, "password", "wrong").want(422)
		}
		b.signIn()
	})
}

func TestThrottleOfANetwork(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := newBrowser(t, s)
	for i := range 50 {
		b.post("/login", "email", "user"+strconv.Itoa(i)+"@example.test", "password", "wrong").want(422)
	}
	b.post("/login", "email", "one.more@example.test", "password", "wrong").want(429)
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s)
	form := url.Values{"email": {annsEmail}, "password": {annsPassword}}
	b.do("POST", "/login", form, "Sec-Fetch-Site", "cross-site").want(403, "This form was sent from another site.", "Request ID")
	b.do("POST", "/login", form, "Origin", "https://evil.test").want(403)
	if b.cookie("sett_session") != "" {
		t.Error("a form of another site signs in")
	}
	b.do("POST", "/login", form, "Sec-Fetch-Site", "same-origin").leads("/")
	b.do("POST", "/logout", nil, "Sec-Fetch-Site", "cross-site").want(403)
	b.get("/").want(http.StatusOK)
}

func TestBrokenForms(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := newBrowser(t, s)
	b.post("/login", "email", "a\x00b", "password", "x").want(422, "contains invalid characters")
	b.post("/login", "email", "a\xffb", "password", "x").want(422)
	b.post("/login", "email", strings.Repeat("a", 70<<10), "password", "x").want(413)
	b.do("POST", "/login", nil, "Content-Type", "application/x-www-form-urlencoded; x").want(400)
}

// A password that was hashed at another cost is hashed again when it is known.
func TestOldHashesAreRefreshed(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	older := auth.Cost{Memory: 32, Passes: 1, Lanes: 1}.Hash(annsPassword)
	user, phc, err := s.App.Store().Accounts.PasswordByEmail(t.Context(), annsEmail)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.App.Store().Accounts.ReplacePassword(t.Context(), user.ID, phc, older); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s)
	b.post("/login", "email", annsEmail, "password", "wrong").want(422)
	if _, phc, err = s.App.Store().Accounts.PasswordByEmail(t.Context(), annsEmail); err != nil || phc != older {
		t.Errorf("a wrong password changes the hash to %s, %v", phc, err)
	}
	b.signIn()
	if _, phc, err = s.App.Store().Accounts.PasswordByEmail(t.Context(), annsEmail); err != nil || auth.NewPasswords(setttest.PasswordCost).OutOfDate(phc) || !auth.CheckPassword(phc, annsPassword) {
		t.Errorf("the hash is %s, %v", phc, err)
	}
}
