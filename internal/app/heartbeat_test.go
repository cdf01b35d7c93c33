package app_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// checkIn is a check-in elsewhere, which answers with a status that the test sets.
type checkIn struct {
	*httptest.Server
	status atomic.Int64
	pings  atomic.Int64
}

func newCheckIn(t *testing.T, status int) *checkIn {
	c := &checkIn{}
	c.status.Store(int64(status))
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/v1/check_in/secret" {
			c.pings.Add(1)
		}
		w.WriteHeader(int(c.status.Load()))
	}))
	t.Cleanup(c.Close)
	return c
}

// written is a log that a test reads while it is written.
type written struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// problemOf is the last error of a job, which the page of jobs shows.
func problemOf(s *setttest.Server, job string) string {
	for _, j := range s.App.Jobs() {
		if j.Name == job {
			return j.Problem
		}
	}
	return ""
}

// A heartbeat that is not accepted is in the log, in /readyz, in the metrics and on the page of jobs, until one is; requests are handled all the
// same, and the URL is in none of them.
func TestHeartbeatElsewhere(t *testing.T) {
	t.Parallel()
	other, log := newCheckIn(t, http.StatusNotFound), &written{}
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.NewTextHandler(log, nil)), withMetrics, func(c *app.Config) { c.HeartbeatURL = other.URL + "/v1/check_in/secret" })
	readiness(t, s, http.StatusOK, "heartbeat", "the last heartbeat was not delivered")
	if metrics := metricsOf(t, s); !strings.Contains(metrics, "sett_heartbeat_up 0\n") {
		t.Error("/metrics does not say that no heartbeat is accepted")
	}
	problem := problemOf(s, "heartbeat")
	if !strings.Contains(problem, "responded with status 404") {
		t.Errorf("the page of jobs says why no heartbeat is accepted: %q", problem)
	}
	if !strings.Contains(log.String(), "responded with status 404") {
		t.Errorf("the log does not say why no heartbeat is accepted: %s", log)
	}
	other.status.Store(http.StatusOK)
	readiness(t, s, http.StatusOK, "heartbeat", "ok") // the loop tries again after a second
	metrics := metricsOf(t, s)
	if !strings.Contains(metrics, "sett_heartbeat_up 1\n") || strings.Contains(metrics, "sett_heartbeat_timestamp_seconds 0\n") || other.pings.Load() < 2 {
		t.Errorf("after %d pings, /metrics does not say that a heartbeat was accepted", other.pings.Load())
	}
	if all := problem + metrics + log.String(); strings.Contains(all, "check_in/secret") || strings.Contains(all, other.URL) {
		t.Error("the URL of the heartbeat, which is a secret, is shown")
	}
}

// While the server does not work, it sends no heartbeat, so that the check-in elsewhere reports it as missing.
func TestNoHeartbeatWithoutWrites(t *testing.T) {
	t.Parallel()
	other := newCheckIn(t, http.StatusOK)
	for name, found := range map[string]map[string]error{
		"the disk is full":      {"database": nil, "writes": errors.New("no space left")},
		"the database is away":  {"database": errors.New("connection refused")},
		"the schema is another": {"database": nil, "writes": nil, "schema": errors.New("newer")},
	} {
		if err := app.Beat(t.Context(), other.URL+"/v1/check_in/secret", found); err == nil || other.pings.Load() != 0 {
			t.Errorf("%s: error %v, %d heartbeats", name, err, other.pings.Load())
		}
	}
	if err := app.Beat(t.Context(), other.URL+"/v1/check_in/secret", map[string]error{"database": nil, "writes": nil}); err != nil || other.pings.Load() != 1 {
		t.Errorf("while it works: error %v, %d heartbeats", err, other.pings.Load())
	}
	other.Close()
	if err := app.Beat(t.Context(), other.URL+"/v1/check_in/secret", map[string]error{"writes": nil}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("without the check-in: %v", err)
	}
}
