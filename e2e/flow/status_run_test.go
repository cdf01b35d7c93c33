package flow

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/chromedp/chromedp"
)

// runStatusPage is what people do on a status page beyond incidents: a state by hand, a template, a subscriber of one component, response times
// and a post-mortem.
func (w *walker) runStatusPage() {
	const email = "rae@example.test"
	api := w.s.Manage(w.t)
	id, _ := w.project("Warehouse")
	var shown []map[string]any
	for _, name := range []string{"Stock", "Labels"} {
		var site struct{ ID string }
		body := map[string]any{"site": map[string]any{"name": name, "url": "http://127.0.0.1:9/", "active": false}}
		if err := json.Unmarshal(api.Do(http.MethodPost, fmt.Sprintf("/v2/projects/%d/sites", id), body, http.StatusCreated), &site); err != nil {
			w.t.Fatal(err)
		}
		shown = append(shown, map[string]any{"site_id": site.ID})
	}
	w.open("/")
	w.follow(`nav.side a[href$="/status_pages"]`)
	list := w.here()
	var page struct{ ID string }
	made := api.Do(http.MethodPost, "/v2"+list, map[string]any{"status_page": map[string]any{"name": "Warehouse status", "slug": "warehouse", "sites": shown}}, http.StatusCreated)
	if err := json.Unmarshal(made, &page); err != nil {
		w.t.Fatal(err)
	}
	w.stateByHand(list + "/" + page.ID)
	w.subscribeToOne(list+"/"+page.ID, email)
	w.incidentOfTemplate(list + "/" + page.ID)
	w.mails.mail(w.t, email, "Labels are late", "We print them again.")
	w.postMortem(email)
}

const warehouse = "/status/warehouse"

// stateByHand sets the state of a component, and turns response times on.
func (w *walker) stateByHand(page string) {
	w.open(page)
	w.follow(`a[aria-label="Set state: Stock"]`)
	w.run(chromedp.SendKeys(chromedp.CSS("#state"), "Deg"))
	w.fill("note", "Counts are an hour old.")
	w.press("Save state")
	w.read("State saved.", "Degraded")
	w.open(page + "/edit")
	w.run(chromedp.Click(chromedp.CSS(`[name="response_times"]`)))
	w.follow(`form[action$="/edit"] button.primary`)
	w.want(`document.querySelector('[name="response_times"]').checked`)
	w.open(warehouse)
	w.awaitAgain(shows("main", "Counts are an hour old."))
	w.read("Degraded")
	w.want(count("svg.times", 0)) // nothing was measured
}

// subscribeToOne subscribes to the component Labels, which the list of subscribers shows.
func (w *walker) subscribeToOne(page, email string) {
	w.open(warehouse)
	w.run(chromedp.SendKeys(chromedp.CSS("#email"), email))
	w.press("Subscribe by email")
	w.open(w.mails.link(w.t, email, w.s.Base+warehouse+"/subscribers/"))
	w.run(click(`//label[contains(., "Stock")]`))
	w.press("Confirm")
	w.read("You are subscribed")
	w.open(page + "/subscribers")
	w.read(email, "Confirmed")
	w.want(shows(`td[data-label="Components"]`, "Labels"))
}

// incidentOfTemplate makes a template and reports an incident with it.
func (w *walker) incidentOfTemplate(page string) {
	w.open(page + "/templates")
	w.fill("template", "Late labels", "name", "Labels are late", "message", "We print them again.")
	w.run(chromedp.SendKeys(chromedp.Search(`//li[contains(., "Labels")]//select`), "Par"))
	w.press("Create template")
	w.read("Template created.", "Late labels")
	w.open(page + "/incidents/new")
	w.run(chromedp.SendKeys(chromedp.CSS("#template"), "Late"))
	w.press("Use template")
	w.press("Publish")
	w.read("Published on the status page.", "Labels are late", "Labels (Partial outage)")
}

// postMortem resolves the incident of the page, and publishes what was learned.
func (w *walker) postMortem(email string) {
	w.run(chromedp.SendKeys(chromedp.CSS("#status"), "Res"))
	w.fill("message", "All labels are printed.")
	w.press("Post update")
	w.read("Update posted.", "Post-mortem", "Not written")
	incident := w.here()
	w.fill("postmortem", "## Cause\n\nThe *printer* was out of paper.")
	w.press("Save draft")
	w.read("Draft saved.")
	public := w.s.Base + warehouse + "/incidents/" + incident[len(incident)-1:]
	w.open(public)
	w.awaitAgain(shows("main", "All labels are printed."))
	w.want(count("#postmortem", 0))
	w.open(incident)
	w.run(chromedp.Click(chromedp.CSS(`[name="postmortem_notify"]`)))
	w.press("Publish")
	w.read("Post-mortem published.", "Withdraw")
	w.mails.mail(w.t, email, "Post-mortem: Labels are late", "The *printer* was out of paper.")
	w.open(public)
	w.awaitAgain(shows("#postmortem h3", "Cause"))
	w.want(shows("#postmortem em", "printer"))
	w.want(`document.querySelector('meta[property="og:image"]').content.includes("/s/card-")`)
}
