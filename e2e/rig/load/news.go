package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"sett/e2e/rig"
)

// News makes things happen: new faults, which are resolved once they were reported, and then reopened.
type News struct {
	S   *rig.Server
	Web *http.Client

	mu       sync.Mutex
	base     string
	Next     int
	Pause    time.Duration   // between two of a client, at most
	Promised map[string]bool // "event class" of what the server has accepted
}

// NewNews returns a load of news for a server.
func NewNews(s *rig.Server) *News {
	return &News{S: s, Web: &http.Client{Timeout: 10 * time.Second}, Promised: map[string]bool{}, Pause: 10 * time.Millisecond}
}

// Begin makes new faults at the server at base until end is called.
func (l *News) Begin(base string) (end func()) {
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
				case <-time.After(rand.N(l.Pause)):
				}
				l.mu.Lock()
				serial := l.Next
				l.Next++
				l.mu.Unlock()
				if ReportNew(l.Web, base, l.S.APIKey, serial) {
					l.promise("occurred", fmt.Sprint("News", serial))
				}
			}
		})
	}
	return func() { close(stop); clients.Wait() }
}

func (l *News) promise(event, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Promised[event+" "+class] = true
}

// All returns what was promised.
func (l *News) All() []string { return l.Missing(nil) }

// Follow lets the next thing happen to some of the faults that news is about.
func (l *News) Follow(news Delivery) {
	next := map[string]string{"occurred": "resolved", "resolved": "unresolved"}[news.Event]
	if next == "" || news.Fault.ID%3 != 0 {
		return
	}
	go func() {
		body := fmt.Sprintf(`{"fault":{"resolved":%t}}`, next == "resolved")
		l.mu.Lock()
		path := fmt.Sprintf("%s%s/faults/%d", l.base, l.S.Project(), news.Fault.ID)
		l.mu.Unlock()
		if rig.Send(l.Web, http.MethodPut, path, body, func(r *http.Request) { r.SetBasicAuth(l.S.AuthToken, "") }) == http.StatusNoContent {
			l.promise(next, news.Fault.Klass)
		}
	}()
}

// Missing returns what was accepted and not delivered.
func (l *News) Missing(received []Delivery) (missing []string) {
	have := map[string]bool{}
	for _, news := range received {
		have[news.Event+" "+news.Fault.Klass] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for promise := range l.Promised {
		if !have[promise] {
			missing = append(missing, promise)
		}
	}
	return missing
}
