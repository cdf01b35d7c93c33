package clients

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// builtPage is a page that pays for an empty cart with a script that was built. The release is the one that the plugin wrote into it.
const builtPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Shop</title>
<link rel="icon" href="data:,">
<script src="/sentry.js"></script>
<script src="/assets/main.js"></script>
<script>
  Sentry.init({ dsn: %q, environment: 'staging', integrations: [Sentry.browserTracingIntegration()], tracesSampleRate: 1 })
  const sent = {}
  setTimeout(() => pay({ items: [] }))
  setTimeout(() => Sentry.flush(20000).then((all) => { sent.all = all }), 200)
</script>
</html>
`

// servePages serves pages of a workshop and the files that they load, and returns the address of the server.
func (w *workshop) servePages(sdk string) (base string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{page}", func(a http.ResponseWriter, _ *http.Request) {
		a.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(a, builtPage, dsn(w.Server))
	})
	for path, file := range map[string]string{"/sentry.js": filepath.Join(sdk, "bundle.js"), "/assets/main.js": filepath.Join(w.dir, "webpack-out/main.js")} {
		mux.HandleFunc("GET "+path, func(a http.ResponseWriter, r *http.Request) { http.ServeFile(a, r, file) })
	}
	server := httptest.NewServer(mux)
	w.t.Cleanup(server.Close)
	return server.URL
}

// forget forgets what the console has said.
func forget(v *browser.Visitor) {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	v.Thrown, v.Errors, v.Exchanges = nil, nil, nil
}

// Two pages fail in a script that webpack minified. It is one error, whose page shows the original file, line and source.
func TestOriginalCodeInBrowser(t *testing.T) {
	t.Parallel()
	sdk, w := sentryForBrowsers(t), newWorkshop(t)
	w.must("shop@1.2.3", "node", "build.mjs", "webpack.config.mjs")
	v := &browser.Visitor{T: t, S: w.Server, Tab: browser.Open(t)}
	base := w.servePages(sdk)
	for _, page := range []string{"/basket", "/checkout"} {
		v.Do(t, chromedp.Navigate(base+page))
		if !browser.Wait[bool](t, v.Tab, "sent.all") {
			t.Error("the SDK could not send all")
		}
	}
	m, script := w.Manage(t), base+"/assets/main.js"
	wantNotices(t, w.Server, m, map[string]int64{"Error: empty cart": 2})
	f := w.Faults(m)[0]
	n := w.Notices(m, f.ID)[0]
	if top := n.Backtrace[0]; top.File != script || n.Environment.Revision != "shop@1.2.3" {
		t.Errorf("the client reports %+v, release %q, want a frame of %s", top, n.Environment.Revision, script)
	}

	forget(v)
	v.SignIn(rig.OwnersEmail, rig.OwnersPassword)
	v.Open(fmt.Sprintf("%s/projects/%d/faults/%d", w.Base, w.ProjectID, f.ID), "details.frame[open]")
	type frame struct{ Place, At, Minified string }
	got := browser.Evaluate[frame](t, v.Tab, `(f => ({
		place: f.querySelector("summary").innerText, at: f.querySelector("li.at").innerText, minified: f.querySelector("p code").innerText,
	}))(document.querySelector("details.frame[open]"))`)
	if !strings.Contains(got.Place, "src/cart.js:2") || strings.Join(strings.Fields(got.At), " ") != "2 if (!cart.items.length) throw new Error('empty cart')" || !strings.HasPrefix(got.Minified, script+":") {
		t.Errorf("the frame is %+v", got)
	}
	v.Read("src/index.js:4")
	v.WantQuiet()
}
