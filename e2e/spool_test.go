package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSpool takes PostgreSQL away from a server that clients report to, once so that it refuses connections and once so that it never answers, and kills
// the server before and after PostgreSQL is back. What was accepted meanwhile must be stored exactly once, with the time at which it was reported.
func TestSpool(t *testing.T) {
	for name, takeAway := range map[string]func(*lossyWire) (back func()){
		"refused": func(w *lossyWire) func() { w.cut(true); return func() { w.cut(false) } },
		"silent":  func(w *lossyWire) func() { w.still.Lock(); return w.still.Unlock },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := newLossyWire(t, durablePostgres(t))
			s := prepare(t, wire.dsn)
			s.flags = append(s.flags, "--metrics-networks", "127.0.0.1/32")
			s.restart(t)
			var checkIn struct{ ID, URL string }
			if err := json.Unmarshal(s.manage(t).do("POST", s.project()+"/check_ins", map[string]any{"check_in": map[string]any{"name": "Nightly", "schedule_type": "simple", "report_period": "1 day"}}, http.StatusCreated), &checkIn); err != nil {
				t.Fatal(err)
			}
			l := newLoad(s.APIKey)
			end := l.begin(s.base)
			l.await(t, mostAnswers)
			back := takeAway(wire)
			gone := time.Now()
			l.await(t, mostAnswers)
			end()
			s.wantSpooling(t)
			for path, want := range map[string]int{"/v1/deploys?deploy[revision]=abc123&api_key=" + s.APIKey: http.StatusCreated, "/v1/check_in/" + checkIn.ID: http.StatusOK} {
				if answer := get(t, s.base+path); answer.StatusCode != want {
					t.Errorf("%s while PostgreSQL is away: %d, want %d", path, answer.StatusCode, want)
				}
			}
			end = l.begin(s.base)
			l.await(t, mostAnswers)
			s.kill()
			end()
			until, accepted := time.Now(), maps.Clone(l.ids)
			back()
			for range 3 { // while it passes on what it holds
				s.restart(t)
				<-time.After(100 * time.Millisecond)
				s.kill()
			}
			s.restart(t)
			t.Log(s.prove(t, l))
			s.wantSpooled(t, checkIn.ID, gone, until, accepted)
			s.stop(t)
			if name == "refused" {
				takeAway(wire)
				s.wantEarlyMetrics(t)
			}
		})
	}
}

// wantSpooling checks what a server without its database says of itself.
func (s *server) wantSpooling(t *testing.T) {
	t.Helper()
	var found struct {
		Ready  bool
		Checks map[string]string
	}
	for path, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/readyz/reports": http.StatusOK} {
		answer, err := http.Get(s.base + path)
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(answer.Body).Decode(&found)
		if answer.Body.Close(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if answer.StatusCode != want || !strings.Contains(found.Checks["spool"], "keeps reports until the database takes them") {
			t.Errorf("%s: %d, %v; want %d and what the spool holds", path, answer.StatusCode, found, want)
		}
	}
}

// wantEarlyMetrics starts the server while its database is away, and checks that it measures what its spool holds.
func (s *server) wantEarlyMetrics(t *testing.T) {
	t.Helper()
	s.restart(t)
	before := s.metric(t, "sett_spool_bytes")
	if answer := get(t, s.base+"/v1/deploys?deploy[revision]=abc124&api_key="+s.APIKey); answer.StatusCode != http.StatusCreated {
		t.Errorf("a deploy before the database is there: %d", answer.StatusCode)
	}
	if ready, spool := s.metric(t, "sett_ready"), s.metric(t, "sett_spool_bytes"); ready != 0 || before != 0 || spool <= 0 {
		t.Errorf("a server that waits for its database measures sett_ready %d and sett_spool_bytes %d, and %d with a deploy", ready, before, spool)
	}
	s.kill()
}

// wantSpooled checks that a deploy and a ping were stored, once, and these and all notices that were accepted by then with their times.
func (s *server) wantSpooled(t *testing.T, checkIn string, gone, until time.Time, accepted map[int]string) {
	t.Helper()
	m := s.manage(t)
	during := func(what string, at time.Time) {
		if at.Before(gone.Add(-time.Second)) || at.After(until.Add(time.Second)) {
			t.Errorf("%s is of %s; PostgreSQL was away from %s to %s", what, at, gone, until)
		}
	}
	deploys := list[struct {
		Revision  string
		CreatedAt time.Time `json:"created_at"`
	}](m, s.project()+"/deploys")
	if len(deploys) != 1 || deploys[0].Revision != "abc123" {
		t.Fatalf("deploys: %+v, want one", deploys)
	}
	during("the deploy", deploys[0].CreatedAt)
	var c struct {
		ReportedAt time.Time `json:"reported_at"`
	}
	m.get(s.project()+"/check_ins/"+checkIn, &c)
	during("the ping", c.ReportedAt)
	for _, f := range s.faults(m) {
		for _, n := range list[struct {
			Message   string
			CreatedAt time.Time `json:"created_at"`
		}](m, s.faultPath(f.ID)+"/notices") {
			if accepted[serialOf(n.Message)] != "" && n.CreatedAt.After(until) {
				t.Fatalf("a notice is of %s; it was accepted before the server was killed at %s", n.CreatedAt, until)
			}
		}
	}
}
