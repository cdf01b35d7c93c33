package app

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/dial"
	"sett/internal/base/loop"
	"sett/internal/monitor/watch"
	"sett/internal/sett/status"
)

// parseDomain reads a whole name of DNS; empty for none.
func parseDomain(text string) (string, error) {
	name := strings.TrimSuffix(strings.ToLower(text), ".")
	if name != "" && !status.IsDomainName(name) {
		return "", errors.New("is not a fully qualified domain name; write one such as pages.example.org, without scheme, port and path")
	}
	return name, nil
}

// parseNameServer reads the address of a name server; empty for none.
func parseNameServer(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(text)
	if n, numErr := strconv.ParseUint(port, 10, 16); err != nil || numErr != nil || host == "" || n == 0 {
		return "", errors.New("is not the address of a name server; write host:port, such as 9.9.9.9:53")
	}
	return text, nil
}

// statusHost returns to what the domains of status pages are to point.
func (c Config) statusHost() string {
	if c.StatusHost != "" {
		return c.StatusHost
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// dns returns the resolver for the domains of status pages. The operator chose the name server, so it may have any address. A query ends
// with its context; Go alone waits 5 s for a name server that does not respond, and the server could not stop meanwhile.
func (c Config) dns() *net.Resolver {
	dialer := dial.New(dial.Anywhere())
	return &net.Resolver{PreferGo: c.Resolver != "", Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, cmp.Or(c.Resolver, address))
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		return conn, nil
	}}
}

// domains are the loops that look in DNS for the domains of status pages.
func (a *App) domains() []*loop.Loop {
	return watch.NewStatusDomains(watch.StatusDomainOptions{
		DB: a.store.DB, Status: a.store.Status, DNS: a.cfg.dns(), Host: a.cfg.statusHost(), Now: a.now, Log: a.log,
	}).Loops()
}
