// Package acme gets certificates for the names that others ask this server for: in come a name of a TLS handshake and
// somebody who says whether a page is served there, out goes a certificate from the store, or from an ACME directory
// (RFC 8555) the first time. It renews them in time, and nodes that share a database share them. It never asks for a name
// that it was not told to have.
package acme

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/caddyserver/certmagic"

	"sett/internal/store"
)

// Options are what Certificates work with.
type Options struct {
	Store     *store.Store
	Directory string         // address of the ACME directory
	Roots     *x509.CertPool // of the directory's own certificate; nil: those of the system
	Email     string         // whom the directory may tell when something is wrong; may be empty
	Has       func(ctx context.Context, name string) bool
	HTTPPort  int // on which this server listens, whatever others reach it by
	TLSPort   int
	Now       func() time.Time
	Log       *slog.Logger
}

// Certificates are those of this server.
type Certificates struct {
	Options
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer
}

// New returns Certificates, which renew themselves until Stop.
func New(o Options) *Certificates {
	c := &Certificates{Options: o}
	log := newLog(o.Log)
	c.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return c.config, nil }, Logger: log,
	})
	c.config = certmagic.New(c.cache, certmagic.Config{
		Storage: newFiles(o.Store, o.Now), Logger: log, OCSP: certmagic.OCSPConfig{DisableStapling: true},
		OnDemand: &certmagic.OnDemandConfig{DecisionFunc: c.mayHave},
	})
	c.issuer = certmagic.NewACMEIssuer(c.config, certmagic.ACMEIssuer{
		CA: o.Directory, TestCA: o.Directory, Email: o.Email, Agreed: true, TrustedRoots: o.Roots, Logger: log, AltHTTPPort: o.HTTPPort, AltTLSALPNPort: o.TLSPort,
	})
	c.config.Issuers = []certmagic.Issuer{c.issuer}
	return c
}

// Stop ends renewals.
func (c *Certificates) Stop() { c.cache.Stop() }

// mayHave refuses names of which this server serves nothing.
func (c *Certificates) mayHave(ctx context.Context, name string) error {
	if !c.Has(ctx, name) {
		return fmt.Errorf("nothing is served at %q", name)
	}
	return nil
}

// TLS is how connections are taken: any name that nothing is served at is refused before anything is looked up.
func (c *Certificates) TLS() *tls.Config {
	config := c.config.TLSConfig()
	config.NextProtos = append([]string{"h2", "http/1.1"}, config.NextProtos...)
	get := config.GetCertificate
	config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if err := c.mayHave(hello.Context(), hello.ServerName); err != nil {
			return nil, err
		}
		return get(hello)
	}
	return config
}

// Challenges answers what an ACME directory asks by HTTP, and leaves all else to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	return c.issuer.HTTPChallengeHandler(next)
}
