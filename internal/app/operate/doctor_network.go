package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/base/dial"
	"sett/internal/notify/channel"
	"sett/internal/serve"
)

// lookPatience is the timeout of each network check.
const lookPatience = 5 * time.Second

// ports looks whether the server could listen. When one runs, it does.
func (d *doctor) ports(ctx context.Context) {
	for _, address := range []string{d.Listen, d.TLSListen} {
		if address == "" || d.served {
			continue
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if d.failed("port", err) {
			continue
		}
		_ = l.Close() // no connection was accepted
		d.found("port", Fine, "%s is available", address)
	}
}

// baseURL checks whether the base URL reaches a sett server.
func (d *doctor) baseURL(ctx context.Context) {
	const check = "base URL"
	if d.BaseURL == "" {
		return
	}
	base, err := url.Parse(d.BaseURL)
	if d.failed(check, err) {
		return
	}
	switch problem := d.askHealth(ctx); {
	case problem == serve.UnknownProxy:
		d.found(check, Warn, "%s reaches sett through a proxy that is not trusted, so all clients share one address; add its network to --trusted-proxies (SETT_TRUSTED_PROXIES)", d.BaseURL)
	case problem == "" && base.Scheme == "http" && !isLocal(base.Hostname()):
		d.found(check, Warn, "%s reaches sett, but without HTTPS: passwords and keys are sent unencrypted; see HTTPS in docs/administration.md", d.BaseURL)
	case problem == "":
		d.found(check, Fine, "%s reaches sett", d.BaseURL)
	case !d.served:
		d.found(check, Warn, "%s does not reach sett (%s), because no server is running", d.BaseURL, problem)
	default:
		d.found(check, Fails, "%s does not reach sett from here (%s); correct --base-url (SETT_BASE_URL), DNS or the proxy", d.BaseURL, problem)
	}
}

// askHealth returns why the base URL does not answer as a sett, or nothing when it does.
func (d *doctor) askHealth(ctx context.Context) (problem string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.BaseURL+"/healthz", http.NoBody)
	if err != nil {
		return err.Error()
	}
	response, err := dial.New(dial.Anywhere()).Client(lookPatience).Do(request) // the operator has set it
	if err != nil {
		return Reason(err).Error()
	}
	defer response.Body.Close()
	var health struct {
		Status string `json:"status"`
		Proxy  string `json:"proxy"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<10)).Decode(&health); err != nil || health.Status != "ok" {
		return fmt.Sprintf("another server responds there, with status %d", response.StatusCode)
	}
	return health.Proxy
}

func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && (address.IsLoopback() || address.IsPrivate())
}

// names looks whether the names that the server needs can be looked up.
func (d *doctor) names(ctx context.Context) {
	hosts := []string{hostOf(d.BaseURL), hostOf(d.SMTPURL)}
	for _, address := range d.Canaries {
		hosts = append(hosts, hostOf(address))
	}
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	slices.Sort(hosts)
	var unknown, known []string
	for _, host := range slices.Compact(hosts) {
		if _, err := netip.ParseAddr(host); err == nil || host == "" || host == "localhost" {
			continue
		}
		if _, err := d.DNS.LookupHost(ctx, host); err != nil {
			unknown = append(unknown, host)
			continue
		}
		known = append(known, host)
	}
	switch {
	case len(unknown) > 0:
		d.found("names", Fails, "not found in DNS: %s; check the names and the name server (--resolver, SETT_RESOLVER)", strings.Join(unknown, ", "))
	case len(known) > 0:
		d.found("names", Fine, "found in DNS: %s", strings.Join(known, ", "))
	case d.Resolver != "":
		d.resolver(ctx)
	default:
		d.found("names", Fine, "no setting uses a DNS name")
	}
}

// resolver checks whether the configured name server responds at all: a missing name is a response.
func (d *doctor) resolver(ctx context.Context) {
	_, err := d.DNS.LookupHost(ctx, "sett.invalid")
	if e, ok := errors.AsType[*net.DNSError](err); err == nil || ok && e.IsNotFound {
		d.found("names", Fine, "the name server at %s responds", d.Resolver)
		return
	}
	d.found("names", Fails, "the name server at %s does not respond; correct --resolver (SETT_RESOLVER)", d.Resolver)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// egress states what checks and webhooks may reach.
func (d *doctor) egress(context.Context) { d.found("egress", Fine, "%s", d.EgressRules) }

// canaries checks whether the canaries can be reached under the rules of checks.
func (d *doctor) canaries(ctx context.Context) {
	client := dial.New(d.Egress).Client(lookPatience)
	var silent []string
	for _, address := range d.Canaries {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err == nil {
			var response *http.Response
			if response, err = client.Do(request); err == nil {
				_ = response.Body.Close() // that it answers is all
			}
		}
		if err != nil {
			silent = append(silent, fmt.Sprintf("%s (%v)", address, Reason(err)))
		}
	}
	switch {
	case len(d.Canaries) == 0:
	case len(silent) > 0:
		d.found("checks", Warn, "canaries that do not respond: %s; check the internet connection of this machine, --canaries and --egress-deny", strings.Join(silent, ", "))
	default:
		d.found("checks", Fine, "all canaries respond")
	}
}

// mail looks whether the mail server lets sett in.
func (d *doctor) mail(ctx context.Context) {
	if d.SMTPURL == "" {
		d.found("mail", Warn, "email is off, so invitations and password resets cannot be sent; set --smtp-url (SETT_SMTP_URL)")
		return
	}
	server, err := channel.ParseMailServer(d.SMTPURL)
	if d.failed("mail", err) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*lookPatience)
	defer cancel()
	if err := channel.NewEmail(channel.EmailOptions{Server: server, Dialer: dial.New(dial.Anywhere())}).Greet(ctx); err != nil {
		d.found("mail", Fails, "%v", err)
		return
	}
	d.mails(ctx)
}

// mails looks whether the mails that were to be sent were.
func (d *doctor) mails(ctx context.Context) {
	if d.store != nil && d.current(ctx) {
		f, err := d.store.ServerFigures(ctx)
		if d.failed("mail", err) {
			return
		}
		if f.MailsGivenUp > 0 {
			d.found("mail", Warn, "the mail server accepts connections, but %d emails failed; the log of the server has the reasons", f.MailsGivenUp)
			return
		}
	}
	d.found("mail", Fine, "the mail server accepts connections; send a test email at /admin/mail")
}
