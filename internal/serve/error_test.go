package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	want := map[sett.Code]int{
		sett.Malformed: 400, sett.Unauthenticated: 401, sett.Forbidden: 403, sett.NotFound: 404,
		sett.MethodNotAllowed: 405, sett.TooSlow: 408, sett.Conflict: 409, sett.TooLarge: 413, sett.Invalid: 422,
		sett.TooMany: 429, sett.Unavailable: 503, "": 500,
	}
	got := map[sett.Code]int{}
	for _, code := range everyCode() {
		got[code] = Status(code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Status("unheard_of"); got != 500 {
		t.Errorf("unknown code: %d", got)
	}
}

func TestWriteError(t *testing.T) {
	t.Parallel()
	text := func(code sett.Code, message string) error { return sett.Errorf(code, "%s", message) }
	after := func(code sett.Code, d time.Duration) error {
		return &sett.Error{Code: code, Message: "Slow down", RetryAfter: d}
	}
	const broken = "Internal error. Try again."
	for _, tt := range []struct {
		name       string
		err        error
		status     int
		message    string
		retryAfter string
	}{
		{"malformed", text(sett.Malformed, "Bad"), 400, "Bad", ""},
		{"unauthenticated", text(sett.Unauthenticated, "Who?"), 401, "Who?", ""},
		{"forbidden", after(sett.Forbidden, time.Hour), 403, "Slow down", ""},
		{"wrapped", fmt.Errorf("find: %w", text(sett.NotFound, "Fault not found")), 404, "Fault not found", ""},
		{"markup as it is", text(sett.Invalid, `<b> & "c"`), 422, `<b> & \"c\"`, ""},
		{"too many, no time", after(sett.TooMany, 0), 429, "Slow down", "1"},
		{"too many, a moment", after(sett.TooMany, time.Millisecond), 429, "Slow down", "1"},
		{"too many, whole", after(sett.TooMany, 2*time.Second), 429, "Slow down", "2"},
		{"unavailable, rounded up", after(sett.Unavailable, 2*time.Second+1), 503, "Slow down", "3"},
		{"too many, until next month", after(sett.TooMany, 20*24*time.Hour), 429, "Slow down", "86400"},
		{"too many, in the past", after(sett.TooMany, -time.Minute), 429, "Slow down", "1"},
		{
			"body over its limit", fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 10}), 413,
			"The request body is larger than 10 bytes. Send less data.", "",
		},
		{"given up", context.Canceled, 503, "The request was canceled before it was complete. Try again.", "1"},
		{"internal", errors.New("sql: password=hunter2"), 500, broken, ""},
		{"deadline", context.DeadlineExceeded, 500, broken, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
			WriteError(w, r, tt.err)
			if want := `{"errors":"` + tt.message + `"}` + "\n"; w.Code != tt.status || w.Body.String() != want {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tt.status, want)
			}
			if got := w.Header().Get("Retry-After"); got != tt.retryAfter {
				t.Errorf("Retry-After %q, want %q", got, tt.retryAfter)
			}
			if got := w.Header().Get("WWW-Authenticate"); (got == `Basic realm="sett"`) != (tt.status == 401) {
				t.Errorf("WWW-Authenticate %q", got)
			}
			w = httptest.NewRecorder()
			WriteReportError(w, r, tt.err)
			want := `{"error":"` + tt.message + `","errors":"` + tt.message + `"}` + "\n"
			if w.Code != tt.status || w.Body.String() != want {
				t.Errorf("report: got %d %s, want %d %s", w.Code, w.Body, tt.status, want)
			}
		})
	}
}

func TestInternalErrorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	failing := Route{Method: "GET", Path: "/f", Name: "f", Handle: func(http.ResponseWriter, *http.Request) error {
		return errors.New("sql: password=hunter2")
	}}
	got, w := logged([]Route{failing}, httptest.NewRequestWithContext(t.Context(), "GET", "/f", nil))
	if w.Code != 500 || len(got) != 1 || got[0]["level"] != "ERROR" || got[0]["error"] != "sql: password=hunter2" {
		t.Errorf("answered %d %s, logged %v", w.Code, w.Body, got)
	}
}
