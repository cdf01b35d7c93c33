package flow

import (
	"fmt"
	"net/http"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/internal/setttest/target"
)

// siteDown makes a site by its form, stops what it checks and lets it go on.
func (w *walker) siteDown() {
	site := target.Start(w.t, target.Options{})
	id, _ := w.project("Uptime")
	w.open(fmt.Sprintf("/projects/%d/sites", id))
	w.read("No sites yet")
	w.follow(`main a.primary`)
	w.fill("url", "ftp://example.test/")
	w.refused("Create site")
	w.read("must be a URL that starts with http://, https:// or tcp://")
	w.fill("url", site.URL+"/", "name", "Checkout", "outage_threshold", "1")
	w.preview("Preview rule", "Down when 1 check has failed")
	w.press("Create site")
	w.read("Site created.", "Checkout")
	w.awaitAgain(shows("main .head .tag", "Up"))

	site.Every(target.Close)
	w.press("Check now")
	w.awaitAgain(shows("main .head .tag", "Down"))
	w.read("so far", "This server")
	w.want(count("#list tbody tr", 1))
	w.follow(`nav.side [data-go="u"]`)
	w.want(shows(rows, "Down"))
	w.follow(`nav.side [data-go="o"]`)
	w.read("Checkout")

	site.Every(nil)
	w.follow(`nav.side [data-go="u"]`)
	w.follow(rows + " a")
	w.press("Check now")
	w.awaitAgain(shows("main .head .tag", "Up"))
	w.want(count("#list tbody tr", 1) + ` && !` + shows("main", "so far"))
}

// preview waits for what a form says of what is filled in: by itself, or at the press of a button.
func (w *walker) preview(press, text string) {
	w.t.Helper()
	if !w.scripts {
		w.press(press)
	}
	w.await(shows("#preview", text))
}

// newCheckIn makes a check-in by its form, which shows when the job is expected, and has the job report.
func (w *walker) newCheckIn() {
	id, _ := w.project("Check-ins")
	w.open(fmt.Sprintf("/projects/%d/check_ins", id))
	w.read("No check-ins yet")
	w.follow(`main a.primary`)
	w.want(shows("#preview", "A ping is expected every day"))
	w.keepPage()
	w.fill("name", "Nightly backup", "slug", "backup")
	w.run(chromedp.SendKeys(chromedp.CSS("#schedule_type"), "C"))
	w.fill("cron_timezone", "Asia/Tokyo", "cron_schedule", "61 2 * * *")
	w.preview("Preview", "minute 61 is not between 0 and 59")
	w.fill("cron_schedule", "30 2 * * *") // the field is not left
	w.preview("Preview", "02:30 JST")
	w.want(count("#preview li", 5))
	if w.scripts {
		w.want(kept)
	}
	w.press("Create check-in")
	w.read("Nightly backup", "Nothing is expected before the first ping.")
	if status := rig.Send(http.DefaultClient, http.MethodPost, w.text("#ping-url"), "", func(*http.Request) {}); status != http.StatusOK {
		w.t.Fatalf("the ping is answered with %d", status)
	}
	w.awaitAgain(shows("main .head .tag", "On time"))
	w.read("02:30 JST")
}

// newStatusPage makes a status page of a site, with a subscriber and an incident.
func (w *walker) newStatusPage() {
	const email = "sam@example.test"
	site := target.Start(w.t, target.Options{})
	id, _ := w.project("Storefront")
	w.s.Manage(w.t).Do(http.MethodPost, fmt.Sprintf("/v2/projects/%d/sites", id), map[string]any{"site": map[string]any{"name": "Orders", "url": site.URL + "/"}}, http.StatusCreated)
	w.open("/")
	w.follow(`nav.side a[href$="/status_pages"]`)
	w.follow(`main a.primary`)
	w.fill("name", "Acme status", "slug", "acme-status")
	w.run(click(`//label[contains(., "Orders")]`))
	w.press("Create page")
	w.read("Status page created.", "Orders")
	w.follow(`nav.tabs a`)
	w.awaitAgain(`["Orders", "Up", "All systems operational"].every((text) => document.querySelector(".preview")?.contentDocument?.body?.innerText.includes(text))`)
	overview := w.here()

	public := w.s.Base + "/status/acme-status"
	w.open(public)
	w.awaitAgain(shows("main", "All systems operational"))
	w.run(chromedp.SendKeys(chromedp.CSS("#email"), email))
	w.press("Subscribe by email")
	w.read("Check your inbox")
	w.open(w.mails.link(w.t, email, public+"/subscribers/"))
	w.press("Confirm")
	w.read("You are subscribed")

	w.open(overview)
	w.follow(`.head a.primary`)
	w.fill("name", "Slow orders", "message", "We are looking.")
	w.press("Publish")
	w.read("Published on the status page.", "Slow orders")
	w.mails.mail(w.t, email, "Slow orders", "We are looking.")
	w.fill("message", "A queue is stuck.")
	w.press("Post update")
	w.read("Update posted.", "A queue is stuck.")
	incident := w.here()

	w.open(public)
	w.awaitAgain(shows("main", "A queue is stuck."))
	w.read("Some systems are experiencing problems")
	w.keepPage()
	update := map[string]any{"status": "resolved", "message": "Orders are quick again."}
	w.s.Manage(w.t).Do(http.MethodPost, "/v2"+incident+"/updates", map[string]any{"update": update}, http.StatusCreated)
	again := w.reload
	if w.scripts { // the page looks at once when the user comes back to it
		again = func() { w.holds(`document.dispatchEvent(new Event("visibilitychange"))`) }
	}
	w.until(shows("main", "Orders are quick again."), again)
	w.read("All systems operational")
	w.want(fmt.Sprintf(`(%s) === %v`, kept, w.scripts))
}
