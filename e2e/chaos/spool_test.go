package chaos

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
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
			wire := newLossyWire(t, rig.DurablePostgres(t))
			s := rig.Prepare(t, wire.dsn)
			s.Flags = append(s.Flags, "--metrics-networks", "127.0.0.1/32")
			s.Restart(t)
			var checkIn struct{ ID, URL string }
			if err := json.Unmarshal(s.Manage(t).Do("POST", s.Project()+"/check_ins", map[string]any{"check_in": map[string]any{"name": "Nightly", "schedule_type": "simple", "report_period": "1 day"}}, http.StatusCreated), &checkIn); err != nil {
				t.Fatal(err)
			}
			l := load.New(s.APIKey)
			end := l.Begin(s.Base)
			l.Await(t, load.MostAnswers)
			back := takeAway(wire)
			gone := time.Now()
			l.Await(t, load.MostAnswers)
			end()
			wantSpooling(t, s)
			for path, want := range map[string]int{"/v1/deploys?deploy[revision]=abc123&api_key=" + s.APIKey: http.StatusCreated, "/v1/check_in/" + checkIn.ID: http.StatusOK} {
				if answer := rig.Get(t, s.Base+path); answer.StatusCode != want {
					t.Errorf("%s while PostgreSQL is away: %d, want %d", path, answer.StatusCode, want)
				}
			}
			end = l.Begin(s.Base)
			l.Await(t, load.MostAnswers)
			s.Kill()
			end()
			until, accepted := time.Now(), maps.Clone(l.Ids)
			back()
			for range 3 { // while it passes on what it holds
				s.Restart(t)
				<-time.After(100 * time.Millisecond)
				s.Kill()
			}
			s.Restart(t)
			t.Log(load.Prove(t, s, l))
			wantSpooled(t, s, checkIn.ID, gone, until, accepted)
			s.Stop(t)
			if name == "refused" {
				takeAway(wire)
				wantEarlyMetrics(t, s)
			}
		})
	}
}

// wantSpooling checks what a server without its database says of itself.
func wantSpooling(t *testing.T, s *rig.Server) {
	t.Helper()
	var found struct {
		Ready  bool
		Checks map[string]string
	}
	for path, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/readyz/reports": http.StatusOK} {
		answer, err := http.Get(s.Base + path)
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
func wantEarlyMetrics(t *testing.T, s *rig.Server) {
	t.Helper()
	s.Restart(t)
	before := s.Metric(t, "sett_spool_bytes")
	if answer := rig.Get(t, s.Base+"/v1/deploys?deploy[revision]=abc124&api_key="+s.APIKey); answer.StatusCode != http.StatusCreated {
		t.Errorf("a deploy before the database is there: %d", answer.StatusCode)
	}
	if ready, spool := s.Metric(t, "sett_ready"), s.Metric(t, "sett_spool_bytes"); ready != 0 || before != 0 || spool <= 0 {
		t.Errorf("a server that waits for its database measures sett_ready %d and sett_spool_bytes %d, and %d with a deploy", ready, before, spool)
	}
	s.Kill()
}

// wantSpooled checks that a deploy and a ping were stored, once, and these and all notices that were accepted by then with their times.
func wantSpooled(t *testing.T, s *rig.Server, checkIn string, gone, until time.Time, accepted map[int]string) {
	t.Helper()
	m := s.Manage(t)
	during := func(what string, at time.Time) {
		if at.Before(gone.Add(-time.Second)) || at.After(until.Add(time.Second)) {
			t.Errorf("%s is of %s; PostgreSQL was away from %s to %s", what, at, gone, until)
		}
	}
	deploys := rig.List[struct {
		Revision  string
		CreatedAt time.Time `json:"created_at"`
	}](m, s.Project()+"/deploys")
	if len(deploys) != 1 || deploys[0].Revision != "abc123" {
		t.Fatalf("deploys: %+v, want one", deploys)
	}
	during("the deploy", deploys[0].CreatedAt)
	var c struct {
		ReportedAt time.Time `json:"reported_at"`
	}
	m.Get(s.Project()+"/check_ins/"+checkIn, &c)
	during("the ping", c.ReportedAt)
	for _, f := range s.Faults(m) {
		for _, n := range rig.List[struct {
			Message   string
			CreatedAt time.Time `json:"created_at"`
		}](m, s.FaultPath(f.ID)+"/notices") {
			if accepted[load.SerialOf(n.Message)] != "" && n.CreatedAt.After(until) {
				t.Fatalf("a notice is of %s; it was accepted before the server was killed at %s", n.CreatedAt, until)
			}
		}
	}
}
