package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/sett"
)

// capture returns a logger and what it has written, line by line.
func capture() (*slog.Logger, func() []map[string]any) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return log, func() []map[string]any {
		var lines []map[string]any
		for dec := json.NewDecoder(&out); ; {
			var line map[string]any
			if err := dec.Decode(&line); err != nil {
				return lines
			}
			lines = append(lines, line)
		}
	}
}

func logged(routes []Route, r *http.Request) ([]map[string]any, *httptest.ResponseRecorder) {
	log, lines := capture()
	w := httptest.NewRecorder()
	NewMux(routes, MuxOptions{Log: log}).ServeHTTP(w, r)
	return lines(), w
}

func TestLogLine(t *testing.T) {
	t.Parallel()
	answer := func(err error) Handler {
		return func(w http.ResponseWriter, r *http.Request) error {
			SetPrincipal(r.Context(), "user 7")
			if err != nil {
				return err
			}
			return WriteJSON(w, 201, "ok")
		}
	}
	refusal := sett.Errorf(sett.Invalid, "no")
	for _, tt := range []struct {
		name   string
		route  Route
		level  string
		status float64
	}{
		{"success", Route{Handle: answer(nil)}, "INFO", 201},
		{"quiet success", Route{Handle: answer(nil), Quiet: true}, "DEBUG", 201},
		{"refusal", Route{Handle: answer(refusal)}, "INFO", 422},
		{"quiet refusal", Route{Handle: answer(refusal), Quiet: true}, "INFO", 422},
		{"given up", Route{Handle: answer(fmt.Errorf("list: %w", context.Canceled))}, "INFO", 503},
		{"silence", Route{Handle: func(_ http.ResponseWriter, r *http.Request) error {
			SetPrincipal(r.Context(), "user 7")
			return nil
		}}, "INFO", 200},
		{"hint first", Route{Handle: func(w http.ResponseWriter, r *http.Request) error {
			w.WriteHeader(http.StatusEarlyHints)
			return answer(nil)(w, r)
		}}, "INFO", 201},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.route.Method, tt.route.Path, tt.route.Name = "POST", "/things/{id}", "thing"
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/things/secret", nil)
			r.Header.Set("X-Request-Id", "req-1_A")
			got, _ := logged([]Route{tt.route}, r)
			want := []map[string]any{{
				"level": tt.level, "msg": "request", "route": "/things/{id}", "method": "POST", "status": tt.status,
				"principal": "user 7", "request_id": "req-1_A",
			}}
			ignored := cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "time" || k == "duration_ms" })
			if diff := cmp.Diff(want, got, ignored); diff != "" {
				t.Error(diff)
			}
			if ms, ok := got[0]["duration_ms"].(float64); !ok || ms < 0 {
				t.Errorf("duration_ms is %v", got[0]["duration_ms"])
			}
		})
	}
}

func TestPanicIsLoggedAndHidden(t *testing.T) {
	t.Parallel()
	got, w := logged(sampleRoutes(), httptest.NewRequestWithContext(t.Context(), "GET", "/boom", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "swordfish") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	id := w.Header().Get("X-Request-Id")
	want := `{"errors":"Internal error. Try again; if it keeps happening, report the request id ` + id + `."}` + "\n"
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Error(diff)
	}
	if len(got) != 1 {
		t.Fatalf("logged %d lines, want 1", len(got))
	}
	stack, _ := got[0]["stack"].(string)
	if got[0]["level"] != "ERROR" || got[0]["msg"] != "a request failed in the server" || got[0]["error"] != "panic: the secret is swordfish" || got[0]["request_id"] != id ||
		!strings.Contains(stack, "sample_test.go") {
		t.Errorf("logged %v", got[0])
	}
}

func TestRecoverLetsAbortThrough(t *testing.T) {
	t.Parallel()
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("recovered %v", v)
		}
	}()
	_ = Recover(func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) })(nil, nil)
	t.Error("did not panic")
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	for id, kept := range map[string]bool{
		"abc-DEF_123": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, "a\nb": false, "é": false, `"`: false, "a.b": false,
	} {
		var inside string
		h := Log(nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = RequestID(r.Context()) }))
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header.Set("X-Request-Id", id)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		sent := w.Header().Get("X-Request-Id")
		if sent != inside || (sent == id) != kept || !saneID(sent) {
			t.Errorf("%q: sent %q, inside %q, want kept: %v", id, sent, inside, kept)
		}
	}
	if got := RequestID(t.Context()); got != "" {
		t.Errorf("outside of a request: %q", got)
	}
}

func TestNestedMuxesLogOnce(t *testing.T) {
	t.Parallel()
	inner := NewMux(sampleRoutes(), MuxOptions{})
	outer := []Route{{Method: "GET", Path: "/v2/{rest...}", Name: "inner", Handle: FromHTTP(inner)}}
	got, w := logged(outer, httptest.NewRequestWithContext(t.Context(), "GET", "/v2/projects/occurrences", nil))
	if w.Code != 200 || len(got) != 1 || got[0]["route"] != "/v2/projects/occurrences" {
		t.Errorf("answered %d, logged %v", w.Code, got)
	}
}

// A stream must be able to flush through the writer that notes the status.
func TestStreamsFlush(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(NewMux([]Route{{Method: "GET", Path: "/s", Name: "s", Handle: func(w http.ResponseWriter, r *http.Request) error {
		_, _ = w.Write([]byte("one"))
		if err := http.NewResponseController(w).Flush(); err != nil {
			return err
		}
		<-r.Context().Done() // until the client has seen enough
		return nil
	}}}, MuxOptions{}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", srv.URL+"/s", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := make([]byte, 3)
	_, err = io.ReadFull(resp.Body, got)
	cancel()
	if err != nil || string(got) != "one" {
		t.Errorf("read %q, %v", got, err)
	}
}
