package probe

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
)

// nameInASCII gives the request's URL its host as DNS knows it.
func nameInASCII(request *http.Request) error {
	u := request.URL
	host, err := hostInASCII(u.Hostname())
	if err != nil || host == u.Hostname() {
		return err
	}
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	u.Host, request.Host = host, host
	return nil
}

// hostInASCII returns a host as DNS knows it.
func hostInASCII(host string) (string, error) {
	if !strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		return host, nil
	}
	ascii, ok := inASCII(host)
	if !ok {
		return "", problem("The URL has a host name that is not valid in DNS: " + printable(host))
	}
	return ascii, nil
}

// inASCII writes a name as RFC 5891 has it, or reports that it cannot be. The tables for that are inside net/http, which
// uses them before it connects; this transport never does.
func inASCII(name string) (ascii string, ok bool) {
	transport := http.Transport{DialContext: func(_ context.Context, _, addr string) (net.Conn, error) {
		ascii = strings.TrimSuffix(addr, ":80")
		return nil, errors.New("no connection is needed")
	}}
	request, err := http.NewRequest(http.MethodGet, "http://"+name, http.NoBody) // never sent
	if err != nil {
		return "", false
	}
	_, _ = transport.RoundTrip(request) // there is no response
	return ascii, ascii != "" && !strings.ContainsFunc(ascii, func(r rune) bool { return r >= 0x80 })
}
