package probe_test

import (
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
	"sett/internal/setttest/nameserver"
	"sett/internal/setttest/target"
)

// asking returns a probe that may look at 127.0.0.1 and gets its addresses from a test.
func asking(answer func(string) nameserver.Answer) *probe.HTTP {
	return open(func(o *probe.Options) {
		o.Dialer = dial.New(dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}},
			dial.WithResolver(nameserver.Resolver(answer)))
	})
}

func TestCheckNames(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	_, port, _ := strings.Cut(site.Addr, ":")
	for name, tt := range map[string]struct {
		answer  nameserver.Answer
		timeout time.Duration
		reason  string
		phase   checks.ProbePhase
	}{
		"is here":       {nameserver.Is("127.0.0.1"), long, "", ""},
		"is both":       {nameserver.Is("127.0.0.3", "127.0.0.1"), long, "", ""},
		"is nowhere":    {nameserver.Answer{}, long, "Host name not found: site.test.", ""},
		"is unknown":    {nameserver.Answer{Fails: true}, long, "DNS lookup failed", ""},
		"has no answer": {nameserver.Answer{Silent: true}, short, "DNS lookup timed out", checks.PhaseDNS},
		"is forbidden": {
			nameserver.Is("169.254.169.254"), long,
			"Connections to 169.254.169.254, a cloud metadata service, are not allowed; " +
				"to allow it, add 169.254.169.254 to SETT_EGRESS_ALLOW and restart the server", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := asking(func(string) nameserver.Answer { return tt.answer })
			r := check(t, h, checks.ProbeRequest{URL: "http://site.test.:" + port, Timeout: tt.timeout})
			if r.Reason != tt.reason || r.Phase != tt.phase {
				t.Errorf("reason %q, phase %q; want %q, %q", r.Reason, r.Phase, tt.reason, tt.phase)
			}
			if p := r.Phases; p.DNS <= 0 || r.Up != (p.Connect > 0 && p.FirstByte > 0 && p.Body > 0) || p.TLS != 0 {
				t.Errorf("phases %+v", p)
			}
		})
	}
}

// A name is looked up for each check, and what it is then decides whether it may be reached.
func TestCheckReboundName(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	_, port, _ := strings.Cut(site.Addr, ":")
	var rebound atomic.Bool
	h := asking(func(string) nameserver.Answer {
		if rebound.Load() {
			return nameserver.Is("127.0.0.2")
		}
		return nameserver.Is("127.0.0.1")
	})
	ask := checks.ProbeRequest{URL: "http://rebind.test.:" + port}
	if r := check(t, h, ask); !r.Up {
		t.Error(r.Reason)
	}
	rebound.Store(true)
	if r := check(t, h, ask); !strings.HasPrefix(r.Reason, "Connections to 127.0.0.2, a loopback address, are not allowed") || !r.Blocked {
		t.Errorf("reason %q, blocked %t", r.Reason, r.Blocked)
	}
}

func TestCheckPortIsClosed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	r := check(t, open(), checks.ProbeRequest{URL: "http://" + listener.Addr().String()})
	if r.Reason != "Connection refused" || r.Phase != "" || r.RemoteAddr != "" {
		t.Errorf("reason %q, phase %q, remote %q", r.Reason, r.Phase, r.RemoteAddr)
	}
}

// No spelling of a host gets around the policy.
func TestCheckDisguisedHosts(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	_, port, _ := strings.Cut(site.Addr, ":")
	for _, url := range []string{
		"http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://example.com@127.0.0.1:PORT/", "http://example.com:80@127.0.0.1:PORT/",
		"http://127.0.0.1:PORT?@example.com/", "http://127。0。0。1:PORT/", "http://１２７.0.0.1:PORT/",
		"http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://0.0.0.0:PORT/", "http://2130706433:PORT/",
		"http://127.1:PORT/", "http://0x7f.1:PORT/",
	} {
		h := open(func(o *probe.Options) { o.Dialer = dial.New(dial.Policy{}) })
		r := check(t, h, checks.ProbeRequest{URL: strings.ReplaceAll(url, "PORT", port), Timeout: 5 * time.Second})
		refused := strings.HasPrefix(r.Reason, "Connections to ") || strings.HasPrefix(r.Reason, "Host name not found: ")
		if !refused && r.Reason != "DNS lookup failed" && r.Reason != "DNS lookup timed out" { // numbers that are no address are names
			t.Errorf("%s: reason %q", url, r.Reason)
		}
	}
	if site.Visits() != 0 {
		t.Error("a connection was made")
	}
}
