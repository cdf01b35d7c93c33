package flow

import (
	"fmt"
	"regexp"
	"time"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
	"sett/internal/setttest/program"
)

// setupLink is in the log of a sett without users.
var setupLink = regexp.MustCompile(`http://[^"]+/setup\?token=[^"]+`)

// firstRun goes from the link in the log of a new server to the first error of an app, and to a token for the other stories.
func (w *walker) firstRun() {
	w.open(w.linkInLog())
	w.fill("name", "Ada Owner", "email", rig.OwnersEmail, "new_password", "short", "account", "Acme", "project", "Shop")
	w.refused("Get started")
	w.read("Please correct the marked fields.", "is too short (minimum is 10 characters)")
	w.fill("new_password", rig.OwnersPassword)
	w.press("Get started")
	w.read("Account created. You are signed in.", "Waiting for the first event")
	w.follow(`a[href$="language=other"]`)
	w.sendFirst()
	w.follow("#heard a")
	w.read("Test", "Testing sett", "production")

	w.run(chromedp.Click(chromedp.CSS(browser.OwnMenu)))
	w.follow(`a[href="/me/tokens"]`)
	w.fill("name", "stories")
	w.run(chromedp.SetValue(chromedp.CSS("#scope"), "write"))
	w.follow("main button.primary")
	secret := w.text("code.secret")
	w.s.AuthToken = secret
	var accounts struct {
		Results []struct{ ID string }
	}
	w.s.Manage(w.t).Get("/v2/accounts", &accounts)
	w.s.AccountID = accounts.Results[0].ID
}

// linkInLog returns the link by which the first user is made.
func (w *walker) linkInLog() string {
	w.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		if link := setupLink.FindString(w.s.Log.String()); link != "" {
			return link
		}
	}
	w.t.Fatalf("the log has no link: %s", w.s.Log)
	return ""
}

// sendFirst does what the page about connecting an app says, and sees the event come in.
func (w *walker) sendFirst() {
	w.t.Helper()
	w.read("Waiting for the first event")
	w.keepPage()
	if out, err := program.Bounded("sh", "-euc", w.text("#test")).CombinedOutput(); err != nil {
		w.t.Fatalf("the snippet of the page: %v\n%s", err, out)
	}
	w.awaitLive(shows("#heard", "Testing sett"))
	w.await(shows("main", "First event received"))
	w.want(`!` + shows("main", "Waiting for the first event"))
}

// newProject makes one by its form and has the server send a test; it returns its id.
func (w *walker) newProject(name string) (id int64) {
	w.t.Helper()
	w.open("/projects")
	w.follow(`main a[href="/projects/new"]`)
	w.fill("name", name)
	w.press("Create project")
	w.read("Project created. Next, connect an app.", "Waiting for the first event")
	if _, err := fmt.Sscanf(w.here(), "/projects/%d/setup", &id); err != nil {
		w.t.Fatalf("the browser is at %s: %v", w.here(), err)
	}
	w.press("Send a test event")
	w.read("Test event received.")
	w.awaitAgain(there("#heard a"))
	return id
}

// invitation invites a user to a team, who comes by the link in the mail and sees the team's project.
func (w *walker) invitation() {
	const email, password = "nora@example.test", "ten modest herons"
	id := w.newProject("Warehouse")
	hidden, _ := w.project("Secret")
	w.open("/")
	w.follow(`nav.side a[href$="/people"]`)
	w.follow(`main nav a[href$="/teams"]`)
	w.fill("name", "Night shift")
	w.press("Create team")
	w.read("Team created.")
	team := w.text(`main h1`)
	w.open(fmt.Sprintf("/projects/%d/settings/access", id))
	w.run(click(`//label[normalize-space()="Night shift"]`))
	w.press("Save")
	w.open("/")
	w.follow(`nav.side a[href$="/people"]`)
	w.follow(`main nav a[href$="/teams"]`)
	w.lead(click(`//main//a[normalize-space()="Night shift"]`))
	w.want(shows("h1", team))
	w.fill("email", email)
	w.press("Invite")
	w.read(email, "Warehouse")
	w.signOut()

	w.open(w.mails.link(w.t, email, w.s.Base+"/invitations/"))
	w.read("the team Night shift", "You will sign in as "+email)
	w.fill("name", "Nora New", "new_password", password)
	w.press("Join")
	w.read("Invitation accepted.", "Warehouse")
	w.want(`!` + shows("body", "Secret"))
	w.follow(`main a[href="` + fmt.Sprintf("/projects/%d", id) + `"]`)
	w.read("Warehouse")
	w.absent(fmt.Sprintf("/projects/%d", hidden))
	w.signOut()
	w.signIn(rig.OwnersEmail, rig.OwnersPassword)
}

// secondFactor turns on the codes of an app, signs in with one and turns them off again.
func (w *walker) secondFactor() {
	w.open("/me/security")
	w.press("Set up")
	secret := w.text("code.secret")
	w.fill("code", codeNow(w.t, secret), "password", rig.OwnersPassword)
	w.press("Turn on")
	recovery := w.text("li code")
	w.follow(`a.primary[href="/me/security"]`)
	w.read("Signing in with your password also requires a code from your app.")
	w.signOut()

	w.open("/me/security")
	w.fill("email", rig.OwnersEmail, "password", rig.OwnersPassword)
	w.press("Sign in")
	w.read("You are signing in as " + rig.OwnersEmail)
	w.fill("code", codeAt(w.t, secret, time.Now().Add(30*time.Second))) // that of now is used up
	w.press("Sign in")
	w.want(at("/me/security"))
	w.fill("off-password", rig.OwnersPassword, "off-code", recovery)
	w.press("Turn off")
	w.read("Second factor turned off.")
}
