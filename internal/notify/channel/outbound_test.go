package channel

import (
	"errors"
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
	"sett/internal/setttest/nameserver"
)

// addressed are the kinds that send where people say.
func addressed(server string) []tried {
	return slices.DeleteFunc(triedKinds(server), func(c tried) bool {
		return !slices.ContainsFunc(c.Options, func(o Option) bool { return o.Form == Address && c.values[o.Name] != "" })
	})
}

// loopback is a name server that has only this machine to offer, as the system's resolver takes 2130706433 and 0x7f.1 for it.
func loopback(string) nameserver.Answer { return nameserver.Is("127.0.0.1", "::1") }

// No spelling of an address gets a message into this machine, its network's own addresses, or a cloud's metadata.
func TestNoKindReachesForbiddenNetworks(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	client := dial.New(dial.Policy{}, dial.WithResolver(nameserver.Resolver(loopback))).Client(time.Minute)
	for _, host := range []string{
		"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0x7f.example.com", "user:pass@127.0.0.1", "example.com@127.0.0.1",
		"localhost", "localhost.", "LOCALHOST", "anything.example.com", "127。0。0。1", "0.0.0.0", "[::]", "169.254.169.254", "[fe80::1]", "[64:ff9b::7f00:1]",
	} {
		for _, c := range addressed("http://" + host + ":" + port) {
			for range 2 {
				_, err := c.sender("", client).Send(t.Context(), samples()["occurred"])
				checkForbidden(t, c, host, err)
			}
		}
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("%d messages arrived", n)
	}
	if n := len(addressed(server.URL)); n < 9 {
		t.Errorf("only %d kinds were tried", n)
	}
}

// Numbers that only some resolvers take for this machine are not addresses, with any resolver.
func TestNoKindReachesNumbers(t *testing.T) {
	t.Parallel()
	client := &http.Client{Transport: tripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("a request would be sent") })}
	for _, host := range []string{"2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.1.", "ann:pass@2130706433", "127.0.0.1."} {
		for _, c := range addressed("http://" + host + ":8080") {
			_, err := c.sender("", client).Send(t.Context(), samples()["occurred"])
			checkFailure(t, err, true, "the URL of the channel is not valid; correct it")
		}
	}
}

func checkForbidden(t *testing.T, c tried, host string, err error) {
	t.Helper()
	f, failed := errors.AsType[*Failure](err)
	if !failed || !f.Permanent || f.Gone || !strings.Contains(f.Problem, "are not allowed; to allow it, add") {
		t.Errorf("%s to %s: %v", c.name, host, err)
	}
}

// A name that was allowed when it was first looked up is refused once it leads elsewhere.
func TestNoKindIsRebound(t *testing.T) {
	t.Parallel()
	r := startRecorder(t)
	_, port, _ := net.SplitHostPort(r.Listener.Addr().String())
	for _, c := range addressed("http://rebinding.example.com:" + port) {
		var inside atomic.Bool
		resolver := nameserver.Resolver(func(string) nameserver.Answer {
			if inside.Load() {
				return nameserver.Is("127.0.0.2")
			}
			return nameserver.Is("127.0.0.1")
		})
		open := dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
		client := dial.New(open, dial.WithResolver(resolver)).Client(time.Minute)
		if _, err := c.sender("", client).Send(t.Context(), samples()["occurred"]); err != nil {
			t.Errorf("%s: the server is not what the name leads to: %v", c.name, err)
		}
		inside.Store(true)
		_, err := c.sender("", client).Send(t.Context(), samples()["occurred"])
		checkForbidden(t, c, "a name that changed", err)
		if n := len(r.take()); n != 1 {
			t.Errorf("%s: %d messages arrived, want the first", c.name, n)
		}
	}
}

// tripper sees where a request would go.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Where messages go whose service has one address.
func TestServicesHaveAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   string
		values Values
		want   string
	}{
		{"Slack", Values{"token": "x", "channel_id": "C1"}, "https://slack.com/api/chat.postMessage"},
		{"Telegram", Values{"token": "1:a", "chat_id": "2"}, "https://api.telegram.org/bot1:a/sendMessage"},
		{"Telegram", Values{"token": "../evil?x#y", "chat_id": "2"}, "https://api.telegram.org/bot..%2Fevil%3Fx%23y/sendMessage"},
		{"PagerDutyV2", Values{}, "https://events.pagerduty.com/v2/enqueue"},
		{"PagerDutyV2", Values{"region": "eu"}, "https://events.eu.pagerduty.com/v2/enqueue"},
		{"Opsgenie", Values{}, "https://api.opsgenie.com/v2/alerts"},
		{"Opsgenie", Values{"region": "eu"}, "https://api.eu.opsgenie.com/v2/alerts"},
		{"JSM", Values{}, "https://api.atlassian.com/jsm/ops/integration/v2/alerts"},
		{"Pushover", Values{}, "https://api.pushover.net/1/messages.json"},
		{"Zulip", Values{"site": "https://chat.test/zulip/"}, "https://chat.test/zulip/api/v1/messages"},
		{"Github", Values{"repo": "acme/.github"}, "https://api.github.com/repos/acme/.github/issues"},
		{"Github", Values{"repo": "acme/shop", "server": "https://git.test/api/v3/"}, "https://git.test/api/v3/repos/acme/shop/issues"},
		{"Gitlab", Values{"server": "https://gitlab.com", "project": "acme/web/shop"}, "https://gitlab.com/api/v4/projects/acme%2Fweb%2Fshop/issues"},
		{"Gitlab", Values{"server": "https://git.test/lab", "project": "17"}, "https://git.test/lab/api/v4/projects/17/issues"},
		{"Jira", Values{"server": "https://acme.atlassian.net"}, "https://acme.atlassian.net/rest/api/2/issue"},
		{"Linear", Values{}, "https://api.linear.app/graphql"},
		{"Trello", Values{}, "https://api.trello.com/1/cards"},
		{"Discord", Values{"url": "https://discord.com/api/webhooks/1/x?thread_id=5"}, "https://discord.com/api/webhooks/1/x?thread_id=5&wait=true"},
	} {
		k, _ := Find(c.kind)
		got := ""
		client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return nil, errors.New("not from a test")
		})}
		_, err := k.Make(Tools{HTTP: client}, c.values).Send(t.Context(), samples()["occurred"])
		if err == nil || got != c.want {
			t.Errorf("%s goes to %s (%v), want %s", c.kind, got, err, c.want)
		}
	}
}
