package channel

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"sett/internal/base/dial"
)

// mailPatience is how long a mail server may take for a connection with all that comes before a mail, and once more for
// the mail.
const mailPatience = 60 * time.Second

// Mail is one mail to one person.
type Mail struct {
	ID      string // of its Message-ID, without angle brackets; the same whenever the same mail is sent again
	To      string // an address and nothing else
	Date    time.Time
	Subject string // one line
	Text    string
	HTML    string

	Unsubscribe string // address of the page that ends such mails, also by one click (RFC 8058); "" for none
}

// EmailOptions say how mails are sent.
type EmailOptions struct {
	Server MailServer
	From   mail.Address   // of the sender
	Dialer *dial.Dialer   // that makes the connections
	Roots  *x509.CertPool // who may vouch for the server; nil for those that the system trusts
	Output io.Writer      // where mails go that are printed
}

// Email sends mails.
type Email struct {
	o      EmailOptions
	mailed mailed // to the addresses of channels
}

// NewEmail returns an Email. Nothing is connected before Send.
func NewEmail(o EmailOptions) *Email { return &Email{o: o} }

// MessageID returns the id of a mail that is about what has that id, at the domain of the sender.
func (e *Email) MessageID(id string) string {
	_, domain, _ := strings.Cut(e.o.From.Address, "@")
	return id + "@" + domain
}

// Send sends one email and returns after the server has accepted it. The error is a *Failure. After a failure that is not
// permanent, the server may still have accepted the email; the unchanged ID of the next attempt marks the duplicate.
func (e *Email) Send(ctx context.Context, m Mail) error {
	_, err := e.SendHeard(ctx, m)
	return err
}

// SendHeard is Send, and returns what the server answered when it took the mail.
func (e *Email) SendHeard(ctx context.Context, m Mail) (answer string, err error) {
	if problem := m.problem(); problem != "" {
		return "", failure(true, problem)
	}
	if e.o.Server.Print {
		return "printed", e.print(m)
	}
	client, hangUp, err := e.client()
	if err != nil {
		return "", failure(false, "the mail server settings are not valid; correct SETT_SMTP_URL")
	}
	defer hangUp()
	message := e.message(m)
	if err = client.DialAndSendWithContext(ctx, message); err == nil || message.IsDelivered() {
		return message.ServerResponse(), nil // an error after the server accepted the email does not matter
	}
	return "", failure(isPermanent(err), mailProblem(err))
}

// problem returns why the email must not be sent as it is. Users who choose a name or an address must not be able to inject
// headers.
func (m Mail) problem() string {
	to, err := mail.ParseAddress(m.To)
	switch {
	case err != nil || to.Name != "" || to.Address != m.To:
		return fmt.Sprintf("%q is not an email address", m.To)
	case hasControl(m.Subject):
		return "the subject contains a line break or another control character"
	case m.ID == "" || hasControl(m.ID) || strings.ContainsAny(m.ID, "<> "):
		return fmt.Sprintf("%q is not a Message-ID", m.ID)
	case hasControl(m.Unsubscribe) || strings.ContainsAny(m.Unsubscribe, "<>, "):
		return fmt.Sprintf("%q is not the URL of a page", m.Unsubscribe)
	}
	return ""
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// message writes the mail down: what people read first as text, then as HTML (RFC 2046 §5.1.4).
func (e *Email) message(m Mail) *gomail.Msg {
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(&e.o.From)
	message.ToMailAddress(&mail.Address{Address: m.To})
	message.SetMessageIDWithValue(m.ID)
	message.SetDateWithValue(m.Date)
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: prevents automatic replies
	m.offerUnsubscribe(message)
	message.Subject(m.Subject)
	message.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		message.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return message
}

// offerUnsubscribe adds the headers with which mail programs offer to unsubscribe; with one click only over HTTPS (RFC 8058
// §3.1).
func (m Mail) offerUnsubscribe(message *gomail.Msg) {
	if m.Unsubscribe == "" {
		return
	}
	message.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">") // RFC 2369 §3.2
	if strings.HasPrefix(m.Unsubscribe, "https://") {
		message.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
}

// print writes the text of an email to standard output, for trying sett without a mail server.
func (e *Email) print(m Mail) error {
	_, err := fmt.Fprintf(e.o.Output, "--- mail ---\nMessage-ID: <%s>\nFrom: %s\nTo: %s\nSubject: %s\n\n%s\n--- end of mail ---\n",
		m.ID, e.o.From.String(), m.To, m.Subject, strings.TrimRight(m.Text, "\n"))
	if err != nil {
		return failure(false, "the email could not be printed")
	}
	return nil
}

// client returns a client for one mail, and a function that ends its connection, which go-mail leaves open when the
// server cannot be greeted.
func (e *Email) client() (client *gomail.Client, hangUp func(), err error) {
	secure := &tls.Config{ServerName: e.o.Server.Host, RootCAs: e.o.Roots, MinVersion: tls.VersionTLS12}
	var made []net.Conn
	connect := func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := e.connect(ctx, secure)
		if err == nil {
			made = append(made, c)
		}
		return c, err
	}
	options := []gomail.Option{
		gomail.WithDialContextFunc(connect), gomail.WithTimeout(mailPatience), gomail.WithTLSConfig(secure),
	}
	switch e.o.Server.Security {
	case StartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case ImplicitTLS:
		options = append(options, gomail.WithSSL())
	case NoTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if e.o.Server.User != "" {
		options = append(options, gomail.WithUsername(e.o.Server.User), gomail.WithPassword(e.o.Server.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	client, err = gomail.NewClient(e.o.Server.Host, options...)
	return client, func() {
		for _, c := range made {
			_ = c.Close() // most are closed already
		}
	}, err
}

// connect makes a connection, encrypted from the start where the server wants it so.
func (e *Email) connect(ctx context.Context, secure *tls.Config) (net.Conn, error) {
	c, err := e.o.Dialer.DialContext(ctx, "tcp", e.o.Server.address())
	if err != nil || e.o.Server.Security != ImplicitTLS {
		return c, err
	}
	encrypted := tls.Client(c, secure)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return encrypted, nil
}
