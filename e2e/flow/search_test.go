package flow

import (
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sett/e2e/rig/browser"
)

const (
	box     = "input[data-suggest]"
	options = "#suggestions [role=option]"
	active  = "#suggestions [aria-selected=true]"
)

// search completes a search in the box; without scripts that is a plain field.
func (w *walker) search() {
	list, key := w.faults("Search", "Apple", "Banana")
	w.report(key, "Cherry", "it broke", "staging")
	w.awaitAgain(count(rows, 3))
	if !w.scripts {
		w.want(`!` + there(`[role="combobox"]`) + ` && !` + there("#suggestions"))
		w.open(list + "?q=class%3AB*")
		w.want(shows("#total", "1 error"))
		return
	}
	expanded := func(state string) string { return there(box + `[role="combobox"][aria-expanded="` + state + `"]`) }
	value := func(text string) string { return fmt.Sprintf(`document.querySelector(%q).value === %q`, box, text) }
	w.want(expanded("false"))
	w.keys("/env")
	w.await(count(options, 1) + ` && ` + shows(options, "environment:") + ` && ` + expanded("true"))
	w.want(shows("#said", "1 suggestion"))
	w.keys(kb.ArrowDown)
	w.want(there(active) + ` && document.querySelector("` + box + `").getAttribute("aria-activedescendant") === document.querySelector("` + active + `").id`)
	w.keys(kb.Enter)
	w.await(value("environment:") + ` && ` + count(options, 2))
	w.want(shows(options, "environment:production"))
	w.keys(kb.ArrowUp)
	w.want(shows(active, "environment:staging"))
	w.keys(kb.ArrowDown)
	w.want(shows(active, "environment:production"))
	w.accessiblePopup("suggestions")
	w.keys(kb.Escape)
	w.await(expanded("false") + ` && ` + value("environment:"))
	w.want(`!` + there("#suggestions:not([hidden])") + ` && document.activeElement.matches("` + box + `")`)
	w.keys(kb.ArrowDown)
	w.await(count(options, 2))
	w.keys(kb.ArrowDown + kb.ArrowDown + kb.Enter)
	w.await(value("environment:staging ") + ` && ` + expanded("false"))
	w.keys("class:\"Ch")
	w.await(shows(options, "class:Cherry"))
	w.run(click(`//li[normalize-space()="class:Cherry"]`))
	w.await(value("environment:staging class:Cherry ") + ` && document.activeElement.matches("` + box + `")`)
	w.lead(strike(kb.Enter))
	w.want(count(rows, 1) + ` && ` + shows("#total", "1 error") + ` && ` + shows(rows, "Cherry"))
}

// accessiblePopup checks a list that is open with axe, wide and on a phone; what is its ID.
func (w *walker) accessiblePopup(what string) {
	w.t.Helper()
	axe, err := os.ReadFile(browser.AxePath)
	if err != nil {
		w.t.Logf("axe is not installed: %v", err)
		return
	}
	for _, width := range []int64{390, 1440} {
		w.Look(w.t, "light", width)
		w.want(there("#" + what + ":not([hidden])"))
		w.WantAccessible(w.t, string(axe), fmt.Sprintf("%s, %d wide", what, width))
	}
}

// accessible checks a page with axe in each of its looks, as people see it who got so far.
func (w *walker) accessible(what string) {
	w.t.Helper()
	axe, err := os.ReadFile(browser.AxePath)
	if err != nil || !w.scripts {
		return
	}
	for _, look := range []struct {
		scheme string
		width  int64
	}{{"dark", 1440}, {"light", 390}, {"light", 1440}} {
		w.Look(w.t, look.scheme, look.width)
		w.WantAccessible(w.t, string(axe), fmt.Sprintf("%s, %s, %d wide", what, look.scheme, look.width))
		w.Keep(w.t, fmt.Sprintf("%s-%s-%d.png", strings.ReplaceAll(what, " ", "-"), look.scheme, look.width))
	}
}

// facets narrows a list by the panel beside it, and widens it again.
func (w *walker) facets() {
	list, key := w.faults("Facets", "Apple", "Banana")
	w.report(key, "Cherry", "it broke", "staging")
	w.awaitAgain(count(rows, 3))
	facet := func(label string) string {
		return fmt.Sprintf(`//nav[@aria-label="Filters"]//a[span[1][normalize-space()=%q]]`, label)
	}
	asks := func(q string) string { return fmt.Sprintf(`document.querySelector(%q).value === %q`, box, q) }
	follow := func(label string) {
		w.t.Helper()
		if shown := `!!document.querySelector("#facets[open]")`; !browser.Evaluate[bool](w.t, w.Tab, shown) {
			w.run(chromedp.Click(chromedp.CSS("#facets > summary")))
		}
		if w.scripts {
			w.run(click(facet(label)))
		} else {
			w.lead(click(facet(label)))
		}
	}
	follow("staging")
	w.await(count(rows, 1) + ` && ` + shows(rows, "Cherry") + ` && ` + asks("-is:resolved -is:ignored environment:staging") + ` && document.querySelector("#facets [aria-current]")?.textContent.includes("staging")`)
	if w.scripts {
		w.want(`document.activeElement.getAttribute("aria-current") === "true"`)
	}
	follow("Last hour")
	w.await(asks(`-is:resolved -is:ignored environment:staging occurred.after:"1 hour ago"`) + ` && ` + count(rows, 1))
	follow("staging")
	w.await(count(rows, 3) + ` && ` + asks(`-is:resolved -is:ignored occurred.after:"1 hour ago"`))
	w.Look(w.t, "light", 390)
	w.open(list + "?q=")
	w.want(`!document.querySelector("#facets").open`)
	follow("Banana")
	w.await(count(rows, 1) + ` && ` + asks("class:Banana") + ` && ` + shows("#facets > summary", "1"))
	if w.scripts { // it stays open
		w.want(`document.querySelector("#facets").open`)
	}
	w.Look(w.t, "light", 1600) // the panel is beside the list
	w.want(`document.querySelector("#facets > nav").getBoundingClientRect().right <= document.querySelector("table.faults").getBoundingClientRect().left`)
	w.Look(w.t, "light", 1440)
}

// anywhere goes to a page by its name: with Ctrl-K, and without scripts through the search page.
func (w *walker) anywhere() {
	w.open("/")
	if !w.scripts {
		w.follow("a[data-palette]")
		w.run(chromedp.SendKeys(chromedp.CSS(`main input[name="q"]`), "appearance"))
		w.press("Search")
		w.follow(`#found a[href$="/me/appearance"]`)
		w.want(`location.pathname.endsWith("/me/appearance")`)
		return
	}
	w.palette()
	w.run(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), "appearance"))
	w.await(`document.querySelector("dialog.palette li a")?.href.endsWith("/me/appearance")`)
	w.lead(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), kb.Enter))
	w.want(`location.pathname.endsWith("/me/appearance")`)

	w.open("/")
	w.palette()
	w.await(shows("dialog.palette h2", "Recent"))
	const addresses = `[...document.querySelectorAll("dialog.palette li a")].map((a) => a.href)`
	w.want(`new Set(` + addresses + `).size === ` + addresses + `.length`) // what was visited is not listed again among what is found
	w.run(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), kb.Escape))
	w.await(`!document.querySelector("dialog")`)
}

// palette presses Ctrl-K.
func (w *walker) palette() {
	w.t.Helper()
	w.want(`!document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`)
	w.await(there("dialog.palette[open] input:focus"))
}
