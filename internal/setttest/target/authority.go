package target

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"
)

// Certificates are valid from first to last unless a test says otherwise, whatever the time is for it.
var (
	first = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	last  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Authority vouches for Targets.
type Authority struct {
	Roots *x509.CertPool // trusts it

	cert  *x509.Certificate
	key   *ecdsa.PrivateKey
	shown [][]byte // certificates between the root and a Target's
}

// Certificate says what a certificate is to be; what is not said makes a good one.
type Certificate struct {
	Host       string // name or address that it is for; "" is 127.0.0.1
	NotBefore  time.Time
	NotAfter   time.Time
	SelfSigned bool
	MaxVersion uint16 // of TLS
	NextProtos []string
}

// NewAuthority returns an Authority that only Roots trust.
func NewAuthority() *Authority {
	key, template := newKey(), authority("Authority of this test", last)
	cert := sign(template, template, key, key)
	a := &Authority{Roots: x509.NewCertPool(), cert: cert, key: key}
	a.Roots.AddCert(cert)
	return a
}

// Delegate returns an Authority that this one vouches for until a time; Targets show its certificate after their own.
func (a *Authority) Delegate(until time.Time) *Authority {
	key := newKey()
	cert := sign(authority("Deputy of this test", until), a.cert, key, a.key)
	return &Authority{Roots: a.Roots, cert: cert, key: key, shown: [][]byte{cert.Raw}}
}

func authority(name string, until time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: first, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
}

// Config makes a certificate and returns how a Target shows it.
func (a *Authority) Config(c Certificate) *tls.Config {
	key, template := newKey(), c.template()
	parent, signer := a.cert, a.key
	if c.SelfSigned {
		parent, signer = template, key
	}
	cert := sign(template, parent, key, signer)
	return &tls.Config{ //nolint:gosec // see MinVersion
		Certificates: []tls.Certificate{{Certificate: append([][]byte{cert.Raw}, a.shown...), PrivateKey: key, Leaf: cert}},
		MinVersion:   tls.VersionTLS10, // for tests of those that refuse it
		MaxVersion:   c.MaxVersion, NextProtos: c.NextProtos,
	}
}

func (c Certificate) template() *x509.Certificate {
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	if c.NotBefore.IsZero() {
		c.NotBefore = first
	}
	if c.NotAfter.IsZero() {
		c.NotAfter = last
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: c.Host}, NotBefore: c.NotBefore, NotAfter: c.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(c.Host); ip != nil {
		t.IPAddresses = []net.IP{ip}
	} else {
		t.DNSNames = []string{c.Host}
	}
	return t
}

// newKey and sign fail for want of randomness alone, and then nothing else works either.
func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

func sign(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) *x509.Certificate {
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		panic(err)
	}
	return cert
}
