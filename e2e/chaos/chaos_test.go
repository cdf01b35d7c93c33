package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// chaosLength is how long a run has faults, without CHAOS.
const chaosLength = 45 * time.Second

// chaosSettings are the seed and the length of a run, from CHAOS_SEED and CHAOS, such as 10m.
func chaosSettings(t testing.TB) (seed uint64, length time.Duration) {
	t.Helper()
	seed, length = rand.Uint64N(1_000_000), chaosLength
	var err error
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("CHAOS_SEED=%q is not a number", text)
		}
	}
	if text := os.Getenv("CHAOS"); text != "" {
		if length, err = time.ParseDuration(text); err != nil || length <= 0 {
			t.Fatalf("CHAOS=%q is no time; write one such as 10m", text)
		}
	}
	return seed, length
}

// TestChaos has three nodes, a primary and its standby, and object storage suffer faults at random times, each of them alone and beside others, while
// clients report, jobs ping, sites are checked and users post updates of incidents. What was accepted must be stored, exactly once, and counted; every
// alert must be delivered, under one id and in its order; no outage and no missing job may be wrong; every block must have its object, and every object
// its block; and in the end, all must work as if nothing had been.
func TestChaos(t *testing.T) {
	t.Parallel()
	rig.NeedsNetworks(t)
	seed, length := chaosSettings(t)
	t.Logf("to replay: CHAOS=%s CHAOS_SEED=%d go test . -run '^TestChaos$' -v", length, seed)
	c, s := newChaos(t)
	front := newBalancer(t, c.lan.host, c.nodes[0].Base, c.nodes[1].Base, c.nodes[2].Base)
	rig.Await(t, "the nodes serve", func() bool {
		return front.nodes[0].up.Load() && front.nodes[1].up.Load() && front.nodes[2].up.Load()
	})
	watched := newWatched(t, s, c.lan.host, length)
	news := newChaosNews(t, s, c.lan.host)
	l := load.NewOfAll(s.APIKey)
	l.Pause = 150 * time.Millisecond
	watched.ping(t, front.url)
	incidents := newChaosIncidents(t, s)
	endNews, endLoad, endIncidents := news.Begin(front.url), l.Begin(front.url), incidents.Begin(front.url)
	c.run(t, schedule(seed, length))
	endNews()
	endLoad()
	endIncidents()
	news.box.FailOnce(0)
	t.Logf("the balancer itself answered %v; answers other than 201: %v, %v", front.own(), l.Refused, l.Reasons)

	c.awaitQuiet(t)
	ownRefusals(l, front.own())
	found := load.Prove(t, s, l)
	c.proveNews(t, news)
	proveStored(t, incidents)
	c.proveWatched(t, watched)
	blocks := c.proveStorage(t)
	wrong := c.wrong.all
	c.proveNodes(t, &wrong)
	c.proveLeases(t, &wrong)
	wrong.Report(t)
	t.Logf("%s; %d alerts, %d of them more than once; %d pings; %d updates of incidents; %d blocks; %d, %d and %d MB of memory at most", found, len(news.box.Received), news.box.Repeated(), watched.pings, len(incidents.Promised), blocks,
		c.nodes[0].most.Load()>>20, c.nodes[1].most.Load()>>20, c.nodes[2].most.Load()>>20)
}

// newChaos sets up a cluster, and returns it with its first node as a server.
func newChaos(t testing.TB) (*chaos, *rig.Server) {
	t.Helper()
	binary := rig.WrongClock(t)
	c := &chaos{lan: newLAN(t), wrong: &findings{}}
	c.pair = newPair(t, c.lan, c.wrong)
	c.storage = newChaosStorage(t, c.lan)
	s := rig.Prepare(t, c.pair.dsn())
	canary := rig.ServeOn(t, c.lan.host, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for range chaosNodes {
		c.nodes = append(c.nodes, newNode(t, s, c.lan, binary, c.pair.dsn(), "--canaries", canary, "--blocks", c.storage.url(), "--metrics-networks", "198.18.0.0/15"))
	}
	for _, n := range c.nodes {
		n.keeper.up()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.logs(t))
		}
	})
	s.Base = c.nodes[0].Base
	return c, s
}

// chaosNews is errors of a project of their own, of which there are alerts.
type chaosNews struct {
	load.News
	box *load.AlertBox
}

func newChaosNews(t testing.TB, s *rig.Server, host string) *chaosNews {
	t.Helper()
	var made struct {
		ID    int64
		Token string
	}
	body := s.Manage(t).Do(http.MethodPost, "/v2/projects", map[string]any{"project": map[string]any{"name": "News"}}, http.StatusCreated)
	if err := json.Unmarshal(body, &made); err != nil {
		t.Fatal(err)
	}
	of := *s
	of.ProjectID, of.APIKey = made.ID, made.Token
	news := &chaosNews{load.News{S: &of, Web: &http.Client{Timeout: 20 * time.Second}, Promised: map[string]bool{}, Pause: 600 * time.Millisecond}, load.OpenAlertBoxAt(t, host)}
	load.AddWebHook(t, &of, news.box, "occurred", "resolved", "unresolved")
	news.box.FailOnce(20)
	news.box.OnArrival(news.Follow)
	return news
}

// proveNews checks that all that happened was delivered and stored once, and that news goes out as ever.
func (c *chaos) proveNews(t testing.TB, news *chaosNews) {
	t.Helper()
	if took := news.fresh(t); took > freshAlert {
		t.Errorf("an alert took %s after the faults", took)
	}
	missing := news.Missing(news.delivered())
	for late := time.Now().Add(3 * time.Minute); len(missing) > 0 && time.Now().Before(late); missing = news.Missing(news.delivered()) {
		<-time.After(2 * time.Second)
		news.fresh(t) // a receiver that accepts a message is sent sooner what waits for it
	}
	if len(missing) > 0 {
		t.Errorf("accepted, and not delivered: %q", missing)
	}
	news.box.ProveOrder(t)
	m, seen := news.S.Manage(t), map[string]int64{}
	for _, f := range news.S.Faults(m) {
		seen[f.Klass] += f.NoticesCount
	}
	for class, n := range seen {
		if n != 1 {
			t.Errorf("%s was sent once and is stored %d times", class, n)
		}
	}
}

// fresh makes one more error, and returns how long its alert takes.
func (n *chaosNews) fresh(t testing.TB) time.Duration {
	t.Helper()
	began := time.Now()
	class := fmt.Sprint("News", n.Next)
	if !load.ReportNew(n.Web, n.S.Base, n.S.APIKey, n.Next) {
		t.Fatal("no notice is accepted after the faults")
	}
	n.Next++
	n.box.Await(t, "an alert of what happened last", func(received []load.Delivery) bool {
		return slices.ContainsFunc(received, func(d load.Delivery) bool { return d.Fault.Klass == class })
	})
	return time.Since(began)
}

// delivered returns all that was received so far.
func (n *chaosNews) delivered() []load.Delivery {
	n.box.Mu.Lock()
	defer n.box.Mu.Unlock()
	return slices.Clone(n.box.Received)
}

// proveWatched waits until sites and check-ins are as they should be.
func (c *chaos) proveWatched(t testing.TB, w *watched) {
	t.Helper()
	for late := time.Now().Add(100 * time.Second); ; <-time.After(2 * time.Second) { // a site is checked once a minute
		wrong := w.compare(w.s.Manage(t))
		if len(wrong) == 0 || time.Now().After(late) {
			wrong.Report(t)
			return
		}
	}
}
