package flow

import (
	"fmt"
	"net/http"
	"time"

	"sett/e2e/rig"
	"sett/internal/setttest/oldsentry"
)

// moveIn brings the errors of a Sentry server by the page: a wrong token is corrected, the look is seen as it runs, and an
// event that a program sends with its old key lands in the error that came.
func (w *walker) moveIn() {
	old, open := oldsentry.StartSmall(w.t, time.Now()), make(chan struct{})
	old.Hold(oldsentry.Token, open)
	w.open("/accounts/" + w.s.AccountID + "/people")
	w.follow(`main a[href$="/imports"]`)
	w.read("Where do you move from?")
	w.fill("url", old.URL, "token", "not the token", "org", "acme")
	w.refused("Look")
	w.read("copy it again")
	w.fill("token", "sntryu_of-another")
	w.press("Look")
	w.keepPage()
	w.awaitLive(shows("#moving p.note", "does not accept the token"))
	w.want(`!` + shows("#moving", "This would come")) // it could not look

	w.fill("token", oldsentry.Token)
	w.press("Go on")
	w.keepPage()
	w.awaitLive(there("#moving[data-live]") + ` && ` + shows("#moving", "Running"))
	close(open)
	w.awaitLive(shows("#moving", "Finished"))
	w.read("Nothing was written.", "This would come", "errors")

	w.fill("token", oldsentry.Token)
	w.press("Import")
	w.keepPage()
	w.awaitLive(shows("#moving", "This came"))

	w.open("/projects")
	w.lead(click(`//main//a[normalize-space()="web"]`))
	w.read("Error0", "Error1")
	w.lead(click(`//main//a[normalize-space()="Error1"]`))
	fault := w.here()
	w.read("10 of 10")
	event := fmt.Sprintf("{}\n{\"type\":\"event\"}\n%s\n", `{"event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0","platform":"go","exception":{"values":[{"type":"Error1","value":"said"}]}}`)
	status := rig.Send(http.DefaultClient, http.MethodPost, w.s.Base+"/api/1/envelope/", event, func(r *http.Request) {
		r.Header.Set("X-Sentry-Auth", "Sentry sentry_version=7, sentry_key="+oldsentry.SmallKey)
	})
	if status != http.StatusOK {
		w.t.Fatalf("an event with the old key is answered with %d", status)
	}
	w.open(fault)
	w.awaitAgain(shows("main", "11 of 11"))
}
