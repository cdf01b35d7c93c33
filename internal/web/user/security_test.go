package user_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"sett/internal/setttest"
)

func TestChangePassword(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		here, there := newBrowser(t, s).signIn(), newBrowser(t, s).signIn()
		here.get("/me/security").want(200, "Current password", "New password", "○ Off.")
		for password, why := range map[string]string{
			"short":                    "Please correct: the new password is too short (minimum is 10 characters)",
			strings.Repeat("long", 33): "Please correct: the new password is too long (maximum is 128 characters).",
			"ANN@example.test":         "Please correct: the new password must not be your address or your name",
		} {
			here.post("/me/security/password", "password", annsPassword, "new_password", password).want(422, why)
		}
		here.post("/me/security/password", "password", "wrong", "new_password", "eight jolly penguins").want(422, "The password is wrong. Nothing was changed.")
		there.get("/").want(200)

		here.post("/me/security/password", "password", annsPassword, "new_password", "eight jolly penguins").leads("/me/security?done=password")
		here.get("/me/security?done=password").want(200, "Password changed")
		there.get("/").leads("/login")
		there.post("/login", "email", annsEmail, "password", annsPassword).want(422)
		there.post("/login", "email", annsEmail, "password", "eight jolly penguins").leads("/")
	})
}

var secretOnPage = regexp.MustCompile(`<code class="secret">([^<]+)</code>`)

// shownSecret returns the secret on a page as an app would take it.
func (a *answer) shownSecret() string {
	a.t.Helper()
	m := secretOnPage.FindStringSubmatch(a.Body)
	if m == nil {
		a.t.Fatalf("%s: the page shows no secret:\n%s", a.Asked, a.Body)
	}
	return strings.ReplaceAll(html.UnescapeString(m[1]), " ", "")
}

var recoveryCode = regexp.MustCompile(`<li><code>([a-z2-7-]+)</code></li>`)

// recoveryCodes returns the codes on a page.
func (a *answer) recoveryCodes() (codes []string) {
	a.t.Helper()
	for _, m := range recoveryCode.FindAllStringSubmatch(a.Body, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) != 10 {
		a.t.Fatalf("%s: the page shows %d recovery codes, want 10:\n%s", a.Asked, len(codes), a.Body)
	}
	return codes
}

// codeAt is what an app with the secret shows.
func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// turnOn sets up the second factor of the signed-in user.
func (b *browser) turnOn(s *setttest.Server) (secret string, codes []string) {
	b.t.Helper()
	b.post("/me/security/totp").leads("/me/security/totp")
	secret = b.get("/me/security/totp").want(200, "<svg", `d="M`).shownSecret()
	codes = b.post("/me/security/totp/confirm", "password", annsPassword, "code", codeAt(b.t, secret, s.Clock.Now())).want(200).recoveryCodes()
	return secret, codes
}

func TestSecondFactor(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		b.get("/me/security/totp").leads("/me/security") // nothing was begun
		b.post("/me/security/totp").leads("/me/security/totp")
		b.post("/me/security/totp/confirm", "password", annsPassword, "code", "000000").want(422, "The code is wrong.")
		newBrowser(t, s).signIn() // it does not count yet
		secret, _ := b.turnOn(s)
		b.get("/me/security").want(200, "● On.", "You have 10 recovery codes left.")
		b.post("/me/security/totp").leads("/me/security/totp") // changes nothing any more
		b.get("/me/security/totp").leads("/me/security")

		other := newBrowser(t, s)
		other.get("/login/2fa").leads("/login")
		login := func() {
			t.Helper()
			other.post("/login", "email", annsEmail, "password", annsPassword, "next", "/me/tokens").leads("/login/2fa?next=%2Fme%2Ftokens")
		}
		login()
		other.get("/").leads("/login") // half is not enough
		other.get("/login/2fa?next=/me/tokens").want(200, annsEmail, `value="/me/tokens"`)
		used := codeAt(t, secret, s.Clock.Now())
		other.post("/login/2fa", "code", used, "next", "/me/tokens").want(422, "This code is wrong or was used before.")
		s.Clock.Push(time.Minute)
		other.post("/login/2fa", "code", codeAt(t, secret, s.Clock.Now().Add(-time.Minute)), "next", "/me/tokens").want(422)
		other.post("/login/2fa", "code", codeAt(t, secret, s.Clock.Now().Add(time.Minute)), "next", "/me/tokens").want(422)
		late := codeAt(t, secret, s.Clock.Now().Add(-30*time.Second))
		other.post("/login/2fa", "code", late[:3]+" "+late[3:], "next", "/me/tokens").leads("/me/tokens")
		other.get("/me/tokens").want(200)

		other.post("/logout").leads("/login?done=signed_out")
		login()
		s.Clock.Push(10 * time.Minute)
		other.post("/login/2fa", "code", codeAt(t, secret, s.Clock.Now()), "next", "/").leads("/login") // too late
		if other.cookie("sett_session") != "" {
			t.Error("a half sign-in that is too old signs in")
		}
	})
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		_, codes := b.turnOn(s)
		login := func(code string) *answer {
			t.Helper()
			other := newBrowser(t, s)
			other.post("/login", "email", annsEmail, "password", annsPassword).leads("/login/2fa")
			return other.post("/login/2fa", "code", code)
		}
		login(strings.ToUpper(strings.ReplaceAll(codes[0], "-", " "))).leads("/")
		login(codes[0]).want(422)
		b.get("/me/security").want(200, "You have 9 recovery codes left.")

		renewed := b.post("/me/security/recovery_codes", "password", annsPassword, "code", codes[2]).want(200).recoveryCodes()
		login(codes[1]).want(422)
		login(renewed[1]).leads("/")
		b.post("/me/security/recovery_codes", "password", annsPassword, "code", codes[3]).want(422, "This code is wrong or was used before.")
		b.post("/me/security/totp/off", "password", annsPassword, "code", renewed[2]).leads("/me/security?done=factor_off")
		newBrowser(t, s).signIn()
	})
}

// A person who uses a signed-in browser of another user, even with the password, neither turns the second factor off nor
// reads new codes: that takes what signing in takes.
func TestASecondFactorIsGivenUpByItself(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		for _, path := range []string{"/me/security/recovery_codes", "/me/security/totp/off"} {
			b.post(path, "password", annsPassword).leads("/me/security") // nothing to renew, nothing to turn off
		}
		secret, _ := b.turnOn(s)
		b.get("/me/security").want(200, `id="renew-password"`, `id="renew-code"`, `id="off-password"`, `id="off-code"`)
		for _, path := range []string{"/me/security/recovery_codes", "/me/security/totp/off"} {
			s.Clock.Push(time.Hour) // no throttle
			code := codeAt(t, secret, s.Clock.Now())
			b.post(path, "password", "wrong", "code", code).want(422, "The password is wrong. Nothing was changed.")
			b.post(path, "password", annsPassword).want(422, "This code is wrong or was used before.")
			b.post(path, "password", annsPassword, "code", "000000").want(422, "This code is wrong or was used before.")
			if b.post(path, "password", annsPassword, "code", code); path == "/me/security/recovery_codes" {
				b.post(path, "password", annsPassword, "code", code).want(422, "This code is wrong or was used before.")
			}
		}
		newBrowser(t, s).signIn()
		_, codes := b.turnOn(s)
		for range 5 {
			b.post("/me/security/totp/off", "password", annsPassword, "code", "12345").want(422)
		}
		b.post("/me/security/totp/off", "password", annsPassword, "code", codes[0]).want(429, "Wait 1 second, then try again.")
		b.post("/login", "email", annsEmail, "password", annsPassword).leads("/login/2fa")
		b.post("/login/2fa", "code", codes[0]).want(429) // the same throttle
		s.Clock.Push(time.Second)
		b.post("/me/security/totp/off", "password", annsPassword, "code", codes[0]).leads("/me/security?done=factor_off")
	})
}

// Who signs in by other means and has no password shows the second factor alone.
func TestASecondFactorWithoutPassword(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newLocalBrowser(t, s).signIn()
		_, codes := b.turnOn(s)
		loseAnnsPassword(t, s)
		page := b.get("/me/security").want(200, `id="renew-code"`, `id="off-code"`)
		if strings.Contains(page.Body, "off-password") {
			t.Error("a password is asked for that the user does not have")
		}
		b.post("/me/security/totp/off", "code", "000000").want(422, "This code is wrong")
		b.post("/me/security/recovery_codes", "code", codes[0]).want(200)
		b.post("/me/security/totp/off", "code", codes[1]).want(422)
	}, local)
}

func TestThrottleOfCodes(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		secret, _ := newBrowser(t, s).signIn().turnOn(s)
		s.Clock.Push(time.Minute)
		b := newBrowser(t, s)
		b.post("/login", "email", annsEmail, "password", annsPassword).leads("/login/2fa")
		for range 5 {
			b.post("/login/2fa", "code", "12345").want(422)
		}
		b.post("/login/2fa", "code", codeAt(t, secret, s.Clock.Now())).want(429, "Wait 1 second, then try again.")
		s.Clock.Push(time.Second)
		b.post("/login/2fa", "code", codeAt(t, secret, s.Clock.Now())).leads("/")
	})
}
