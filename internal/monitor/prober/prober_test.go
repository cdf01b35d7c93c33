package prober

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/sett/checks"
)

// world is what probes find, by address, and what a Prober reported of it.
type world struct {
	mu      sync.Mutex
	down    map[string]bool
	takes   map[string]time.Duration
	probes  map[string][]time.Time
	reports []Report
}

func (w *world) probe(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
	w.mu.Lock()
	at := time.Now()
	w.probes[r.URL] = append(w.probes[r.URL], at)
	takes := w.takes[r.URL]
	w.mu.Unlock()
	pause(ctx, takes)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down[r.URL] {
		return checks.ProbeResult{At: at, Reason: "down"}, nil
	}
	return checks.ProbeResult{At: at, Up: true, Status: 200}, nil
}

func (w *world) report(r Report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports = append(w.reports, r)
}

func (w *world) set(down map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
}

func (w *world) seen() (reports []Report, probes map[string][]time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	probes = map[string][]time.Time{}
	for address, at := range w.probes {
		probes[address] = slices.Clone(at)
	}
	return slices.Clone(w.reports), probes
}

// newWorld is a world in which only the given addresses are down.
func newWorld(down ...string) *world {
	w := &world{down: map[string]bool{}, takes: map[string]time.Duration{}, probes: map[string][]time.Time{}}
	for _, address := range down {
		w.down[address] = true
	}
	return w
}

// story runs a Prober with n minutely sites, http://host-1/ and so on, in a bubble of fake time.
func story(t *testing.T, w *world, n uint64, canaries []string, check func(t *testing.T, p *Prober)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Location: "Virginia", Probe: w.probe, Report: w.report, Canaries: canaries})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.Run(ctx)
		}()
		all := targets(n)
		for i := range all {
			all[i].Request.URL = address(i + 1)
		}
		if err := p.Apply(ctx, Changes{All: true, Targets: all}); err != nil {
			t.Fatal(err)
		}
		check(t, p)
		cancel()
		<-ended
	})
}

func address(n int) string { return fmt.Sprintf("http://host-%d/", n) }

func TestTheIntervalIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.takes[address(7)] = 20 * time.Second // slow, and no reason for another to be late
	story(t, w, 50, nil, func(t *testing.T, p *Prober) {
		time.Sleep(time.Hour)
		_, probes := w.seen()
		for site, at := range probes {
			if first := at[0].Sub(at[0].Truncate(time.Hour)); first > catchUp {
				t.Errorf("%s was checked first after %v", site, first)
			}
			for i := 2; i < len(at); i++ { // the first is out of turn
				if gap := at[i].Sub(at[i-1]); gap != time.Minute {
					t.Fatalf("%s was checked after %v", site, gap)
				}
			}
		}
		if late := p.Stats().Late; late != 0 {
			t.Errorf("a check began %v late", late)
		}
	})
}

func TestHangingTargetsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 10 {
		w.takes[address(i+1)], w.down[address(i+1)] = 30*time.Second, true
	}
	story(t, w, 100, nil, func(t *testing.T, _ *Prober) {
		time.Sleep(20 * time.Minute)
		_, probes := w.seen()
		for i := 11; i <= 100; i++ {
			if n := len(probes[address(i)]); n < 20 || n > 21 {
				t.Errorf("%s was checked %d times in 20 minutes", address(i), n)
			}
		}
	})
}

func TestAFailureCountsOnlyWhenSeenTwice(t *testing.T) {
	t.Parallel()
	w := newWorld()
	story(t, w, 1, nil, func(t *testing.T, _ *Prober) {
		failures := func() (found []Report) {
			reports, _ := w.seen()
			for _, r := range reports {
				if !r.Result.Up {
					found = append(found, r)
				}
			}
			return found
		}
		second := slotAfter(time.Now(), phase(siteID(1), "Virginia", time.Minute), time.Minute)
		time.Sleep(time.Until(second.Add(-time.Second)))
		w.set(map[string]bool{address(1): true})
		time.Sleep(3 * time.Second) // the check is over, the look after it not
		w.set(nil)
		time.Sleep(30 * time.Second)
		if found := failures(); len(found) != 0 {
			t.Fatalf("a hiccup was reported: %+v", found)
		}
		w.set(map[string]bool{address(1): true})
		time.Sleep(time.Minute)
		found := failures()
		if len(found) != 1 || !found[0].Result.At.Equal(second.Add(time.Minute)) || found[0].Result.Before != retryAfter {
			t.Errorf("reported %+v, want one failure, of the time when it was first seen", found)
		}
	})
}

func TestWhatIsAskedForIsCheckedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	story(t, w, 2, nil, func(t *testing.T, p *Prober) {
		time.Sleep(time.Minute + 500*time.Millisecond)
		_, before := w.seen()
		n := len(before[address(2)])
		asked := minutely(2)
		asked.Request.URL, asked.AskedAt = address(2), time.Now()
		if err := p.Apply(t.Context(), Changes{Targets: []Target{asked}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, after := w.seen(); len(after[address(2)]) != n+1 {
			t.Errorf("checked %d times more, want once", len(after[address(2)])-n)
		}
	})
}

func TestNothingIsReportedWhileNothingCanBeReached(t *testing.T) {
	t.Parallel()
	const canary = "http://canary/"
	for name, c := range map[string]struct {
		down     map[string]bool
		failures bool // are reported
		degraded bool
	}{
		"all fail and the canary":   {map[string]bool{address(1): true, address(2): true, address(3): true, canary: true}, false, true},
		"all fail, not the canary":  {map[string]bool{address(1): true, address(2): true, address(3): true}, true, false},
		"one fails, and the canary": {map[string]bool{address(1): true, canary: true}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			story(t, w, 3, []string{canary}, func(t *testing.T, p *Prober) {
				time.Sleep(2 * time.Minute)
				w.set(c.down)
				time.Sleep(3 * time.Minute)
				reports, _ := w.seen()
				failures := 0
				for _, r := range reports {
					if !r.Result.Up {
						failures++
					}
				}
				// A first failure or two look as if only some sites failed.
				if all := failures >= 3; all != c.failures && (c.failures || failures > 1) {
					t.Errorf("%d failures were reported", failures)
				}
				if p.Degraded() != c.degraded {
					t.Errorf("degraded: %t", p.Degraded())
				}
				w.set(nil)
				time.Sleep(2 * time.Minute)
				if p.Degraded() {
					t.Error("still degraded though all sites answer")
				}
			})
		})
	}
}

// TestSitesThatAreGoneDoNotCount: what failed before would make the rest look as if nothing could be reached.
func TestSitesThatAreGoneDoNotCount(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{true, false} {
		w := newWorld(address(1), address(2), address(3))
		w.takes[address(1)] = 10 * time.Second
		story(t, w, 3, nil, func(t *testing.T, p *Prober) {
			counted := func() (sites, failing int) {
				p.outlook.mu.Lock()
				defer p.outlook.mu.Unlock()
				return len(p.outlook.failing), p.outlook.number
			}
			time.Sleep(2 * time.Minute)
			if sites, failing := counted(); sites != 3 || failing != 3 {
				t.Fatalf("%d sites, %d fail", sites, failing)
			}
			for (p.Stats().Running > 0) != running {
				time.Sleep(time.Second)
			}
			if err := p.Apply(t.Context(), Changes{All: true}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute) // checks that ran then have ended
			if sites, failing := counted(); sites != 0 || failing != 0 {
				t.Errorf("%d sites are remembered that are gone, %d of which fail", sites, failing)
			}
		})
	}
}

func TestACanaryThatNeverAnsweredSaysNothing(t *testing.T) {
	t.Parallel()
	const canary = "http://canary/"
	w := newWorld(address(1), canary)
	story(t, w, 1, []string{canary}, func(t *testing.T, p *Prober) {
		time.Sleep(3 * time.Minute)
		if reports, _ := w.seen(); len(reports) == 0 || reports[len(reports)-1].Result.Up || p.Degraded() {
			t.Errorf("in a network without a way out, failures are not reported: %+v", reports)
		}
	})
}

func TestOneHostGetsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, done := 0, 0, 0
		probe := func(ctx context.Context, _ checks.ProbeRequest) (checks.ProbeResult, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			pause(ctx, 10*time.Second)
			mu.Lock()
			running--
			done++
			mu.Unlock()
			return checks.ProbeResult{Up: true}, nil
		}
		p := New(Options{Location: "London", Probe: probe, Report: func(Report) {}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.Run(ctx) }()
		all := targets(3 * mostPerHost)
		for i := range all {
			all[i].Request.URL = fmt.Sprintf("http://host/%d", i)
		}
		if err := p.Apply(ctx, Changes{All: true, Targets: all}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Second)
		cancel()
		<-ended
		if most != mostPerHost || done < 3*mostPerHost {
			t.Errorf("%d checks of a host ran at once and %d were done, want %d and %d", most, done, mostPerHost, 3*mostPerHost)
		}
	})
}

// A look that fails for a reason of this machine's own says nothing of the site.
func TestLooksThatSayNothingAreNotReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		probe := func(context.Context, checks.ProbeRequest) (checks.ProbeResult, error) {
			return checks.ProbeResult{}, errors.New("too many open files")
		}
		p := New(Options{Location: "London", Probe: probe, Report: func(r Report) { t.Errorf("reported %+v", r) }})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.Run(ctx) }()
		if err := p.Apply(ctx, Changes{All: true, Targets: targets(1)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		cancel()
		<-ended
		if got := p.Stats(); got.Unseen < 10 || got.Unseen != got.Done || got.Failed != 0 || got.Targets != 1 {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestAStopReportsNothingThatItCutShort(t *testing.T) {
	t.Parallel()
	w := newWorld(address(1))
	w.takes[address(1)] = time.Minute
	story(t, w, 1, nil, func(*testing.T, *Prober) { time.Sleep(time.Second) })
	if reports, _ := w.seen(); len(reports) != 0 {
		t.Errorf("a check that was cut short was reported: %+v", reports)
	}
}
