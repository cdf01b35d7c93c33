// Package mailserver is for tests only: a mail server on this machine that keeps what it is sent. A test sets its rules – encryption, a
// login, which mails to refuse – and gets an address for SETT_SMTP_URL, the certificate authority that vouches for it, and the mails. It
// never sends a mail on.
package mailserver

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"math/big"
	"net"
	"net/mail"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Options are the rules of a Server.
type Options struct {
	Listen         string // host and port; "" takes a free port
	ImplicitTLS    bool   // encrypted from the first byte; otherwise STARTTLS is offered
	NoTLS          bool   // nothing is encrypted
	User, Password string // who may send mails; both empty: everybody may

	// Answer is asked about each recipient, and each mail is taken when it is nil or returns nil. An *smtp.SMTPError is
	// answered as it is.
	Answer func(to string) error

	Taken func(Mail) // is called with each mail that was taken, in place of Next; may be nil
}

// Refuse returns an answer for Options.Answer.
func Refuse(code int, message string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 0, 0}, Message: message}
}

// Mail is what the server was sent.
type Mail struct {
	From, To string // of the envelope
	*mail.Message
	Raw []byte
}

// Server is a running mail server.
type Server struct {
	Addr  string         // host:port
	Roots *x509.CertPool // has the authority that vouches for the server

	options Options
	mu      sync.Mutex
	mails   []Mail
	arrived chan Mail
	stop    func()
}

// Start starts a server that stops when the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s := &Server{Roots: x509.NewCertPool(), options: o, arrived: make(chan Mail, 100)}
	secure := s.certify(t)
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		t.Fatal(err)
	}
	s.Addr = listener.Addr().String()
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	server.Domain, server.ErrorLog = "mail.test", log.New(io.Discard, "", 0)
	switch {
	case o.ImplicitTLS:
		listener = tls.NewListener(listener, secure)
	case o.NoTLS:
		server.AllowInsecureAuth = true
	default:
		server.TLSConfig = secure
	}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) })
	s.stop = func() {
		_ = listener.Close() // the server closes it too, once it has begun to serve
		_ = server.Close()
		done.Wait()
	}
	t.Cleanup(s.stop)
	return s
}

// Stop ends the server before the test does.
func (s *Server) Stop() { s.stop() }

// Mails returns what was taken so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Next waits for the next mail that Next has not returned yet.
func (s *Server) Next(t testing.TB) Mail {
	t.Helper()
	select {
	case m := <-s.arrived:
		return m
	case <-time.After(20 * time.Second):
		t.Fatal("no mail arrived")
		return Mail{}
	}
}

// certify makes a certificate for this machine that vouches for itself.
func (s *Server) certify(t testing.TB) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	s.Roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
}

// session is one connection.
type session struct {
	server   *Server
	loggedIn bool
	mail     Mail
}

func (c *session) Reset() { c.mail = Mail{} }

func (c *session) Logout() error { return nil }

func (c *session) AuthMechanisms() []string {
	if c.server.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (c *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != c.server.options.User || password != c.server.options.Password {
			return smtp.ErrAuthFailed
		}
		c.loggedIn = true
		return nil
	}), nil
}

func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	if c.server.options.User != "" && !c.loggedIn {
		return Refuse(530, "Authentication required")
	}
	c.mail.From = from
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.mail.To = to
	if c.server.options.Answer == nil {
		return nil
	}
	return c.server.options.Answer(to)
}

func (c *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	c.mail.Raw = raw
	if c.mail.Message, err = mail.ReadMessage(bytes.NewReader(raw)); err != nil {
		return Refuse(554, "This is no mail: "+err.Error())
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.mails = append(c.server.mails, c.mail)
	if c.server.options.Taken != nil {
		c.server.options.Taken(c.mail)
		return nil
	}
	c.server.arrived <- c.mail
	return nil
}
