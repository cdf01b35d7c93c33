package flow

import (
	"image"
	"image/png"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// looks chooses the columns of the list of errors, compares environments and opens a value of an event.
func (w *walker) looks() {
	list, key := w.faults("Looks", "Boom", "Crash")
	w.report(key, "Boom", "again", "staging")
	w.open(list)
	w.want(shows("table.faults thead", "24 hours"))
	w.run(click(`//summary[normalize-space()="View"]`), click(`//label[normalize-space()="Assignee"]`), click(`//label[normalize-space()="24 hours"]`))
	w.press("Show columns")
	w.want(shows("table.faults thead", "Assignee") + ` && !` + shows("table.faults thead", "24 hours"))
	w.run(click(`//summary[normalize-space()="View"]`))
	w.follow(`main a[href$="/faults/environments"]`)
	w.read("Environments side by side", "Boom", "Crash", "staging")
	w.open(w.here() + "?in=staging&not=production")
	w.read("No errors in staging that are not in production")
	w.open(list)
	w.want(shows("table.faults thead", "Assignee"))
}

// dressPage gives a status page a logo, an accent color, a group and a language, and opens it.
func (w *walker) dressPage() {
	file := filepath.Join(w.t.TempDir(), "logo.png")
	to, err := os.Create(file)
	if err == nil {
		err = png.Encode(to, image.NewNRGBA(image.Rect(0, 0, 40, 20)))
	}
	if err != nil || to.Close() != nil {
		w.t.Fatal(err)
	}
	w.open("/")
	w.follow(`nav.side a[href$="/status_pages"]`)
	w.follow(`main a.primary`)
	w.fill("name", "Dressed", "slug", "dressed")
	w.press("Create page")
	w.follow(`nav.tabs a[href$="/edit"]`)
	w.run(chromedp.SendKeys(chromedp.CSS(`[name="features.accent_color"]`), "#ffff00"), chromedp.SendKeys(chromedp.CSS("#language"), "D"))
	w.follow(`form[action$="/edit"] button.primary`)
	w.read("it is shown as", "in dark")
	w.run(chromedp.SetUploadFiles(chromedp.CSS("#logo"), []string{file}))
	w.press("Upload")
	w.want(`document.querySelector("img.logo").naturalWidth === 40`)
	w.open(w.s.Base + "/status/dressed")
	w.read("Updates abonnieren", "Vergangene Störungen")
	w.want(`document.documentElement.lang === "de" && document.querySelector("h1 img.logo").naturalWidth === 40`)
}
