package flow

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	rows     = "tr[data-row]"
	selected = rows + `[aria-selected="true"]`
)

// strike presses keys one after the other, as keyboards do: a page that uses one keeps its letter out of fields.
func strike(keys string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, key := range keys {
			for _, event := range kb.Encode(key) {
				if event.Type == kb.KeyChar {
					continue
				}
				if v := kb.Keys[key]; v.Print && event.Type == kb.KeyDown {
					event.Text, event.UnmodifiedText = v.Text, v.Unmodified
				}
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (w *walker) keys(keys string) { w.t.Helper(); w.run(strike(keys)) }

// act presses a key that sends the form of a button; who has no scripts presses the button.
func (w *walker) act(key, text string) {
	w.t.Helper()
	if w.scripts {
		w.lead(strike(key))
	} else {
		w.press(text)
	}
}

// step presses a key that follows a link; who has no scripts follows the link.
func (w *walker) step(key, link string) {
	w.t.Helper()
	if w.scripts {
		w.lead(strike(key))
	} else {
		w.follow(link)
	}
}

// faults makes a project with a fault of each class, the last being the newest, and opens the list of them.
func (w *walker) faults(project string, classes ...string) (list, key string) {
	w.t.Helper()
	id, key := w.project(project)
	for _, class := range classes {
		w.report(key, class, "it broke", "production")
	}
	list = fmt.Sprintf("/projects/%d/faults", id)
	w.open(list)
	w.awaitAgain(count(rows, min(25, len(classes))))
	return list, key
}

// triage works off errors by the keyboard: those of the list, and the events of one of them.
func (w *walker) triage() {
	_, key := w.faults("Triage", "Apple", "Banana", "Cherry")
	w.report(key, "Cherry", "it broke again", "production")
	w.awaitAgain(shows(rows+" .num", "2"))
	if w.scripts {
		w.keysInFields()
		w.keys("jj")
		w.want(count(selected, 1))
		w.want(shows(selected, "Banana"))
		w.want(`!` + there(rows+" .pick:checked"))
		w.want(`getComputedStyle(document.querySelector("#bulk > .bar")).display === "none"`)
		w.keys("x")
	} else {
		w.run(chromedp.Click(chromedp.CSS(rows + ":nth-of-type(2) .pick")))
	}
	w.want(count(rows+" .pick:checked", 1))
	w.want(`getComputedStyle(document.querySelector("#bulk > .bar")).display !== "none"`)
	w.act("r", "Resolve")
	w.read("1 error resolved.", "Cherry", "Apple")
	w.want(count(rows, 2) + ` && !` + shows("#bulk", "Banana"))

	w.run(chromedp.Click(chromedp.CSS(rows + " .pick"))) // that a box has the focus stops no key
	if w.scripts {
		w.keys("jjk")
		w.want(shows(selected, "Cherry"))
	}
	w.step(kb.Enter, rows+" a")
	w.want(shows("h1", "Cherry"))
	w.events()
	w.unfold("More ways to resolve")
	w.act("i", "Ignore")
	w.read("Ignored. Further events are discarded.")
	w.act("r", "Resolve")
	w.read("Resolved. It reopens if it happens again.")
}

// next works off a list of errors without going back to it.
func (w *walker) next() {
	_, key := w.faults("Next", "Apple", "Banana", "Cherry")
	if w.scripts { // a key acts on the focused row, without a box, and the next row gets it
		w.keys("j")
		w.act("i", "Ignore")
		w.read("1 error ignored.")
		w.want(count(rows, 2) + ` && ` + shows(selected, "Banana"))
		w.press("Undo")
		w.want(count(rows, 3))
		w.keys("j")
		w.want(shows(selected, "Cherry"))
	}
	w.step(kb.Enter, rows+" a")
	w.want(shows("h1", "Cherry"))
	w.step("j", `a[data-key="j"]`)
	w.want(shows("h1", "Banana"))
	w.step("k", `a[data-key="k"]`)
	w.want(shows("h1", "Cherry"))
	w.resolveAndNext()
	w.want(shows("h1", "Banana") + ` && ` + shows("main", "is resolved."))
	w.resolveAndNext()
	w.want(shows("h1", "Apple"))
	w.keepPage()
	w.report(key, "Apple", "it broke again", "production")
	w.awaitLive(shows("#count-events b", "2"))
	if w.scripts {
		w.want(shows("#news", "1 new event. Show the newest event"))
	}
	w.resolveAndNext()
	w.read("That was the last error of this list.", "No matching errors")
}

// unfold opens a menu of the page of an error; keys need none.
func (w *walker) unfold(menu string) {
	w.t.Helper()
	if !w.scripts {
		w.run(click(fmt.Sprintf("//summary[@aria-label=%q]", menu)))
	}
}

func (w *walker) resolveAndNext() {
	w.t.Helper()
	w.unfold("More ways to resolve")
	w.act("R", "Resolve and next")
}

// merge merges selected errors, undoes it, and merges one by picking another.
func (w *walker) merge() {
	list, _ := w.faults("Merge", "Apple", "Banana", "Cherry")
	for _, row := range []string{"1", "2"} {
		w.run(chromedp.Click(chromedp.CSS("tbody " + rows + ":nth-of-type(" + row + ") .pick")))
	}
	w.press("Merge…")
	w.want(shows("h1", "Merge errors") + ` && ` + count(`input[name=into_id]`, 2))
	w.run(chromedp.Click(chromedp.CSS(`li:nth-of-type(2) input[name=into_id]`)))
	w.press("Merge 2 errors")
	w.read("1 error merged into one.")
	w.want(count(rows, 2))
	w.press("Undo")
	w.read("Undone.")
	w.want(count(rows, 3))
	w.follow(rows + " a")
	w.want(shows("h1", "Cherry"))
	w.run(click(`//summary[@aria-label="More"]`))
	w.follow(`#main .acts a[href$="/merge"]`)
	w.run(chromedp.SendKeys(chromedp.CSS(`main input[name="find"]`), "Apple"))
	if w.scripts {
		w.run(click(button("Search")))
	} else {
		w.press("Search")
	}
	w.await(count("#candidates article", 1) + ` && ` + shows("#candidates", "Kept apart by: fingerprint"))
	w.lead(chromedp.Click(chromedp.CSS("#candidates form button")))
	w.read("Merged. This error now includes both.")
	w.want(shows("h1", "Apple") + ` && ` + shows("#count-events b", "2"))
	w.press("Undo")
	w.open(list)
	w.want(count(rows, 3))
}

// pause pauses an error until it has many events, and resumes it.
func (w *walker) pause() {
	w.faults("Pause", "Apple")
	w.follow(rows + " a")
	w.run(click(`//summary[normalize-space()="Pause ▾"]`))
	w.fill("pause-number", "5")
	w.want(`(document.querySelector("select[name=of]").value = "hour") === "hour"`)
	w.press("Pause")
	w.read("Paused. No notifications are sent.", "Paused until it reaches 5 events in an hour (0 now), or until")
	w.press("Resume")
	w.read("No longer paused.")
	w.want(`!` + shows("main", "No notifications are sent"))
}

// tags adds tags to an error, and removes one.
func (w *walker) tags() {
	w.faults("Tags", "Apple")
	w.follow(rows + " a")
	w.run(click(`//summary[@aria-label="More"]`), click(button("Add tags…")))
	w.fill("tag-add", "vip, checkout")
	w.press("Add tags")
	w.read("Tags added.", "Tagged vip, checkout.")
	w.lead(chromedp.Click(chromedp.CSS(`button[aria-label="Remove the tag vip"]`)))
	w.read("Tag removed.", "No longer tagged vip.")
	w.want(`!` + there(`button[aria-label="Remove the tag vip"]`) + ` && ` + there(`button[aria-label="Remove the tag checkout"]`))
}

// mention names a person in a comment, by choosing the name.
func (w *walker) mention() {
	w.faults("Mention", "Apple")
	w.follow(rows + " a")
	if !w.scripts {
		w.fill("body", "Look, @AdaOwner")
		w.press("Comment")
		w.read("Comment added.", "Look, @AdaOwner")
		return
	}
	open := there("#mentions:not([hidden]) li[aria-selected=true]")
	w.fill("body", "mail a@b.test, and @")
	w.await(open)
	name := `document.querySelector("#mentions li").textContent.replace(/\s/g, "")`
	w.want(`document.getElementById("body").getAttribute("aria-activedescendant") === "mention-0"`)
	w.keys(kb.Escape)
	w.want(`!` + open + ` && document.activeElement.id === "body"`)
	w.keys("zz")
	w.want(`!` + open)
	w.fill("body", "Look, @")
	w.await(open)
	// What stays in view covers half of some link, wherever the page is scrolled to.
	w.want(`document.querySelectorAll(".top, .dock").forEach((e) => { e.style.position = "static"; }) === undefined`)
	w.want(`document.getElementById("history").open = true`) // phones fold it
	w.accessiblePopup("mentions")
	w.keys(kb.Enter)
	w.await(`document.getElementById("body").value === "Look, @" + ` + name + ` + " "`)
	w.want(`!` + open)
	w.press("Comment")
	w.read("Comment added.", "Look, @")
}

// keysInFields tries keys where they are letters, and the list of them.
func (w *walker) keysInFields() {
	w.t.Helper()
	w.keepPage()
	w.keys("/")
	w.keys("j?xr")
	w.want(`document.activeElement.name === "q"`)
	w.want(`document.querySelector("[name=q]").value === "j?xr"`)
	w.want(`!` + there(selected) + ` && !` + there("#keys:popover-open"))
	w.run(chromedp.Click(chromedp.CSS("h1")))
	w.keys("?")
	w.await(there("#keys:popover-open"))
	w.keys(kb.Escape)
	w.await(`!` + there("#keys:popover-open"))
	w.want(kept)
}

// events goes from one event of an error to the other and back, and looks around on its page.
func (w *walker) events() {
	w.t.Helper()
	w.step("[", `a[data-key="["]`)
	w.want(`location.search.includes("notice=") && !` + there(`a[data-key="["]`))
	w.step("]", `a[data-key="]"]`)
	w.want(`!` + there(`a[data-key="]"]`))
	w.keepPage()
	w.run(chromedp.Click(chromedp.CSS(".anchors a")))
	w.await(`location.hash !== ""`)
	w.holds("history.back()")
	w.await(`location.hash === ""`)
	w.run(chromedp.SendKeys(chromedp.CSS("#history textarea"), "r[i"))
	w.want(`document.querySelector("#history textarea").value === "r[i" && ` + kept)
	w.run(chromedp.Click(chromedp.CSS("h1")))
}

// reopened resolves an error that then occurs again.
func (w *walker) reopened() {
	_, key := w.faults("Reopened", "Steady", "Returning")
	w.run(chromedp.Click(chromedp.CSS(rows + " .pick")))
	w.press("Resolve")
	w.want(count(rows, 1))
	w.keepPage()
	w.report(key, "Returning", "it broke", "production")
	if w.scripts {
		w.await(shows(".pill", "1 update"))
		w.want(shows("#said", "1 update"))
		w.want(count(rows, 1))
		w.run(chromedp.Click(chromedp.CSS(".pill")))
	}
	w.awaitLive(count(rows, 2))
	w.want(shows(rows, "Returning") + ` && ` + shows(rows, "Reopened"))
	w.want(there(".pill[hidden]"))
}

// filters narrows a list, goes back and forth in it, and resolves all that it finds.
func (w *walker) filters() {
	var classes []string
	for n := range 28 {
		classes = append(classes, fmt.Sprintf("Production%02d", n))
	}
	list, key := w.faults("Filters", classes...)
	w.report(key, "Staging", "it broke", "staging")
	w.awaitAgain(shows(".pager", "25 of 29"))
	w.keepPage()
	w.run(chromedp.SendKeys(chromedp.CSS(`select[name="environment"]`), "s"))
	w.apply(count(rows, 1), "1 error")
	if w.scripts { // the next key is not lost, nor does it do something else
		w.want(`document.activeElement.name === "environment"`)
	}
	w.want(`location.search.includes("environment=staging") && document.querySelector('select[name="environment"]').value === "staging"`)
	w.goBack(count(rows, 25))
	w.want(`location.pathname === "` + list + `" && !location.search.includes("staging")`)
	if w.scripts { // without, browsers keep what the user chose last
		w.want(`document.querySelector('select[name="environment"]').value === ""`)
	}
	w.keepPage()
	w.swap(`.pager a[rel="next"]`, count(rows, 4), "4 of 29 errors")
	w.swap(`nav.tabs a:nth-of-type(4)`, count(rows, 0), "0 errors")
	w.goBack(count(rows, 4))
	w.want(shows(rows+":last-of-type", "Production00"))
	w.goBack(count(rows, 25))

	w.run(chromedp.Click(chromedp.CSS(rows+" .pick")), click(`//label[normalize-space()="all 29 that match"]`))
	w.press("Resolve")
	w.read("29 errors resolved.", "No matching errors")
	w.want(shows("nav.side", "Errors 0"))

	w.open(list + "?q=") // which finds all, also what is resolved, and goes on to do so
	w.want(shows("#total", "29 errors"))
	w.keepPage()
	w.run(chromedp.SendKeys(chromedp.CSS(`select[name="environment"]`), "s"))
	w.apply(count(rows, 1), "1 error")
}

// apply waits for what a filter leaves, which takes a button without scripts.
func (w *walker) apply(expression, said string) {
	w.t.Helper()
	if w.scripts {
		w.awaitSwap(expression, said)
	} else {
		w.lead(chromedp.Click(chromedp.CSS("form.auto noscript button")))
		w.want(expression)
	}
}

// swap follows a link to another part of the same list.
func (w *walker) swap(link, expression, said string) {
	w.t.Helper()
	if !w.scripts {
		w.follow(link)
		w.want(expression)
		return
	}
	w.run(chromedp.Click(chromedp.CSS(link)))
	w.awaitSwap(expression, said)
}

// awaitSwap waits for a change of a page, and for its announcement to screen readers.
func (w *walker) awaitSwap(expression, said string) {
	w.t.Helper()
	w.await(expression)
	w.await(fmt.Sprintf(`document.querySelector("#said").textContent === %q`, said))
	w.want(kept)
}

// goBack uses the browser's button.
func (w *walker) goBack(expression string) {
	w.t.Helper()
	w.holds("history.back()")
	w.await(expression + ` && document.readyState === "complete"`)
	if !w.scripts {
		w.reload() // Chromium shows what it kept, and chromedp knows nothing of it
	}
}
