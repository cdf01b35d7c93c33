package clients

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// airbrakePage serves the page of a shop with the Airbrake client for browsers, and returns its address. Its origin is another than the
// server's.
func airbrakePage(t testing.TB, s *rig.Server, dir string) (address string) {
	t.Helper()
	page, err := template.ParseFiles(filepath.Join(dir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Execute(w, map[string]any{"projectId": s.ProjectID, "projectKey": s.APIKey, "host": s.Base, "remoteConfigHost": s.Base}); err != nil {
			t.Errorf("serve the page: %v", err)
		}
	})
	mux.HandleFunc("GET /airbrake.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(dir, "node_modules", "@airbrake", "browser", "umd", "airbrake.js"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/shop"
}

// The client for browsers asks for its configuration, and reports what the page passes to it and what was not caught.
func TestAirbrakeInBrowser(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	page := airbrakePage(t, s, exporter{language: "node", install: installNPM}.installed(t))
	b := browser.Open(t)
	b.Do(t, chromedp.Navigate(page))
	type answer struct{ ID, URL, Failure string }
	for class, method := range map[string]string{"TypeError": "price", "RangeError": "crash"} {
		sent := browser.Wait[answer](t, b, "delivered."+class)
		if sent.Failure != "" || sent.URL != s.Base+"/notice/"+sent.ID {
			t.Errorf("the client received %+v", sent)
		}
		f, n := s.Find(s.Manage(t), sent.ID)
		if f.Klass != class || n.Request.URL != page || !strings.Contains(n.WebEnvironment["HTTP_USER_AGENT"], "Chrome") {
			t.Errorf("the fault is %+v, the request %+v", f, n.Request)
		}
		if len(n.ApplicationTrace) == 0 || n.ApplicationTrace[0].Method != method || n.ApplicationTrace[0].File != "[PROJECT_ROOT]/shop" {
			t.Errorf("the frames are %+v", n.Backtrace)
		}
	}
	config := browser.Wait[int](t, b, `performance.getEntriesByType("resource").filter((e) => e.name.includes("/2020-06-18/config/") && e.responseStatus == 200).length`)
	if config == 0 {
		t.Error("the client received no configuration")
	}
	wantFaults(t, s, s.Manage(t), 2)
}
