package flow

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

func TestForgottenPasswordInBrowser(t *testing.T) {
	t.Parallel()
	v := browser.NewVisitor(t)
	v.Open(v.S.Base+"/login", browser.AtSignIn)
	v.Click(`a[href="/forgot"]`, `form[action="/forgot"]`)
	v.Send(browser.Said, "email", rig.OwnersEmail)
	v.Read("If an account uses this address, we have sent a link.")
	v.Open(v.Mails.Link(t, rig.OwnersEmail, v.S.Base+"/reset/"), "#new_password")
	v.Read("Set a new password for " + rig.OwnersEmail)
	v.Send(browser.AtSignIn, "new_password", "eight jolly penguins")
	v.Read("Password changed. Sign in with your new password.")
	v.SignIn(rig.OwnersEmail, "eight jolly penguins")
	v.WantQuiet()
}

func TestInvitationInBrowser(t *testing.T) {
	t.Parallel()
	v := browser.NewVisitor(t)
	const email, password = "nora@example.test", "ten modest herons"
	v.S.Manage(t).Do(http.MethodPost, "/v2/accounts/"+v.S.AccountID+"/invitations",
		map[string]any{"invitation": map[string]any{"email": email, "role": "Member"}}, http.StatusCreated)
	v.Open(v.Mails.Link(t, email, v.S.Base+"/invitations/"), "#name")
	v.Read("You will sign in as " + email)
	v.Send(browser.Home, "name", "Nora New", "new_password", password)
	v.Read("Invitation accepted.")
	v.Choose(`[action="/logout"] button`, browser.AtSignIn)
	v.Read("You are signed out.")
	v.SignIn(email, password)
	v.Read("Welcome to Sett, Nora New.")
	v.WantQuiet()
}

func TestPersonalTokenInBrowser(t *testing.T) {
	t.Parallel()
	v := browser.NewVisitor(t)
	v.SignIn(rig.OwnersEmail, rig.OwnersPassword)
	v.Choose(`a[href="/me/tokens"]`, "#name")
	v.Do(t, chromedp.SetValue(chromedp.CSS("#scope"), "write"))
	v.Send("code.secret", "name", "deploy script")
	secret := browser.Wait[string](t, v.Tab, `document.querySelector("code.secret").innerText`)
	account := "/v2/accounts/" + v.S.AccountID
	rig.As(t, v.S.Base, secret).Do(http.MethodGet, account, nil, http.StatusOK)
	rig.As(t, v.S.Base, secret).Do(http.MethodDelete, account+"/users/99999", nil, http.StatusNotFound) // it may write
	v.Click(`[aria-label="Revoke deploy script"]`, browser.Said)
	v.Read("Token revoked.")
	rig.As(t, v.S.Base, secret).Do(http.MethodGet, account, nil, http.StatusUnauthorized)
	v.WantQuiet()
}
