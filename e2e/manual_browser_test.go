package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// Who has not signed in can read the manual: it has room, on a screen and on a phone, and nothing is wrong with it.
func TestManualOfStrangersInBrowser(t *testing.T) {
	t.Parallel()
	needJavaScript(t)
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Fatal(err)
	}
	s, b := start(t, ""), openTab(t)
	for _, path := range []string{"/docs", "/docs/clients"} {
		for _, scheme := range []string{"light", "dark"} {
			for width, room := range map[int64]float64{1440: 600, 390: 300} {
				b.look(t, scheme, width)
				b.do(t, chromedp.Navigate(s.base+path), chromedp.WaitVisible(chromedp.CSS("#main")))
				where := fmt.Sprintf("%s, %s, %d wide", path, scheme, width)
				if got := evaluate[float64](t, b, `document.querySelector("main .card").clientWidth`); got < room {
					t.Errorf("%s: the text is only %g wide", where, got)
				}
				b.wantAccessible(t, string(axe), where)
				b.wantSilent(t, where)
			}
		}
	}
}
