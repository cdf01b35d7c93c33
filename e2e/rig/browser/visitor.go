package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
)

// Visitor is a user with a browser at a sett that prints its mails.
type Visitor struct {
	*Tab
	T     *testing.T
	S     *rig.Server
	Mails *rig.Mailbox
}

// NewVisitor serves a sett whose owner has a password, and opens a browser.
func NewVisitor(t *testing.T) *Visitor {
	t.Helper()
	storage := []string{"--data", t.TempDir()}
	v := &Visitor{T: t, Mails: rig.NewMailbox(), S: &rig.Server{Credentials: rig.Setup(t, append(storage, "--password", rig.OwnersPassword))}}
	v.S.Process = rig.LaunchPrinting(t, v.Mails, append(storage, "--smtp-url", "stdout:")...)
	v.S.Base = v.S.Await(t)
	t.Cleanup(func() { v.S.Stop(t) })
	v.Tab = Open(t)
	return v
}

// Open loads a page and waits for one of its elements.
func (v *Visitor) Open(address, element string) {
	v.T.Helper()
	v.Do(v.T, chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS(element)))
}

// Click presses a button, and waits for an element of the page that it leads to.
func (v *Visitor) Click(button, then string) {
	v.T.Helper()
	v.Do(v.T, chromedp.Click(chromedp.CSS(button)), chromedp.WaitVisible(chromedp.CSS(then)))
}

// Send fills in the form on the page, sends it and waits for an element of the page that follows.
func (v *Visitor) Send(then string, fields ...string) {
	v.T.Helper()
	for i := 0; i+1 < len(fields); i += 2 {
		v.Do(v.T, chromedp.SendKeys(chromedp.CSS("#"+fields[i]), fields[i+1]))
	}
	v.Click("main button.primary", then)
}

// Choose clicks what is in the menu of the user who is signed in.
func (v *Visitor) Choose(item, then string) {
	v.T.Helper()
	v.Do(v.T, chromedp.Click(chromedp.CSS(OwnMenu)), chromedp.WaitVisible(chromedp.CSS(item)))
	v.Click(item, then)
}

// Read fails the test unless the page shows a text.
func (v *Visitor) Read(text string) {
	v.T.Helper()
	if page := Wait[string](v.T, v.Tab, `document.querySelector("main").innerText`); !strings.Contains(page, text) {
		v.T.Errorf("the page lacks %q:\n%s", text, page)
	}
}

// Elements that show where the browser is.
const (
	Home     = `[href="/"][aria-current]`
	OwnMenu  = `details.me > summary`
	Said     = `main > p[role=status]`
	AtSignIn = `form[action="/login"]`
)

// SignIn fills and sends the form of the page.
func (v *Visitor) SignIn(email, password string) {
	v.T.Helper()
	v.Open(v.S.Base+"/login", AtSignIn)
	v.Send(Home, "email", email, "password", password)
}

// WantQuiet fails the test when the browser had anything to complain about: errors, blocked requests, the content policy.
func (v *Visitor) WantQuiet() {
	v.T.Helper()
	v.Mu.Lock()
	defer v.Mu.Unlock()
	for _, line := range append(v.Thrown, v.Errors...) {
		v.T.Errorf("the console says: %s", line)
	}
	for _, line := range v.Exchanges {
		if !strings.HasSuffix(line, " 200") && !strings.HasSuffix(line, " 303") {
			v.T.Errorf("answered: %s", line)
		}
	}
}
