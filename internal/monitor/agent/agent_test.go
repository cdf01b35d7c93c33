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
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sett/internal/monitor/prober"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// server is what an agent talks to. The test sets its answers; what it receives is counted.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	polls    int
	away     bool // every request is cut off
	refuse   int  // status of every answer; 0: none
	says     string
	refusals int
	from     map[string]int  // uploads by location
	lost     int64           // as the last upload says
	orders   []prober.Orders // one for each poll; then none until the request ends
	counted  map[string]int  // sites by stream, sequence and position: how often stored
	heard    chan struct{}   // gets a value after each upload
	cut      int             // so many uploads are stored and then not answered
	token    string
}

func newServer(t *testing.T) *server {
	s := &server{counted: map[string]int{}, from: map[string]int{}, heard: make(chan struct{}, 1000), token: "sett_a_test"}
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
		_, _ = w.Write([]byte(s.says))
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
	s.from[u.Location]++
	s.lost = u.Dropped
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

func (s *server) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// dropped returns how many reports the agent has lost, as it says.
func (s *server) dropped() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

func (s *server) uploads(location string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from[location]
}

func target(n byte) prober.Target {
	var id sett.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return prober.Target{ID: id, Revision: 1, Frequency: 20 * time.Millisecond, Request: checks.ProbeRequest{URL: fmt.Sprintf("http://host-%d/", n)}}
}

// probes counts what an agent looks at.
type probes struct {
	mu sync.Mutex
	n  map[string]int
}

func (p *probes) probe(_ context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == nil {
		p.n = map[string]int{}
	}
	p.n[r.URL]++
	return checks.ProbeResult{At: time.Now(), Up: true, Status: 200}, nil
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
	go func() {
		defer close(ended)
		if err := a.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
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

func TestAnAgentChecksItsSites(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
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
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s, p := newServer(t), &probes{}
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	dir := t.TempDir()
	stop := run(t, s, dir, p)
	<-s.heard
	s.set(func() { s.away = true })
	before := p.of(1)
	eventually(t, "more checks", func() bool { return p.of(1) > before+100 })
	stop()
	checked := p.of(1)
	s.set(func() { s.away = false })
	run(t, s, dir, &probes{})
	eventually(t, "everything uploaded", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.counted) >= checked-1 })
}

func TestARevokedAgentStopsChecking(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s, p := newServer(t), &probes{}
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	run(t, s, t.TempDir(), p)
	<-s.heard
	s.set(func() { s.token = "another" })
	stopped := func() bool {
		n := p.of(1)
		time.Sleep(200 * time.Millisecond) // ten times the frequency
		return p.of(1) == n
	}
	eventually(t, "no more checks", stopped)
}

// What is refused for good is lost, and said once however much it is; what may be taken another time is kept.
func TestRefusedBatches(t *testing.T) {
	t.Parallel()
	for status, kept := range map[int]bool{
		http.StatusBadRequest: false, http.StatusRequestEntityTooLarge: false, http.StatusUnsupportedMediaType: false, http.StatusUnprocessableEntity: false,
		http.StatusForbidden: true, http.StatusNotFound: true, http.StatusConflict: true, http.StatusTooManyRequests: true, http.StatusInternalServerError: true,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			s, dir, log := newServer(t), t.TempDir(), &lines{}
			earlier := mustOpen(t, dir)
			for range 3 {
				mustPut(t, earlier, "a", "b")
			}
			s.refuse = status
			a := newLogged(t, s, dir, log)
			runUntilEnd(t, a)
			if kept {
				eventually(t, "it is tried again", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.refusals >= 3 })
				if a.spool.waiting() != 3 {
					t.Errorf("%d of 3 batches are left", a.spool.waiting())
				}
				return
			}
			eventually(t, "all are given up", func() bool { return a.spool.waiting() == 0 })
			s.set(func() {
				s.refuse = 0
				s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
			})
			<-s.heard
			eventually(t, "it is over", func() bool { return log.count("accepts results again\" lost=6") == 1 })
			if n := log.count("so they are lost"); n != 1 || s.dropped() != 6 {
				t.Errorf("said %d times, with %d lost reports counted:\n%s", n, s.dropped(), log.text.String())
			}
		})
	}
}

// newLogged makes an agent in Frankfurt with a log.
func newLogged(t *testing.T, s *server, dir string, log *lines) *Agent {
	t.Helper()
	a, err := New(Options{
		Server: s.URL, Token: s.token, Location: "Frankfurt", Dir: dir, Probe: (&probes{}).probe, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// An agent with the token of another location ends; what a proxy forbids for a while it tries again.
func TestATokenOfAnotherLocationEndsTheAgent(t *testing.T) {
	t.Parallel()
	s, dir, log := newServer(t), t.TempDir(), &lines{}
	mustPut(t, mustOpen(t, dir), "a")
	s.refuse, s.says = http.StatusForbidden, `{"errors":"This token is for Oregon."}`
	if err := newLogged(t, s, dir, log).Run(t.Context()); sett.CodeOf(err) != sett.Forbidden || err.Error() != "This token is for Oregon." {
		t.Errorf("ended with %v", err)
	}
	if left := mustOpen(t, dir).waiting(); left != 1 || log.count("ERROR") != 0 {
		t.Errorf("%d batches are left, and it logged\n%s", left, log.text.String())
	}
}

// A disk that is full, or gone, stops neither checks nor uploads, and is said once.
func TestAnAgentGoesOnWithoutItsSpool(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s, dir, log := newServer(t), filepath.Join(t.TempDir(), "spool"), &lines{}
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	a := newLogged(t, s, dir, log)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	stop := runUntilEnd(t, a)
	for range 3 {
		<-s.heard
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is over", func() bool { return log.count("spool is writable again\" lost=0") == 1 })
	stop()
	if n := log.count("the spool is not writable"); n != 1 || s.dropped() != 0 {
		t.Errorf("said %d times, %d reports lost:\n%s", n, s.dropped(), log.text.String())
	}
}

func TestWhatWasFoundElsewhereStaysInTheSpool(t *testing.T) {
	t.Parallel()
	s, dir, log := newServer(t), t.TempDir(), &lines{}
	oregon, err := openSpool(dir, "Oregon", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, oregon, "there")
	mustPut(t, mustOpen(t, dir), "here")
	stop := runUntilEnd(t, newLogged(t, s, dir, log))
	<-s.heard
	stop()
	if s.uploads("Frankfurt") != 1 || s.uploads("Oregon") != 0 || log.count("location=Oregon batches=1") != 1 {
		t.Errorf("%d from here and %d from there:\n%s", s.uploads("Frankfurt"), s.uploads("Oregon"), log.text.String())
	}
	if again, err := openSpool(dir, "Oregon", time.Now); err != nil || fmt.Sprint(drain(again)) != "[1:there]" {
		t.Errorf("an agent there does not find it: %v", err)
	}
}
