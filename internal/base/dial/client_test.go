package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var loopback = Policy{Allow: networks("127.0.0.0/8", "::1/128")}

// get returns the response with its body read.
func get(t *testing.T, c *http.Client, url string) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return nil, "", err
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

func TestClientRefusesDisguisedHosts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, url := range []string{
		"http://127.0.0.1:PORT/",
		"http://example.com@127.0.0.1:PORT/",
		"http://example.com:80@127.0.0.1:PORT/",
		"http://example.com%2f@127.0.0.1:PORT/@example.com",
		"http://user:password@localhost:PORT/",
		"http://127.0.0.1:PORT?@example.com/",
		"http://127.0.0.1:PORT#@example.com/",
		"http://127。0。0。1:PORT/", // ideographic full stops, which IDNA takes for dots
		"http://１２７.0.0.1:PORT/", // full-width digits
		"http://[::ffff:127.0.0.1]:PORT/",
		"http://[::ffff:7f00:1]:PORT/",
		"http://0.0.0.0:PORT/",
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			url := strings.ReplaceAll(url, "PORT", port)
			_, _, err := get(t, New(Policy{}).Client(time.Minute), url)
			if _, ok := errors.AsType[*ForbiddenError](err); !ok {
				t.Errorf("got %v", err)
			}
			open := New(Policy{Allow: networks("127.0.0.0/8", "0.0.0.0/32")})
			if _, _, err := get(t, open.Client(time.Minute), url); err != nil {
				t.Errorf("the server is not what this URL names: %v", err)
			}
		})
	}
}

func TestClientRefusesUnreadableHosts(t *testing.T) {
	t.Parallel()
	client := New(loopback).Client(time.Minute)
	for _, url := range []string{
		`http://127.0.0.1\@example.com/`, "http://example.com\t@127.0.0.1/", "http://%31%32%37.0.0.1/",
		"http:///x", "http://:80/", "file:///etc/passwd",
	} {
		if _, _, err := get(t, client, url); err == nil {
			t.Errorf("%s was fetched", url)
		}
	}
}

func TestClientDoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(secret.Close)
	server := httptest.NewServer(http.RedirectHandler(secret.URL, http.StatusMovedPermanently))
	t.Cleanup(server.Close)
	response, _, err := get(t, New(loopback).Client(time.Minute), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusMovedPermanently || visits.Load() != 0 {
		t.Errorf("got %d, and %d visits to the target", response.StatusCode, visits.Load())
	}
}

func TestClientGivesUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	_, _, err := get(t, New(loopback).Client(20*time.Millisecond), server.URL)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestTransportConnectsAnewUnlessAsked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reuse bool
		want  int32
	}{{"by itself", false, 3}, {"asked to reuse", true, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int32
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					connections.Add(1)
				}
			}
			server.Start()
			t.Cleanup(server.Close)
			transport := New(loopback).Transport()
			if tt.reuse {
				transport.DisableKeepAlives = false
			}
			t.Cleanup(transport.CloseIdleConnections)
			for range 3 {
				if _, _, err := get(t, &http.Client{Transport: transport}, server.URL); err != nil {
					t.Fatal(err)
				}
			}
			if got := connections.Load(); got != tt.want {
				t.Errorf("%d connections, want %d", got, tt.want)
			}
		})
	}
}

func TestTransportTLS(t *testing.T) {
	t.Parallel()
	newest := "HTTP/1.1"
	if SafeHTTP2() {
		newest = "HTTP/2.0"
	}
	for _, tt := range []struct {
		name  string
		most  uint16
		proto string // "" is refused
	}{
		{"1.1", tls.VersionTLS11, ""},
		{"1.2", tls.VersionTLS12, newest},
		{"1.3", tls.VersionTLS13, newest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tt.most}
			server.EnableHTTP2 = true
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			t.Cleanup(server.Close)
			transport := New(loopback).Transport()
			transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			response, _, err := get(t, &http.Client{Transport: transport}, server.URL)
			switch {
			case tt.proto == "" && (err == nil || !strings.Contains(err.Error(), "protocol version")):
				t.Errorf("got %v, %v", response, err)
			case tt.proto != "" && (err != nil || response.Proto != tt.proto):
				t.Errorf("got %v, %v", response, err)
			}
		})
	}
}

func TestTransportUsesNoProxy(t *testing.T) {
	t.Parallel()
	if New(Policy{}).Transport().Proxy != nil {
		t.Error("a proxy may be asked to connect anywhere")
	}
}

func TestHTTP2StaysOffWhereItCrashes(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]bool{
		"go1.26": false, "go1.26.8": false, "go1.26.8 X:nodwarf5": false, "go1.26.9": true, "go1.26.10": true, "go1.27rc1": true, "go1.27.1": true,
		"go1.25.12": false, "devel go1.27-abc": false, "": false,
	} {
		if got := hasSafeHTTP2(release); got != want {
			t.Errorf("%q: %t", release, got)
		}
	}
}

func TestClientsAddTheirHeader(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Values("X-From") }))
	t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-From", "somewhere else")
	response, err := New(loopback, WithHeader("X-From", "here")).Client(time.Minute).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if len(got) != 1 || got[0] != "here" || request.Header.Get("X-From") != "somewhere else" {
		t.Errorf("got %q, and the request has %q", got, request.Header.Get("X-From"))
	}
}
