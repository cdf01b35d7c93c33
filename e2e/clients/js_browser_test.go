package clients

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// shopPage serves js/page.html and the client's bundle for browsers, and returns the address of the page. Its origin
// is another than the server's.
func shopPage(t testing.TB, s *rig.Server) (address string) {
	t.Helper()
	page, err := template.ParseFiles(filepath.Join(rig.JS, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(rig.JS, "node_modules", "@honeybadger-io", "js", "dist", "browser", "honeybadger.js")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Execute(w, map[string]string{"apiKey": s.APIKey, "endpoint": s.Base}); err != nil {
			t.Errorf("serve the page: %v", err)
		}
	})
	mux.HandleFunc("GET /honeybadger.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, bundle) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/shop?utm=1"
}

func TestJavaScriptInBrowser(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	s := rig.Start(t, "")
	page := shopPage(t, s)
	b := browser.Open(t)
	b.Do(t, chromedp.Navigate(page))
	agent := browser.Wait[string](t, b, "navigator.userAgent")

	since := time.Now()
	sent, f, got := click(t, b, s, "#buy", "TypeError")
	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "TypeError", Message: "no price for pears — 梨", Component: "basket", Action: "buy",
		Environment: "production", NoticesCount: 1, Tags: []string{"browser", "shop"},
	})
	want := fromBrowser(t, sent, f, page, agent)
	want.Cookies = map[string]string{"theme": "dark", "basket": "b 17"}
	want.WebEnvironment["HTTP_COOKIE"] = "theme=dark;basket=b%2017"
	want.Request.Component, want.Request.Action = "basket", "buy"
	want.Request.Params = map[string]any{"q": "pears"}
	want.Fingerprint = "no-price"
	want.Breadcrumbs = sent.crumbs(t, f.Message, clicked("buy", 1, "Buy"), rig.Breadcrumb{
		Category: "shop", Message: "filled basket", Metadata: map[string]any{"items": []any{"pears"}, "total": 9.5},
	})
	if diff := cmp.Diff([]string{"EvalError: price list is empty"}, titles(want.Causes)); diff != "" {
		t.Errorf("the causes differ from the errors of js/page.html (-want +reported):\n%s", diff)
	}
	rig.Compare(t, got, want, since)
	compareMethod(t, got, "price", page)
	frames, trail := len(got.Backtrace), append(got.Breadcrumbs, reported(s, got.ID)...)

	since = time.Now()
	sent, f, got = click(t, b, s, "#crash", "RangeError")
	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "RangeError", Message: "nobody caught this", Environment: "production", NoticesCount: 1, Tags: []string{},
	})
	want = fromBrowser(t, sent, f, page, agent)
	want.Breadcrumbs = sent.crumbs(t, f.Message, append(trail, clicked("crash", 2, "Crash"), thrown(sent, f.Message))...)
	rig.Compare(t, got, want, since)
	compareMethod(t, got, "crash", page)
	frames += len(got.Backtrace)

	compareTraffic(t, b, s)
	t.Logf("JavaScript client in %s: notify and an uncaught error compared in %d frames, %d breadcrumbs and every field, %d exchanges",
		agent[strings.LastIndex(agent, "Headless"):], frames, len(trail)+len(got.Breadcrumbs), len(b.Exchanges))
}

// click makes the page fail, and returns the notice that its client then has delivered with what the server shows of it.
func click(t testing.TB, b *browser.Tab, s *rig.Server, button, class string) (jsNotice, rig.Fault, rig.Notice) {
	t.Helper()
	b.Do(t, chromedp.Click(chromedp.CSS(button)))
	sent := onlyDelivered(t, []jsNotice{browser.Wait[jsNotice](t, b, "delivered."+class)})
	f, got := s.Find(s.Manage(t), sent.ID)
	return sent, f, got
}

// clicked is what the client notes by itself of a click on the button with the id, which is the page's nth.
func clicked(id string, nth int, text string) rig.Breadcrumb {
	button := fmt.Sprintf("button#%s:nth-child(%d)", id, nth)
	return rig.Breadcrumb{
		Category: "ui.click", Message: button,
		Metadata: map[string]any{"event": map[string]any{"isTrusted": true}, "selector": "body > " + button, "text": text},
	}
}

// reported is what the client notes by itself of a notice that it has delivered: the request, and a line that it writes
// to the console.
func reported(s *rig.Server, id string) []rig.Breadcrumb {
	address := s.Base + "/v1/notices/js"
	words := []string{"[Honeybadger]", "Error report sent ⚡ https://app.honeybadger.io/notice/" + id}
	return []rig.Breadcrumb{
		{Category: "request", Message: "POST " + address, Metadata: map[string]any{"type": "fetch", "method": "POST", "url": address, "status_code": 201.0}},
		{Category: "log", Message: strings.Join(words, " "), Metadata: map[string]any{"level": "info", "arguments": []any{words[0], words[1]}}},
	}
}

// thrown is what the client notes by itself of an uncaught error.
func thrown(n jsNotice, message string) rig.Breadcrumb {
	return rig.Breadcrumb{
		Category: "error", Message: "window.onerror: " + n.Name,
		Metadata: map[string]any{"name": n.Name, "message": message, "stack": n.Stack},
	}
}

// compareMethod checks that the first frame of a notice is a function of the page.
func compareMethod(t testing.TB, got rig.Notice, method, page string) {
	t.Helper()
	if top := got.Backtrace[0]; top.Method != method || top.File != page {
		t.Errorf("the first frame is %s in %s, want %s in %s", top.Method, top.File, method, page)
	}
}

// fromBrowser is how a notice of js/page.html must be shown, as far as its client decides it alone.
func fromBrowser(t testing.TB, sent jsNotice, f rig.Fault, page, agent string) (want rig.Notice) {
	t.Helper()
	origin, _, _ := strings.Cut(page, "/shop")
	want = rig.Bare(sent.ID, f)
	want.Notifier = sent.notifier()
	want.Causes = sent.causes(t, func(file string) bool { return file == page })
	want.Environment.Revision = "r7"
	want.Environment.ProjectRoot.Path = origin
	want.WebEnvironment["HTTP_USER_AGENT"] = agent
	want.Request = rig.Request{
		URL:     page,
		Context: map[string]any{"user_id": "b-1", "user_email": "joan@example.test"},
		Params:  map[string]any{}, Session: map[string]any{},
		User: &rig.User{Email: "joan@example.test", ID: "b-1"},
	}
	all, _ := sent.frames()
	for _, shown := range all {
		if ofClient := strings.HasSuffix(shown.File, "/honeybadger.js"); !ofClient {
			shown.Context, shown.ApplicationFile = "app", shown.File
			want.ApplicationTrace = append(want.ApplicationTrace, shown)
			shown.ApplicationFile = ""
		}
		want.Backtrace = append(want.Backtrace, shown)
	}
	return want
}

// compareTraffic checks that the browser asked before it reported to another origin, that it was let, and that nothing
// but the page's own exception reached the console.
func compareTraffic(t testing.TB, b *browser.Tab, s *rig.Server) {
	t.Helper()
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var asked, reported int
	for _, e := range b.Exchanges {
		switch e {
		case "OPTIONS " + s.Base + "/v1/notices/js 204":
			asked++
		case "POST " + s.Base + "/v1/notices/js 201":
			reported++
		}
	}
	if asked == 0 || reported != 2 {
		t.Errorf("the browser had %d preflights and %d reports accepted, want some and 2: %q", asked, reported, b.Exchanges)
	}
	if len(b.Thrown) != 1 || !strings.HasPrefix(b.Thrown[0], "RangeError: nobody caught this") {
		t.Errorf("uncaught exceptions are %q, want the page's one", b.Thrown)
	}
	if diff := cmp.Diff([]string(nil), b.Errors); diff != "" {
		t.Errorf("the console has errors (-want +got):\n%s", diff)
	}
}
