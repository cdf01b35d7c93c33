package flow

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// Who has not signed in can read the manual: it has room, on a screen and on a phone, and nothing is wrong with it.
func TestManualOfStrangersInBrowser(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	axe, err := os.ReadFile(browser.AxePath)
	if err != nil {
		t.Fatal(err)
	}
	s, b := rig.Start(t, ""), browser.Open(t)
	for _, path := range []string{"/docs", "/docs/clients"} {
		for _, scheme := range []string{"light", "dark"} {
			for width, room := range map[int64]float64{1440: 600, 390: 300} {
				b.Look(t, scheme, width)
				b.Do(t, chromedp.Navigate(s.Base+path), chromedp.WaitVisible(chromedp.CSS("#main")))
				where := fmt.Sprintf("%s, %s, %d wide", path, scheme, width)
				if got := browser.Evaluate[float64](t, b, `document.querySelector("main .card").clientWidth`); got < room {
					t.Errorf("%s: the text is only %g wide", where, got)
				}
				b.WantAccessible(t, string(axe), where)
				b.WantSilent(t, where)
			}
		}
	}
}
