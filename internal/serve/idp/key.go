package idp

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"time"

	"github.com/crewjam/saml"
)

// The key with which providers encrypt. Its certificate is long valid: providers keep it, and only its key counts.
const (
	keyBits   = 2048
	keyBlock  = "PRIVATE KEY"
	certBlock = "CERTIFICATE"
	certYears = 20
)

// decrypts gives sett the key of an account with which it reads what the provider encrypts.
func (d *Desk) decrypts(ctx context.Context, sp *saml.ServiceProvider, accountID string) error {
	text, err := d.Accounts.SAMLKey(ctx, accountID, d.newKey)
	if err != nil {
		return err
	}
	sp.EncryptionKey, sp.EncryptionCertificate, err = readKey(text)
	return err
}

// newKey makes a key and its certificate, in PEM.
func (d *Desk) newKey() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return "", fmt.Errorf("make key: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("write key: %w", err)
	}
	name := "sett"
	if u, err := url.Parse(d.BaseURL); err == nil && u.Hostname() != "" {
		name = u.Hostname()
	}
	now := d.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(certYears, 0, 0),
		KeyUsage: x509.KeyUsageKeyEncipherment | x509.KeyUsageDataEncipherment,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return "", fmt.Errorf("make certificate: %w", err)
	}
	var text strings.Builder
	for _, b := range []*pem.Block{{Type: keyBlock, Bytes: private}, {Type: certBlock, Bytes: certificate}} {
		if err := pem.Encode(&text, b); err != nil {
			return "", fmt.Errorf("write key: %w", err)
		}
	}
	return text.String(), nil
}

// readKey reads what newKey has written.
func readKey(text string) (*rsa.PrivateKey, *x509.Certificate, error) {
	first, rest := pem.Decode([]byte(text))
	second, _ := pem.Decode(rest)
	if first == nil || second == nil {
		return nil, nil, errors.New("the key for SAML is not in PEM")
	}
	private, err := x509.ParsePKCS8PrivateKey(first.Bytes)
	if err != nil {
		return nil, nil, fmt.Errorf("read key for SAML: %w", err)
	}
	key, ok := private.(*rsa.PrivateKey)
	if !ok {
		return nil, nil, errors.New("the key for SAML is not of RSA")
	}
	certificate, err := x509.ParseCertificate(second.Bytes)
	if err != nil {
		return nil, nil, fmt.Errorf("read certificate for SAML: %w", err)
	}
	return key, certificate, nil
}
