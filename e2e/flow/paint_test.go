package flow

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"sett/e2e/rig/browser"
)

// painted is what a browser with an empty cache says about the first contentful paint of a page.
type painted struct {
	FCP      float64 // milliseconds
	Blocking []string
	Bytes    int // of the page and of what blocks its rendering, as they were sent
	Scripts  int // that the parser waits for
}

const paintOf = `(() => {
	const paint = performance.getEntriesByName("first-contentful-paint")[0];
	if (!paint) return null;
	const blocking = performance.getEntriesByType("resource").filter(e => e.renderBlockingStatus === "blocking");
	return {
		fcp: paint.startTime, blocking: blocking.map(e => new URL(e.name).pathname),
		bytes: [...performance.getEntriesByType("navigation"), ...blocking].reduce((n, e) => n + e.encodedBodySize, 0),
		scripts: [...document.scripts].filter(s => !s.defer && !s.async && s.type !== "module").length,
	};
})()`

// mostBeforePaint is how many bytes a browser needs at most before it can paint a screen: about what the first round trips of a new connection carry.
const mostBeforePaint = 24 << 10

// wantEarlyPaints fails the test unless the first contentful paint of a screen waits for its HTML and one stylesheet, and for no script. How long it
// takes depends on the machine, so that is only printed; PAINTS=5 measures it five times.
func wantEarlyPaints(t *testing.T, base, signIn string) {
	t.Helper()
	stranger := browser.Open(t)
	wantEarlyPaint(t, stranger, base, "/login", 1)
	wantEarlyPaint(t, stranger, base, "/status/acme", 2) // its own CSS, which its owner may have added, is a file of its own

	b := openDemoTab(t, signIn)
	b.Look(t, "light", 1440)
	found := func(in, pattern string) string {
		t.Helper()
		return browser.Evaluate[string](t, b, fmt.Sprintf(`fetch(%q).then(r => r.text()).then(text => text.match(/%s/)[0])`, in, pattern))
	}
	for _, path := range []string{
		"/", "/projects", "/projects/1", "/projects/1/faults", found("/projects/1/faults", `\/projects\/1\/faults\/\d+`), "/projects/1/faults/environments",
		"/projects/1/deploys", "/projects/1/insights", "/projects/1/sites", found("/projects/1/sites", `\/projects\/1\/sites\/[0-9a-f-]{36}`), "/projects/1/check_ins",
		found("/", `\/accounts\/\w+`) + "/status_pages",
	} {
		wantEarlyPaint(t, b, base, path, 1)
	}
}

// wantEarlyPaint opens a screen some times without a cache, and prints when it is painted.
func wantEarlyPaint(t *testing.T, b *browser.Tab, base, path string, stylesheets int) {
	t.Helper()
	var all []int
	var p painted
	visits, _ := strconv.Atoi(os.Getenv("PAINTS"))
	for range max(visits, 1) {
		if _, err := chromedp.Call(b.Ctx, network.ClearBrowserCache, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
		b.Do(t, chromedp.Navigate(base+path))
		p = browser.Wait[painted](t, b, paintOf)
		all = append(all, int(p.FCP))
	}
	slices.Sort(all)
	t.Logf("%s: first contentful paint after %d ms, from %d to %d; %d bytes, %q", path, all[len(all)/2], all[0], all[len(all)-1], p.Bytes, p.Blocking)
	css := func(name string) bool { return strings.HasSuffix(name, ".css") }
	if len(p.Blocking) != stylesheets || !slices.ContainsFunc(p.Blocking, css) || slices.ContainsFunc(p.Blocking, func(name string) bool { return !css(name) }) || p.Scripts > 0 {
		t.Errorf("%s waits for %q and %d scripts before it is painted, want %d stylesheets", path, p.Blocking, p.Scripts, stylesheets)
	}
	if p.Bytes > mostBeforePaint || p.Bytes == 0 {
		t.Errorf("%s is painted after %d bytes, want at most %d", path, p.Bytes, mostBeforePaint)
	}
}
