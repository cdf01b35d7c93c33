package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"strings"
	"time"

	"sett/internal/base/loop"
	"sett/internal/serve/acme"
	"sett/internal/sett/status"
)

const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// ACME is how the server comes to certificates of its own. Without a listener it has none.
type ACME struct {
	Listen    string `flag:"tls-listen" is:"listener" group:"HTTPS" help:"host and port to serve HTTPS on, such as :443" more:"with certificates for an https base URL and the verified domains of status pages; empty for no HTTPS, for example behind a proxy that terminates it"`
	Email     string `flag:"acme-email" is:"contact" group:"HTTPS" help:"contact email for the certificate authority" more:"empty for none"`
	Directory string `flag:"acme-directory" is:"directory" default:"https://acme-v02.api.letsencrypt.org/directory" group:"HTTPS" help:"ACME directory that issues certificates" more:"with --tls-listen you agree to its terms of service"`
	CAFile    string `flag:"acme-ca-file" is:"file" group:"HTTPS" help:"PEM certificates to trust for your own ACME directory" more:"empty for those of the system"`
}

// parseListener is parseAddress, or empty for none.
func parseListener(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return parseAddress(text)
}

// parseContact reads an email address; empty for none.
func parseContact(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	box, err := mail.ParseAddress(text)
	if err != nil {
		return "", errors.New("is not an email address; write one such as ops@example.org")
	}
	return box.Address, nil
}

// parseDirectory reads the address of an ACME directory (RFC 8555 §7.1.1), which speaks HTTPS alone.
func parseDirectory(text string) (string, error) {
	address, err := parseURL(text)
	if err != nil || !strings.HasPrefix(address, "https://") {
		return "", errors.New("is not an ACME directory; write its URL with https://, such as https://ca.example.org/directory")
	}
	return address, nil
}

// checkTLS names what does not go together in settings of certificates.
func (c Config) checkTLS() (problems []error) {
	s := c.ACME
	if s.Listen == "" && (s.Email != "" || s.CAFile != "" || s.Directory != letsEncrypt) {
		problems = append(problems, errors.New("--tls-listen (SETT_TLS_LISTEN) is missing, but certificate settings are present; without it no certificates are issued"))
	}
	if _, port, _ := net.SplitHostPort(c.Listen); s.Listen != "" && s.Listen == c.Listen && port != "0" {
		problems = append(problems, errors.New("--tls-listen (SETT_TLS_LISTEN) and --listen (SETT_LISTEN) have the same address: choose different ports, such as :443 and :80"))
	}
	return problems
}

// newCertificates returns what has the server's certificates; plain and secure are where it listens.
func (a *App) newCertificates(plain, secure net.Addr) (*acme.Certificates, error) {
	roots, err := a.cfg.ACME.roots()
	if err != nil {
		return nil, err
	}
	return acme.New(acme.Options{
		DB: a.store.DB, Accounts: a.store.Accounts, Directory: a.cfg.ACME.Directory, Roots: roots, Email: a.cfg.ACME.Email, Has: a.hasName(),
		HTTPPort: portOf(plain), TLSPort: portOf(secure), Now: time.Now, Log: a.log, // certificates end by the world's clock
	}), nil
}

// roots are those by which the directory is trusted, or nil for the system's.
func (s ACME) roots() (*x509.CertPool, error) {
	if s.CAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, &explained{fmt.Sprintf("the file %s cannot be read; set --acme-ca-file (SETT_ACME_CA_FILE) to a file of PEM certificates", s.CAFile), err}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		sentence := fmt.Sprintf("the file %s contains no PEM certificate; set --acme-ca-file (SETT_ACME_CA_FILE) to a file that does", s.CAFile)
		return nil, &explained{sentence, errors.New("no PEM certificate")}
	}
	return roots, nil
}

func portOf(addr net.Addr) int {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}

// hasName returns what reports whether HTTPS is to be served at a name: that of the server itself, or a status page's.
func (a *App) hasName() func(ctx context.Context, name string) bool {
	own := ""
	if u, err := url.Parse(a.cfg.BaseURL); err == nil && u.Scheme == "https" && status.IsDomainName(strings.ToLower(u.Hostname())) {
		own = strings.ToLower(u.Hostname())
	}
	return func(ctx context.Context, name string) bool {
		return name != "" && (name == own || a.status.HasDomain(ctx, name))
	}
}

// secureListen says that an error is about --tls-listen.
type secureListen struct{ error }

func (e *secureListen) Unwrap() error { return e.error }

// tlsHeaderTimeout bounds handshakes too: the first may wait for its certificate.
const tlsHeaderTimeout = 30 * time.Second

// serveTLS serves next by HTTPS too, where that is asked for. It returns what is to be served without TLS then, which
// answers the issuer of certificates.
func (a *App) serveTLS(plain net.Listener, next http.Handler) (http.Handler, error) {
	if a.cfg.ACME.Listen == "" {
		return next, nil
	}
	listener, err := net.Listen("tcp", a.cfg.ACME.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", a.cfg.ACME.Listen, &secureListen{err})
	}
	a.own.Add(listener.Addr())
	if a.certificates, err = a.newCertificates(plain.Addr(), listener.Addr()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	a.secure = a.newServer(next)
	a.secure.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){} // no HTTP/2; see acme.Certificates.TLS
	a.secure.Addr, a.secure.TLSConfig, a.secure.ReadHeaderTimeout = listener.Addr().String(), a.certificates.TLS(), tlsHeaderTimeout
	go func() {
		if err := a.secure.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			a.failed <- fmt.Errorf("serve HTTPS: %w", err)
		}
	}()
	a.log.Info("sett serves HTTPS", "listen", a.secure.Addr, "directory", a.cfg.ACME.Directory)
	return a.certificates.Challenges(next), nil
}

// hasHTTPS reports whether a name can be reached by HTTPS, at this server itself.
func (a *App) hasHTTPS(name string) bool { return a.certificates != nil && a.certificates.Ready(name) }

// certifying are the loops of certificates.
func (a *App) certifying() []*loop.Loop {
	if a.certificates == nil {
		return nil
	}
	return []*loop.Loop{
		{Name: "certificates", Does: "Obtains certificates for HTTPS and renews them before they expire.", Work: a.certificates.Keep, Every: acme.KeepEvery, Jitter: 0.2, Log: a.log},
		{Name: "expired certificates", Does: "Deletes expired certificates.", Work: a.certificates.Prune, Every: acme.PruneEvery, Jitter: 0.2, Log: a.log},
	}
}

// stopTLS takes no more connections by HTTPS, and finishes the requests that run.
func (a *App) stopTLS(ctx context.Context) error {
	if a.secure == nil {
		return nil
	}
	err := a.secure.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, a.secure.Close())
	}
	return err
}
