package rig

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

// Gate is the way of one agent to its server, or its servers. It notes all that was uploaded, and can be shut.
type Gate struct {
	URL string

	Mu       sync.Mutex
	Servers  []string      // one of them gets each request
	Shaky    time.Duration // up to so long, requests and their answers are on their way, if they arrive at all
	shut     chan struct{} // requests vanish until it is closed; nil while it is open
	Uploaded map[Look]bool
	Begun    chan struct{} // gets a value, if there is room, when an upload arrives
}

// NewGate opens a gate on an address of the machine, such as 127.0.0.1.
func NewGate(t testing.TB, host string, servers ...string) *Gate {
	t.Helper()
	g := &Gate{Servers: servers, Uploaded: map[Look]bool{}, Begun: make(chan struct{}, 1)}
	g.URL = ServeOn(t, host, g)
	t.Cleanup(g.Open) // so that no request waits for it
	return g
}

// ServeOn serves a handler on a free port of the host until the test ends.
func ServeOn(t testing.TB, host string, h http.Handler) (base string) {
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

// LeadTo changes where the gate leads to.
func (g *Gate) LeadTo(servers ...string) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.Servers = servers
}

// Close lets every request vanish, also those that wait for an answer already.
func (g *Gate) Close() {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

// Open ends that: what vanished is cut off.
func (g *Gate) Open() {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent was killed
	}
	if r.URL.Path == prober.UploadPath {
		g.note(body)
		select {
		case g.Begun <- struct{}{}:
		default:
		}
	}
	g.pass()
	g.Mu.Lock()
	server := g.Servers[rand.IntN(len(g.Servers))]
	g.Mu.Unlock()
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
func (g *Gate) pass() {
	g.Mu.Lock()
	shut, shaky := g.shut, g.Shaky
	g.Mu.Unlock()
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

func (g *Gate) note(body []byte) {
	unpacked, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	var u prober.Upload
	if err := json.NewDecoder(unpacked).Decode(&u); err != nil {
		panic(err)
	}
	g.Mu.Lock()
	defer g.Mu.Unlock()
	for _, l := range looks(u.Location, u.Reports) {
		g.Uploaded[l] = true
	}
}
