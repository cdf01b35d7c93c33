package user_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// rolesOf returns the role of every user of the server's account.
func rolesOf(t *testing.T, s *setttest.Server) map[string]accounts.Role {
	t.Helper()
	users, _, err := s.App.Store().Accounts.ListAccountUsers(t.Context(), s.Setup.AccountID, accountdb.AccountUserFilter{Page: sett.Page{Size: 100}})
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]accounts.Role{}
	for _, u := range users {
		roles[u.Email] = u.Role
	}
	return roles
}

func TestOIDCMakesAUser(t *testing.T) {
	t.Parallel()
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		b := newBrowser(t, s)
		b.get("/login?next=%2Fme%2Ftokens").want(200, "Sign in with Acme ID", `action="/auth/oidc"`).CheckPage()
		asked := b.leave("/me/tokens")
		for name, want := range map[string]string{
			"response_type": "code", "client_id": "sett", "scope": "openid email profile", "code_challenge_method": "S256",
			"redirect_uri": s.App.BaseURL() + "/auth/oidc/callback",
		} {
			if asked.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, asked.Get(name), want)
			}
		}
		b.get(i.approve(asked)).leads("/me/tokens")
		b.get("/").want(200, "Welcome to Acme, Ann Issued.", annsEmail)
		b.get("/me/sessions").want(200, "by single sign-on")
		wantSession(t, s, signin.Way{How: signin.ByOIDC, Account: s.Setup.AccountID})
		b.get("/me/security").want(200, "● Connected</strong> as "+annsEmail)
		want := map[string]accounts.Role{"owner@example.test": accounts.Owner, annsEmail: accounts.Member}
		if diff := cmp.Diff(want, rolesOf(t, s)); diff != "" {
			t.Errorf("users (-want +got):\n%s", diff)
		}
		b.post("/login", "email", annsEmail, "password", "").want(422) // has none

		// Once more, and with another address: subject and issuer say who it is.
		i.person("ann-1", "moved@example.test", false)
		newBrowser(t, s).through(i, "//evil.test").leads("/")
		if i.found != 1 {
			t.Errorf("the issuer was asked %d times what it is", i.found)
		}
		if diff := cmp.Diff(want, rolesOf(t, s)); diff != "" {
			t.Errorf("users after another sign-in (-want +got):\n%s", diff)
		}
	})
}

// Each answer differs in one thing from one that signs in.
func TestOIDCAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := setttest.Start(t, "sqlite", i.settings)
	const wrong = "The response of Acme ID does not match the request"
	for name, c := range map[string]struct {
		claim  string
		value  any
		status int
		want   string
	}{
		"nonce":        {"nonce", "another", 403, wrong},
		"no nonce":     {"nonce", "", 403, wrong},
		"audience":     {"aud", "another", 403, wrong},
		"issuer":       {"iss", "https://evil.test", 403, wrong},
		"expired":      {"exp", issued.Unix(), 403, wrong},
		"no subject":   {"sub", "", 403, wrong},
		"unverified":   {"email_verified", false, 403, "Your single sign-on has not confirmed that the address ann@example.test is yours."},
		"nothing said": {"email_verified", nil, 403, "has not confirmed"},
		"no address":   {"email", nil, 403, "Your single sign-on sent no email address"},
		"no text":      {"email", 7, 403, "sent no email address"},
	} {
		i.person("ann-1", annsEmail, true)
		i.set(func() { i.claims[c.claim] = c.value })
		s.Clock.Push(time.Second)
		b := newBrowser(t, s)
		if got := b.through(i, "/"); got.Status != c.status || !strings.Contains(got.Body, c.want) || b.cookie("sett_session") != "" {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	i.person("ann-1", annsEmail, true)
	other, err := newIssuerKey()
	if err != nil {
		t.Fatal(err)
	}
	i.set(func() { i.signer = other })
	newBrowser(t, s).through(i, "/").want(403, wrong)
	i.set(func() { i.signer = i.key })
	newBrowser(t, s).through(i, "/").leads("/")
}

func TestOIDCRoundTrips(t *testing.T) {
	t.Parallel()
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		const late = "This request expired or was already used."
		b := newBrowser(t, s)
		back := i.approve(b.leave("/"))
		newBrowser(t, s).get(back).want(422, late) // another browser
		other, err := url.Parse(back)
		if err != nil {
			t.Fatal(err)
		}
		query := other.Query()
		query.Set("state", "another")
		b.get("/auth/oidc/callback?"+query.Encode()).want(403, "does not match the request")
		b.get(back).want(422, late) // the wrong one has used it up

		first := i.approve(b.leave("/"))
		b.leave("/")
		b.get(first).want(403, "does not match") // of a sign-in that was begun anew

		back = i.approve(b.leave("/"))
		s.Clock.Push(10 * time.Minute)
		b.get(back).want(422, late)

		asked := b.leave("/")
		wrongVerifier := url.Values{}
		for name := range asked {
			wrongVerifier.Set(name, asked.Get(name))
		}
		wrongVerifier.Set("code_challenge", "another")
		b.get(i.approve(wrongVerifier)).want(503, "Sign-in with Acme ID does not work right now.")

		state := b.leave("/").Get("state")
		b.get("/auth/oidc/callback?error=access_denied&error_description=%3Cb%3Eno&state="+state).want(403, "Acme ID did not sign you in (access_denied).")
		state = b.leave("/").Get("state")
		if page := b.get("/auth/oidc/callback?error=%3Cb%3Eno&state="+state).want(403, "(an unknown error)"); strings.Contains(page.Body, "no)") {
			t.Error("the address puts words into the page")
		}
		b.do("POST", "/auth/oidc", url.Values{"next": {"/"}}, "Sec-Fetch-Site", "cross-site").want(403)
		if b.cookie("sett_session") != "" {
			t.Error("a user is signed in")
		}
	})
}

func TestOIDCIssuerDown(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.set(func() { i.down = true })
	s := setttest.Start(t, "sqlite", i.settings) // starts all the same
	addAnn(t, s)
	b := newBrowser(t, s)
	page := b.post("/auth/oidc").want(503, "Sign-in with Acme ID does not work right now.", "Temporarily unavailable")
	if strings.Contains(page.Body, "502") || strings.Contains(page.Body, i.URL) {
		t.Errorf("the page shows the reason: %s", page.Body)
	}
	newBrowser(t, s).signIn()
	i.set(func() { i.down = false })
	asked := b.leave("/")
	i.set(func() { i.down = true })
	b.get(i.approve(asked)).want(503)
	i.set(func() { i.down = false })
	i.person("bob-1", "bob@example.test", true)
	b.through(i, "/").leads("/")
}

func TestNoOIDC(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s).signIn()
	b.post("/auth/oidc").want(404, "Single sign-on is not set up on this server.")
	b.get("/auth/oidc/callback").want(404)
	b.get("/auth/oidc/connect").want(404)
	b.post("/auth/oidc/connect").want(404)
}

// An existing user with the address confirms that an identity is theirs by signing in as before.
func TestOIDCConnects(t *testing.T) {
	t.Parallel()
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		ann := addAnn(t, s)
		admin := accounts.AccountUserChange{Role: sett.Some(accounts.Admin)}
		if err := s.App.Store().Accounts.UpdateAccountUser(t.Context(), s.Setup.UserID, s.Setup.AccountID, ann, admin); err != nil {
			t.Fatal(err)
		}
		b := newBrowser(t, s)
		b.through(i, "/").leads("/login?next=%2Fauth%2Foidc%2Fconnect&done=connect")
		if b.cookie("sett_session") != "" {
			t.Fatal("an address is enough to sign in")
		}
		b.get("/login?next=%2Fauth%2Foidc%2Fconnect&done=connect").want(200, "A user with your address already exists.")
		b.post("/login", "email", annsEmail, "password", annsPassword, "next", "/auth/oidc/connect").leads("/auth/oidc/connect")
		b.get("/auth/oidc/connect").want(200, "Acme ID", "<strong>"+annsEmail+"</strong>", "Your password").CheckPage()
		newBrowser(t, s).through(i, "/").leads("/login?next=%2Fauth%2Foidc%2Fconnect&done=connect") // to look is not to connect
		b.post("/auth/oidc/connect", "password", "wrong").want(422, "The password is wrong.")
		b.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
		b.get("/me/security?done=connected").want(200, "Single sign-on connected.", "● Connected</strong> as "+annsEmail)
		b.post("/auth/oidc/connect", "password", annsPassword).want(404, "There is nothing to connect")

		other := newBrowser(t, s)
		other.through(i, "/me/tokens").leads("/me/tokens")
		want := map[string]accounts.Role{"owner@example.test": accounts.Owner, annsEmail: accounts.Admin} // no groups, no new roles
		if diff := cmp.Diff(want, rolesOf(t, s)); diff != "" {
			t.Errorf("users (-want +got):\n%s", diff)
		}
	})
}

// Another person cannot take a pending identity by sending their own cookie, nor one that is already connected.
func TestOIDCConnectsOneUser(t *testing.T) {
	t.Parallel()
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		addAnn(t, s)
		i.person("eve-1", "eve@example.test", false) // an unconfirmed address alone is not accepted
		newBrowser(t, s).through(i, "/").want(403)
		b := newBrowser(t, s).signIn()
		b.get("/me/security").want(200, "○ Not connected.")
		b.through(i, "/me/security").leads("/auth/oidc/connect")
		again := newBrowser(t, s).signIn()
		again.through(i, "/").leads("/auth/oidc/connect")
		b.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
		again.post("/auth/oidc/connect", "password", annsPassword).want(409, "This identity is connected already.")
		other := stranger(t, s)
		other.get("/auth/oidc/connect").want(404)
		late := newBrowser(t, s).signIn()
		i.person("eve-2", "eve@example.test", true)
		late.through(i, "/").leads("/auth/oidc/connect")
		s.Clock.Push(10 * time.Minute)
		late.post("/auth/oidc/connect", "password", annsPassword).want(404)
	})
}

func TestOIDCGroups(t *testing.T) {
	t.Parallel()
	mapped := func(c *app.Config) {
		c.SignIn.Roles = []accounts.GroupRole{{Group: "ops", Role: accounts.Admin}, {Group: "dev", Role: accounts.Member}, {Group: "boss", Role: accounts.Owner}}
	}
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		as := func(subject, email string, groups ...string) *answer {
			t.Helper()
			i.person(subject, email, true, groups...)
			return newBrowser(t, s).through(i, "/")
		}
		want := func(email string, role accounts.Role) {
			t.Helper()
			if got := rolesOf(t, s)[email]; got != role {
				t.Fatalf("%s is %q, want %q", email, got, role)
			}
		}
		if scope := newBrowser(t, s).leave("/").Get("scope"); scope != "openid email profile groups" {
			t.Errorf("asked is for %s", scope)
		}
		as("1", "new@example.test", "sales").want(403, "None of your groups may sign in here.")
		as("1", "new@example.test").want(403)
		want("new@example.test", "")
		as("1", "new@example.test", "sales", "dev", "ops").leads("/")
		want("new@example.test", accounts.Admin)
		as("1", "new@example.test", "dev").leads("/")
		want("new@example.test", accounts.Member)
		as("1", "new@example.test", "sales").want(403)
		want("new@example.test", accounts.Member)
		as("1", "new@example.test", "boss").leads("/")
		want("new@example.test", accounts.Owner)

		// Of two owners one can go, the last one stays.
		users, _, err := s.App.Store().Accounts.ListAccountUsers(t.Context(), s.Setup.AccountID, accountdb.AccountUserFilter{Page: sett.Page{Size: 100}})
		if err != nil {
			t.Fatal(err)
		}
		made := users[len(users)-1].ID
		if err := s.App.Store().Accounts.RemoveAccountUser(t.Context(), made, s.Setup.AccountID, s.Setup.UserID); err != nil {
			t.Fatal(err)
		}
		as("1", "new@example.test", "dev").leads("/")
		want("new@example.test", accounts.Owner)

		// Groups bring back whom an admin has removed, and raise who connects.
		addAnn(t, s)
		i.person("ann-1", annsEmail, true, "ops")
		b := newBrowser(t, s).signIn()
		b.through(i, "/").leads("/auth/oidc/connect")
		b.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
		want(annsEmail, accounts.Admin)
	}, mapped)
}

// Some issuers return email address and groups only from the userinfo endpoint.
func TestOIDCUserInfo(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.claims = map[string]any{"sub": "1", "email_verified": true}
	i.userInfo = map[string]any{"sub": "1", "email": "thin@example.test", "email_verified": "true", "preferred_username": "Thin", "roles": "ops"}
	s := setttest.Start(t, "sqlite", i.settings, func(c *app.Config) {
		c.SignIn.GroupsClaim, c.SignIn.Roles = "roles", []accounts.GroupRole{{Group: "ops", Role: accounts.Billing}}
	})
	b := newBrowser(t, s)
	i.set(func() { i.userInfo["sub"] = "2" })
	b.through(i, "/").want(403, "does not match")
	i.set(func() { i.userInfo["sub"], i.userInfo["email_verified"] = "1", false })
	b.through(i, "/").want(403, "has not confirmed") // the token's word is about no address
	i.set(func() { i.userInfo["email_verified"] = "true" })
	b.through(i, "/").leads("/")
	b.get("/").want(200, "Welcome to Acme, Thin.")
	if got := rolesOf(t, s)["thin@example.test"]; got != accounts.Billing {
		t.Errorf("the role is %q", got)
	}
}

func TestOIDCAccount(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := setttest.Start(t, "sqlite", i.settings, func(c *app.Config) { c.SignIn.Account = "none" })
	newBrowser(t, s).through(i, "/").want(403, "The account that you would join does not exist.")
	if n := len(rolesOf(t, s)); n != 1 {
		t.Errorf("the account has %d users", n)
	}
}

func TestTripsToTheIssuerWithoutEnd(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := setttest.Start(t, "sqlite", i.settings)
	b := newBrowser(t, s)
	for range 100 {
		b.leave("/")
	}
	page := b.post("/auth/oidc", "next", "/").want(429, "There were too many attempts to sign in. Wait 5 minutes, then try again.")
	if page.CheckPage(); page.Header.Get("Retry-After") != "300" || page.Header.Get("Set-Cookie") != "" {
		t.Errorf("headers: %v", page.Header)
	}
}
