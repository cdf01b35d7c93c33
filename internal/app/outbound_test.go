package app

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/serve"
	"sett/internal/sett/checks"
	"sett/internal/store"
)

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// wide is a server whose settings allow everything.
func wide() *App {
	return &App{store: &store.Store{}, cfg: Config{
		BaseURL: "https://sett.example.test", EgressAllow: prefixes("0.0.0.0/0", "::/0"), SignIn: SignIn{ProxyHeader: "Remote-Email"},
	}, now: time.Now, log: slog.New(slog.DiscardHandler)}
}

// What strangers give is reached only where it is public, although the settings allow more to those who are known.
func TestStrangersWebhooksStayPublic(t *testing.T) {
	t.Parallel()
	a := wide()
	a.setUpNotifications(nil, "")
	var visits atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(inside.Close)
	post := func(client *http.Client) error {
		response, err := client.Post(inside.URL, "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	if err := post(a.dispatcher.Tools.HTTP); err != nil || visits.Load() != 1 {
		t.Errorf("an integration: %v, %d visits", err, visits.Load())
	}
	err := post(a.statusNotifier.Tools.HTTP)
	if e, ok := errors.AsType[*dial.ForbiddenError](err); !ok || !e.Fixed || visits.Load() != 1 {
		t.Errorf("a subscriber: %v, %d visits", err, visits.Load())
	}
}

// Checks and webhooks do not reach the server's own listener, and are known where they come back by a detour.
func TestOutboundStaysOutside(t *testing.T) {
	t.Parallel()
	a := wide()
	var marks []string
	served := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { marks = r.Header.Values(serve.OutboundHeader) }))
	t.Cleanup(served.Close)
	look := func(headers ...checks.ProbeHeader) checks.ProbeResult {
		request := a.marked(checks.ProbeRequest{URL: served.URL, MatchType: checks.MatchSuccess, Headers: headers})
		result, err := probing(a.outbound(a.cfg.egress()), a.cfg.BaseURL, time.Now)(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	want := []string{serve.OutboundMark(a.cfg.BaseURL)}
	if r := look(checks.ProbeHeader{Key: "sett-outbound", Value: "none"}); !r.Up || !slices.Equal(marks, want) {
		t.Errorf("%q, marks %q", r.Reason, marks)
	}
	a.own.Add(served.Listener.Addr())
	if r := look(); r.Up || !strings.Contains(r.Reason, "sett itself listens there") {
		t.Errorf("up %t, %q", r.Up, r.Reason)
	}
	_, port, _ := net.SplitHostPort(served.Listener.Addr().String())
	if _, err := a.outbound(a.cfg.egress()).Client(time.Minute).Get("http://localhost:" + port); !strings.Contains(err.Error(), "sett itself listens there") {
		t.Errorf("a webhook: %v", err)
	}
}

// A check that has the header of users from before it was refused is sent without it, to agents too.
func TestMarkedChecksNameNoUser(t *testing.T) {
	t.Parallel()
	got := wide().marked(checks.ProbeRequest{Headers: []checks.ProbeHeader{{Key: "remote_email", Value: "owner@example.test"}, {Key: "Remote-Email", Value: "x"}, {Key: "X-One", Value: "1"}}})
	if len(got.Headers) != 2 || got.Headers[0].Key != "X-One" || got.Headers[1].Key != serve.OutboundHeader {
		t.Errorf("%v", got.Headers)
	}
}

func TestEgressRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg  Config
		says []string
		open map[string]bool
	}{
		{Config{Egress: "private"}, []string{"private networks, but not this machine", "--egress=public"}, map[string]bool{"10.0.0.1": true, "127.0.0.1": false, "8.8.8.8": true}},
		{Config{Egress: "public"}, []string{"only the public internet"}, map[string]bool{"10.0.0.1": false, "100.64.0.1": false, "fd00::1": false, "8.8.8.8": true}},
		{
			Config{Egress: "public", EgressAllow: prefixes("10.0.0.0/8"), EgressDeny: prefixes("10.1.0.0/16")},
			[]string{"also allowed: 10.0.0.0/8", "denied: 10.1.0.0/16", "narrowest"},
			map[string]bool{"10.0.0.1": true, "10.1.0.1": false, "192.168.1.1": false},
		},
	} {
		for _, part := range append(c.says, "subscribers may reach only public addresses") {
			if said := c.cfg.egressRules(); !strings.Contains(said, part) {
				t.Errorf("%q lacks %q", said, part)
			}
		}
		for addr, want := range c.open {
			if got := c.cfg.egress().Check(netip.MustParseAddr(addr)) == nil; got != want {
				t.Errorf("%s with %s: %t", addr, c.cfg.Egress, got)
			}
		}
	}
}
