package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// alertBox is a receiver of webhooks that records what it received, and how often.
type alertBox struct {
	url string

	mu       sync.Mutex
	received []delivery     // in the order in which it was first answered with 200
	times    map[string]int // how often each was sent
	now      map[string]int // how many sends of each run at this moment
	broken   problems
	failing  int // of so many, one is answered with 503; 0: none
	arrived  func(delivery)
	change   chan struct{} // closed with every change
}

// delivery is a webhook that was delivered.
type delivery struct {
	ID    string    `json:"-"` // its webhook-id
	At    time.Time `json:"-"` // when it came first
	Event string
	Fault struct {
		ID    int64
		Klass string
	}
	Site    struct{ ID string }
	CheckIn struct{ ID string } `json:"check_in"`
}

func openAlertBox(t testing.TB) *alertBox {
	t.Helper()
	return openAlertBoxAt(t, "127.0.0.1")
}

// openAlertBoxAt is openAlertBox at an address of this machine.
func openAlertBoxAt(t testing.TB, host string) *alertBox {
	t.Helper()
	b := &alertBox{times: map[string]int{}, now: map[string]int{}, change: make(chan struct{})}
	b.url = serveOn(t, host, b)
	return b
}

// ServeHTTP takes a webhook.
func (b *alertBox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	news := delivery{ID: r.Header.Get("webhook-id"), At: time.Now()}
	if err := json.NewDecoder(r.Body).Decode(&news); err != nil {
		return // cut off: the sender was killed
	}
	first, arrived := b.begin(news)
	defer b.end(news.ID)
	if first && arrived != nil {
		arrived(news)
	}
	if b.fails() {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	b.take(news)
}

func (b *alertBox) fails() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failing > 0 && rand.IntN(b.failing) == 0
}

// failOnce has one of so many answered with 503; 0: none.
func (b *alertBox) failOnce(of int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failing = of
}

// onArrival has f called with every new piece of news, before it is answered.
func (b *alertBox) onArrival(f func(delivery)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived = f
}

// begin notes that a send begins, and returns whether it is the first of its delivery, and the function to call.
func (b *alertBox) begin(news delivery) (first bool, arrived func(delivery)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.times[news.ID]++; news.ID == "" {
		b.broken.add("%s of fault %d came without an id", news.Event, news.Fault.ID)
	}
	if b.now[news.ID]++; b.now[news.ID] > 1 {
		b.broken.add("%s of %s came %d times at once", news.Event, news.Fault.Klass, b.now[news.ID])
	}
	return b.times[news.ID] == 1, b.arrived
}

func (b *alertBox) end(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now[id]--
}

// take notes news that is answered with 200.
func (b *alertBox) take(news delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.received, func(o delivery) bool { return o.ID == news.ID }) {
		b.received = append(b.received, news)
	}
	close(b.change)
	b.change = make(chan struct{})
}

// await returns once the news holds, which is called with all that was received so far.
func (b *alertBox) await(t testing.TB, what string, holds func([]delivery) bool) {
	t.Helper()
	tired := time.After(3 * time.Minute)
	for {
		b.mu.Lock()
		done, change := holds(b.received), b.change
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-change:
		case <-tired:
			t.Fatalf("in three minutes, the receiver did not get %s; it got %d deliveries", what, len(b.received))
		}
	}
}

// repeated returns how many deliveries came more than once.
func (b *alertBox) repeated() (n int) {
	for _, times := range b.times {
		if times > 1 {
			n++
		}
	}
	return n
}

// proveOrder checks that each fault's news came once and in the order in which things happened to it.
func (b *alertBox) proveOrder(t testing.TB) {
	t.Helper()
	wrong := b.broken
	order := []string{"occurred", "resolved", "unresolved"}
	last := map[string]int{}
	for _, news := range b.received {
		at := slices.Index(order, news.Event)
		if before, known := last[news.Fault.Klass]; known && at <= before {
			wrong.add("%s was sent %s after %s", news.Fault.Klass, news.Event, order[before])
		}
		last[news.Fault.Klass] = at
	}
	wrong.report(t)
}

// addWebHook makes an integration of the first project that sends to the box.
func (s *server) addWebHook(t testing.TB, b *alertBox, events ...string) {
	t.Helper()
	s.manage(t).do(http.MethodPost, s.project()+"/integrations", map[string]any{"integration": map[string]any{
		"type": "WebHook", "events": events, "notification_limit": 100_000, "options": map[string]string{"url": b.url},
	}}, http.StatusCreated)
}

// reportNew sends a notice of a class of its own and reports whether the server has accepted it.
func reportNew(web *http.Client, base, key string, serial int) bool {
	body := fmt.Sprintf(`{"error":{"class":"News%d","message":"it broke"},"server":{"environment_name":"production"}}`, serial)
	return send(web, http.MethodPost, base+"/v1/notices", body, func(r *http.Request) { r.Header.Set("X-API-Key", key) }) == http.StatusCreated
}
