package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAlertsSurviveKills kills the server over and over, at every step of the way of an alert: after the commit of what
// happened, while alerts are spread, claimed, sent, and recorded. The server must deliver all that it has accepted, in order,
// and what it sends twice must have the same id.
func TestAlertsSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": durablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			killAlerts(t, database)
		})
	}
}

// newsLoad makes things happen: new faults, which are resolved once they were reported, and then reopened.
type newsLoad struct {
	s   *server
	web *http.Client

	mu       sync.Mutex
	base     string
	next     int
	pause    time.Duration   // between two of a client, at most
	promised map[string]bool // "event class" of what the server has accepted
}

func newNewsLoad(s *server) *newsLoad {
	return &newsLoad{s: s, web: &http.Client{Timeout: 10 * time.Second}, promised: map[string]bool{}, pause: 10 * time.Millisecond}
}

func killAlerts(t *testing.T, database string) {
	s, b := prepare(t, database), openAlertBox(t)
	s.flags = append(s.flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.restart(t)
	s.addWebHook(t, b, "occurred", "resolved", "unresolved")
	l := newNewsLoad(s)
	b.failOnce(20)
	n := max(kills(t)/2, 1)
	for life := range n {
		deadly := make(chan struct{}, 1)
		b.onArrival(func(news delivery) {
			if life%2 == 0 && rand.IntN(30) == 0 { // while it sends, or before it has recorded
				select {
				case deadly <- struct{}{}:
				default:
				}
			}
			l.follow(news)
		})
		end := l.begin(s.base)
		select {
		case <-deadly:
		case <-time.After(rand.N(800 * time.Millisecond)):
		}
		s.kill()
		end()
		s.restart(t)
	}
	b.onArrival(l.follow)
	b.failOnce(0)
	l.begin(s.base)() // the address to follow at
	b.await(t, "all that was accepted", func(received []delivery) bool { return len(l.missing(received)) == 0 })
	s.stop(t)
	b.proveOrder(t)
	t.Logf("%d kills: %d alerts promised, %d delivered, %d of them more than once", n, len(l.promised), len(b.received), b.repeated())
}

// begin makes new faults at the server at base until end is called.
func (l *newsLoad) begin(base string) (end func()) {
	l.mu.Lock()
	l.base = base
	l.mu.Unlock()
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(rand.N(l.pause)):
				}
				l.mu.Lock()
				serial := l.next
				l.next++
				l.mu.Unlock()
				if reportNew(l.web, base, l.s.APIKey, serial) {
					l.promise("occurred", fmt.Sprint("News", serial))
				}
			}
		})
	}
	return func() { close(stop); clients.Wait() }
}

func (l *newsLoad) promise(event, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.promised[event+" "+class] = true
}

// all returns what was promised.
func (l *newsLoad) all() []string { return l.missing(nil) }

// follow lets the next thing happen to some of the faults that news is about.
func (l *newsLoad) follow(news delivery) {
	next := map[string]string{"occurred": "resolved", "resolved": "unresolved"}[news.Event]
	if next == "" || news.Fault.ID%3 != 0 {
		return
	}
	go func() {
		body := fmt.Sprintf(`{"fault":{"resolved":%t}}`, next == "resolved")
		l.mu.Lock()
		path := fmt.Sprintf("%s%s/faults/%d", l.base, l.s.project(), news.Fault.ID)
		l.mu.Unlock()
		if send(l.web, http.MethodPut, path, body, func(r *http.Request) { r.SetBasicAuth(l.s.AuthToken, "") }) == http.StatusNoContent {
			l.promise(next, news.Fault.Klass)
		}
	}()
}

// missing returns what was accepted and not delivered.
func (l *newsLoad) missing(received []delivery) (missing []string) {
	have := map[string]bool{}
	for _, news := range received {
		have[news.Event+" "+news.Fault.Klass] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for promise := range l.promised {
		if !have[promise] {
			missing = append(missing, promise)
		}
	}
	return missing
}

// send sends JSON and returns the status of the answer; 0: there was none.
func send(web *http.Client, method, address, body string, change func(*http.Request)) int {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	change(r)
	answer, err := web.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// TestTwoNodesTellOnce lets two servers share a database. No delivery may be on its way twice at a time, and without
// trouble none is sent twice at all.
func TestTwoNodesTellOnce(t *testing.T) {
	t.Parallel()
	s, b := prepare(t, durablePostgres(t)), openAlertBox(t)
	s.flags = append(s.flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.restart(t)
	s.addWebHook(t, b, "occurred")
	second := launch(t, s.flags...)
	bases := []string{s.base, second.await(t)}
	const faults = 400
	web := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for serial := client; serial < faults; serial += 8 {
				if !reportNew(web, bases[serial%2], s.APIKey, serial) {
					t.Errorf("notice %d was not accepted", serial)
				}
			}
		})
	}
	clients.Wait()
	b.await(t, "an alert of every fault", func(received []delivery) bool { return len(received) >= faults })
	second.stop(t)
	s.stop(t)
	if n := b.repeated(); n > 0 || len(b.received) != faults {
		t.Errorf("%d faults were delivered %d times, %d deliveries came more than once", faults, len(b.received), n)
	}
	b.proveOrder(t)
}
