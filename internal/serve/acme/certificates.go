// Package acme gets certificates for the names that clients request in TLS handshakes. It takes a name, and a function that decides whether
// the name is served. It returns a certificate from memory, from the store, or the first time from an ACME directory (RFC 8555). It renews
// certificates in time, and nodes that share a database share them. It never asks the directory or the database about a name that is not
// served. Its clock is the system's, as certmagic's is.
package acme

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"

	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// Options are what Certificates work with.
type Options struct {
	DB        *db.DB
	Accounts  *accountdb.Store
	Directory string         // address of the ACME directory
	Roots     *x509.CertPool // of the directory's own certificate; nil: those of the system
	Email     string         // contact for the directory in case of problems; may be empty
	// Has reports whether something is served at a name, in lower case and without a dot at its end. It is asked in every
	// handshake, and so it answers from memory.
	Has      func(ctx context.Context, name string) bool
	HTTPPort int // on which this server listens, whatever others reach it by
	TLSPort  int
	Now      func() time.Time
	Log      *slog.Logger
}

// Certificates are those of this server.
type Certificates struct {
	Options
	files    *files
	cache    *certmagic.Cache
	renewing *certmagic.Config
	ordering *certmagic.Config // for orders, which are made once each
	issuer   *certmagic.ACMEIssuer
	orders   *orders
	stopped  sync.Once
}

// New returns Certificates, which renew themselves until Stop.
func New(o Options) *Certificates {
	c := &Certificates{Options: o, files: newFiles(o.DB, o.Accounts, o.Now)}
	log := newLog(o.Log)
	c.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return c.renewing, nil }, Logger: log,
	})
	of := certmagic.Config{
		Storage: c.files, Logger: log, OCSP: certmagic.OCSPConfig{DisableStapling: true}, DisableStorageCheck: true,
		OnEvent: c.logEvent, ShouldEmitFunc: func(event string) bool { return event == obtained },
	}
	c.renewing, c.ordering = certmagic.New(c.cache, of), certmagic.New(c.cache, of)
	c.issuer = certmagic.NewACMEIssuer(c.renewing, certmagic.ACMEIssuer{
		CA: o.Directory, TestCA: o.Directory, Email: o.Email, Agreed: true, TrustedRoots: o.Roots, Logger: log,
		AltHTTPPort: o.HTTPPort, AltTLSALPNPort: o.TLSPort,
	})
	c.renewing.Issuers, c.ordering.Issuers = []certmagic.Issuer{c.issuer}, []certmagic.Issuer{unasked{c.issuer}}
	c.orders = newOrders(o.Now, func(ctx context.Context, name string) error { return c.ordering.ManageSync(ctx, []string{name}) })
	return c
}

// obtained is the only event of certmagic that is reported here; the others it logs itself.
const obtained = "cert_obtained"

func (c *Certificates) logEvent(_ context.Context, event string, about map[string]any) error {
	if event == obtained {
		c.Log.Info("a certificate was obtained", "domain", about["identifier"], "renewal", about["renewal"])
	}
	return nil
}

// unasked is an issuer that never asks in a terminal: certmagic asks for missing settings when it is to do something only
// once.
type unasked struct{ *certmagic.ACMEIssuer }

func (u unasked) PreCheck(ctx context.Context, names []string, _ bool) error {
	return u.ACMEIssuer.PreCheck(ctx, names, false)
}

// Stop ends orders and renewals.
func (c *Certificates) Stop() {
	c.stopped.Do(func() {
		c.orders.stop()
		c.cache.Stop()
	})
}

// TLS is how connections are taken: without HTTP/2, whose code in Go 1.26.8 and earlier can crash (GO-2026-6617).
func (c *Certificates) TLS() *tls.Config {
	config := c.renewing.TLSConfig()
	config.NextProtos = append([]string{"http/1.1"}, config.NextProtos...)
	config.GetCertificate = c.certificate
	return config
}

// challengeProtocol is what an ACME directory speaks that looks for an answer by TLS, RFC 8737 §3.
const challengeProtocol = "acme-tls/1"

// certificate returns the certificate for a handshake. A name that is not served is refused before any lookup.
func (c *Certificates) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	ctx, name := hello.Context(), strings.ToLower(hello.ServerName)
	if name == "" || !c.Has(ctx, name) {
		return nil, fmt.Errorf("nothing is served at %q", name)
	}
	challenged := slices.Equal(hello.SupportedProtos, []string{challengeProtocol})
	if !challenged && !c.loaded(name) {
		if err := c.orders.await(ctx, name); err != nil && !c.loaded(name) { // one that could not be renewed will do
			return nil, err
		}
	}
	return c.renewing.GetCertificate(hello)
}

// loaded reports whether there is a certificate in memory, which is renewed by itself.
func (c *Certificates) loaded(name string) bool {
	return len(c.cache.AllMatchingCertificates(name)) > 0
}

// Ready reports whether HTTPS is available for a name, as far as this node knows.
func (c *Certificates) Ready(name string) bool {
	now := c.Now()
	return slices.ContainsFunc(c.cache.AllMatchingCertificates(name), func(found certmagic.Certificate) bool {
		return found.Leaf != nil && now.Before(found.Leaf.NotAfter)
	})
}

// challengePath is where an ACME directory looks for answers, RFC 8555 §8.3.
const challengePath = "/.well-known/acme-challenge/"

// Challenges answers what an ACME directory asks by HTTP, and leaves all else to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := strings.HasPrefix(r.URL.Path, challengePath) && c.Has(r.Context(), hostOf(r))
		if !asked || !c.issuer.HandleHTTPChallenge(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// hostOf returns the name that a request is for.
func hostOf(r *http.Request) string {
	host, _, _ := strings.Cut(r.Host, ":") // a name has no colon, and an address no certificate
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
