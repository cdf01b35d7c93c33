package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"sett/internal/acme"
	"sett/internal/sett"
)

// ACME is how the server comes to certificates of its own. Without a listener it has none.
type ACME struct {
	Listen    string `flag:"tls-listen" is:"listener" group:"Addresses" help:"host and port to serve HTTPS on, such as :443, with certificates for the base URL and the verified domains of status pages; empty for none, as behind a proxy"`
	Email     string `flag:"acme-email" is:"text" group:"Addresses" help:"address that the issuer of certificates may write to"`
	Directory string `flag:"acme-directory" is:"url" default:"https://acme-v02.api.letsencrypt.org/directory" group:"Addresses" help:"ACME directory that certificates are asked of, whose terms are agreed to"`
	CAFile    string `flag:"acme-ca-file" is:"text" group:"Addresses" help:"file of PEM certificates by which the ACME directory itself is trusted, for one of your own; empty for those of the system"`
}

// parseListener is parseAddress, or empty for none.
func parseListener(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return parseAddress(text)
}

// newCertificates returns what has the server's certificates; plain and secure are where it listens.
func (a *App) newCertificates(plain, secure net.Addr) (*acme.Certificates, error) {
	var roots *x509.CertPool
	if file := a.cfg.ACME.CAFile; file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read --acme-ca-file: %w", err)
		}
		if roots = x509.NewCertPool(); !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("read --acme-ca-file: %s has no certificate in PEM", file)
		}
	}
	return acme.New(acme.Options{
		Store: a.store, Directory: a.cfg.ACME.Directory, Roots: roots, Email: a.cfg.ACME.Email, Has: a.hasName,
		HTTPPort: portOf(plain), TLSPort: portOf(secure), Now: a.now, Log: a.log,
	}), nil
}

func portOf(addr net.Addr) int {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}

// hasName reports whether something is served at a name: the server itself, or a status page at its verified domain.
func (a *App) hasName(ctx context.Context, name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	u, err := url.Parse(a.cfg.BaseURL)
	if err == nil && name == strings.ToLower(u.Hostname()) {
		return sett.IsDomainName(name)
	}
	return a.status.HasDomain(ctx, name)
}

// serveTLS serves next by HTTPS too, where that is asked for. It returns what is to be served without TLS then, which
// answers the issuer of certificates.
func (a *App) serveTLS(plain net.Listener, next http.Handler) (http.Handler, error) {
	if a.cfg.ACME.Listen == "" {
		return next, nil
	}
	listener, err := net.Listen("tcp", a.cfg.ACME.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", a.cfg.ACME.Listen, err)
	}
	if a.certificates, err = a.newCertificates(plain.Addr(), listener.Addr()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	a.secure = a.newServer(next)
	a.secure.Addr, a.secure.TLSConfig = listener.Addr().String(), a.certificates.TLS()
	go func() {
		if err := a.secure.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			a.failed <- fmt.Errorf("serve HTTPS: %w", err)
		}
	}()
	return a.certificates.Challenges(next), nil
}

// stopTLS ends what serveTLS began.
func (a *App) stopTLS(ctx context.Context) error {
	if a.secure == nil {
		return nil
	}
	err := a.secure.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, a.secure.Close())
	}
	a.certificates.Stop()
	return err
}

// TLSAddr returns where the server takes TLS connections, or "".
func (a *App) TLSAddr() string {
	if a.secure == nil {
		return ""
	}
	return a.secure.Addr
}
