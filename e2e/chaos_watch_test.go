package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// How much is watched.
const (
	steadySites    = 30
	changingSites  = 6 // that go down, and as many that come up
	steadyCheckIns = 20
	lostCheckIns   = 4
	pageTakes      = 150 * time.Millisecond // so that faults come while a site is checked

	reportPeriod = time.Minute
	pingEvery    = 30 * time.Second                       // see pingPatience
	clockError   = secondsApart*time.Second + time.Second // of what a node says, plus what it rounds
)

// watched is sites and check-ins of which is known when they are down, or miss a ping.
type watched struct {
	s    *server
	box  *alertBox
	page string // the address of pages

	began, fall, rise time.Time // of the run; of those that go down; of those that come up

	up, falls, rises []site
	steady, lost     []string // ids of check-ins

	mu    sync.Mutex
	gaps  map[string]time.Duration   // the longest time between pings that were accepted
	at    map[string][]time.Duration // when pings were accepted, since the run began
	pings int
}

// newWatched makes sites, served at an address of this machine, and check-ins. The run begins now and has a length.
func newWatched(t testing.TB, s *server, host string, length time.Duration) *watched {
	t.Helper()
	w := &watched{s: s, box: openAlertBoxAt(t, host), gaps: map[string]time.Duration{}, at: map[string][]time.Duration{}}
	s.addWebHook(t, w.box, "down", "up", "check_in_missing", "check_in_reporting")
	w.began = time.Now()
	w.rise, w.fall = w.began.Add(length/8), w.began.Add(length/4)
	m := s.manage(t)
	w.page = serveOn(t, host, http.HandlerFunc(w.serve))
	make := func(kind string, n int) (made []site) {
		for i := range n {
			made = append(made, m.newSite(s, fmt.Sprintf("%s/%s/%d", w.page, kind, i)))
		}
		return made
	}
	w.up, w.falls, w.rises = make("up", steadySites), make("falls", changingSites), make("rises", changingSites)
	for i := range steadyCheckIns + lostCheckIns {
		var made struct{ ID string }
		body := map[string]any{"check_in": map[string]any{"name": fmt.Sprint("Job ", i), "schedule_type": "simple", "report_period": "1 minute"}}
		if err := json.Unmarshal(m.do("POST", s.project()+"/check_ins", body, http.StatusCreated), &made); err != nil {
			t.Fatal(err)
		}
		if i < steadyCheckIns {
			w.steady = append(w.steady, made.ID)
		} else {
			w.lost = append(w.lost, made.ID)
		}
	}
	return w
}

// serve is a page.
func (w *watched) serve(rw http.ResponseWriter, r *http.Request) {
	<-time.After(pageTakes)
	var kind string
	var number int
	now := time.Now()
	_, _ = fmt.Sscanf(r.URL.Path, "/%5s/%d", &kind, &number)
	if kind == "falls" && now.After(w.fall) || kind == "rises" && now.Before(w.rise) {
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
}

// pingPatience is how long a job waits for an answer before it asks again: a server that is stopped would keep it longer than any fault. After pingEvery, a
// job has time to ask five times in vain: the balancer does not know which of the servers are cut off or stopped.
const pingPatience = 3 * time.Second

// ping has jobs report to a base until the test ends. Those that are lost report once.
func (w *watched) ping(t testing.TB, base string) {
	t.Helper()
	web := &http.Client{Timeout: pingPatience}
	for _, id := range w.lost {
		if answer := get(t, base+"/v1/check_in/"+id); answer.StatusCode != http.StatusOK {
			t.Fatalf("the first ping: %d", answer.StatusCode)
		}
	}
	for i, id := range w.steady {
		go func() {
			<-time.After(pingEvery * time.Duration(i) / steadyCheckIns)
			for before := time.Now(); t.Context().Err() == nil; <-time.After(pingEvery) {
				for send(web, http.MethodGet, base+"/v1/check_in/"+id, "", func(*http.Request) {}) != http.StatusOK && t.Context().Err() == nil {
					<-time.After(500 * time.Millisecond)
				}
				w.note(id, time.Since(before))
				before = time.Now()
			}
		}()
	}
}

func (w *watched) note(id string, gap time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pings++
	w.gaps[id] = max(w.gaps[id], gap)
	w.at[id] = append(w.at[id], time.Since(w.began).Round(100*time.Millisecond))
}

// compare holds what the server shows now, and what its alerts have said, against what was really so.
func (w *watched) compare(m manager) (wrong problems) {
	m.t.Helper()
	w.mu.Lock() // jobs go on
	defer w.mu.Unlock()
	for _, s := range w.up {
		w.compareSite(m, &wrong, s.ID, "up", 0, 0)
	}
	for _, s := range w.falls {
		w.compareSite(m, &wrong, s.ID, "down", 1, 1)
	}
	for _, s := range w.rises {
		w.compareSite(m, &wrong, s.ID, "up", 0, 1)
	}
	for _, id := range w.steady {
		w.compareCheckIn(m, &wrong, id, "reporting", 0, 0)
		if gap := w.gaps[id]; gap > reportPeriod-2*clockError {
			wrong.add("check-in %s could not report for %s", id, gap)
		}
	}
	for _, id := range w.lost {
		w.compareCheckIn(m, &wrong, id, "missing", 1, int(time.Since(w.began)/reportPeriod)+1)
	}
	return wrong
}

// compareSite checks a site that has had so many outages, with their alerts.
func (w *watched) compareSite(m manager, wrong *problems, id, state string, least, most int) {
	m.t.Helper()
	if got := m.site(w.s, id).State; got != state {
		wrong.add("site %s is %s, want %s", id, got, state)
	}
	outages := m.outages(w.s, id)
	if len(outages) < least || len(outages) > most {
		wrong.add("site %s has %d outages: %v; want %d to %d", id, len(outages), outages, least, most)
	}
	var want []string
	for _, o := range outages {
		if want = append(want, "down"); least > 0 && o.DownAt.Before(w.fall.Add(-clockError)) {
			wrong.add("site %s was down at %s, before %s", id, o.DownAt, w.fall)
		}
		if o.UpAt != nil {
			if want = append(want, "up"); o.UpAt.Before(w.rise.Add(-clockError)) {
				wrong.add("site %s was up at %s, before %s", id, o.UpAt, w.rise)
			}
		}
	}
	got := w.alertsOf(func(d delivery) string { return d.Site.ID }, id)
	if slices.Equal(want, []string{"down", "up"}) && slices.Equal(got, want[1:]) && w.merged(m, id) {
		got = want
	}
	if !slices.Equal(got, want) {
		wrong.add("alerts of site %s are %q, want %q", id, got, want)
	}
}

// merged reports whether the message that a site is down had not been sent when it was up again: then that message says both.
func (w *watched) merged(m manager, site string) bool {
	m.t.Helper()
	var channels []struct{ ID int64 }
	m.get(w.s.project()+"/integrations", &channels)
	for _, i := range channels {
		for _, d := range list[struct{ Event, Subject, State string }](m, fmt.Sprintf("%s/integrations/%d/deliveries", w.s.project(), i.ID)) {
			if d.Event == "down" && d.State == "merged" && strings.HasSuffix(d.Subject, site) {
				return true
			}
		}
	}
	return false
}

// compareCheckIn checks a check-in that has missed so many pings, one in each period, with one alert of all.
func (w *watched) compareCheckIn(m manager, wrong *problems, id, state string, least, most int) {
	m.t.Helper()
	var c struct {
		State  string
		Missed int `json:"missed_count"`
	}
	if m.get(w.s.project()+"/check_ins/"+id, &c); c.State != state || c.Missed < least || c.Missed > most {
		wrong.add("check-in %s is %s and has missed %d, want %s and %d to %d", id, c.State, c.Missed, state, least, most)
	}
	want := slices.Repeat([]string{"check_in_missing"}, min(c.Missed, 1)) // reminders come after an hour
	if got := w.alertsOf(func(d delivery) string { return d.CheckIn.ID }, id); !slices.Equal(got, want) {
		var came []time.Duration
		w.box.mu.Lock()
		for _, d := range w.box.received {
			if d.CheckIn.ID == id {
				came = append(came, d.At.Sub(w.began).Round(100*time.Millisecond))
			}
		}
		w.box.mu.Unlock()
		wrong.add("alerts of check-in %s are %q, want %q; they came at %v, and pings were accepted at %v", id, got, want, came, w.at[id])
	}
}

// alertsOf returns the events of the alerts about a subject, in their order.
func (w *watched) alertsOf(of func(delivery) string, id string) (events []string) {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	for _, d := range w.box.received {
		if of(d) == id {
			events = append(events, d.Event)
		}
	}
	return events
}
