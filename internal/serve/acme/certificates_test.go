package acme

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/store"
)

const day = 24 * time.Hour

// Names that nothing is served at cost neither an order nor a statement: there is no store to ask.
func TestStrangersAreRefusedFromMemory(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	n := newNode(t, nil, i)
	for _, asked := range []string{"", "example.org", "x." + i.name, i.name + ".example.org", "192.0.2.1", "*.example.org"} {
		for _, protocol := range []string{"http/1.1", challengeProtocol} {
			if _, err := n.shake(t, asked, protocol); err == nil {
				t.Errorf("%q has a certificate for %s", asked, protocol)
			}
		}
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "next") })
	for _, host := range []string{"example.org", "", "127.0.0.1:80", "[::1]:80"} {
		r, w := httptest.NewRequest(http.MethodGet, challengePath+"x", nil), httptest.NewRecorder()
		r.Host = host
		if n.Challenges(next).ServeHTTP(w, r); w.Body.String() != "next" {
			t.Errorf("the challenge of %q is answered with %q", host, w.Body)
		}
	}
	if i.orders() > 0 {
		t.Errorf("%d orders", i.orders())
	}
}

// Handshakes that come at once make one order, another node takes what is stored, and no key is in a log.
func TestOneOrderForAll(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		i := newIssuer(t)
		one, two := newNode(t, s, i), newNode(t, s, i)
		if one.Ready(i.name) {
			t.Error("there is HTTPS before there is a certificate")
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { one.has(t) })
		}
		all.Wait()
		if first, second := one.has(t), two.has(t); !first.Equal(second) || i.orders() != 1 {
			t.Errorf("%d orders; the same certificate: %v", i.orders(), first.Equal(second))
		}
		if !one.Ready(i.name) || !two.Ready(i.name) {
			t.Error("there is a certificate and no HTTPS")
		}
		if one.clock.push(90 * day); one.Ready(i.name) {
			t.Error("there is HTTPS with a certificate that has ended")
		}
		one.Stop()
		if log := one.log.String(); !strings.Contains(log, `msg="a certificate was obtained" domain=`+i.name) || strings.Contains(log, "PRIVATE KEY") {
			t.Errorf("the log:\n%s", log)
		}
	})
}

// An order that failed is not repeated by those who come, and is when some time has passed.
func TestFailedOrdersWait(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		i := newIssuer(t)
		i.set(true, 0)
		n := newNode(t, s, i)
		for orders, wait := range []time.Duration{firstRetry, 2 * firstRetry, 4 * firstRetry, 8 * firstRetry, lastRetry, lastRetry} {
			for range 50 {
				if _, err := n.shake(t, i.name); err == nil {
					t.Fatal("there is a certificate")
				}
			}
			if i.orders() != orders+1 {
				t.Fatalf("%d orders, want %d", i.orders(), orders+1)
			}
			if n.clock.push(wait - time.Minute); n.mayNot(t) {
				t.Fatalf("another order is made before %v are over", wait)
			}
			n.clock.push(time.Minute)
		}
		i.set(false, 90*day)
		n.has(t)
	})
}

// mayNot reports whether a handshake makes an order that is not due.
func (n *node) mayNot(t *testing.T) bool {
	i := n.ordering.Issuers[0].(*issuer)
	before := i.orders()
	_, _ = n.shake(t, i.name)
	return i.orders() != before
}

// A certificate that is about to expire is renewed even without visitors, and so is one that expired while the server was off.
func TestCertificatesAreRenewed(t *testing.T) {
	t.Parallel()
	for story, left := range map[string]time.Duration{"about to end": 5 * day, "ended": -day} {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			engines(t, func(t *testing.T, s *store.Store) {
				i := newIssuer(t)
				i.set(false, left)
				one, two := newNode(t, s, i), newNode(t, s, i)
				first := one.has(t)
				i.set(false, 90*day)
				if err := one.cache.RenewManagedCertificates(t.Context()); err != nil {
					t.Fatal(err)
				}
				second := one.has(t)
				for ; second.Equal(first) && t.Context().Err() == nil; second = one.has(t) {
				}
				if _, err := two.Keep(t.Context()); err != nil || !two.Ready(i.name) {
					t.Errorf("%v; the other node knows nothing", err)
				}
				if third := two.has(t); !third.Equal(second) || i.orders() != 2 {
					t.Errorf("%d orders; the same certificate: %v", i.orders(), third.Equal(second))
				}
			})
		})
	}
}

// A stored certificate is used as long as no other is to be had.
func TestCertificatesOutliveTheirIssuer(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		i := newIssuer(t)
		i.set(false, 5*day)
		first := newNode(t, s, i).has(t)
		i.set(true, 0)
		if again := newNode(t, s, i); !again.has(t).Equal(first) || !again.Ready(i.name) || i.orders() != 2 {
			t.Errorf("HTTPS: %v, %d orders", again.Ready(i.name), i.orders())
		}
	})
}

// What is stored is loaded, and renewed where it has to be, before anybody comes; what is not served any more goes.
func TestKeep(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		i := newIssuer(t)
		i.set(false, -day)
		newNode(t, s, i).has(t)
		i.set(false, 90*day)
		n := newNode(t, s, i)
		n.served.Delete(i.name)
		n.keep(t)
		if n.loaded(i.name) || i.orders() != 1 {
			t.Errorf("a certificate of a name that is not served is loaded; %d orders", i.orders())
		}
		n.served.Store(i.name, true)
		if n.keep(t); !n.Ready(i.name) || i.orders() != 2 {
			t.Errorf("HTTPS: %v, %d orders", n.Ready(i.name), i.orders())
		}
		n.served.Delete(i.name)
		if n.keep(t); n.loaded(i.name) {
			t.Error("a certificate stays in memory that nothing is served with")
		}
		if _, err := n.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if names, err := n.stored(t.Context()); err != nil || len(names) != 1 {
			t.Errorf("%v are left: %v", names, err)
		}
	})
}

func (n *node) keep(t *testing.T) {
	t.Helper()
	if _, err := n.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Certificates that ended long ago are deleted.
func TestPrune(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		i := newIssuer(t)
		i.set(false, -endedStay-day)
		n := newNode(t, s, i)
		n.has(t)
		if _, err := n.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if names, err := n.stored(t.Context()); err != nil || len(names) > 0 {
			t.Errorf("%v are left: %v", names, err)
		}
	})
}
