package acme

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"

	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/db"
)

// engines runs f with a store of each engine.
func engines(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	for name, o := range map[string]func(testing.TB) db.Options{"sqlite": fresh.SQLite, "postgres": fresh.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), o(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			if _, _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			f(t, s)
		})
	}
}

// clock is a time that a test pushes on from the real one, by which certificates end.
type clock struct {
	mu   sync.Mutex
	past time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.past)
}

func (c *clock) push(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.past += d
}

// issuer gives certificates in tests, in place of an ACME directory, for a name of its own: certmagic remembers in the whole
// process which names are being renewed and which wait after a failure.
type issuer struct {
	name  string
	key   *ecdsa.PrivateKey
	own   *x509.Certificate
	left  time.Duration // until the next certificate ends; it begins 80 days ago
	asked int
	fails bool
	mu    sync.Mutex
}

var _ certmagic.Issuer = (*issuer)(nil)

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tests"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, own, own, key.Public(), key)
	if err == nil {
		own, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &issuer{name: strings.ToLower(rand.Text()) + ".example.org", key: key, own: own, left: 90 * 24 * time.Hour}
}

func (i *issuer) IssuerKey() string { return "tests" }

func (i *issuer) Issue(_ context.Context, csr *x509.CertificateRequest) (*certmagic.IssuedCertificate, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	if i.fails {
		return nil, errors.New("the issuer refuses")
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(int64(i.asked) + 1), DNSNames: csr.DNSNames,
		NotBefore: time.Now().Add(-80 * 24 * time.Hour), NotAfter: time.Now().Add(i.left),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, i.own, csr.PublicKey, i.key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &certmagic.IssuedCertificate{Certificate: text}, nil
}

// orders is how often the issuer was asked.
func (i *issuer) orders() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

func (i *issuer) set(fails bool, left time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fails, i.left = fails, left
}

// node is one server's Certificates.
type node struct {
	*Certificates
	clock  *clock
	served sync.Map // names
	log    bytes.Buffer
}

// newNode returns a node that serves the name of the issuer; s is nil where the store must not be asked.
func newNode(t *testing.T, s *store.Store, i *issuer) *node {
	t.Helper()
	n := &node{clock: &clock{}}
	n.served.Store(i.name, true)
	if s == nil {
		s = &store.Store{}
	}
	n.Certificates = New(Options{
		DB: s.DB, Accounts: s.Accounts, Directory: "https://ca.example.test/directory", Now: n.clock.now,
		Has: func(_ context.Context, asked string) bool { _, ok := n.served.Load(asked); return ok },
		Log: slog.New(slog.NewTextHandler(&locked{w: &n.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	n.renewing.Issuers, n.ordering.Issuers = []certmagic.Issuer{i}, []certmagic.Issuer{i}
	t.Cleanup(n.Stop)
	return n
}

// locked lets many write a log that is read once all have ended.
type locked struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *locked) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}

// name stands in tests that obtain no certificate.
const name = "status.example.org"

// shake is a handshake of a client that asks for a name by the given protocols.
func (n *node) shake(t *testing.T, asked string, protocols ...string) (*x509.Certificate, error) {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	go func() {
		defer server.Close()
		_ = tls.Server(server, n.TLS()).HandshakeContext(t.Context())
	}()
	c := tls.Client(client, &tls.Config{ServerName: asked, InsecureSkipVerify: true, NextProtos: protocols})
	if err := c.HandshakeContext(t.Context()); err != nil {
		return nil, err
	}
	return c.ConnectionState().PeerCertificates[0], nil
}

// has is shake for the name of the issuer, which has to have a certificate.
func (n *node) has(t *testing.T) *x509.Certificate {
	t.Helper()
	c, err := n.shake(t, n.ordering.Issuers[0].(*issuer).name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
