package probe

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"sett/internal/sett/checks"
)

// tcpKind checks whether a port accepts connections. Nothing is sent, and nothing is read.
func tcpKind() Kind {
	return Kind{
		SiteKind: checks.SiteKind{
			Type: "tcp", Schemes: []string{"tcp"}, Example: "tcp://db.example.org:5432",
			Does: "a TCP check only opens a connection", CheckURL: tcpURLProblem,
		},
		Name: "TCP", Label: "Address", Hint: "Host and port, for example tcp://db.example.org:5432.", Input: "text",
		Wants: func(checks.SiteSettings) string { return "port accepts connections" },
		Make:  func(o Options) Check { return tcp{o}.check },
	}
}

// tcpURLProblem says what an address has too much or too little, or returns "".
func tcpURLProblem(u *url.URL) string {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case u.Port() == "":
		return "must have a port, such as tcp://db.example.org:5432"
	case err != nil || port == 0:
		return "must have a port from 1 to 65535"
	case u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "must be only a host and a port, such as tcp://db.example.org:5432, because no data is sent"
	}
	return ""
}

// tcp checks sites by opening a connection.
type tcp struct{ o Options }

// check makes one attempt; see Check.
func (t tcp) check(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
	a := newAttempt(t.o, r)
	result, err := a.try(ctx, a.open)
	if result.Phase != "" { // the connection is all there is to wait for
		result.Reason += " after " + result.Duration.Round(time.Second).String()
	}
	return result, err
}

// open opens a connection and closes it; an error says why the site is not up.
func (a *attempt) open(ctx context.Context) error {
	u, err := url.Parse(a.asked.URL)
	if err != nil || u.Hostname() == "" || u.Port() == "" {
		return problem("The address must be a host and a port, such as tcp://db.example.org:5432")
	}
	host, err := hostInASCII(u.Hostname())
	if err != nil {
		return err
	}
	conn, err := a.dial(ctx, host, u.Port())
	if err != nil {
		return err
	}
	_ = conn.Close() // that it opened is all
	return nil
}
