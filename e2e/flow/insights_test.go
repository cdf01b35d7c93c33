package flow

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/chromedp/chromedp/kb"
)

// asks is the field of Insights.
const asks = "textarea[data-suggest]"

// insights asks about structured events: a search, a query that is completed, a narrower one, and one that is saved.
func (w *walker) insights() {
	id, key := w.project("Insights")
	path := fmt.Sprintf("/projects/%d/insights", id)
	w.sendEvents(key, `{"event_type":"request","path":"/a","duration":10}`, `{"event_type":"request","path":"/b","duration":30}`, `{"event_type":"request","path":"/b","duration":50}`)
	w.open(path)
	w.want(shows("#result", "3 events"))
	if w.scripts {
		w.completeQuery()
	} else {
		w.open(path + "?q=stats+avg(duration)+as+ms+by+path+%7C+sort+ms+desc")
	}
	w.want(shows("#result", "2 rows") + ` && ` + shows("main", "Read as a query.") + ` && ` + shows("tbody tr", "/b 40"))
	w.follow("tbody td a")
	w.want(shows("#result", "2 events") + ` && ` + fmt.Sprintf(`document.querySelector(%q).value.includes('filter path == "/b"')`, asks))
	w.run(click(button("Save…")))
	w.fill("save-name", "Visits of b")
	w.press("Save")
	w.want(shows("main", "Visits of b saved query"))
	w.open(path + "/saved")
	w.follow("main .rows a")
	w.want(at(path) + ` && ` + shows("#result", "2 events"))
	w.open(path + "/saved")
	w.press("Delete")
	w.want(shows("main", "No saved queries yet"))
}

// completeQuery types a query with what the page offers, and runs it.
func (w *walker) completeQuery() {
	w.run(click(`//textarea`))
	w.keys("sta")
	w.await(shows(options, "stats"))
	w.keys(kb.ArrowDown + kb.Enter)
	w.keys("avg(dur")
	w.await(shows(options, "duration number"))
	w.accessiblePopup("suggestions")
	w.keys(kb.ArrowDown + kb.Enter)
	w.keys(kb.Backspace + ") as ms by pa")
	w.await(shows(options, "path text"))
	w.keys(kb.ArrowDown + kb.Enter)
	w.keys("| sort ms de")
	w.await(shows(options, "desc"))
	w.keys(kb.Escape)
	w.answered(http.StatusUnprocessableEntity, strike(kb.Enter))
	w.want(shows("#wrong", "Character") + ` && ` + shows("#wrong mark", "de"))
	w.run(click(`//textarea`))
	w.keys(kb.End + "s")
	w.await(shows(options, "desc"))
	w.keys(kb.ArrowDown + kb.Enter)
	w.lead(strike(kb.Enter))
}

// sendEvents reports structured events.
func (w *walker) sendEvents(key string, lines ...string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.s.Base+"/v1/events", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		w.t.Fatalf("events are answered with %d", answer.StatusCode)
	}
}
