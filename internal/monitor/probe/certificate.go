package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// encrypt agrees with the site on TLS 1.2 or later. The certificate is verified here in any case, and fails the look
// only if the check wants that.
func (a *attempt) encrypt(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
	a.watch.enter(handshaking)
	encrypted := tls.Client(conn, &tls.Config{
		ServerName: host, MinVersion: tls.VersionTLS12, NextProtos: a.o.protocols(),
		InsecureSkipVerify: true, //nolint:gosec // inspect verifies
		VerifyConnection:   func(s tls.ConnectionState) error { return a.inspect(s, host) },
	})
	if err := encrypted.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return encrypted, nil
}

// protocols are those that a site may choose from.
func (o Options) protocols() []string {
	if o.HTTP2 {
		return []string{"h2", "http/1.1"}
	}
	return []string{"http/1.1"}
}

// inspect writes the certificate down, with what is wrong with it.
func (a *attempt) inspect(s tls.ConnectionState, host string) error {
	leaf := s.PeerCertificates[0] // there is one: only servers may do without
	chains, err := a.verify(s.PeerCertificates, host)
	text := certificateProblem(err, leaf, host, a.result.At)
	a.keepCertificate(certificateOf(leaf, firstToEnd(leaf, chains), text))
	if text != "" && a.asked.ValidateSSL {
		return problem(text)
	}
	return nil
}

// keepCertificate keeps, of the certificates on the way through redirects, the one that needs attention first.
func (a *attempt) keepCertificate(c *checks.ProbeCertificate) {
	kept := a.result.Certificate
	if kept == nil || kept.Problem == "" && (c.Problem != "" || c.NotAfter.Before(kept.NotAfter)) {
		a.result.Certificate = c
	}
}

func certificateOf(leaf, ending *x509.Certificate, text string) *checks.ProbeCertificate {
	sum := sha256.Sum256(ending.Raw)
	authority := ""
	if !ending.Equal(leaf) {
		authority = printable(cmp.Or(ending.Subject.CommonName, ending.Subject.String(), "unnamed"))
	}
	return &checks.ProbeCertificate{
		Fingerprint: hex.EncodeToString(sum[:]), NotBefore: sett.Written(ending.NotBefore.UTC()), NotAfter: sett.Written(ending.NotAfter.UTC()),
		Subject: printable(leaf.Subject.String()), Issuer: printable(leaf.Issuer.String()), Problem: text,
		Authority: authority,
	}
}

// firstToEnd returns the certificate whose end makes the site's one invalid: the one of a chain that ends first, in the chain that
// lasts longest. Without a valid chain, it is the site's own.
func firstToEnd(leaf *x509.Certificate, chains [][]*x509.Certificate) *x509.Certificate {
	byEnd := func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }
	first := leaf
	for i, chain := range chains {
		if ends := slices.MinFunc(chain, byEnd); i == 0 || ends.NotAfter.After(first.NotAfter) {
			first = ends
		}
	}
	return first
}

// verify returns the chains that make a certificate valid for the host, or what is wrong with it.
func (a *attempt) verify(chain []*x509.Certificate, host string) ([][]*x509.Certificate, error) {
	intermediates := x509.NewCertPool()
	for _, c := range chain[1:] {
		intermediates.AddCert(c)
	}
	return chain[0].Verify(x509.VerifyOptions{
		DNSName: host, Roots: a.o.Roots, Intermediates: intermediates, CurrentTime: a.result.At,
	})
}

// certificateProblem says what is wrong in the words of a reason, or returns "".
func certificateProblem(err error, leaf *x509.Certificate, host string, now time.Time) string {
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "SSL certificate is not valid for " + host
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return authorityProblem(leaf)
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return periodProblem(e.Cert, leaf, now)
	}
	return "SSL certificate is not valid"
}

func authorityProblem(leaf *x509.Certificate) string {
	if bytes.Equal(leaf.RawSubject, leaf.RawIssuer) {
		return "SSL certificate is self-signed"
	}
	return "SSL certificate is signed by an unknown authority"
}

// periodProblem says whether the certificate of the chain that is not valid now was or will be.
func periodProblem(c, leaf *x509.Certificate, now time.Time) string {
	what := "SSL certificate"
	if !c.Equal(leaf) {
		what = "The certificate that signed the SSL certificate"
	}
	if now.Before(c.NotBefore) {
		return what + " is not yet valid"
	}
	return what + " has expired"
}
