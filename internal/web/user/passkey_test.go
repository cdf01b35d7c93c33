package user_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

const localOrigin = "http://localhost:8080"

// local makes the base URL one with which browsers allow passkeys.
func local(c *app.Config) { c.BaseURL = localOrigin }

// newLocalBrowser is newBrowser for a server whose base URL is local.
func newLocalBrowser(t *testing.T, s *setttest.Server) *browser {
	t.Helper()
	b := newBrowser(t, s)
	b.Base = "http://" + s.App.Addr()
	return b
}

// addPasskey adds the passkey of a new device for Ann, who is signed in, with more fields than her password if she has to
// show more.
func (b *browser) addPasskey(name string, more ...string) *authenticator {
	b.t.Helper()
	device := newAuthenticator(b.t, localOrigin)
	o := b.post("/me/security/passkeys/options", append([]string{"name", name, "password", annsPassword}, more...)...).options()
	b.post("/me/security/passkeys", "answer", device.create(o)).leads("/me/security?done=passkey_added")
	return device
}

// tryPasskey asks for a passkey and shows the device's.
func (b *browser) tryPasskey(device *authenticator, next string) *answer {
	b.t.Helper()
	o := b.post("/login/passkey/options").options()
	return b.post("/login/passkey", "answer", device.get(o.Challenge), "next", next)
}

const badPasskey = "This passkey could not be used."

func TestPasskeySignsIn(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		in := newLocalBrowser(t, s).signIn()
		_, codes := in.turnOn(s) // a passkey is both factors: it asks for no code
		in.get("/me/security").want(200, "You have no passkeys", `href="/me/security/passkeys"`)
		device := in.addPasskey("Blue notebook", "code", codes[0])
		in.get("/me/security?done=passkey_added").want(200, "Passkey added.", "Blue notebook", `data-label="Last used">never<`)

		out := newLocalBrowser(t, s)
		out.get("/login?next=%2Fme%2Ftokens").want(200, `href="/login/passkey?next=%2Fme%2Ftokens"`)
		out.get("/login/passkey?next=%2Fme%2Ftokens").want(200, `name="next" value="/me/tokens"`, `href="/login?next=%2Fme%2Ftokens"`)
		out.tryPasskey(device, "/me/tokens").leads("/me/tokens")
		out.get("/me/sessions").want(200, "by passkey")
		wantSession(t, s, signin.Way{How: signin.ByPasskey, Factor: true})
		out.get("/me/security").want(200, fmt.Sprintf(`datetime="%s"`, s.Clock.Now().UTC().Format(time.RFC3339)))
		newLocalBrowser(t, s).tryPasskey(device, "//evil.test").leads("/")
	}, local)
}

func TestPasskeyOptions(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", local)
	addAnn(t, s)
	in := newLocalBrowser(t, s).signIn()
	first := in.addPasskey("First")
	o := in.post("/me/security/passkeys/options", "name", "Second", "password", annsPassword).options()
	if o.RP.ID != "localhost" || o.User.Name != annsEmail || o.User.ID != encoded(first.handle) || len(o.User.ID) < 40 {
		t.Errorf("a second passkey is proposed as %+v", o)
	}
	if o.AuthenticatorSelection.ResidentKey != "required" || o.AuthenticatorSelection.UserVerification != "required" {
		t.Errorf("a passkey may be %+v", o.AuthenticatorSelection)
	}
	if len(o.ExcludeCredentials) != 1 || o.ExcludeCredentials[0].ID != encoded(first.id) {
		t.Errorf("excluded are %+v", o.ExcludeCredentials)
	}
	ask := newLocalBrowser(t, s).post("/login/passkey/options").options()
	if ask.RpID != "localhost" || ask.UserVerification != "required" || ask.AllowCredentials != nil {
		t.Errorf("asked is for %+v", ask)
	}
}

// Each answer differs in one thing from one that signs in.
func TestPasskeysThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", local)
	addAnn(t, s)
	in := newLocalBrowser(t, s).signIn()
	for name, change := range map[string]func(*authenticator){
		"of another page":  func(a *authenticator) { a.origin = "http://evil.test" },
		"of another party": func(a *authenticator) { a.party = "evil.test" },
		"user not checked": func(a *authenticator) { a.flags = userPresent },
		"no user present":  func(a *authenticator) { a.flags = userVerified },
		"of another user":  func(a *authenticator) { a.handle = []byte("another user") },
		"of no user":       func(a *authenticator) { a.handle = nil },
		"another key":      func(a *authenticator) { a.key = newAuthenticator(t, localOrigin).key },
	} {
		device := in.addPasskey(name)
		right := *device
		change(device)
		b := newLocalBrowser(t, s)
		if got := b.tryPasskey(device, "/"); got.Status != 422 || !strings.Contains(got.Body, badPasskey) || b.cookie("sett_session") != "" {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
		b.tryPasskey(&right, "/").leads("/")
	}
	unknown := newAuthenticator(t, localOrigin)
	unknown.handle = []byte("x")
	newLocalBrowser(t, s).tryPasskey(unknown, "/").want(422, "This passkey is unknown.")
}

func TestNewPasskeysThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", local)
	addAnn(t, s)
	b := newLocalBrowser(t, s).signIn()
	for name, change := range map[string]func(*authenticator){
		"of another page":  func(a *authenticator) { a.origin = "http://evil.test" },
		"of another party": func(a *authenticator) { a.party = "evil.test" },
		"user not checked": func(a *authenticator) { a.flags = userPresent },
	} {
		device := newAuthenticator(t, localOrigin)
		change(device)
		o := b.post("/me/security/passkeys/options", "name", name, "password", annsPassword).options()
		b.post("/me/security/passkeys", "answer", device.create(o)).want(422, badPasskey)
	}
	b.get("/me/security").want(200, "You have no passkeys.")
	device := b.addPasskey("Mine")
	o := b.post("/me/security/passkeys/options", "name", "Twice", "password", annsPassword).options()
	b.post("/me/security/passkeys", "answer", device.create(o)).want(409, "This passkey is already in use.")

	for name, want := range map[string]string{
		"":  `{"errors":"Please correct: name can't be blank."}`,
		"x": `{"errors":"The password is wrong. Nothing was changed."}`,
	} {
		form := url.Values{"name": {name}, "password": {"wrong"}}
		got := b.do("POST", "/me/security/passkeys/options", form, "Accept", "application/json").want(422)
		if strings.TrimSpace(got.Body) != want {
			t.Errorf("%q: %s, want %s", name, got.Body, want)
		}
	}
	newLocalBrowser(t, s).post("/me/security/passkeys/options", "name", "x").leads("/login")
}

// A challenge is answered once, in time, and by the browser that was asked.
func TestChallengesAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		in := newLocalBrowser(t, s).signIn()
		device := in.addPasskey("Phone")
		const late = "This request expired or was already used."

		b := newLocalBrowser(t, s)
		o := b.post("/login/passkey/options").options()
		cookie := "sett_use_passkey=" + b.cookie("sett_use_passkey")
		right := device.get(o.Challenge)
		newLocalBrowser(t, s).post("/login/passkey", "answer", right).want(422, late) // another browser
		b.post("/login/passkey", "answer", "{}").want(422, badPasskey)                // uses it up
		b.post("/login/passkey", "answer", right).want(422, late)
		b.do("POST", "/login/passkey", map[string][]string{"answer": {right}}, "Cookie", cookie).want(422, late)

		o = b.post("/login/passkey/options").options()
		s.Clock.Push(5*time.Minute - time.Second)
		b.post("/login/passkey", "answer", device.get(o.Challenge)).leads("/")
		o = b.post("/login/passkey/options").options()
		s.Clock.Push(5 * time.Minute)
		b.post("/login/passkey", "answer", device.get(o.Challenge)).want(422, late)

		other := newLocalBrowser(t, s)
		o = other.post("/login/passkey/options").options()
		b.post("/login/passkey/options").options()
		b.post("/login/passkey", "answer", device.get(o.Challenge)).want(422, badPasskey) // of what another was asked

		added := newAuthenticator(t, localOrigin)
		o = in.post("/me/security/passkeys/options", "name", "x", "password", annsPassword).options()
		stolen := "sett_add_passkey=" + in.cookie("sett_add_passkey")
		session := "sett_session=" + strangersSession(t, s)
		answer := added.create(o)
		newLocalBrowser(t, s).do("POST", "/me/security/passkeys", map[string][]string{"answer": {answer}}, "Cookie", stolen+"; "+session).want(422, late)
		in.post("/me/security/passkeys", "answer", answer).leads("/me/security?done=passkey_added")
	}, local)
}

// strangersSession returns the session secret of an unrelated user.
func strangersSession(t *testing.T, s *setttest.Server) string {
	t.Helper()
	const email, password = "stranger@example.test", "a stranger in town"
	_, _, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others", accountdb.NewUser{Email: email, Name: "Stranger", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	b := newLocalBrowser(t, s)
	b.post("/login", "email", email, "password", password).leads("/")
	return b.cookie("sett_session")
}

// Each passkey challenge stores a row, so their number is limited; sign-in with a password is not affected.
func TestQuestionsWithoutEnd(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", local)
	addAnn(t, s)
	b := newLocalBrowser(t, s)
	for range 100 {
		b.post("/login/passkey/options").want(200)
	}
	const want = "There were too many attempts to sign in. Wait 5 minutes, then try again."
	got := b.do("POST", "/login/passkey/options", nil, "Accept", "application/json").want(429, `{"errors":"`+want+`"}`)
	if wait := got.Header.Get("Retry-After"); wait != "300" {
		t.Errorf("Retry-After: %s", wait)
	}
	b.post("/login", "email", annsEmail, "password", annsPassword).leads("/")
	s.Clock.Push(5 * time.Minute)
	b.post("/login/passkey/options").want(200)
}

func TestCopiedPasskeyIsRefused(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		in := newLocalBrowser(t, s).signIn()
		device := in.addPasskey("Phone")
		clone := *device
		newLocalBrowser(t, s).tryPasskey(device, "/").leads("/")
		newLocalBrowser(t, s).tryPasskey(device, "/").leads("/")
		b := newLocalBrowser(t, s)
		b.tryPasskey(&clone, "/").want(422, "there may be a copy of it")
		if b.cookie("sett_session") != "" {
			t.Error("a copy signs in")
		}
		newLocalBrowser(t, s).tryPasskey(device, "/").want(422, "there may be a copy of it") // who has the copy is unknown
		in.get("/me/security").want(200, "copied: not accepted")

		silent := newAuthenticator(t, localOrigin) // one that does not count
		silent.count = 0
		o := in.post("/me/security/passkeys/options", "name", "Key", "password", annsPassword).options()
		in.post("/me/security/passkeys", "answer", silent.create(o)).leads("/me/security?done=passkey_added")
		for range 2 {
			silent.count = ^uint32(0) // the next is 0
			newLocalBrowser(t, s).tryPasskey(silent, "/").leads("/")
		}
	}, local)
}

var removal = regexp.MustCompile(`/me/security/passkeys/(\d+)/remove`)

func TestRemovePasskey(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		in := newLocalBrowser(t, s).signIn()
		device := in.addPasskey("Phone")
		path := removal.FindString(in.get("/me/security").want(200).Body)
		other := newLocalBrowser(t, s)
		other.do("POST", path, nil, "Cookie", "sett_session="+strangersSession(t, s)).want(404)
		newLocalBrowser(t, s).tryPasskey(device, "/").leads("/")
		in.post(path).leads("/me/security?done=passkey_removed")
		in.post(path).want(404)
		newLocalBrowser(t, s).tryPasskey(device, "/").want(422, "This passkey is unknown.")
	}, local)
}

func TestMostPasskeys(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", local)
	addAnn(t, s)
	b := newLocalBrowser(t, s).signIn()
	for i := range 20 {
		b.addPasskey(fmt.Sprint(i))
	}
	o := b.post("/me/security/passkeys/options", "name", "x", "password", annsPassword).options()
	b.post("/me/security/passkeys", "answer", newAuthenticator(t, localOrigin).create(o)).want(422, "You already have 20 passkeys.")
}

// Browsers allow no passkeys for an IP address, so nothing offers them.
func TestNoPasskeysWithoutName(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s)
	for _, page := range []string{b.get("/login").want(200).Body, newBrowser(t, s).signIn().get("/me/security").want(200).Body} {
		if strings.Contains(strings.ToLower(page), "passkey") {
			t.Errorf("a page offers passkeys: %s", page)
		}
	}
	b.get("/login/passkey").want(404, "Passkeys require a base URL")
	b.post("/login/passkey/options").want(404)
	b.post("/login/passkey", "answer", "{}").want(404)
}

var scriptOnPage = regexp.MustCompile(`<script src="(/s/passkey\.[0-9a-f]{12}\.js)" defer></script>`)

func TestPagesWithScript(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", local)
	addAnn(t, s)
	for path, b := range map[string]*browser{"/login/passkey": newLocalBrowser(t, s), "/me/security/passkeys": newLocalBrowser(t, s).signIn()} {
		page := b.get(path).want(200, "<noscript>", "data-passkey=")
		page.CheckPage()
		m := scriptOnPage.FindStringSubmatch(page.Body)
		if m == nil || strings.Count(page.Body, "<script") != 2 {
			t.Fatalf("%s: not two scripts of ours: %s", path, page.Body)
		}
		got := b.get(m[1]).want(200, `"use strict"`)
		if kind := got.Header.Get("Content-Type"); kind != "text/javascript; charset=utf-8" {
			t.Errorf("Content-Type: %s", kind)
		}
	}
	newLocalBrowser(t, s).get("/login").want(http.StatusOK).CheckPage()
	newLocalBrowser(t, s).signIn().get("/me/security").want(http.StatusOK).CheckPage()
}
