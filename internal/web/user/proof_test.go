package user_test

import (
	"strings"
	"testing"

	"sett/internal/sett/signin"
	"sett/internal/setttest"
)

// loseAnnsPassword makes Ann one who signs in by other means alone.
func loseAnnsPassword(t *testing.T, s *setttest.Server) {
	t.Helper()
	ann, phc, err := s.App.Store().Accounts.PasswordByEmail(t.Context(), annsEmail)
	if err == nil {
		err = s.App.Store().Accounts.ReplacePassword(t.Context(), ann.ID, phc, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// asks fails the test unless the page has the fields of a proof, and those alone.
func (a *answer) asks(password, code bool) {
	a.t.Helper()
	a.want(200)
	if got := strings.Contains(a.Body, `name="password"`); got != password {
		a.t.Errorf("%s asks for the password: %t, want %t", a.Asked, got, password)
	}
	if got := strings.Contains(a.Body, `name="code"`); got != code {
		a.t.Errorf("%s asks for the code: %t, want %t", a.Asked, got, code)
	}
}

const (
	wrongPassword = "The password is wrong. Nothing was changed."
	wrongCode     = "This code is wrong or was used before."
)

// A passkey signs in without the second factor, so creating one requires it.
func TestProofOfWhoAddsAPasskey(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newLocalBrowser(t, s).signIn()
		propose := func(fields ...string) *answer {
			t.Helper()
			return b.post("/me/security/passkeys/options", append([]string{"name", "Phone"}, fields...)...)
		}
		b.get("/me/security/passkeys").asks(true, false)
		propose("password", annsPassword).want(200)
		_, codes := b.turnOn(s)
		b.get("/me/security/passkeys").asks(true, true)
		propose("password", annsPassword).want(422, wrongCode)
		propose("password", annsPassword, "code", "000000").want(422, wrongCode)
		propose("password", "wrong", "code", codes[0]).want(422, wrongPassword)
		propose("name", "", "password", annsPassword, "code", codes[0]).want(422, "name can&#39;t be blank")
		b.addPasskey("Notebook", "code", codes[0]) // neither mistake has used it up
		propose("password", annsPassword, "code", codes[0]).want(422, wrongCode)
		b.get("/me/security").want(200, "You have 9 recovery codes left.", "Notebook")

		loseAnnsPassword(t, s)
		b.get("/me/security/passkeys").asks(false, true)
		propose().want(422, wrongCode)
		propose("code", codes[1]).want(200)
		b.post("/me/security/totp/off", "code", codes[2]).leads("/me/security?done=factor_off")
		b.get("/me/security/passkeys").asks(false, false)
		propose().want(200)
	}, local)
}

func TestProofOfWhoConnectsAnIdentity(t *testing.T) {
	t.Parallel()
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		_, codes := b.turnOn(s)
		b.through(i, "/me/security").leads("/auth/oidc/connect")
		const path = "/auth/oidc/connect"
		b.get(path).asks(true, true)
		b.post(path, "password", annsPassword).want(422, wrongCode)
		b.post(path, "password", "wrong", "code", codes[0]).want(422, wrongPassword)
		b.post(path, "password", annsPassword, "code", "000000").want(422, wrongCode).CheckPage()
		b.get("/me/security").want(200, "○ Not connected.", "You have 10 recovery codes left.")
		b.post(path, "password", annsPassword, "code", codes[0]).leads("/me/security?done=connected")
		b.get("/me/security").want(200, "● Connected", "You have 9 recovery codes left.")
	})
}

// Who has no password shows the code alone.
func TestProofWithoutPasswordOfWhoConnectsAnIdentity(t *testing.T) {
	t.Parallel()
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		_, codes := b.turnOn(s)
		loseAnnsPassword(t, s)
		b.through(i, "/me/security").leads("/auth/oidc/connect")
		b.get("/auth/oidc/connect").asks(false, true)
		b.post("/auth/oidc/connect").want(422, wrongCode)
		b.post("/auth/oidc/connect", "code", codes[0]).leads("/me/security?done=connected")
	})
}

// A session alone, which may be stolen, makes no way in that lasts.
func TestProofOfWhoMakesAWayIn(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b := newBrowser(t, s).signIn()
		forever := func(fields ...string) *answer {
			t.Helper()
			return b.post("/me/tokens", append([]string{"name", "forever", "scope", "write", "days", "0"}, fields...)...)
		}
		forever().want(422, wrongPassword)
		forever("password", "wrong").want(422, wrongPassword)
		b.get("/me/tokens").want(200, "You have no tokens")
		b.post("/me/tokens", "name", "month", "scope", "read", "days", "30").want(200)
		forever("password", annsPassword).want(200).shownSecret()

		b.post("/me/security/totp").leads("/me/security/totp")
		secret := b.get("/me/security/totp").want(200, `name="password"`).shownSecret()
		code := codeAt(t, secret, s.Clock.Now())
		b.post("/me/security/totp/confirm", "code", code).want(422, wrongPassword)
		b.post("/me/security/totp/confirm", "code", code, "password", "wrong").want(422, wrongPassword)
		b.get("/me/security").want(200, "○ Off.")
		codes := b.post("/me/security/totp/confirm", "code", code, "password", annsPassword).want(200).recoveryCodes()
		forever("password", annsPassword).want(422, wrongCode)
		forever("password", annsPassword, "code", codes[0]).want(200)

		loseAnnsPassword(t, s)
		b.post("/me/security/totp/off", "code", codes[1]).leads("/me/security?done=factor_off")
		forever().want(200) // the sign-in was just now
		s.Clock.Push(signin.FreshSignIn)
		forever().want(422, "You signed in more than 10 minutes ago.")
		b.post("/me/security/password", "new_password", "eight jolly penguins").want(422, "You signed in more than 10 minutes ago.")
	})
}
