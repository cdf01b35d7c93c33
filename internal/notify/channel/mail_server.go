package channel

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
)

// MailServer is where mails are handed in: a server that speaks SMTP (RFC 5321, RFC 6409), or the process's output.
type MailServer struct {
	Host, Port     string
	User, Password string // both empty: none is asked for
	Security       MailSecurity
	Print          bool // no server: mails are printed
}

// MailSecurity says when a connection begins to be encrypted.
type MailSecurity string

// The kinds of MailSecurity.
const (
	StartTLS    MailSecurity = "starttls" // before anything is said of a mail; required of the server (RFC 3207)
	ImplicitTLS MailSecurity = "tls"      // from the first byte (RFC 8314)
	NoTLS       MailSecurity = "none"
)

// defaultPorts are those of a MailServer whose address names none.
var defaultPorts = map[string]string{"smtp": "587", "smtps": "465"}

// errNoMailServer continues "SETT_SMTP_URL …", and so do all errors of ParseMailServer.
var errNoMailServer = errors.New("is not the URL of a mail server; write smtp://user:password@host:587, smtps:// for implicit TLS, or stdout: to print emails")

// ParseMailServer reads the address of a mail server: smtp://user:password@host:587, which has to offer STARTTLS unless
// ?tls=none is added; smtps://user:password@host:465; or stdout:. Its error is a phrase that follows the name of the
// setting, and never repeats the address.
func ParseMailServer(address string) (MailServer, error) {
	if address == "stdout:" {
		return MailServer{Print: true}, nil
	}
	u, err := url.Parse(address)
	if err != nil || defaultPorts[u.Scheme] == "" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return MailServer{}, errNoMailServer
	}
	s := MailServer{Host: u.Hostname(), Port: u.Port(), User: u.User.Username(), Security: StartTLS}
	s.Password, _ = u.User.Password()
	if s.Port == "" {
		s.Port = defaultPorts[u.Scheme]
	}
	if u.Scheme == "smtps" {
		s.Security = ImplicitTLS
	}
	return s.parseQuery(u.RawQuery).check()
}

// parseQuery takes in what follows the question mark: tls=none is all that there is.
func (s MailServer) parseQuery(query string) MailServer {
	switch {
	case query == "":
	case query == "tls=none" && s.Security == StartTLS:
		s.Security = NoTLS
	default:
		s.Security = ""
	}
	return s
}

// localNames are the hosts whose connections never leave this machine.
func localNames() []string { return []string{"localhost", "127.0.0.1", "::1"} }

func (s MailServer) check() (MailServer, error) {
	port, err := strconv.ParseUint(s.Port, 10, 16)
	switch {
	case err != nil || port == 0:
		return MailServer{}, errNoMailServer
	case s.Security == "":
		return MailServer{}, errors.New("has an unknown query; only ?tls=none is supported, with smtp://")
	case (s.User == "") != (s.Password == ""):
		return MailServer{}, errors.New("has only a user or only a password; write both as smtp://user:password@host:587, with special characters percent-encoded, or neither")
	case s.Security == NoTLS && s.User != "" && !slices.Contains(localNames(), s.Host):
		return MailServer{}, errors.New("would send the password unencrypted; remove ?tls=none, or the user and password")
	}
	return s, nil
}

// address returns the host and port to connect to.
func (s MailServer) address() string { return net.JoinHostPort(s.Host, s.Port) }
