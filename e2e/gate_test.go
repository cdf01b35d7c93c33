package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"sett/internal/monitor/prober"
)

// gate is the way of one agent to its server, or its servers. It notes all that was uploaded, and can be shut.
type gate struct {
	url string

	mu       sync.Mutex
	servers  []string      // one of them gets each request
	shaky    time.Duration // up to so long, requests and their answers are on their way, if they arrive at all
	shut     chan struct{} // requests vanish until it is closed; nil while it is open
	uploaded map[look]bool
	begun    chan struct{} // gets a value, if there is room, when an upload arrives
}

// newGate opens a gate on an address of the machine, such as 127.0.0.1.
func newGate(t testing.TB, host string, servers ...string) *gate {
	t.Helper()
	g := &gate{servers: servers, uploaded: map[look]bool{}, begun: make(chan struct{}, 1)}
	g.url = serveOn(t, host, g)
	t.Cleanup(g.open) // so that no request waits for it
	return g
}

// serveOn serves a handler on a free port of the host until the test ends.
func serveOn(t testing.TB, host string, h http.Handler) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
	s.Start()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// leadTo changes where the gate leads to.
func (g *gate) leadTo(servers ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.servers = servers
}

// close lets every request vanish, also those that wait for an answer already.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

// open ends that: what vanished is cut off.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent was killed
	}
	if r.URL.Path == prober.UploadPath {
		g.note(body)
		select {
		case g.begun <- struct{}{}:
		default:
		}
	}
	g.pass()
	g.mu.Lock()
	server := g.servers[rand.IntN(len(g.servers))]
	g.mu.Unlock()
	ctx := r.Context()
	if r.URL.Path == prober.UploadPath { // the server gets it to its end, even if the agent that sent it has died
		ctx = context.WithoutCancel(ctx)
	}
	onward, err := http.NewRequestWithContext(ctx, r.Method, server+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	onward.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(onward)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	g.pass()
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(text) // or the agent was killed
}

// pass is the way in one direction; a request that comes to a gate that is shut never arrives.
func (g *gate) pass() {
	g.mu.Lock()
	shut, shaky := g.shut, g.shaky
	g.mu.Unlock()
	if shut != nil {
		<-shut
		panic(http.ErrAbortHandler)
	}
	if shaky > 0 {
		<-time.After(rand.N(shaky))
		if rand.IntN(4) == 0 {
			panic(http.ErrAbortHandler)
		}
	}
}

func (g *gate) note(body []byte) {
	unpacked, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	var u prober.Upload
	if err := json.NewDecoder(unpacked).Decode(&u); err != nil {
		panic(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range looks(u.Location, u.Reports) {
		g.uploaded[l] = true
	}
}
