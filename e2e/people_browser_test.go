package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// visitor is a user with a browser at a sett that prints its mails.
type visitor struct {
	*tab
	t     *testing.T
	s     *server
	mails *mailbox
}

const (
	ownersEmail    = "admin@example.com"
	ownersPassword = "seven lonely walruses"
)

// newVisitor serves a sett whose owner has a password, and opens a browser.
func newVisitor(t *testing.T) *visitor {
	t.Helper()
	storage := []string{"--data", t.TempDir()}
	v := &visitor{t: t, mails: newMailbox(), s: &server{credentials: setup(t, append(storage, "--password", ownersPassword))}}
	v.s.process = launchPrinting(t, v.mails, append(storage, "--smtp-url", "stdout:")...)
	v.s.base = v.s.await(t)
	t.Cleanup(func() { v.s.stop(t) })
	v.tab = openTab(t)
	return v
}

// open loads a page and waits for one of its elements.
func (v *visitor) open(address, element string) {
	v.t.Helper()
	v.do(v.t, chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS(element)))
}

func (v *visitor) click(button, then string) {
	v.t.Helper()
	v.do(v.t, chromedp.Click(chromedp.CSS(button)), chromedp.WaitVisible(chromedp.CSS(then)))
}

// send fills in the form on the page, sends it and waits for an element of the page that follows.
func (v *visitor) send(then string, fields ...string) {
	v.t.Helper()
	for i := 0; i+1 < len(fields); i += 2 {
		v.do(v.t, chromedp.SendKeys(chromedp.CSS("#"+fields[i]), fields[i+1]))
	}
	v.click("main button.primary", then)
}

// choose clicks what is in the menu of the user who is signed in.
func (v *visitor) choose(item, then string) {
	v.t.Helper()
	v.do(v.t, chromedp.Click(chromedp.CSS(ownMenu)), chromedp.WaitVisible(chromedp.CSS(item)))
	v.click(item, then)
}

// read fails the test unless the page shows a text.
func (v *visitor) read(text string) {
	v.t.Helper()
	if page := wait[string](v.t, v.tab, `document.querySelector("main").innerText`); !strings.Contains(page, text) {
		v.t.Errorf("the page lacks %q:\n%s", text, page)
	}
}

// Elements that show where the browser is.
const (
	home     = `[href="/"][aria-current]`
	ownMenu  = `details.me > summary`
	said     = `main > p[role=status]`
	atSignIn = `form[action="/login"]`
)

func (v *visitor) signIn(email, password string) {
	v.t.Helper()
	v.open(v.s.base+"/login", atSignIn)
	v.send(home, "email", email, "password", password)
}

// wantQuiet fails the test when the browser had anything to complain about: errors, blocked requests, the content policy.
func (v *visitor) wantQuiet() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, line := range append(v.thrown, v.errors...) {
		v.t.Errorf("the console says: %s", line)
	}
	for _, line := range v.exchanges {
		if !strings.HasSuffix(line, " 200") && !strings.HasSuffix(line, " 303") {
			v.t.Errorf("answered: %s", line)
		}
	}
}

func TestForgottenPasswordInBrowser(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.open(v.s.base+"/login", atSignIn)
	v.click(`a[href="/forgot"]`, `form[action="/forgot"]`)
	v.send(said, "email", ownersEmail)
	v.read("If an account uses this address, we have sent a link to it.")
	v.open(v.mails.link(t, ownersEmail, v.s.base+"/reset/"), "#new_password")
	v.read("Set a new password for " + ownersEmail)
	v.send(atSignIn, "new_password", "eight jolly penguins")
	v.read("Password changed. Sign in with your new password.")
	v.signIn(ownersEmail, "eight jolly penguins")
	v.wantQuiet()
}

func TestInvitationInBrowser(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	const email, password = "nora@example.test", "ten modest herons"
	v.s.manage(t).do(http.MethodPost, "/v2/accounts/"+v.s.AccountID+"/invitations",
		map[string]any{"invitation": map[string]any{"email": email, "role": "Member"}}, http.StatusCreated)
	v.open(v.mails.link(t, email, v.s.base+"/invitations/"), "#name")
	v.read("You will sign in as " + email)
	v.send(home, "name", "Nora New", "new_password", password)
	v.read("You have joined.")
	v.choose(`[action="/logout"] button`, atSignIn)
	v.read("You are signed out.")
	v.signIn(email, password)
	v.read("Welcome, Nora New.")
	v.wantQuiet()
}

func TestPersonalTokenInBrowser(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.signIn(ownersEmail, ownersPassword)
	v.choose(`a[href="/me/tokens"]`, "#name")
	v.do(t, chromedp.SetValue(chromedp.CSS("#scope"), "write"))
	v.send("code.secret", "name", "deploy script")
	secret := wait[string](t, v.tab, `document.querySelector("code.secret").innerText`)
	account := "/v2/accounts/" + v.s.AccountID
	manager{t, v.s.base, secret}.do(http.MethodGet, account, nil, http.StatusOK)
	manager{t, v.s.base, secret}.do(http.MethodDelete, account+"/users/99999", nil, http.StatusNotFound) // it may write
	v.click(`[aria-label="Revoke deploy script"]`, said)
	v.read("Token revoked.")
	manager{t, v.s.base, secret}.do(http.MethodGet, account, nil, http.StatusUnauthorized)
	v.wantQuiet()
}
