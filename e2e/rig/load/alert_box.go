package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
)

// AlertBox is a receiver of webhooks that records what it received, and how often.
type AlertBox struct {
	URL string

	Mu       sync.Mutex
	Received []Delivery     // in the order in which it was first answered with 200
	times    map[string]int // how often each was sent
	now      map[string]int // how many sends of each run at this moment
	broken   Problems
	failing  int // of so many, one is answered with 503; 0: none
	arrived  func(Delivery)
	change   chan struct{} // closed with every change
}

// Delivery is a webhook that was delivered.
type Delivery struct {
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

// OpenAlertBox takes web hooks on the loopback until the test ends.
func OpenAlertBox(t testing.TB) *AlertBox {
	t.Helper()
	return OpenAlertBoxAt(t, "127.0.0.1")
}

// OpenAlertBoxAt is openAlertBox at an address of this machine.
func OpenAlertBoxAt(t testing.TB, host string) *AlertBox {
	t.Helper()
	b := &AlertBox{times: map[string]int{}, now: map[string]int{}, change: make(chan struct{})}
	b.URL = rig.ServeOn(t, host, b)
	return b
}

// ServeHTTP takes a webhook.
func (b *AlertBox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	news := Delivery{ID: r.Header.Get("webhook-id"), At: time.Now()}
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

func (b *AlertBox) fails() bool {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	return b.failing > 0 && rand.IntN(b.failing) == 0
}

// FailOnce has one of so many answered with 503; 0: none.
func (b *AlertBox) FailOnce(of int) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.failing = of
}

// OnArrival has f called with every new piece of news, before it is answered.
func (b *AlertBox) OnArrival(f func(Delivery)) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.arrived = f
}

// begin notes that a send begins, and returns whether it is the first of its delivery, and the function to call.
func (b *AlertBox) begin(news Delivery) (first bool, arrived func(Delivery)) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if b.times[news.ID]++; news.ID == "" {
		b.broken.Add("%s of fault %d came without an id", news.Event, news.Fault.ID)
	}
	if b.now[news.ID]++; b.now[news.ID] > 1 {
		b.broken.Add("%s of %s came %d times at once", news.Event, news.Fault.Klass, b.now[news.ID])
	}
	return b.times[news.ID] == 1, b.arrived
}

func (b *AlertBox) end(id string) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.now[id]--
}

// take notes news that is answered with 200.
func (b *AlertBox) take(news Delivery) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if !slices.ContainsFunc(b.Received, func(o Delivery) bool { return o.ID == news.ID }) {
		b.Received = append(b.Received, news)
	}
	close(b.change)
	b.change = make(chan struct{})
}

// Await returns once the news holds, which is called with all that was received so far.
func (b *AlertBox) Await(t testing.TB, what string, holds func([]Delivery) bool) {
	t.Helper()
	tired := time.After(3 * time.Minute)
	for {
		b.Mu.Lock()
		done, change := holds(b.Received), b.change
		b.Mu.Unlock()
		if done {
			return
		}
		select {
		case <-change:
		case <-tired:
			t.Fatalf("in three minutes, the receiver did not get %s; it got %d deliveries", what, len(b.Received))
		}
	}
}

// Repeated returns how many deliveries came more than once.
func (b *AlertBox) Repeated() (n int) {
	for _, times := range b.times {
		if times > 1 {
			n++
		}
	}
	return n
}

// ProveOrder checks that each fault's news came once and in the order in which things happened to it.
func (b *AlertBox) ProveOrder(t testing.TB) {
	t.Helper()
	wrong := b.broken
	order := []string{"occurred", "resolved", "unresolved"}
	last := map[string]int{}
	for _, news := range b.Received {
		at := slices.Index(order, news.Event)
		if before, known := last[news.Fault.Klass]; known && at <= before {
			wrong.Add("%s was sent %s after %s", news.Fault.Klass, news.Event, order[before])
		}
		last[news.Fault.Klass] = at
	}
	wrong.Report(t)
}

// AddWebHook makes an integration of the first project that sends to the box.
func AddWebHook(t testing.TB, s *rig.Server, b *AlertBox, events ...string) {
	t.Helper()
	s.Manage(t).Do(http.MethodPost, s.Project()+"/integrations", map[string]any{"integration": map[string]any{
		"type": "WebHook", "events": events, "notification_limit": 100_000, "options": map[string]string{"url": b.URL},
	}}, http.StatusCreated)
}

// ReportNew sends a notice of a class of its own and reports whether the server has accepted it.
func ReportNew(web *http.Client, base, key string, serial int) bool {
	body := fmt.Sprintf(`{"error":{"class":"News%d","message":"it broke"},"server":{"environment_name":"production"}}`, serial)
	return rig.Send(web, http.MethodPost, base+"/v1/notices", body, func(r *http.Request) { r.Header.Set("X-API-Key", key) }) == http.StatusCreated
}
