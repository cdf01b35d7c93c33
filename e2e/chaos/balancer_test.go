package chaos

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// balancer passes requests on to nodes in turn, as load balancers commonly do: it asks each every second whether it takes reports, and leaves
// one out that fails twice. It sends no request again that a node may have received.
type balancer struct {
	url   string
	nodes []*upstream
	turn  atomic.Int64

	mu     sync.Mutex
	failed map[int]int // answers of its own, by status
}

// upstream is a node as its balancer sees it.
type upstream struct {
	base string
	web  *http.Client
	up   atomic.Bool
}

// What a balancer waits for.
const (
	probeEvery   = time.Second
	probePatient = 2 * time.Second
	probeFailed  = 2 // probes in a row
	dialPatient  = 2 * time.Second
	nodePatient  = 15 * time.Second // more than a node takes
)

// newBalancer listens at an address of this machine until the test ends.
func newBalancer(t testing.TB, host string, bases ...string) *balancer {
	t.Helper()
	b := &balancer{failed: map[int]int{}}
	for _, base := range bases {
		n := &upstream{base: base, web: &http.Client{Timeout: nodePatient, Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: dialPatient}).DialContext, MaxIdleConnsPerHost: 2 * load.LoadClients,
		}}}
		b.nodes = append(b.nodes, n)
		go n.watch(t.Context())
	}
	b.url = rig.ServeOn(t, host, b)
	return b
}

// watch probes the node until ctx ends.
func (n *upstream) watch(ctx context.Context) {
	web := &http.Client{Timeout: probePatient, Transport: &http.Transport{DisableKeepAlives: true}}
	for failed := 0; ctx.Err() == nil; <-time.After(probeEvery) {
		answer, err := web.Get(n.base + "/readyz/reports")
		if err == nil {
			_ = answer.Body.Close()
		}
		if err == nil && answer.StatusCode == http.StatusOK {
			failed = 0
			n.up.Store(true)
		} else if failed++; failed >= probeFailed {
			n.up.Store(false)
		}
	}
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	status := http.StatusBadGateway
	for range b.nodes {
		n := b.next()
		if n == nil {
			break
		}
		var sent bool
		if sent, status = n.pass(w, r, body); sent {
			break
		}
	}
	if status != 0 {
		b.mu.Lock()
		b.failed[status]++
		b.mu.Unlock()
		w.WriteHeader(status)
	}
}

// next returns the node whose turn it is; nil: none is up.
func (b *balancer) next() *upstream {
	for range b.nodes {
		if n := b.nodes[int(b.turn.Add(1))%len(b.nodes)]; n.up.Load() {
			return n
		}
	}
	return nil
}

// pass passes a request on and answers it. Otherwise it returns whether the node may have received it, and the status to answer with.
func (n *upstream) pass(w http.ResponseWriter, r *http.Request, body []byte) (sent bool, failed int) {
	onward, err := http.NewRequestWithContext(r.Context(), r.Method, n.base+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	onward.Header = r.Header.Clone()
	answer, err := n.web.Do(onward)
	if err == nil {
		defer answer.Body.Close()
		if body, err = io.ReadAll(answer.Body); err == nil {
			for name, values := range answer.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(answer.StatusCode)
			_, _ = w.Write(body) // or the client has gone
			return true, 0
		}
	}
	failed = http.StatusBadGateway
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		failed = http.StatusGatewayTimeout
	}
	dialed, ok := errors.AsType[*net.OpError](err)
	return !ok || dialed.Op != "dial", failed
}

// own returns how often the balancer itself has answered with a status.
func (b *balancer) own() map[int]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := map[int]int{}
	for status, n := range b.failed {
		own[status] = n
	}
	return own
}
