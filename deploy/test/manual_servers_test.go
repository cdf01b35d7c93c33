package test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest/bucket"
	"sett/internal/setttest/pgcluster"
)

// servers are what the pages suppose to run elsewhere, under the names of their examples: PostgreSQL at db.example.org, object storage at
// minio.example.org and at the address of Amazon.
type servers struct {
	authority string // a file with the certificate that programs trust
	cluster   *pgcluster.Cluster
	more      map[string][]string // variables that a page supposes, by page
	used      map[string]bool     // of doneInWords
	ends      []func()            // of what was started for a page
}

func startServers(t *testing.T) *servers {
	s := &servers{authority: "/home/authority.pem", more: map[string][]string{}, used: map[string]bool{}}
	var err error
	if s.cluster, err = pgcluster.Start(t.Context(), pgcluster.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	dsn, err := url.Parse(s.cluster.DSN())
	if err != nil {
		t.Fatal(err)
	}
	lead(t, "127.0.0.1:5432", filepath.Join(dsn.Query().Get("host"), ".s.PGSQL.5432"))
	s.serveObjects(t)
	return s
}

// lead leads the connections to an address to a socket.
func lead(t *testing.T, address, socket string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go func() {
				defer from.Close()
				to, err := net.Dial("unix", socket)
				if err != nil {
					return // the client sees a closed connection
				}
				defer to.Close()
				go func() { _, _ = io.Copy(to, from) }() // ends with either side
				_, _ = io.Copy(from, to)
			}()
		}
	}()
}

// serveObjects serves object storage by TLS, by the path of a bucket and by its name.
func (s *servers) serveObjects(t *testing.T) {
	b := bucket.New(t)
	certificate, root, err := newCertificate("minio.example.org", "s3.amazonaws.com", "*.s3.amazonaws.com", "*.s3.dualstack.us-east-1.amazonaws.com")
	if err = errors.Join(err, os.WriteFile(s.authority, root, 0o644)); err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, _, of := strings.Cut(r.Host, ".s3."); of {
			r.URL.Path = "/" + name + r.URL.Path
		}
		b.ServeHTTP(w, r)
	})
	for _, address := range []string{"127.0.0.1:443", "127.0.0.1:9000"} {
		l, err := tls.Listen("tcp", address, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)} // clients end connections
		go func() { _ = server.Serve(l) }()                                                                            // until it is closed
		t.Cleanup(func() { server.Close() })
	}
}

// newCertificate makes a certificate that is its own authority.
func newCertificate(names ...string) (certificate tls.Certificate, root []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, nil, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return certificate, nil, err
	}
	var buf bytes.Buffer
	err = pem.Encode(&buf, &pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, buf.Bytes(), err
}
