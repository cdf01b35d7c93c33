package probe_test

import (
	"net"
	"strings"
	"testing"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/setttest/nameserver"
)

// listen opens a port of this machine and accepts nothing itself: the system does.
func listen(t *testing.T) *net.TCPAddr {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().(*net.TCPAddr)
}

// openTCP returns a check of every kind that may look at this machine.
func openTCP(change ...func(*probe.Options)) checker { return checker(probe.New(options(change...))) }

func TestTCPPortIsOpen(t *testing.T) {
	t.Parallel()
	port := listen(t)
	for _, scheme := range []string{"tcp://", "TCP://"} {
		r := check(t, openTCP(), checks.ProbeRequest{URL: scheme + port.String()})
		if !r.Up || r.RemoteAddr != port.String() || r.Status != 0 || r.Certificate != nil || len(r.Headers)+len(r.Body) > 0 {
			t.Errorf("%s: %+v", scheme, r)
		}
		if p := r.Phases; p.Connect <= 0 || p.TLS+p.FirstByte+p.Body != 0 {
			t.Errorf("phases %+v", p)
		}
	}
}

func TestTCPPortIsClosed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	r := check(t, openTCP(), checks.ProbeRequest{URL: "tcp://" + listener.Addr().String()})
	if r.Reason != "Connection refused" || r.Phase != "" || r.RemoteAddr != "" {
		t.Errorf("reason %q, phase %q, remote %q", r.Reason, r.Phase, r.RemoteAddr)
	}
}

func TestTCPNames(t *testing.T) {
	t.Parallel()
	port := listen(t)
	for name, tt := range map[string]struct {
		host   string
		answer nameserver.Answer
		reason string
		phase  checks.ProbePhase
	}{
		"is here":         {"db.test.", nameserver.Is("127.0.0.1"), "", ""},
		"is beyond ASCII": {"dätenbank.test.", nameserver.Is("127.0.0.1"), "", ""},
		"is nowhere":      {"db.test.", nameserver.Answer{}, "Host name not found: db.test.", ""},
		"is unknown":      {"db.test.", nameserver.Answer{Fails: true}, "DNS lookup failed", ""},
		"has no answer":   {"db.test.", nameserver.Answer{Silent: true}, "DNS lookup timed out after 1s", checks.PhaseDNS},
		"is private": {
			"db.test.", nameserver.Is("10.0.0.7"), "Connections to 10.0.0.7, an address of a private network, are not allowed; " +
				"to allow it, add 10.0.0.7 to SETT_EGRESS_ALLOW and restart the server", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := long
			if tt.answer.Silent {
				timeout = short
			}
			h := openTCP(func(o *probe.Options) {
				policy := local()
				policy.Public = true
				o.Dialer = dial.New(policy, dial.WithResolver(nameserver.Resolver(func(string) nameserver.Answer { return tt.answer })))
			})
			_, number, _ := net.SplitHostPort(port.String())
			r := check(t, h, checks.ProbeRequest{URL: "tcp://" + tt.host + ":" + number, Timeout: timeout})
			if r.Reason != tt.reason || r.Phase != tt.phase {
				t.Errorf("reason %q, phase %q; want %q, %q", r.Reason, r.Phase, tt.reason, tt.phase)
			}
		})
	}
}

// What rules would have refused has a reason as well: agents cannot rely on the server's rules.
func TestTCPAddressesWithoutAPort(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"tcp://db.test", "tcp://:5432", "tcp://", "tcp://db.test:x", "tcp:db.test:1"} {
		if r := check(t, openTCP(), checks.ProbeRequest{URL: url}); !strings.HasPrefix(r.Reason, "The address must be a host and a port") {
			t.Errorf("%s: reason %q", url, r.Reason)
		}
	}
}

// An agent that is older than its server has no result for what it does not know.
func TestUnknownKindsHaveNoResult(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"dns://user:sesame@db.test", "", "://", strings.Repeat("x", 100) + "://sesame"} {
		r, err := openTCP()(t.Context(), checks.ProbeRequest{URL: url})
		if err == nil || r.Reason != "" || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %+v, %v", url, r, err)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	types, schemes := map[string]bool{}, map[string]bool{}
	for _, k := range probe.Kinds() {
		if k.Name == "" || k.Label == "" || k.Hint == "" || k.Input == "" || k.Does == "" || k.Wants(checks.NewSiteSettings()) == "" || types[k.Type] {
			t.Errorf("%s has something twice or not at all", k.Type)
		}
		types[k.Type] = true
		for _, s := range k.Schemes {
			if schemes[s] {
				t.Errorf("two kinds have %s", s)
			}
			schemes[s] = true
		}
		made, err := checks.SiteChange{URL: sett.Some(k.Example)}.Among(probe.Rules()).Apply(checks.NewSiteSettings())
		if found, ok := probe.Find(made.URL); err != nil || !ok || found.Type != k.Type {
			t.Errorf("%s: its example %q: %v", k.Type, k.Example, err)
		}
		if found, ok := probe.OfType(k.Type); !ok || found.Name != k.Name {
			t.Errorf("%s is not found", k.Type)
		}
	}
}

func TestRulesOfTCPSites(t *testing.T) {
	t.Parallel()
	const starts = "url must be a URL that starts with http://, https:// or tcp://"
	const only = "url must be only a host and a port, such as tcp://db.example.org:5432, because no data is sent"
	const unused = " must be left at the default because a TCP check only opens a connection; null resets it"
	for url, want := range map[string]string{
		"tcp://db.test:5432":      "",
		"tcp://db.test:5432/":     "",
		"TCP://[2001:db8::1]:22":  "",
		"tcp://203.0.113.9:65535": "",
		"db.test:5432":            starts,
		"udp://db.test:53":        starts,
		"tcp:db.test:5432":        starts,
		"tcp://db.test":           "url must have a port, such as tcp://db.example.org:5432",
		"tcp://db.test:":          "url must have a port, such as tcp://db.example.org:5432",
		"tcp://db.test:0":         "url must have a port from 1 to 65535",
		"tcp://db.test:65536":     "url must have a port from 1 to 65535",
		"tcp://db.test:https":     "url is not a valid URL; write it like tcp://db.example.org:5432",
		"tcp://:5432":             "url must name a host, such as tcp://db.example.org:5432",
		"tcp://a..b:5432":         "url must name a host with something between its dots, such as shop.example.org",
		"tcp://db.test:5432/x":    only,
		"tcp://db.test:5432?x":    only,
		"tcp://db.test:5432#x":    only,
		"tcp://ann@db.test:5432":  only,
	} {
		wantRefusal(t, url, checks.SiteChange{URL: sett.Some(url)}, checks.NewSiteSettings(), want)
	}
	web := checks.NewSiteSettings()
	web.URL, web.Method, web.ValidateSSL, web.Match = "https://shop.test", "POST", false, "fine"
	port := sett.Some("tcp://db.test:5432")
	for name, c := range map[string]struct {
		change checks.SiteChange
		old    checks.SiteSettings
		want   string
	}{
		"no headers":               {checks.SiteChange{URL: port, RequestHeaders: sett.Some([]checks.ProbeHeader{})}, checks.NewSiteSettings(), ""},
		"defaults are no settings": {checks.SiteChange{URL: port, MatchType: sett.Some("success"), RequestMethod: sett.Some("GET"), ValidateSSL: sett.Some(true)}, checks.NewSiteSettings(), ""},
		"a text":                   {checks.SiteChange{URL: port, MatchType: sett.Some("include"), Match: sett.Some("fine")}, checks.NewSiteSettings(), "match" + unused + "; match_type" + unused},
		"a body":                   {checks.SiteChange{URL: port, RequestBody: sett.Some("x")}, checks.NewSiteSettings(), "request_body" + unused},
		"a header":                 {checks.SiteChange{URL: port, RequestHeaders: sett.Some([]checks.ProbeHeader{{Key: "A"}})}, checks.NewSiteSettings(), "request_headers" + unused},
		"what was set before":      {checks.SiteChange{URL: port}, web, "match" + unused + "; request_method" + unused + "; validate_ssl" + unused},
		"what is reset": {checks.SiteChange{
			URL: port, Match: sett.Optional[string]{Sent: true, Null: true}, RequestMethod: sett.Optional[string]{Sent: true, Null: true},
			ValidateSSL: sett.Optional[bool]{Sent: true, Null: true},
		}, web, ""},
	} {
		wantRefusal(t, name, c.change, c.old, c.want)
	}
	if _, err := (checks.SiteChange{URL: port}).Apply(checks.NewSiteSettings()); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("without kinds: %v", err)
	}
}

// wantRefusal applies a change to the settings old; want is "" if nothing is wrong with it.
func wantRefusal(t *testing.T, name string, c checks.SiteChange, old checks.SiteSettings, want string) {
	t.Helper()
	_, err := c.Among(probe.Rules()).Apply(old)
	if want == "" && err != nil || want != "" && (err == nil || err.Error() != "Please correct: "+want+".") {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}
