package e2e

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
)

// shopPage serves js/page.html and the client's bundle for browsers, and returns the address of the page. Its origin
// is another than the server's.
func shopPage(t testing.TB, s *server) (address string) {
	t.Helper()
	page, err := template.ParseFiles(filepath.Join(jsDir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(jsDir, "node_modules", "@honeybadger-io", "js", "dist", "browser", "honeybadger.js")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Execute(w, map[string]string{"apiKey": s.APIKey, "endpoint": s.base}); err != nil {
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
	needJavaScript(t)
	s := start(t, "")
	page := shopPage(t, s)
	b := openTab(t)
	b.do(t, chromedp.Navigate(page))
	agent := wait[string](t, b, "navigator.userAgent")

	since := time.Now()
	sent, f, got := b.click(t, s, "#buy", "TypeError")
	compareFault(t, f, fault{
		ProjectID: s.ProjectID, Klass: "TypeError", Message: "no price for pears — 梨", Component: "basket", Action: "buy",
		Environment: "production", NoticesCount: 1, Tags: []string{"browser", "shop"},
	})
	want := fromBrowser(t, sent, f, page, agent)
	want.Cookies = map[string]string{"theme": "dark", "basket": "b 17"}
	want.WebEnvironment["HTTP_COOKIE"] = "theme=dark;basket=b%2017"
	want.Request.Component, want.Request.Action = "basket", "buy"
	want.Request.Params = map[string]any{"q": "pears"}
	want.Fingerprint = "no-price"
	want.Breadcrumbs = sent.crumbs(t, f.Message, clicked("buy", 1, "Buy"), breadcrumb{
		Category: "shop", Message: "filled basket", Metadata: map[string]any{"items": []any{"pears"}, "total": 9.5},
	})
	if diff := cmp.Diff([]string{"EvalError: price list is empty"}, titles(want.Causes)); diff != "" {
		t.Errorf("the causes differ from the errors of js/page.html (-want +reported):\n%s", diff)
	}
	compare(t, got, want, since)
	compareMethod(t, got, "price", page)
	frames, trail := len(got.Backtrace), append(got.Breadcrumbs, reported(s, got.ID)...)

	since = time.Now()
	sent, f, got = b.click(t, s, "#crash", "RangeError")
	compareFault(t, f, fault{
		ProjectID: s.ProjectID, Klass: "RangeError", Message: "nobody caught this", Environment: "production", NoticesCount: 1, Tags: []string{},
	})
	want = fromBrowser(t, sent, f, page, agent)
	want.Breadcrumbs = sent.crumbs(t, f.Message, append(trail, clicked("crash", 2, "Crash"), thrown(sent, f.Message))...)
	compare(t, got, want, since)
	compareMethod(t, got, "crash", page)
	frames += len(got.Backtrace)

	b.compareTraffic(t, s)
	t.Logf("JavaScript client in %s: notify and an uncaught error compared in %d frames, %d breadcrumbs and every field, %d exchanges",
		agent[strings.LastIndex(agent, "Headless"):], frames, len(trail)+len(got.Breadcrumbs), len(b.exchanges))
}

// click makes the page fail, and returns the notice that its client then has delivered with what the server shows of it.
func (b *tab) click(t testing.TB, s *server, button, class string) (jsNotice, fault, notice) {
	t.Helper()
	b.do(t, chromedp.Click(chromedp.CSS(button)))
	sent := onlyDelivered(t, []jsNotice{wait[jsNotice](t, b, "delivered."+class)})
	f, got := s.find(s.manage(t), sent.ID)
	return sent, f, got
}

// clicked is what the client notes by itself of a click on the button with the id, which is the page's nth.
func clicked(id string, nth int, text string) breadcrumb {
	button := fmt.Sprintf("button#%s:nth-child(%d)", id, nth)
	return breadcrumb{
		Category: "ui.click", Message: button,
		Metadata: map[string]any{"event": map[string]any{"isTrusted": true}, "selector": "body > " + button, "text": text},
	}
}

// reported is what the client notes by itself of a notice that it has delivered: the request, and a line that it writes
// to the console.
func reported(s *server, id string) []breadcrumb {
	address := s.base + "/v1/notices/js"
	words := []string{"[Honeybadger]", "Error report sent ⚡ https://app.honeybadger.io/notice/" + id}
	return []breadcrumb{
		{Category: "request", Message: "POST " + address, Metadata: map[string]any{"type": "fetch", "method": "POST", "url": address, "status_code": 201.0}},
		{Category: "log", Message: strings.Join(words, " "), Metadata: map[string]any{"level": "info", "arguments": []any{words[0], words[1]}}},
	}
}

// thrown is what the client notes by itself of an uncaught error.
func thrown(n jsNotice, message string) breadcrumb {
	return breadcrumb{
		Category: "error", Message: "window.onerror: " + n.Name,
		Metadata: map[string]any{"name": n.Name, "message": message, "stack": n.Stack},
	}
}

// compareMethod checks that the first frame of a notice is a function of the page.
func compareMethod(t testing.TB, got notice, method, page string) {
	t.Helper()
	if top := got.Backtrace[0]; top.Method != method || top.File != page {
		t.Errorf("the first frame is %s in %s, want %s in %s", top.Method, top.File, method, page)
	}
}

// fromBrowser is how a notice of js/page.html must be shown, as far as its client decides it alone.
func fromBrowser(t testing.TB, sent jsNotice, f fault, page, agent string) (want notice) {
	t.Helper()
	origin, _, _ := strings.Cut(page, "/shop")
	want = bare(sent.ID, f)
	want.Notifier = sent.notifier()
	want.Causes = sent.causes(t, func(file string) bool { return file == page })
	want.Environment.Revision = "r7"
	want.Environment.ProjectRoot.Path = origin
	want.WebEnvironment["HTTP_USER_AGENT"] = agent
	want.Request = request{
		URL:     page,
		Context: map[string]any{"user_id": "b-1", "user_email": "joan@example.test"},
		Params:  map[string]any{}, Session: map[string]any{},
		User: &user{Email: "joan@example.test", ID: "b-1"},
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
func (b *tab) compareTraffic(t testing.TB, s *server) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var asked, reported int
	for _, e := range b.exchanges {
		switch e {
		case "OPTIONS " + s.base + "/v1/notices/js 204":
			asked++
		case "POST " + s.base + "/v1/notices/js 201":
			reported++
		}
	}
	if asked == 0 || reported != 2 {
		t.Errorf("the browser had %d preflights and %d reports accepted, want some and 2: %q", asked, reported, b.exchanges)
	}
	if len(b.thrown) != 1 || !strings.HasPrefix(b.thrown[0], "RangeError: nobody caught this") {
		t.Errorf("uncaught exceptions are %q, want the page's one", b.thrown)
	}
	if diff := cmp.Diff([]string(nil), b.errors); diff != "" {
		t.Errorf("the console has errors (-want +got):\n%s", diff)
	}
}
