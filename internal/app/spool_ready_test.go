package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sett/internal/ingest"
	"sett/internal/serve"
	"sett/internal/store/spool"
)

// A server whose spool holds reports and is full refuses reports, whether its database responds or not, and says so.
func TestNotReadyWhileTheSpoolIsFull(t *testing.T) {
	t.Parallel()
	file, err := spool.Open(t.Context(), t.TempDir(), 100)
	if err != nil {
		t.Fatal(err)
	}
	a := &App{spool: ingest.NewSpool(ingest.SpoolOptions{File: file, Now: time.Now, Log: slog.New(slog.DiscardHandler)})}
	a.readinessProbe = readinessProbe{log: slog.New(slog.DiscardHandler), look: func(context.Context) map[string]error { return nil }}
	want := func(when string, ready, reports int) {
		t.Helper()
		for path, c := range map[string]struct {
			handle serve.Handler
			want   int
		}{"/readyz": {a.readiness, ready}, "/readyz/reports": {a.intakeReadiness, reports}} {
			w := httptest.NewRecorder()
			if err := c.handle(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)); err != nil || w.Code != c.want {
				t.Errorf("%s, %s answers %d, %v; want %d: %s", when, path, w.Code, err, c.want, w.Body)
			}
		}
	}
	want("empty", http.StatusOK, http.StatusOK)
	if err := file.Add(t.Context(), []spool.Entry{{Kind: spool.Notice, At: time.Now(), Body: make([]byte, 10)}}); err != nil {
		t.Fatal(err)
	}
	a.spool.Hold()
	want("with a report", http.StatusOK, http.StatusOK)
	if err := file.Add(t.Context(), []spool.Entry{{Kind: spool.Notice, At: time.Now(), Body: make([]byte, 90)}}); err == nil {
		t.Fatal("the spool has room")
	}
	want("full", http.StatusServiceUnavailable, http.StatusServiceUnavailable)
	first, err := file.First(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Drop(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	want("with room again", http.StatusOK, http.StatusOK)
}
