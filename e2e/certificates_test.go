package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/nameserver"
)

// pebble is an issuer of certificates on this machine, which asks the test's name server.
type pebble struct {
	address, management string
	dir                 string // of its module
	log                 string
}

// freeAddress returns an address on which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func newPebble(t *testing.T) *pebble {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/letsencrypt/pebble/v2").Output()
	if err != nil {
		t.Fatalf("find pebble: %v", err)
	}
	return &pebble{address: freeAddress(t), management: freeAddress(t), dir: strings.TrimSpace(string(out)), log: filepath.Join(t.TempDir(), "pebble.log")}
}

// ca is the file of who has issued pebble's own certificate.
func (p *pebble) ca() string { return filepath.Join(p.dir, "test/certs/pebble.minica.pem") }

// start has pebble ask dns, and look for its challenges at the ports of a server.
func (p *pebble) start(t *testing.T, dns string, a *app.App) {
	t.Helper()
	dir := t.TempDir()
	binary, config := filepath.Join(dir, "pebble"), filepath.Join(dir, "config.json")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/letsencrypt/pebble/v2/cmd/pebble").CombinedOutput(); err != nil {
		t.Fatalf("build pebble: %v: %s", err, out)
	}
	text, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": p.address, "managementListenAddress": p.management,
		"certificate": filepath.Join(p.dir, "test/certs/localhost/cert.pem"), "privateKey": filepath.Join(p.dir, "test/certs/localhost/key.pem"),
		"httpPort": port(t, a.Addr()), "tlsPort": port(t, a.TLSAddr()), "keyAlgorithm": "ecdsa",
	}})
	if err == nil {
		err = os.WriteFile(config, text, 0o600)
	}
	log, logErr := os.Create(p.log)
	if err != nil || logErr != nil {
		t.Fatal(err, logErr)
	}
	cmd := exec.Command(binary, "-config", config, "-dnsserver", dns)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"), log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = log.Close() })
}

func port(t *testing.T, addr string) int {
	t.Helper()
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return at.Port
}

// orders counts what pebble was asked for.
func (p *pebble) orders(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "POST /order-plz")
}

// root waits for pebble and returns what it issues certificates by.
func (p *pebble) root(t *testing.T) *x509.CertPool {
	t.Helper()
	own, err := os.ReadFile(p.ca())
	if err != nil {
		t.Fatal(err)
	}
	trusted, root := x509.NewCertPool(), x509.NewCertPool()
	trusted.AppendCertsFromPEM(own)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	for t.Context().Err() == nil {
		r, err := client.Get("https://" + p.management + "/roots/0")
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err == nil && root.AppendCertsFromPEM(text) {
			return root
		}
	}
	return nil
}

// browse gets a page by HTTPS, wherever its name leads.
func browse(t *testing.T, root *x509.CertPool, addr, host string) (body string, issued *x509.Certificate, err error) {
	t.Helper()
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: root}, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		},
	}}
	r, err := client.Get("https://" + host + "/")
	if err != nil {
		return "", nil, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return string(text), r.TLS.PeerCertificates[0], err
}

// A verified domain has a certificate as soon as somebody comes by HTTPS, other names have none, and a restart keeps it.
func TestCertificatesOfVerifiedDomains(t *testing.T) {
	t.Parallel()
	const domain, unverified = "status.acme.example", "other.acme.example"
	var entered sync.Map
	dns := nameserver.Listen(t, func(name string) nameserver.Answer {
		a := nameserver.Is("127.0.0.1")
		if text, ok := entered.Load(name); ok {
			a.TXT = []string{text.(string)}
		}
		return a
	})
	p := newPebble(t)
	s := setttest.Start(t, "sqlite", func(c *app.Config) {
		c.Resolver, c.StatusHost = dns, "pages.example"
		c.ACME = app.ACME{Listen: "127.0.0.1:0", Directory: "https://" + p.address + "/dir", CAFile: p.ca()}
	})
	p.start(t, dns, s.App)
	root := p.root(t)
	pages := "/v2/accounts/" + s.Setup.AccountID + "/status_pages"
	s.Post(pages, map[string]any{"status_page": map[string]any{"name": "Other", "domain": unverified}}).Want(http.StatusCreated)
	page := s.Post(pages, map[string]any{"status_page": map[string]any{"name": "Acme", "domain": domain}}).Want(http.StatusCreated).JSON()
	for _, record := range page["domain_records"].([]any) {
		if r := record.(map[string]any); r["type"] == "TXT" {
			entered.Store(r["name"], r["value"])
		}
	}
	at := pages + "/" + page["id"].(string)
	s.Post(at+"/verify_domain", nil).Want(http.StatusOK)
	for t.Context().Err() == nil && page["domain_state"] != "verified" {
		page = s.Get(at).Want(http.StatusOK).JSON()
	}
	for _, name := range []string{unverified, "stranger.example", "pages.example"} {
		if _, _, err := browse(t, root, s.App.TLSAddr(), name); err == nil {
			t.Errorf("%s has a certificate", name)
		}
	}
	if n := p.orders(t); n != 0 {
		t.Errorf("pebble was asked for %d certificates of names that are nobody's", n)
	}
	var body string
	var first *x509.Certificate
	var err error
	for range 100 { // the list of domains may be a moment behind
		if body, first, err = browse(t, root, s.App.TLSAddr(), domain); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil || !strings.Contains(body, "<h1>Acme</h1>") {
		log, _ := os.ReadFile(p.log)
		t.Fatalf("%v: %s\npebble:\n%s", err, body, log)
	}
	n := p.orders(t)
	s.Stop(t)
	again, err := app.New(t.Context(), s.Config, slog.New(slog.DiscardHandler), app.WithClock(s.Clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	defer again.Stop(context.Background())
	body, second, err := browse(t, root, again.TLSAddr(), domain)
	if err != nil || !strings.Contains(body, "<h1>Acme</h1>") || !second.Equal(first) || p.orders(t) != n || n == 0 {
		t.Errorf("after a restart: %v, the same certificate: %v, %d orders after %d: %s", err, second != nil && second.Equal(first), p.orders(t), n, body)
	}
}
