package agent

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"sett/internal/prober"
	"sett/internal/sett"
)

// server is what an agent talks to. Its answers are told by the test; what it got is counted.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	polls    int
	away     bool // every request is cut off
	refuse   int  // status of every answer; 0: none
	refusals int
	orders   []prober.Orders // one for each poll; then none until the request ends
	counted  map[string]int  // sites by stream, sequence and position: how often stored
	heard    chan struct{}   // gets a value after each upload
	cut      int             // so many uploads are stored and then not answered
	token    string
}

func newServer(t *testing.T) *server {
	s := &server{counted: map[string]int{}, heard: make(chan struct{}, 1000), token: "sett_a_test"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.away:
		panic(http.ErrAbortHandler)
	case s.refuse != 0:
		s.refusals++
		w.WriteHeader(s.refuse)
	case r.Header.Get("Authorization") != "Bearer "+s.token:
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == prober.PollPath:
		s.poll(w, r)
	case r.URL.Path == prober.UploadPath:
		s.upload(w, r)
	}
}

func (s *server) poll(w http.ResponseWriter, r *http.Request) {
	var p prober.Poll
	read(r, &p)
	s.polls++
	orders := prober.Orders{Changes: prober.Changes{Revision: p.Revision}}
	if len(s.orders) > 0 {
		orders, s.orders = s.orders[0], s.orders[1:]
	} else {
		s.mu.Unlock()
		select {
		case <-r.Context().Done():
		case <-time.After(50 * time.Millisecond): // a server's patience, shortened
		}
		s.mu.Lock()
	}
	_ = json.NewEncoder(w).Encode(orders)
}

func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	var u prober.Upload
	read(r, &u)
	for i := range u.Reports {
		s.counted[fmt.Sprintf("%s/%d/%d", u.Stream, u.Sequence, i)]++
	}
	s.heard <- struct{}{}
	if s.cut > 0 {
		s.cut--
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(w).Encode(prober.Receipt{})
}

func read(r *http.Request, out any) {
	unpacked, err := gzip.NewReader(r.Body)
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(out)
	}
	if err != nil {
		panic(err)
	}
}

func (s *server) tell(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func target(n byte) prober.Target {
	var id sett.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return prober.Target{ID: id, Revision: 1, Frequency: 20 * time.Millisecond, Request: sett.ProbeRequest{URL: fmt.Sprintf("http://host-%d/", n)}}
}

// probes counts what an agent looks at.
type probes struct {
	mu sync.Mutex
	n  map[string]int
}

func (p *probes) probe(_ context.Context, r sett.ProbeRequest) (sett.ProbeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == nil {
		p.n = map[string]int{}
	}
	p.n[r.URL]++
	return sett.ProbeResult{At: time.Now(), Up: true, Status: 200}, nil
}

func (p *probes) of(n byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n[target(n).Request.URL]
}

// run makes an agent and runs it until the test calls stop or ends.
func run(t *testing.T, s *server, dir string, p *probes) (stop func()) {
	t.Helper()
	a, err := New(Options{
		Server: s.URL + "/", Token: "sett_a_test", Location: "Frankfurt", Dir: dir, Version: "test", Probe: p.probe,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return runUntilEnd(t, a)
}

// runUntilEnd runs an agent until the test calls stop or ends.
func runUntilEnd(t *testing.T, a *Agent) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); a.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// eventually waits until something is true; that it takes its time is no failure.
func eventually(t *testing.T, what string, true func() bool) {
	t.Helper()
	for range 3000 {
		if true() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("never: ", what)
}

func TestAnAgentChecksWhatItIsTold(t *testing.T) {
	t.Parallel()
	s, p := newServer(t), &probes{}
	s.orders = []prober.Orders{
		{Changes: prober.Changes{Revision: 5, All: true, Targets: []prober.Target{target(1), target(2)}}},
		{Changes: prober.Changes{Revision: 6, Gone: []sett.UUID{target(1).ID}}},
	}
	run(t, s, t.TempDir(), p)
	eventually(t, "the second order", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.polls > 3 })
	gone := p.of(1)
	eventually(t, "checks of what is left", func() bool { return p.of(2) > gone+20 })
	if p.of(1) > gone+1 {
		t.Errorf("a site that is gone was checked %d times more", p.of(1)-gone)
	}
	<-s.heard
}

func TestABatchCountsOnceThoughItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	s, p := newServer(t), &probes{}
	s.cut = 1
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	dir := t.TempDir()
	stop := run(t, s, dir, p)
	<-s.heard // stored, and not answered
	stop()
	run(t, s, dir, p)
	eventually(t, "the same batch again", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, times := range s.counted {
			if times == 2 {
				return true
			}
		}
		return false
	})
}

func TestAnAgentGoesOnWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	s, p := newServer(t), &probes{}
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	dir := t.TempDir()
	stop := run(t, s, dir, p)
	<-s.heard
	s.tell(func() { s.away = true })
	before := p.of(1)
	eventually(t, "more checks", func() bool { return p.of(1) > before+100 })
	stop()
	checked := p.of(1)
	s.tell(func() { s.away = false })
	run(t, s, dir, &probes{})
	eventually(t, "everything uploaded", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.counted) >= checked-1 })
}

func TestARevokedAgentStopsChecking(t *testing.T) {
	t.Parallel()
	s, p := newServer(t), &probes{}
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	run(t, s, t.TempDir(), p)
	<-s.heard
	s.tell(func() { s.token = "another" })
	stopped := func() bool {
		n := p.of(1)
		time.Sleep(200 * time.Millisecond) // ten times the frequency
		return p.of(1) == n
	}
	eventually(t, "no more checks", stopped)
}

func TestARefusedBatchDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	s, p := newServer(t), &probes{}
	dir := t.TempDir()
	mustPut(t, mustOpen(t, dir), "a")
	s.refuse = http.StatusUnprocessableEntity
	run(t, s, dir, p)
	eventually(t, "set aside", func() bool { return mustOpen(t, dir).waiting() == 0 })
	s.tell(func() {
		s.refuse = 0
		s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	})
	<-s.heard
}
