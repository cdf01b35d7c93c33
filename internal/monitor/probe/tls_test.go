package probe_test

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
	"sett/internal/setttest/nameserver"
	"sett/internal/setttest/target"
)

// trusting returns a probe that trusts the authority and finds every name at this machine.
func trusting(roots *x509.CertPool, change ...func(*probe.Options)) *probe.HTTP {
	return open(append([]func(*probe.Options){func(o *probe.Options) {
		o.Roots = roots
		o.Dialer = dial.New(dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
			dial.WithResolver(nameserver.Resolver(func(string) nameserver.Answer { return nameserver.Is("127.0.0.1") })))
	}}, change...)...)
}

// Whether a certificate that is not valid fails the check is the check's to say; it is reported in any case.
func TestCheckCertificates(t *testing.T) {
	t.Parallel()
	authority, strangers := target.NewAuthority(), target.NewAuthority()
	year := func(years int) time.Time { return now.AddDate(years, 0, 0) }
	for name, tt := range map[string]struct {
		config  *tls.Config
		problem string
	}{
		"good":          {authority.Config(target.Certificate{}), ""},
		"expired":       {authority.Config(target.Certificate{NotAfter: year(-1)}), "SSL certificate has expired"},
		"long over":     {authority.Config(target.Certificate{NotBefore: year(-2), NotAfter: year(-1)}), "SSL certificate has expired"},
		"a moment ago":  {authority.Config(target.Certificate{NotAfter: now.Add(-time.Second)}), "SSL certificate has expired"},
		"not yet valid": {authority.Config(target.Certificate{NotBefore: year(1)}), "SSL certificate is not yet valid"},
		"self-signed":   {authority.Config(target.Certificate{SelfSigned: true}), "SSL certificate is self-signed"},
		"strangers":     {strangers.Config(target.Certificate{}), "SSL certificate is signed by an unknown authority"},
		"wrong host":    {authority.Config(target.Certificate{Host: "example.com"}), "SSL certificate is not valid for 127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{TLS: tt.config})
			for _, strict := range []bool{true, false} {
				r := check(t, trusting(authority.Roots), checks.ProbeRequest{URL: site.URL, ValidateSSL: strict})
				want := tt.problem
				if !strict {
					want = ""
				}
				if r.Reason != want {
					t.Errorf("validated %t: reason %q, want %q", strict, r.Reason, want)
				}
				checkCertificate(t, r.Certificate, tt.config.Certificates[0].Leaf, tt.problem)
			}
		})
	}
}

func checkCertificate(t *testing.T, got *checks.ProbeCertificate, leaf *x509.Certificate, problem string) {
	t.Helper()
	sum := sha256.Sum256(leaf.Raw)
	want := checks.ProbeCertificate{
		Fingerprint: hex.EncodeToString(sum[:]), NotBefore: leaf.NotBefore, NotAfter: leaf.NotAfter, Subject: leaf.Subject.String(),
		Issuer: leaf.Issuer.String(), Problem: problem,
	}
	if got == nil || *got != want {
		t.Errorf("certificate %+v, want %+v", got, want)
	}
}

// The authority between the root and the site has its time too.
func TestCheckExpiredIntermediate(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	for problem, until := range map[string]time.Time{
		"": now.AddDate(1, 0, 0), "The certificate that signed the SSL certificate has expired": now.AddDate(0, 0, -1),
	} {
		site := target.Start(t, target.Options{TLS: authority.Delegate(until).Config(target.Certificate{})})
		if r := check(t, trusting(authority.Roots), checks.ProbeRequest{URL: site.URL, ValidateSSL: true}); r.Reason != problem {
			t.Errorf("reason %q, want %q", r.Reason, problem)
		}
	}
}

// A certificate is one for the host in the URL, however the name is written, or for the one that a Host header names.
func TestCheckCertificateOfName(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	config := authority.Config(target.Certificate{Host: "xn--bcher-kva.test"})
	asked := make(chan string, 1)
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- hello.ServerName
		return nil, nil //nolint:nilnil // the same as for everybody
	}
	site := target.Start(t, target.Options{TLS: config})
	_, port, _ := strings.Cut(site.Addr, ":")
	const name = "xn--bcher-kva.test"
	for _, tt := range []struct{ host, header, asked, reason string }{
		{name, "", name, ""},
		{"bücher.test", "", name, ""},
		{"BÜCHER.TEST", "", name, ""},
		{name + ".", "", name, ""},
		{"other.test", "", "other.test", "SSL certificate is not valid for other.test"},
		{"127.0.0.1", "", "", "SSL certificate is not valid for 127.0.0.1"},
		{"127.0.0.1", name, name, ""},
		{"other.test", "bücher.test:8443", name, ""},
		{name, "inside.test", "inside.test", "SSL certificate is not valid for inside.test"},
	} {
		request := checks.ProbeRequest{URL: "https://" + tt.host + ":" + port, ValidateSSL: true}
		if tt.header != "" {
			request.Headers = headers("host", tt.header)
		}
		r := check(t, trusting(authority.Roots), request)
		if got := <-asked; r.Reason != tt.reason || got != tt.asked {
			t.Errorf("%+v: reason %q, asked for %q", tt, r.Reason, got)
		}
	}
}

// The certificate that counts is the one of the chain that ends first.
func TestCheckEndOfTheChain(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	year, decade := now.AddDate(1, 0, 0), now.AddDate(10, 0, 0)
	for _, tt := range []struct{ deputy, leaf, want time.Time }{{year, decade, year}, {decade, year, year}} {
		config := authority.Delegate(tt.deputy).Config(target.Certificate{NotAfter: tt.leaf})
		site := target.Start(t, target.Options{TLS: config})
		c := check(t, trusting(authority.Roots), checks.ProbeRequest{URL: site.URL}).Certificate
		sum := sha256.Sum256(config.Certificates[0].Certificate[0])
		ofLeaf := c.Fingerprint == hex.EncodeToString(sum[:])
		if !c.NotAfter.Equal(tt.want) || ofLeaf != tt.leaf.Equal(tt.want) || (c.Authority == "") != ofLeaf {
			t.Errorf("the authority ends %s and the site's %s: %+v", tt.deputy, tt.leaf, c)
		}
	}
}

func TestCheckHandshakes(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	good := authority.Config(target.Certificate{})
	old := authority.Config(target.Certificate{MaxVersion: tls.VersionTLS11})
	picky := authority.Config(target.Certificate{})
	picky.ClientAuth = tls.RequireAnyClientCert
	for name, tt := range map[string]struct {
		config   *tls.Config
		greeting target.Behaviour
		timeout  time.Duration
		reason   string
		phase    checks.ProbePhase
	}{
		"hangs":            {good, target.Silent, short, "TLS handshake timed out", checks.PhaseTLS},
		"never reads":      {good, target.Deaf, short, "TLS handshake timed out", checks.PhaseTLS},
		"hangs up":         {good, target.AfterHello(target.Close), long, "Connection closed during the TLS handshake", ""},
		"resets":           {good, target.AfterHello(target.Reset), long, "Connection reset during the TLS handshake", ""},
		"speaks no TLS":    {good, target.Answer(400, "HTTP here"), long, "The server does not use TLS on this port", ""},
		"old TLS":          {old, nil, long, "TLS refused by the server: protocol version not supported", ""},
		"mistakes":         {good, target.Say("\x16\x03\x03\x00\x04\xff\x00\x00\x00"), long, "TLS handshake failed: the server does not support TLS 1.2 or later, or its TLS is faulty", ""},
		"wants to know us": {picky, nil, long, "TLS refused by the server: certificate required", ""},
		"refuses":          {good, target.Say("\x15\x03\x03\x00\x02\x02\x28"), long, "TLS refused by the server: handshake failure", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{TLS: tt.config})
			site.Greet(tt.greeting)
			r := check(t, trusting(authority.Roots), checks.ProbeRequest{URL: site.URL, Timeout: tt.timeout, ValidateSSL: true})
			if r.Reason != tt.reason || r.Phase != tt.phase {
				t.Errorf("reason %q, phase %q; want %q, %q", r.Reason, r.Phase, tt.reason, tt.phase)
			}
		})
	}
}

// Under TLS a site misbehaves as it does without.
func TestCheckMisbehaviourUnderTLS(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	site := target.Start(t, target.Options{TLS: authority.Config(target.Certificate{})})
	for path, want := range map[string]struct {
		reason  string
		timeout time.Duration
	}{
		"/":             {"", long},
		"/close":        {"Connection closed without a response", long},
		"/close-body":   {"", long},
		"/reset":        {"Connection reset without a response", long},
		"/reset-body":   {"", long},
		"/garbage":      {"Response is not valid HTTP", long},
		"/slow-headers": {"No response headers after 1s", short},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			r := check(t, trusting(authority.Roots), checks.ProbeRequest{URL: site.URL + path, Timeout: want.timeout, ValidateSSL: true})
			if r.Reason != want.reason || r.Certificate == nil || r.Phases.TLS <= 0 {
				t.Errorf("reason %q, certificate %v, phases %+v; want %q", r.Reason, r.Certificate, r.Phases, want.reason)
			}
		})
	}
}

// Each look is a stranger: nothing of an earlier one makes its handshake shorter.
func TestCheckResumesNoSession(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	config := authority.Config(target.Certificate{})
	resumed := make(chan bool, 3)
	config.VerifyConnection = func(s tls.ConnectionState) error {
		resumed <- s.DidResume
		return nil
	}
	site := target.Start(t, target.Options{TLS: config})
	h := trusting(authority.Roots)
	for range cap(resumed) {
		if r := check(t, h, checks.ProbeRequest{URL: site.URL, ValidateSSL: true}); !r.Up {
			t.Fatal(r.Reason)
		}
		if <-resumed {
			t.Error("a session was resumed")
		}
	}
	if n := site.Visits(); n != cap(resumed) {
		t.Errorf("%d connections, want %d", n, cap(resumed))
	}
}
