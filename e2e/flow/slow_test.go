package flow

import (
	"fmt"
	"time"

	"sett/internal/setttest/target"
)

// siteSlow watches a site that takes longer than its limit, and then raises the limit. The site waits longer than the first limit by
// itself, and no check takes as long as the second: nothing depends on the speed of the machine.
func (w *walker) siteSlow() {
	site := target.Start(w.t, target.Options{})
	site.Every(func(v *target.Visit) {
		<-time.After(20 * time.Millisecond)
		target.Answer(200, "fine")(v)
	})
	id, _ := w.project("Slow")
	w.open(fmt.Sprintf("/projects/%d/sites/new", id))
	w.fill("url", site.URL+"/", "name", "Catalogue", "slow_after", "30000", "slow_checks", "1")
	w.refused("Create site")
	w.read("Alert when slower than (ms) must be from 1 to 29999")
	w.fill("slow_after", "1")
	w.preview("Preview rule", "Slow when a check takes over 1 ms.")
	w.press("Create site")
	w.awaitAgain(shows("main .head .tag", "Slow"))
	w.read("Still slow")
	w.follow(`nav.side [data-go="u"]`)
	w.want(shows(rows, "Slow"))
	w.follow(rows + " a")
	w.follow(`main .head [data-key="e"]`)
	w.fill("slow_after", "29999")
	w.press("Save")
	w.press("Check now")
	w.awaitAgain(shows("main .head .tag", "Up"))
	w.read("Fast again")
}
