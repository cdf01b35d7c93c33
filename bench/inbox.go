package bench

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// inbox is a receiver of webhooks that records when the alert of each fault arrived.
type inbox struct {
	url    string
	server *http.Server

	mu      sync.Mutex
	arrived map[string]time.Time // by class
	ids     map[string]int       // how often each delivery came
	last    time.Time
	more    *sync.Cond
}

func openInbox() (*inbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &inbox{url: "http://" + l.Addr().String() + "/", arrived: map[string]time.Time{}, ids: map[string]int{}}
	b.more = sync.NewCond(&b.mu)
	b.server = &http.Server{Handler: b}
	go b.server.Serve(l) //nolint:errcheck // it ends with close
	return b, nil
}

func (b *inbox) close() error { return b.server.Close() }

// ServeHTTP takes a webhook.
func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	var said struct{ Fault struct{ Klass string } }
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &said) != nil {
		http.Error(w, "this is not a webhook", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids[r.Header.Get("Webhook-Id")]++
	b.last = at
	if _, known := b.arrived[said.Fault.Klass]; !known {
		b.arrived[said.Fault.Klass] = at
	}
	b.more.Broadcast()
}

// await returns once so many deliveries have arrived, or none has for a while: how many did, and when the last.
func (b *inbox) await(ctx context.Context, n int) (arrived int, last time.Time) {
	b.waitFor(ctx, func() bool { return len(b.ids) >= n })
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.ids), b.last
}

// arrival waits for the news of a class.
func (b *inbox) arrival(ctx context.Context, class string) (at time.Time, ok bool) {
	b.waitFor(ctx, func() bool { _, ok := b.arrived[class]; return ok })
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok = b.arrived[class]
	return at, ok
}

// waitFor waits until a condition holds, ctx ends, or patience does.
func (b *inbox) waitFor(ctx context.Context, holds func() bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer context.AfterFunc(ctx, func() { b.mu.Lock(); defer b.mu.Unlock(); b.more.Broadcast() })()
	b.mu.Lock()
	defer b.mu.Unlock()
	for !holds() && ctx.Err() == nil {
		b.more.Wait()
	}
}

// repeated returns how many deliveries came more than once.
func (b *inbox) repeated() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, times := range b.ids {
		if times > 1 {
			n++
		}
	}
	return n
}
