package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
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
	s    *rig.Server
	box  *load.AlertBox
	page string // the address of pages

	began, fall, rise time.Time // of the run; of those that go down; of those that come up

	up, falls, rises []rig.Site
	steady, lost     []string // ids of check-ins

	mu    sync.Mutex
	gaps  map[string]time.Duration   // the longest time between pings that were accepted
	at    map[string][]time.Duration // when pings were accepted, since the run began
	pings int
}

// newWatched makes sites, served at an address of this machine, and check-ins. The run begins now and has a length.
func newWatched(t testing.TB, s *rig.Server, host string, length time.Duration) *watched {
	t.Helper()
	w := &watched{s: s, box: load.OpenAlertBoxAt(t, host), gaps: map[string]time.Duration{}, at: map[string][]time.Duration{}}
	load.AddWebHook(t, s, w.box, "down", "up", "check_in_missing", "check_in_reporting")
	w.began = time.Now()
	w.rise, w.fall = w.began.Add(length/8), w.began.Add(length/4)
	m := s.Manage(t)
	w.page = rig.ServeOn(t, host, http.HandlerFunc(w.serve))
	make := func(kind string, n int) (made []rig.Site) {
		for i := range n {
			made = append(made, m.NewSite(s, fmt.Sprintf("%s/%s/%d", w.page, kind, i)))
		}
		return made
	}
	w.up, w.falls, w.rises = make("up", steadySites), make("falls", changingSites), make("rises", changingSites)
	for i := range steadyCheckIns + lostCheckIns {
		var made struct{ ID string }
		body := map[string]any{"check_in": map[string]any{"name": fmt.Sprint("Job ", i), "schedule_type": "simple", "report_period": "1 minute"}}
		if err := json.Unmarshal(m.Do("POST", s.Project()+"/check_ins", body, http.StatusCreated), &made); err != nil {
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
		if answer := rig.Get(t, base+"/v1/check_in/"+id); answer.StatusCode != http.StatusOK {
			t.Fatalf("the first ping: %d", answer.StatusCode)
		}
	}
	for i, id := range w.steady {
		go func() {
			<-time.After(pingEvery * time.Duration(i) / steadyCheckIns)
			for before := time.Now(); t.Context().Err() == nil; <-time.After(pingEvery) {
				for rig.Send(web, http.MethodGet, base+"/v1/check_in/"+id, "", func(*http.Request) {}) != http.StatusOK && t.Context().Err() == nil {
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
func (w *watched) compare(m rig.Manager) (wrong load.Problems) {
	m.T.Helper()
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
			wrong.Add("check-in %s could not report for %s", id, gap)
		}
	}
	for _, id := range w.lost {
		w.compareCheckIn(m, &wrong, id, "missing", 1, int(time.Since(w.began)/reportPeriod)+1)
	}
	return wrong
}

// compareSite checks a site that has had so many outages, with their alerts.
func (w *watched) compareSite(m rig.Manager, wrong *load.Problems, id, state string, least, most int) {
	m.T.Helper()
	if got := m.Site(w.s, id).State; got != state {
		wrong.Add("site %s is %s, want %s", id, got, state)
	}
	outages := m.Outages(w.s, id)
	if len(outages) < least || len(outages) > most {
		wrong.Add("site %s has %d outages: %v; want %d to %d", id, len(outages), outages, least, most)
	}
	var want []string
	for _, o := range outages {
		if want = append(want, "down"); least > 0 && o.DownAt.Before(w.fall.Add(-clockError)) {
			wrong.Add("site %s was down at %s, before %s", id, o.DownAt, w.fall)
		}
		if o.UpAt != nil {
			if want = append(want, "up"); o.UpAt.Before(w.rise.Add(-clockError)) {
				wrong.Add("site %s was up at %s, before %s", id, o.UpAt, w.rise)
			}
		}
	}
	got := w.alertsOf(func(d load.Delivery) string { return d.Site.ID }, id)
	if slices.Equal(want, []string{"down", "up"}) && slices.Equal(got, want[1:]) && w.merged(m, id) {
		got = want
	}
	if !slices.Equal(got, want) {
		wrong.Add("alerts of site %s are %q, want %q", id, got, want)
	}
}

// merged reports whether the message that a site is down had not been sent when it was up again: then that message says both.
func (w *watched) merged(m rig.Manager, site string) bool {
	m.T.Helper()
	var channels []struct{ ID int64 }
	m.Get(w.s.Project()+"/integrations", &channels)
	for _, i := range channels {
		for _, d := range rig.List[struct{ Event, Subject, State string }](m, fmt.Sprintf("%s/integrations/%d/deliveries", w.s.Project(), i.ID)) {
			if d.Event == "down" && d.State == "merged" && strings.HasSuffix(d.Subject, site) {
				return true
			}
		}
	}
	return false
}

// compareCheckIn checks a check-in that has missed so many pings, one in each period, with one alert of all.
func (w *watched) compareCheckIn(m rig.Manager, wrong *load.Problems, id, state string, least, most int) {
	m.T.Helper()
	var c struct {
		State  string
		Missed int `json:"missed_count"`
	}
	if m.Get(w.s.Project()+"/check_ins/"+id, &c); c.State != state || c.Missed < least || c.Missed > most {
		wrong.Add("check-in %s is %s and has missed %d, want %s and %d to %d", id, c.State, c.Missed, state, least, most)
	}
	want := slices.Repeat([]string{"check_in_missing"}, min(c.Missed, 1)) // reminders come after an hour
	if got := w.alertsOf(func(d load.Delivery) string { return d.CheckIn.ID }, id); !slices.Equal(got, want) {
		var came []time.Duration
		w.box.Mu.Lock()
		for _, d := range w.box.Received {
			if d.CheckIn.ID == id {
				came = append(came, d.At.Sub(w.began).Round(100*time.Millisecond))
			}
		}
		w.box.Mu.Unlock()
		wrong.Add("alerts of check-in %s are %q, want %q; they came at %v, and pings were accepted at %v", id, got, want, came, w.at[id])
	}
}

// alertsOf returns the events of the alerts about a subject, in their order.
func (w *watched) alertsOf(of func(load.Delivery) string, id string) (events []string) {
	w.box.Mu.Lock()
	defer w.box.Mu.Unlock()
	for _, d := range w.box.Received {
		if of(d) == id {
			events = append(events, d.Event)
		}
	}
	return events
}
