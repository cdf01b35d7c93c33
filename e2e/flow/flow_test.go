package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
	"sett/internal/setttest/nameserver"
)

// walker goes the ways of people through the pages of one sett, with scripts or without. What a page with scripts shows by
// itself is there without them once it is loaded again; what a key does, a button does.
type walker struct {
	*browser.Tab
	t        *testing.T
	s        *rig.Server
	mails    *postbox
	names    *names
	chat     *chat
	scripts  bool
	refusals []refusal
}

// refusal is an answer that was meant to be no page, which the console notes.
type refusal struct{ status, url string }

// The stories of TestFlows, in the order in which they are walked; the first makes the owner whom the others need.
var flows = []struct {
	name string
	walk func(*walker)
}{
	{"first run", (*walker).firstRun},
	{"on call", (*walker).onCall},
	{"triage", (*walker).triage},
	{"next error", (*walker).next},
	{"merge", (*walker).merge},
	{"pause", (*walker).pause},
	{"mention", (*walker).mention},
	{"insights", (*walker).insights},
	{"dashboards", (*walker).dashboards},
	{"tags", (*walker).tags},
	{"reopened", (*walker).reopened},
	{"filters", (*walker).filters},
	{"search", (*walker).search},
	{"facets", (*walker).facets},
	{"anywhere", (*walker).anywhere},
	{"site", (*walker).siteDown},
	{"slow site", (*walker).siteSlow},
	{"check-in", (*walker).newCheckIn},
	{"status page", (*walker).newStatusPage},
	{"run of a status page", (*walker).runStatusPage},
	{"looks", (*walker).looks},
	{"dressed status page", (*walker).dressPage},
	{"moving in", (*walker).moveIn},
	{"agent", (*walker).agent},
	{"repositories", (*walker).repositories},
	{"directory", (*walker).directory},
	{"invitation", (*walker).invitation},
	{"second factor", (*walker).secondFactor},
	{"escalated", (*walker).escalated},
}

func TestFlows(t *testing.T) {
	t.Parallel()
	for mode, scripts := range map[string]bool{"with scripts": true, "without scripts": false} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWalker(t, scripts)
			for _, flow := range flows {
				walked := t.Run(flow.name, func(t *testing.T) {
					story := *w
					story.t = t
					flow.walk(&story)
					story.forgive()
					story.WantSilent(t, "at the end")
				})
				if !walked && flow.name == "first run" {
					return
				} else if !walked {
					w.beginAnew()
				}
			}
		})
	}
}

// newWalker serves a sett without users, and opens a browser.
func newWalker(t *testing.T, scripts bool) *walker {
	t.Helper()
	w := &walker{t: t, s: &rig.Server{}, mails: newPostbox(), names: &names{}, chat: newChat(t), scripts: scripts}
	w.s.Process = rig.LaunchPrinting(t, w.mails, "--data", t.TempDir(), "--egress-allow", "127.0.0.0/8", "--api-rate-limit", "0", "--status-rate-limit", "0", "--smtp-url", "stdout:",
		"--resolver", nameserver.Listen(t, w.names.answer))
	w.s.Base = w.s.Await(t)
	t.Cleanup(func() { w.s.Stop(t) })
	w.Tab = browser.OpenFor(t, 10*time.Minute)
	w.Look(t, "light", 1440)
	if _, err := chromedp.Call(w.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
		t.Fatal(err)
	}
	return w
}

// beginAnew lets the next story begin as they all do, with the owner signed in, whatever has become of the one before.
func (w *walker) beginAnew() {
	w.t.Helper()
	w.WantSilent(w.t, "after a story that failed")
	if _, err := chromedp.Call(w.Ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
		w.t.Fatal(err)
	}
	w.signIn(rig.OwnersEmail, rig.OwnersPassword)
}

// patience is how long a walker waits for anything, which on a busy machine takes its time.
const patience = 30 * time.Second

// run runs actions that have to be possible soon.
func (w *walker) run(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		w.t.Fatalf("the browser: %v\n%s", err, w.page())
	}
}

// open loads a page by its path, or a whole address.
func (w *walker) open(address string) {
	w.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = w.s.Base + address
	}
	w.lead(chromedp.Navigate(address))
}

// lead runs actions that lead to another page, and waits until it is loaded.
func (w *walker) lead(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	w.answered(http.StatusOK, actions...)
}

// answered is lead for a page that comes with a status.
func (w *walker) answered(status int64, actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, patience)
	defer cancel()
	answer, err := chromedp.RunResponse(ctx, actions...)
	if err != nil {
		w.t.Fatalf("no other page comes: %v\n%s", err, w.page())
	}
	if answer.Status != status {
		w.t.Fatalf("%s answers %d, want %d\n%s", answer.URL, answer.Status, status, w.page())
	}
	if status != http.StatusOK {
		w.refusals = append(w.refusals, refusal{fmt.Sprintf("status of %d", status), answer.URL})
	}
}

// forgive forgets what the console says of the refusals.
func (w *walker) forgive() {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Errors = slices.DeleteFunc(w.Errors, func(line string) bool {
		return slices.ContainsFunc(w.refusals, func(r refusal) bool { return strings.Contains(line, r.status) && strings.HasSuffix(line, r.url) })
	})
}

// follow clicks what leads to another page.
func (w *walker) follow(selector string) {
	w.t.Helper()
	w.lead(chromedp.Click(chromedp.CSS(selector)))
}

// press clicks a button that says a text and sends its form.
func (w *walker) press(text string) { w.t.Helper(); w.lead(click(button(text))) }

// refused presses a button whose form is refused, so that its page comes again.
func (w *walker) refused(text string) {
	w.t.Helper()
	w.answered(http.StatusUnprocessableEntity, click(button(text)))
}

// absent fails the test unless there is nothing at an address.
func (w *walker) absent(path string) {
	w.t.Helper()
	w.answered(http.StatusNotFound, chromedp.Navigate(w.s.Base+path))
	w.want(there(`nav.side a[href="/projects"]`)) // there is a way on
}

func click(xpath string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.Search(xpath))
}

func button(text string) string { return fmt.Sprintf("//main//button[normalize-space()=%q]", text) }

// fill empties fields and types into them: ids of elements and what they get, by turns.
func (w *walker) fill(fields ...string) {
	w.t.Helper()
	for i := 0; i+1 < len(fields); i += 2 {
		w.want(fmt.Sprintf(`(document.getElementById(%q).value = "") === ""`, fields[i]))
		w.run(chromedp.SendKeys(chromedp.CSS("#"+fields[i]), fields[i+1]))
	}
}

// page is what the browser shows, for the message of a failed test.
func (w *walker) page() string {
	text, err := chromedp.Run(w.Ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// holds reports whether an expression is true of the page. While another page is on its way, nothing is.
func (w *walker) holds(expression string) bool {
	ctx, cancel := context.WithTimeout(w.Ctx, patience)
	defer cancel()
	yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
	return err == nil && yes
}

// await returns once an expression is true of the page.
func (w *walker) await(expression string) {
	w.t.Helper()
	w.until(expression, func() { <-time.After(20 * time.Millisecond) })
}

func (w *walker) until(expression string, next func()) {
	w.t.Helper()
	for end := time.Now().Add(patience); !w.holds(expression); next() {
		if time.Now().After(end) {
			w.t.Fatalf("this never came true: %s\n%s", expression, w.page())
		}
	}
}

// awaitLive returns once an expression is true of a page that listens; without scripts, of one that is loaded again.
func (w *walker) awaitLive(expression string) {
	w.t.Helper()
	if !w.scripts {
		w.until(expression, w.reload)
		return
	}
	w.await(expression)
	if !w.holds(kept) {
		w.t.Errorf("the page was loaded again before %s", expression)
	}
}

// awaitAgain returns once an expression is true of a page that does not listen.
func (w *walker) awaitAgain(expression string) {
	w.t.Helper()
	w.until(expression, w.reload)
}

func (w *walker) reload() {
	w.t.Helper()
	w.run(chromedp.Reload())
}

// keepPage marks the page, so that kept is true of it until another is loaded.
func (w *walker) keepPage() {
	w.t.Helper()
	w.await(`document.documentElement.dataset.kept = "yes"`)
}

const kept = `document.documentElement.dataset.kept === "yes"`

// want fails the test unless an expression is true of the page.
func (w *walker) want(expression string) {
	w.t.Helper()
	if !w.holds(expression) {
		w.t.Errorf("not true: %s\n%s", expression, w.page())
	}
}

// read fails the test unless the page shows the texts.
func (w *walker) read(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		w.want(shows("main", text))
	}
}

// text returns what an element shows.
func (w *walker) text(selector string) string {
	w.t.Helper()
	w.await(there(selector))
	text, err := chromedp.Run(w.Ctx, chromedp.Evaluate[string](there(selector)+".innerText"))
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// here is the path of the page.
func (w *walker) here() string {
	w.t.Helper()
	path, err := chromedp.Run(w.Ctx, chromedp.Evaluate[string]("location.pathname"))
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

// shows is whether an element shows a text.
func shows(selector, text string) string {
	return fmt.Sprintf(`document.querySelector(%q)?.innerText.replace(/\s+/g, " ").includes(%q)`, selector, text)
}

// there is whether the page has an element.
func there(selector string) string { return fmt.Sprintf(`document.querySelector(%q)`, selector) }

// count is whether the page has so many of an element.
func count(selector string, n int) string {
	return fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, selector, n)
}

// at is whether the browser is at a path, or at one below it.
func at(path string) string { return fmt.Sprintf(`location.pathname.startsWith(%q)`, path) }

// signIn begins the session of a user who has no second factor.
func (w *walker) signIn(email, password string) {
	w.t.Helper()
	w.open("/login")
	w.fill("email", email, "password", password)
	w.press("Sign in")
	w.want(there(browser.Home))
}

// signOut ends it.
func (w *walker) signOut() {
	w.t.Helper()
	w.run(chromedp.Click(chromedp.CSS(browser.OwnMenu)))
	w.follow(`[action="/logout"] button`)
	w.read("You are signed out.")
}

// project makes one of the name, and returns its id and key.
func (w *walker) project(name string) (id int64, key string) {
	w.t.Helper()
	var made struct {
		ID    int64
		Token string
	}
	body := w.s.Manage(w.t).Do(http.MethodPost, "/v2/projects", map[string]any{"project": map[string]any{"name": name}}, http.StatusCreated)
	if err := json.Unmarshal(body, &made); err != nil {
		w.t.Fatal(err)
	}
	return made.ID, made.Token
}

// report sends a notice, and returns once it is stored.
func (w *walker) report(key, class, message, environment string) {
	w.t.Helper()
	body := fmt.Sprintf(`{"error": {"class": %[1]q, "fingerprint": %[1]q, "message": %[2]q}, "server": {"environment_name": %[3]q}, "request": {"context": {"basket": 17}}}`,
		class, message, environment)
	status := rig.Send(http.DefaultClient, http.MethodPost, w.s.Base+"/v1/notices", body, func(r *http.Request) { r.Header.Set("X-API-Key", key) })
	if status != http.StatusCreated {
		w.t.Fatalf("a notice is answered with %d", status)
	}
}
