package app

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
)

// endedCertificate returns one in PEM that ended a year ago.
func endedCertificate(t *testing.T, name string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ended := time.Now().AddDate(-1, 0, 0)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: ended.AddDate(0, -3, 0), NotAfter: ended}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// A server with certificates looks after those that it has: one that ended long ago goes as soon as the server runs.
func TestCertificatesAreLookedAfter(t *testing.T) {
	t.Parallel()
	cfg, err := LoadConfig(Sources{Flags: map[string]string{
		"listen": "127.0.0.1:0", "tls-listen": "127.0.0.1:0", "acme-directory": "https://127.0.0.1:9/", "data": t.TempDir(), "location": "none", "resolver": "127.0.0.1:9",
	}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	a, err := New(t.Context(), cfg, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		t.Fatal(err)
	}
	const name, file = "status.example.org", "certificates/127.0.0.1-9/status.example.org/status.example.org.crt"
	if err := a.store.Accounts.SaveCertificateFile(t.Context(), accountdb.CertificateFile{Name: file, Content: endedCertificate(t, name), ModifiedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, err := a.store.Accounts.CertificateFile(ctx, file)
		if sett.CodeOf(err) == sett.NotFound {
			break
		}
		if err != nil || ctx.Err() != nil {
			t.Errorf("certificates were not maintained: %v", err)
			break
		}
	}
	if err := a.Stop(t.Context()); err != nil {
		t.Errorf("stop: %v; %s", err, &log)
	}
}
