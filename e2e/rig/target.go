package rig

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Target is what is checked: pages that answer 200, or 503 to whom the test says. It recognizes who asks by what their check
// says of its server, which for an agent is its gate.
type Target struct {
	URL string

	mu     sync.Mutex
	gates  map[string]string // location by the address of a gate; everybody else is the server
	broken func(location, page string) bool
	seen   map[visit]int
	failed map[visit]int // of those, answered with 503
}

// visit is who asked for which page.
type visit struct{ location, page string }

// NewTarget serves pages on a host until the test ends.
func NewTarget(t testing.TB, host string) *Target {
	t.Helper()
	tg := &Target{gates: map[string]string{}, seen: map[visit]int{}, failed: map[visit]int{}}
	tg.URL = ServeOn(t, host, tg)
	return tg
}

// Page returns the address of a page.
func (tg *Target) Page(name string) string { return tg.URL + "/" + name }

// Knows has the target recognize an agent.
func (tg *Target) Knows(p *Agent) {
	tg.mu.Lock()
	defer tg.mu.Unlock()
	tg.gates[p.Gate.URL] = p.Location
}

// Breaks has the target fail where broken says so; nil: nowhere.
func (tg *Target) Breaks(broken func(location, page string) bool) {
	tg.mu.Lock()
	defer tg.mu.Unlock()
	tg.broken = broken
}

func (tg *Target) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, contact, _ := strings.Cut(strings.TrimSuffix(r.UserAgent(), ")"), "(+")
	tg.mu.Lock()
	defer tg.mu.Unlock()
	location, agent := tg.gates[contact]
	if !agent {
		location = "Virginia"
	}
	v := visit{location, strings.Trim(r.URL.Path, "/")}
	tg.seen[v]++
	if tg.broken != nil && tg.broken(v.location, v.page) {
		tg.failed[v]++
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// visits returns how often each page was asked for from each location, and forgets it.
func (tg *Target) Forget() (seen map[visit]int) {
	tg.mu.Lock()
	defer tg.mu.Unlock()
	seen = maps.Clone(tg.seen)
	clear(tg.seen)
	clear(tg.failed)
	return seen
}

// From returns how often a location has asked, and how often in vain.
func (tg *Target) From(location string) (seen, failed int) {
	tg.mu.Lock()
	defer tg.mu.Unlock()
	for v, n := range tg.seen {
		if v.location == location {
			seen += n
			failed += tg.failed[v]
		}
	}
	return seen, failed
}

// Pages returns how many pages were asked for from a location.
func (tg *Target) Pages(location string) (n int) {
	tg.mu.Lock()
	defer tg.mu.Unlock()
	for v := range tg.seen {
		if v.location == location {
			n++
		}
	}
	return n
}
