// Package target is for tests only: a site on this machine that misbehaves on demand. A test gives it a Behaviour for all requests, for a
// path, or for whole connections, and may change it at any time. The package returns an address to check, and the requests that arrived. It
// speaks HTTP/1.1 byte by byte, one request a connection, with or without TLS, and never connects to anybody.
package target

import (
	"bufio"
	"crypto/tls"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Options say what a Target is.
type Options struct {
	Listen string      // host and port; "" takes a free port of 127.0.0.1
	TLS    *tls.Config // encrypts; nil does not. An Authority makes certificates
}

// Request is what arrived.
type Request struct {
	Method, Path, Host string
	Header             http.Header
	Body               string
}

// Visit is one connection, and the request that came by it; of a Greeting there is none.
type Visit struct {
	net.Conn
	Request Request
	raw     net.Conn // under TLS
	ended   <-chan struct{}
}

// Behaviour is what a Target does with a visit. The connection is closed when it returns.
type Behaviour func(*Visit)

// Target is a running site.
type Target struct {
	Addr string // host:port
	URL  string // without a path

	listener net.Listener
	ended    chan struct{} // by Close, once
	done     sync.WaitGroup

	mu       sync.Mutex
	greeting Behaviour
	every    Behaviour
	paths    map[string]Behaviour
	requests []Request
	open     map[net.Conn]bool
	visits   int
}

// Start starts a Target that ends with the test.
func Start(t testing.TB, o Options) *Target {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Open starts a Target that behaves as Paths say, and well elsewhere.
func Open(o Options) (*Target, error) {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	s := &Target{Addr: listener.Addr().String(), listener: listener, ended: make(chan struct{}), paths: Paths(), open: map[net.Conn]bool{}}
	s.URL = map[bool]string{true: "http://", false: "https://"}[o.TLS == nil] + s.Addr
	s.done.Go(func() { s.accept(o.TLS) })
	return s, nil
}

// Close ends the Target and all visits.
func (s *Target) Close() {
	_ = s.listener.Close()
	s.mu.Lock()
	if !s.isClosed() {
		close(s.ended)
	}
	for conn := range s.open {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
}

func (s *Target) isClosed() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Every changes how all requests are treated, whatever their path; nil goes back to how paths are.
func (s *Target) Every(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.every = b
}

// At changes how the requests for a path are treated.
func (s *Target) At(path string, b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[path] = b
}

// Greet changes how connections are treated before anything is read, TLS included; nil goes back to reading requests.
func (s *Target) Greet(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.greeting = b
}

// Requests returns what has arrived so far.
func (s *Target) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Visits returns how many connections were made so far.
func (s *Target) Visits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visits
}

func (s *Target) accept(secure *tls.Config) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		if !s.admit(conn) {
			continue
		}
		s.done.Go(func() {
			s.serve(conn, secure)
			s.dismiss(conn)
		})
	}
}

// admit remembers a connection, so that Close finds it.
func (s *Target) admit(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		_ = conn.Close()
		return false
	}
	s.visits++
	s.open[conn] = true
	return true
}

func (s *Target) dismiss(conn net.Conn) {
	_ = conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, conn)
}

func (s *Target) serve(raw net.Conn, secure *tls.Config) {
	if greet := s.greets(); greet != nil {
		greet(&Visit{Conn: raw, raw: raw, ended: s.ended})
		return
	}
	conn := raw
	if secure != nil {
		conn = tls.Server(raw, secure)
		defer func() { _ = conn.Close() }()
	}
	request, err := readRequest(conn)
	if err != nil {
		return
	}
	s.treat(request)(&Visit{Conn: conn, Request: request, raw: raw, ended: s.ended})
}

func (s *Target) greets() Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.greeting
}

// treat writes a request down and returns what is done with it.
func (s *Target) treat(r Request) Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if s.every != nil {
		return s.every
	}
	if b := s.paths[r.Path]; b != nil {
		return b
	}
	return Answer(http.StatusOK, "fine")
}

func readRequest(conn net.Conn) (Request, error) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return Request{}, err
	}
	body, err := io.ReadAll(r.Body)
	return Request{r.Method, r.URL.RequestURI(), r.Host, maps.Clone(r.Header), string(body)}, err
}
