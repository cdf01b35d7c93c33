package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/base/loop"
	"sett/internal/monitor/agent"
	"sett/internal/monitor/prober"
	"sett/internal/monitor/watch"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/uptimedb"
)

// network is the world in a bubble of fake time: a server in Virginia, agents elsewhere, and sites that they see up or
// down. Nothing in it opens a socket.
type network struct {
	t       *testing.T
	store   *store.Store
	project int64
	sites   *watch.Sites
	loops   *loop.Group
	mux     http.Handler

	mu     sync.Mutex
	down   map[checks.Location]bool // who sees the site down
	took   time.Duration            // by a check that does not fail
	cut    map[checks.Location]bool // who cannot reach the server
	probes map[checks.Location]int
	kinds  []string // of sites that agents can check; nil: as in 0.9
}

// inNetwork runs f with a server that checks nothing yet.
func inNetwork(t *testing.T, f func(t *testing.T, n *network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), fresh.SQLite(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		made, err := s.Accounts.SetUp(t.Context(), time.Now(), accountdb.Setup{Account: "Acme", Email: "ann@example.test", Name: "Ann", Project: "Shop", TokenHash: []byte("hash")})
		if err != nil {
			t.Fatal(err)
		}
		n := &network{t: t, store: s, project: made.ProjectID, down: map[checks.Location]bool{}, cut: map[checks.Location]bool{}, probes: map[checks.Location]int{}}
		n.start()
		f(t, n)
		n.stop()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func (n *network) start() {
	n.sites = watch.NewSites(watch.SiteOptions{
		DB: n.store.DB, Uptime: n.store.Uptime, Location: checks.Virginia, Node: "server", Probe: n.probeFrom(checks.Virginia), Keep: 30 * 24 * time.Hour,
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	n.mux = serve.NewMux(n.sites.Routes(), serve.MuxOptions{Log: slog.New(slog.DiscardHandler)})
	n.sites.Start()
	n.loops = loop.Start(context.Background(), n.sites.Loops()...)
}

func (n *network) stop() {
	if err := n.loops.Stop(context.Background()); err != nil {
		n.t.Error(err)
	}
	if err := n.sites.Stop(context.Background()); err != nil {
		n.t.Error(err)
	}
}

func (n *network) probeFrom(l checks.Location) prober.Probe {
	return func(context.Context, checks.ProbeRequest) (checks.ProbeResult, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.probes[l]++
		if n.down[l] {
			return checks.ProbeResult{At: time.Now(), Status: 503, Reason: "Expected 2xx status code -- got 503"}, nil
		}
		return checks.ProbeResult{At: time.Now(), Up: true, Status: 200, Duration: n.took}, nil
	}
}

// set says who sees the site down, and who cannot reach the server.
func (n *network) set(down, cut []checks.Location) {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.down)
	clear(n.cut)
	for _, l := range down {
		n.down[l] = true
	}
	for _, l := range cut {
		n.cut[l] = true
	}
}

// wire carries the requests of an agent to the server.
type wire struct {
	n *network
	l checks.Location
}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.n.mu.Lock()
	cut := w.n.cut[w.l]
	w.n.mu.Unlock()
	if cut {
		return nil, fmt.Errorf("%s cannot be reached", r.URL.Host)
	}
	answer := httptest.NewRecorder()
	w.n.mux.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// agent starts an agent; its token and a function that ends it are returned.
func (n *network) agent(l checks.Location, dir string, ahead time.Duration) (token checks.Agent, end func()) {
	n.t.Helper()
	secret := checks.NewAgentToken()
	made, err := n.store.Uptime.CreateAgent(n.t.Context(), time.Now(), string(l), "", auth.HashToken(secret))
	if err != nil {
		n.t.Fatal(err)
	}
	probe := n.probeFrom(l)
	a, err := agent.New(agent.Options{
		Server: "http://sett.test", Token: secret, Location: string(l), Dir: dir, Version: "test", Kinds: n.kinds, Log: slog.New(slog.DiscardHandler),
		Transport: wire{n, l},
		Probe: func(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
			result, err := probe(ctx, r)
			result.At = result.At.Add(ahead)
			return result, err
		},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := a.Run(ctx); err != nil {
			n.t.Error(err)
		}
	}()
	return made, func() { cancel(); <-ended }
}

// site makes a site that is checked every minute.
func (n *network) site() checks.Site {
	n.t.Helper()
	site, err := n.store.Uptime.CreateSite(n.t.Context(), time.Now(), n.project, checks.SiteChange{URL: sett.Some("http://shop.test/"), Frequency: sett.Some[int64](1)})
	if err != nil {
		n.t.Fatal(err)
	}
	return site
}

func (n *network) state(site checks.Site) sett.SiteState {
	n.t.Helper()
	have, err := n.store.Uptime.SiteByID(n.t.Context(), n.project, site.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	return have.State
}

func (n *network) outages(site checks.Site) []checks.Outage {
	n.t.Helper()
	outages, _, err := n.store.Uptime.ListOutages(n.t.Context(), n.project, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 25}})
	if err != nil {
		n.t.Fatal(err)
	}
	return outages
}

func (n *network) checks(site checks.Site) []checks.UptimeCheck {
	n.t.Helper()
	checks, _, err := n.store.Uptime.ListUptimeChecks(n.t.Context(), n.project, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 10_000}})
	if err != nil {
		n.t.Fatal(err)
	}
	return checks
}

var everywhere = []checks.Location{checks.Virginia, checks.Oregon, checks.Frankfurt}

// withAgents starts agents in Oregon and Frankfurt.
func (n *network) withAgents() (end func()) {
	_, endOregon := n.agent(checks.Oregon, n.t.TempDir(), 0)
	_, endFrankfurt := n.agent(checks.Frankfurt, n.t.TempDir(), 0)
	return func() { endOregon(); endFrankfurt() }
}

func TestASiteIsCheckedAsSoonAsItIsMade(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		site := n.site()
		time.Sleep(2 * time.Second)
		if got := n.state(site); got != sett.SiteUp {
			t.Errorf("two seconds later it is %s", got)
		}
		if err := n.store.Uptime.DeleteSite(t.Context(), n.project, site.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		before := n.probes[checks.Virginia]
		time.Sleep(5 * time.Minute)
		if n.probes[checks.Virginia] != before {
			t.Errorf("after it was deleted it was checked %d times", n.probes[checks.Virginia]-before)
		}
	})
}

// One location fails: nothing happens. All fail: the others are asked at once, so that it is known within seconds.
func TestTheMajorityDecides(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		defer n.withAgents()()
		site := n.site()
		time.Sleep(2 * time.Minute)
		n.set([]checks.Location{checks.Oregon}, nil)
		time.Sleep(10 * time.Minute)
		if got := n.state(site); got != sett.SiteUp || len(n.outages(site)) != 0 {
			t.Fatalf("one of three sees it down: it is %s, with %d outages", got, len(n.outages(site)))
		}
		n.set(nil, nil)
		time.Sleep(2 * time.Minute)
		n.set(everywhere, nil)
		fell := time.Now()
		for n.state(site) == sett.SiteUp {
			time.Sleep(time.Second)
			if time.Since(fell) > 2*time.Minute {
				t.Fatal("it is not reported as down")
			}
		}
		outages := n.outages(site)
		if len(outages) != 1 || outages[0].Status != 503 || outages[0].Reason == "" || !outages[0].UpAt.IsZero() {
			t.Fatalf("outages %+v", outages)
		}
		if took := time.Since(outages[0].DownAt); took > 20*time.Second {
			t.Errorf("from the first failure to the outage it took %v: the others were not asked at once", took)
		}
		n.set(nil, nil)
		time.Sleep(2 * time.Minute)
		if outages := n.outages(site); n.state(site) != sett.SiteUp || len(outages) != 1 || outages[0].UpAt.IsZero() {
			t.Errorf("it is %s, with outages %+v", n.state(site), outages)
		}
	})
}

// A partition takes a location's vote, not its history: what it found is there afterwards, and brings no outage about.
func TestWhatAnAgentFoundWhileCutOffIsHistory(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		defer n.withAgents()()
		site := n.site()
		time.Sleep(2 * time.Minute)
		n.set([]checks.Location{checks.Oregon, checks.Frankfurt}, []checks.Location{checks.Oregon, checks.Frankfurt})
		time.Sleep(30 * time.Minute)
		if got := n.state(site); got != sett.SiteUp {
			t.Fatalf("who cannot be heard decides that it is %s", got)
		}
		n.set(nil, nil)
		time.Sleep(3 * time.Minute)
		if got := n.state(site); got != sett.SiteUp || len(n.outages(site)) != 0 {
			t.Errorf("old news made it %s, with %d outages", got, len(n.outages(site)))
		}
		for _, l := range []checks.Location{checks.Oregon, checks.Frankfurt} {
			failed := 0
			seen := map[time.Time]bool{}
			for _, c := range n.checks(site) {
				if c.Location == l && !c.Up {
					failed++
				}
				if c.Location == l {
					if seen[c.At] {
						t.Errorf("the check of %s at %v counts twice", l, c.At)
					}
					seen[c.At] = true
				}
			}
			if failed < 28 || failed > 32 {
				t.Errorf("%s found it down %d times in 30 minutes", l, failed)
			}
		}
	})
}

// The server itself is cut off from the site: the others outvote it.
func TestTheServerHasOneVote(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		defer n.withAgents()()
		site := n.site()
		time.Sleep(2 * time.Minute)
		n.set([]checks.Location{checks.Virginia}, nil)
		time.Sleep(10 * time.Minute)
		if got := n.state(site); got != sett.SiteUp {
			t.Errorf("the server alone decides that it is %s", got)
		}
	})
}

func TestARevokedAgentHasNoVote(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		oregon, endOregon := n.agent(checks.Oregon, t.TempDir(), 0)
		frankfurt, endFrankfurt := n.agent(checks.Frankfurt, t.TempDir(), 0)
		defer endOregon()
		defer endFrankfurt()
		site := n.site()
		time.Sleep(2*time.Minute + 5*time.Second) // both wait for orders
		for _, a := range []checks.Agent{oregon, frankfurt} {
			if err := n.store.Uptime.RevokeAgent(t.Context(), a.ID); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(15 * time.Second) // polls that waited at that moment have looked around since
		if live, err := n.store.Uptime.LiveLocations(t.Context(), time.Now()); err != nil || len(live) != 1 || live[0].Location != checks.Virginia {
			t.Errorf("live after agents were revoked: %v, %v", live, err)
		}
		n.set([]checks.Location{checks.Oregon, checks.Frankfurt}, nil)
		time.Sleep(10 * time.Minute)
		if got := n.state(site); got != sett.SiteUp {
			t.Errorf("agents without a token decide that it is %s", got)
		}
		n.mu.Lock()
		before := n.probes[checks.Oregon]
		n.mu.Unlock()
		time.Sleep(5 * time.Minute)
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.probes[checks.Oregon] != before {
			t.Errorf("a revoked agent checked %d times", n.probes[checks.Oregon]-before)
		}
	})
}

// Of two agents at one place only one checks, and the other takes over when it falls silent.
func TestOneAgentStandsBy(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		_, endFirst := n.agent(checks.Oregon, t.TempDir(), 0)
		time.Sleep(time.Second)
		_, endSecond := n.agent(checks.Oregon, t.TempDir(), 0)
		defer endSecond()
		site := n.site()
		time.Sleep(10 * time.Minute)
		at := func(l checks.Location) (times []time.Time) {
			for _, c := range n.checks(site) {
				if c.Location == l {
					times = append(times, c.At)
				}
			}
			slices.SortFunc(times, time.Time.Compare)
			return times
		}
		if checked := len(at(checks.Oregon)); checked < 10 || checked > 12 {
			t.Errorf("two agents at one place checked %d times in 10 minutes", checked)
		}
		endFirst()
		time.Sleep(10 * time.Minute)
		if checked := len(at(checks.Oregon)); checked < 19 || checked > 23 {
			t.Errorf("after one of them had ended, %d checks in 20 minutes", checked)
		}
	})
}

func TestClocksThatAreWrongChangeNothing(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			n := checks.CheckReport{Result: checks.ProbeResult{At: time.Unix(1_800_000_000, 0).Add(ahead)}}
			now := time.Unix(1_800_000_002, 0)
			got := n.FromAgent(checks.ClockSkew(now.Add(ahead), now), now)
			if got.Backfilled || !got.Result.At.Equal(time.Unix(1_800_000_000, 0)) {
				t.Errorf("a check of two seconds ago arrives as one of %v, too late: %t", got.Result.At, got.Backfilled)
			}
		})
	}
	if skew := checks.ClockSkew(time.Unix(100, 0), time.Unix(101, 0)); skew != 0 {
		t.Errorf("a message that takes a second is a skew of %v", skew)
	}
}

func TestAServerThatStopsLetsAgentsGo(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		_, end := n.agent(checks.Oregon, t.TempDir(), 0)
		defer end()
		time.Sleep(time.Second)
		began := time.Now()
		n.sites.Drain()
		synctest.Wait()
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("a poll went on for %v", waited)
		}
	})
}

func TestRefusedAgents(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		secret := checks.NewAgentToken()
		if _, err := n.store.Uptime.CreateAgent(t.Context(), time.Now(), "oregon", "", auth.HashToken(secret)); err != nil {
			t.Fatal(err)
		}
		elsewhere := checks.NewAgentToken()
		if _, err := n.store.Uptime.CreateAgent(t.Context(), time.Now(), "london", checks.London, auth.HashToken(elsewhere)); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			path, token, body string
			status            int
		}{
			"no token":                     {prober.PollPath, "", `{"protocol":1,"location":"Oregon"}`, http.StatusUnauthorized},
			"wrong token":                  {prober.PollPath, "sett_a_x", `{"protocol":1,"location":"Oregon"}`, http.StatusUnauthorized},
			"no JSON":                      {prober.PollPath, secret, `{`, http.StatusBadRequest},
			"newer agent":                  {prober.PollPath, secret, `{"protocol":2,"location":"Oregon"}`, http.StatusConflict},
			"no location":                  {prober.UploadPath, secret, `{"protocol":1,"location":"us-east","stream":"a","sequence":1}`, http.StatusConflict},
			"orders for another location":  {prober.PollPath, elsewhere, `{"protocol":1,"location":"Oregon"}`, http.StatusForbidden},
			"checks from another location": {prober.UploadPath, elsewhere, `{"protocol":1,"location":"Oregon","stream":"a","sequence":1}`, http.StatusForbidden},
			"no stream":                    {prober.UploadPath, secret, `{"protocol":1,"location":"Oregon","sequence":1}`, http.StatusUnprocessableEntity},
			"long stream":                  {prober.UploadPath, secret, `{"protocol":1,"location":"Oregon","stream":"` + strings.Repeat("a", 101) + `","sequence":1}`, http.StatusUnprocessableEntity},
			"NUL stream":                   {prober.UploadPath, secret, `{"protocol":1,"location":"Oregon","stream":"\u0000","sequence":1}`, http.StatusUnprocessableEntity},
			"long version":                 {prober.PollPath, secret, `{"protocol":1,"location":"Oregon","version":"` + strings.Repeat("a", 101) + `"}`, http.StatusUnprocessableEntity},
			"nothing found":                {prober.UploadPath, secret, `{"protocol":1,"location":"Oregon","stream":"a","sequence":1,"reports":[]}`, http.StatusOK},
		} {
			r := httptest.NewRequest(http.MethodPost, "http://sett.test"+c.path, strings.NewReader(c.body))
			r.Header.Set("Authorization", "Bearer "+c.token)
			answer := httptest.NewRecorder()
			n.mux.ServeHTTP(answer, r)
			if answer.Code != c.status {
				t.Errorf("%s: %d %s, want %d", name, answer.Code, answer.Body, c.status)
			}
		}
	})
}
