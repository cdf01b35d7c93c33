package serve

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func TestMuxFindsRoutes(t *testing.T) {
	t.Parallel()
	h := NewMux(sampleRoutes(), MuxOptions{})
	for _, tt := range []struct {
		method, target string
		status         int
		body           string // a part of it
	}{
		{"GET", "/v2/projects/1/faults/7", 200, `"klass":"7"`},
		{"GET", "/v2/projects/1/faults/7/", 200, `"klass":"7"`},
		{"GET", "//v2///projects/1/faults//7//?x=1", 200, `"klass":"7"`},
		{"GET", "/v2/projects/1/./faults/7", 404, `{"errors":"Not found. `},
		{"DELETE", "/v2/projects/1/faults/..", 404, `{"errors":"Not found. `},
		{"GET", "/v2/projects/1/faults/a%2Fb%20c", 200, `"klass":"a/b c"`},
		{"GET", "/v2/projects/1/faults/a%2Fb/", 200, `"klass":"a/b"`},
		{"GET", "/v2/projects/1/faults/%2e%2e", 200, `"klass":".."`},
		{"HEAD", "/v2/projects/1/faults/7", 200, ``},
		{"GET", "/v2/projects/occurrences/", 200, `{"1":2}`},
		{"POST", "/v1/notices/", 201, `"id"`},
		{"GET", "/v2/projects/1/faults/404", 404, `{"errors":"Fault not found"}`},
		{"GET", "/", 404, `{"errors":"Not found. `},
		{"GET", "/v2", 404, `{"errors":"Not found. `},
		{"GET", "/v2/projects/1/faults/%00", 404, `{"errors":"Not found. `},
		{"GET", "/v2/projects/1/faults/%ff", 404, `{"errors":"Not found. `},
		{"DELETE", "/v2/projects/1/faults/%00", 404, `{"errors":"Not found. `},
		{"GET", "/v1/nothing", 404, `{"error":"Not found. `},
		{"DELETE", "/v1/notices", 405, `{"error":"This URL does not support DELETE; it supports POST."`},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			t.Parallel()
			w := do(t, h, tt.method, tt.target, "")
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.body) {
				t.Errorf("got %d %s, want %d …%s…", w.Code, w.Body, tt.status, tt.body)
			}
			if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
				t.Errorf("Content-Type %q", got)
			}
		})
	}
}

func TestMuxAllow(t *testing.T) {
	t.Parallel()
	h := NewMux(sampleRoutes(), MuxOptions{})
	for target, want := range map[string]string{
		"/v2/projects/1/faults/7":  "GET, HEAD, PUT",
		"/v2/projects/1/faults/7/": "GET, HEAD, PUT",
		"/v2/projects/occurrences": "GET, HEAD",
		"/v2/projects/1/faults":    "GET, HEAD",
		"/v1/notices":              "POST",
	} {
		for _, method := range []string{"DELETE", "OPTIONS", "BREW"} {
			w := do(t, h, method, target, "")
			if got := w.Header().Get("Allow"); w.Code != 405 || got != want {
				t.Errorf("%s %s: got %d, Allow %q, want 405, %q", method, target, w.Code, got, want)
			}
		}
	}
}

// A fixed word in a path is never taken for the id in a sibling's, whatever the method.
func TestMuxKeepsFixedWords(t *testing.T) {
	t.Parallel()
	route := func(method, path string) Route {
		return Route{Method: method, Path: path, Name: method + path, Handle: func(w http.ResponseWriter, r *http.Request) error {
			return WriteJSON(w, 200, path+" "+r.PathValue("id"))
		}}
	}
	h := NewMux([]Route{
		route("GET", "/things/sum"),
		route("GET", "/things/{id}"), route("PUT", "/things/{id}"), route("DELETE", "/things/{id}"),
		route("POST", "/things/{id}/fix"), route("GET", "/things/{id}/{part}"), route("POST", "/things/fix"),
		route("GET", "/bells/{id}"), route("HEAD", "/bells/{id}"), route("GET", "/files/{path...}"), route("PUT", "/files/latest/name"),
	}, MuxOptions{})
	for request, want := range map[string]string{
		"GET /things/sum":         "GET, HEAD",
		"HEAD /things/sum":        "GET, HEAD",
		"PUT /things/sum":         "GET, HEAD",
		"DELETE /things/sum/":     "GET, HEAD",
		"POST /things/sum":        "GET, HEAD",
		"GET /things/fix":         "POST",
		"HEAD /things/fix":        "POST",
		"DELETE /things/fix":      "POST",
		"GET /things/7":           "DELETE, GET, HEAD, PUT",
		"POST /things/7":          "DELETE, GET, HEAD, PUT",
		"HEAD /bells/7":           "GET, HEAD",
		"PUT /bells/7":            "GET, HEAD",
		"GET /things/7/fix":       "POST",
		"DELETE /things/7/fix":    "POST",
		"GET /things/7/wheel":     "GET, HEAD",
		"GET /files/latest/name":  "PUT",
		"GET /files/latest/other": "GET, HEAD",
	} {
		method, target, _ := strings.Cut(request, " ")
		w := do(t, h, method, target, "")
		if slices.Contains(strings.Split(want, ", "), method) {
			if w.Code != 200 {
				t.Errorf("%s: got %d %s", request, w.Code, w.Body)
			}
		} else if got := w.Header().Get("Allow"); w.Code != 405 || got != want {
			t.Errorf("%s: got %d, Allow %q, want 405, %q", request, w.Code, got, want)
		}
	}
}

func TestMuxWrapsEveryRouteAndTheFallback(t *testing.T) {
	t.Parallel()
	var wrapped []string
	h := NewMux(sampleRoutes(), MuxOptions{Wrap: func(rt Route, next Handler) Handler {
		wrapped = append(wrapped, rt.Name)
		return func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("X-Route", rt.Name)
			if rt.Permission != accounts.Public {
				return sett.Errorf(sett.Unauthenticated, "Invalid API token")
			}
			return next(w, r)
		}
	}})
	want := []string{"listFaults", "showFault", "changeFault", "showReport", "countAll", "reportNotice", "health", "figures", "boom", NotFound}
	if diff := cmp.Diff(want, wrapped); diff != "" {
		t.Error(diff)
	}
	for target, want := range map[string]int{"/v2/projects/occurrences": 401, "/v2/nothing": 404, "/boom": 500} {
		w := do(t, h, "GET", target, "")
		if w.Code != want || w.Header().Get("X-Route") == "" {
			t.Errorf("%s: got %d, route %q, want %d", target, w.Code, w.Header().Get("X-Route"), want)
		}
	}
}

func TestMuxOwnErrorForm(t *testing.T) {
	t.Parallel()
	h := NewMux(sampleRoutes(), MuxOptions{Error: func(w http.ResponseWriter, r *http.Request, err error) {
		e := Explain(r, err)
		w.WriteHeader(Status(e.Code))
		_, _ = w.Write([]byte("<p>" + e.Message))
	}})
	w := do(t, h, "GET", "/v2/projects/1/faults/404", "")
	if got := w.Body.String(); w.Code != 404 || got != "<p>Fault not found" {
		t.Errorf("got %d %s", w.Code, got)
	}
}

// A handler that fails after it has begun to answer must not look as if it had finished.
func TestMuxCutsHalfAnAnswer(t *testing.T) {
	t.Parallel()
	log, lines := capture()
	h := NewMux([]Route{{Method: "GET", Path: "/half", Name: "half", Handle: func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = w.Write([]byte("some"))
		return errors.New("disk on fire")
	}}}, MuxOptions{Log: log})
	func() {
		defer func() {
			if v := recover(); v != http.ErrAbortHandler {
				t.Errorf("recovered %v, want http.ErrAbortHandler", v)
			}
		}()
		do(t, h, "GET", "/half", "")
	}()
	if got := lines(); len(got) != 1 || got[0]["error"] != "disk on fire" {
		t.Errorf("logged %v", got)
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	h := NewMux(sampleRoutes(), MuxOptions{})
	for _, target := range []string{"/v2/projects/occurrences", "/nothing", "/boom"} {
		got := do(t, h, "GET", target, "").Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options":  "nosniff",
			"Referrer-Policy":         "same-origin",
			"X-Frame-Options":         "DENY",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", target, name, got.Get(name), want)
			}
		}
	}
}

func TestMuxRoot(t *testing.T) {
	t.Parallel()
	home := Route{Method: "GET", Path: "/", Name: "home", Handle: func(w http.ResponseWriter, _ *http.Request) error {
		return WriteJSON(w, 200, "home")
	}}
	h := NewMux([]Route{home}, MuxOptions{})
	for target, want := range map[string]int{"/": 200, "//": 200, "/%00": 404, "/nothing": 404} {
		if w := do(t, h, "GET", target, ""); w.Code != want {
			t.Errorf("%s: got %d, want %d", target, w.Code, want)
		}
	}
	defer func() {
		if v := recover(); v != "serve: the path of route home ends in a slash and would never match" {
			t.Errorf("recovered %v", v)
		}
	}()
	home.Path = "/home/"
	NewMux([]Route{home}, MuxOptions{})
}

func TestFromHTTP(t *testing.T) {
	t.Parallel()
	plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	w := httptest.NewRecorder()
	if err := FromHTTP(plain)(w, nil); err != nil || w.Code != http.StatusTeapot {
		t.Errorf("got %d, %v", w.Code, err)
	}
}

// FuzzMuxPath: whatever the path is, the answer is never a redirect, and always JSON.
func FuzzMuxPath(f *testing.F) {
	for _, seed := range []string{"/", "//", "/v2/projects/1/faults/", "/v2/../x", "/%2e%2e/%00", "/v2/projects/%2F/faults", "/{$}"} {
		f.Add(seed)
	}
	h := NewMux(sampleRoutes(), MuxOptions{})
	f.Fuzz(func(t *testing.T, path string) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://sett.test", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.URL, err = r.URL.Parse(path); err != nil {
			t.Skip("no address")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code/100 == 3 || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%q: got %d %s", path, w.Code, w.Header())
		}
	})
}

func BenchmarkMux(b *testing.B) {
	h := NewMux(sampleRoutes(), MuxOptions{Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	for _, target := range []string{"/v1/notices", "/v2/projects/1/faults/7"} {
		b.Run(target, func(b *testing.B) {
			method := "GET"
			if isReporting(target) {
				method = "POST"
			}
			r := httptest.NewRequestWithContext(b.Context(), method, target, nil)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}

// What Allow lists is taken and what it does not list is not, HEAD among it.
func TestMuxAllowAndHeadAgree(t *testing.T) {
	t.Parallel()
	route := func(method, path string, noHead bool) Route {
		return Route{Method: method, Path: path, Name: method + path, NoHead: noHead, Handle: func(w http.ResponseWriter, _ *http.Request) error {
			return WriteJSON(w, 200, path)
		}}
	}
	h := NewMux([]Route{route("GET", "/looks", false), route("GET", "/does", true), route("POST", "/does", false), route("GET", "/{any}/x", false)}, MuxOptions{})
	for target, want := range map[string]string{"/looks": "GET, HEAD", "/does": "GET, POST", "/y/x": "GET, HEAD"} {
		if got := do(t, h, "DELETE", target, "").Header().Get("Allow"); got != want {
			t.Errorf("%s allows %q, want %q", target, got, want)
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT"} {
			allowed := slices.Contains(strings.Split(want, ", "), method)
			w := do(t, h, method, target, "")
			if (w.Code == 200) != allowed || !allowed && (w.Code != 405 || w.Header().Get("Allow") != want) {
				t.Errorf("%s %s: %d, Allow %q", method, target, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}
