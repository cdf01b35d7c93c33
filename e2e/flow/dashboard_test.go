package flow

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// place is whether the widget of a title has classes.
func place(title, classes string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".board > .card")].find(e => e.querySelector("h2").textContent === %q).className === "card %s"`, title, classes)
}

// dashboards arranges a dashboard, puts it on a wall, and shares it.
func (w *walker) dashboards() {
	id, _ := w.project("Boards")
	path := fmt.Sprintf("/projects/%d/insights/dashboards", id)
	w.open(path)
	w.press("Create")
	board := w.here()
	w.want(place("Errors", "x0 w6 r2 n1 h3") + ` && document.querySelector(".handle") === null`)
	w.follow(`a[href$="?edit=1"]`)
	if w.scripts {
		w.arrange()
	} else {
		w.want(`getComputedStyle(document.querySelector(".handle")).display === "none"`)
		w.lead(chromedp.Click(chromedp.CSS(`button[aria-label="Move Errors down"]`)))
	}
	w.open(board)
	w.want(place("Alarms", "x0 w6 r2 n1 h3") + ` && ` + place("Errors", "x0 w6 r3 n1 h3"))
	w.open(board + "?period=24h")
	w.lead(click(`//main//a[normalize-space()="Full screen"]`))
	w.want(at(board+"/wall") + ` && document.querySelector("nav, form") === null && ` + shows("main", "Last 24 hours"))
	if w.scripts {
		w.keepPage()
		w.await(`(document.querySelector("#wall").dataset.old = "yes") && document.dispatchEvent(new Event("visibilitychange"))`)
		w.awaitLive(`document.querySelector("#wall").dataset.old === undefined && ` + count(".board > .card", 7))
		w.lead(strike(kb.Escape))
	} else {
		w.follow("[data-leave]")
	}
	w.want(at(board) + ` && location.search === "?period=24h" && !` + at(board+"/wall"))
	w.share(board)
}

// arrange moves widgets by keyboard and by drag.
func (w *walker) arrange() {
	w.await(there(".arranges"))
	saved := func(act func()) {
		w.await(`document.querySelector("[data-version]").dataset.before = document.querySelector("[data-version]").dataset.version`)
		act()
		w.await(`document.querySelector("[data-version]").dataset.before !== document.querySelector("[data-version]").dataset.version`)
	}
	w.want(`(document.querySelector('[aria-label="Arrange Errors"]').focus(), true)`)
	saved(func() { w.keys(kb.ArrowDown) })
	w.want(place("Errors", "x0 w6 r3 n1 h3") + ` && ` + shows("#said", "Errors: columns 1 to 6 of 12, row 7, 3 rows high.") + ` && document.activeElement.ariaLabel === "Arrange Errors"`)
	saved(func() { w.run(chromedp.KeyEvent(kb.ArrowLeft, chromedp.KeyModifiers(chromedp.ModifierShift))) })
	w.want(place("Errors", "x0 w5 r3 n1 h3"))
	saved(func() { w.run(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift))) })
	before := place("Deploys", "x6 w6 r2 n1 h3")
	w.want(before)
	saved(func() { w.drag("Deploys", "Events of errors") })
	w.want(`!(` + before + `)`)
	saved(func() { w.drag("Events of errors", "Deploys") })
	w.open(w.here() + "?edit=1")
	w.want(place("Events of errors", "x0 w12 r1 n1 h3") + ` && ` + before)
}

// drag moves a widget by its handle to the upper half of another.
func (w *walker) drag(title, to string) {
	w.t.Helper()
	const handles = `(() => {
		scrollTo(0, 0);
		const cards = [...document.querySelectorAll(".board > .card")], card = (title) => cards.find(e => e.querySelector("h2").textContent === title);
		const from = card(%q).querySelector(".handle").getBoundingClientRect(), to = card(%q).getBoundingClientRect();
		return [from.x + 9, from.y + 9, to.right - 40, to.y + 20];
	})()`
	at, err := chromedp.Run(w.Ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(handles, title, to)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.run(
		chromedp.MouseEvent("mousePressed", at[0], at[1], chromedp.ButtonLeft), chromedp.MouseEvent("mouseMoved", at[0], at[1]+8, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", at[2], at[3], chromedp.ButtonLeft), chromedp.MouseEvent("mouseReleased", at[2], at[3], chromedp.ButtonLeft),
	)
}

// share makes a public link, opens it as anyone does, and revokes it.
func (w *walker) share(board string) {
	w.run(click(button("Share")))
	w.press("Create link")
	link := w.text("#share-link")
	if !strings.Contains(link, "/share/dashboards/") {
		w.t.Fatalf("the link is %q", link)
	}
	w.open(link)
	w.want(shows("main", "Overview") + ` && document.querySelector("nav, form, main a") === null`)
	w.open(board)
	w.run(click(button("Share")))
	w.press("Revoke link")
	w.answered(404, chromedp.Navigate(link))
	w.open(board)
}
