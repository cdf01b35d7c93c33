package store_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestOnlyOneHoldsALease(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		at := func(seconds int) time.Time { return storetest.Noon.Add(time.Duration(seconds) * time.Second) }
		for i, c := range []struct {
			holder string
			from   int
			until  int
			want   bool
		}{
			{"a", 0, 30, true},
			{"b", 10, 40, false},
			{"a", 20, 50, true},
			{"b", 49, 80, false},
			{"b", 50, 80, true},
			{"a", 60, 90, false},
		} {
			held, err := s.Uptime.Occupy(t.Context(), at(c.from), checks.London, c.holder, false, at(c.until).Sub(at(c.from)))
			if err != nil || held != c.want {
				t.Errorf("%d: %v, %v", i, held, err)
			}
		}
		if err := s.DropLease(t.Context(), "location:London", "a"); err != nil {
			t.Fatal(err)
		}
		if held, _ := s.Uptime.Occupy(t.Context(), at(61), checks.London, "a", false, time.Minute); held {
			t.Error("who has no lease has dropped that of another")
		}
		if err := s.DropLease(t.Context(), "location:London", "b"); err != nil {
			t.Fatal(err)
		}
		if held, _ := s.Uptime.Occupy(t.Context(), at(61), checks.London, "a", false, time.Minute); !held {
			t.Error("a lease that was dropped cannot be had")
		}
	})
}

func TestLocationsAreLiveWhileLeased(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		at := func(seconds int) time.Time { return storetest.Noon.Add(time.Duration(seconds) * time.Second) }
		lease := func(name, holder string, from int) {
			t.Helper()
			err := s.InWhole(t.Context(), "lease", func(tx *store.Tx) error {
				held, err := tx.Lease(t.Context(), name, holder, at(from), at(from+30))
				if err == nil && !held {
					err = errors.New("another has it")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		live := func(when string, now int, want ...checks.LiveLocation) {
			t.Helper()
			got, err := s.Uptime.LiveLocations(t.Context(), at(now))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", when, err, diff)
			}
		}
		lease("rollup", "a", 0)
		lease(checks.London.Lease(), "a", 0)
		lease(checks.London.Lease(), "a", 20)
		live("renewed", 49, checks.LiveLocation{Location: checks.London, Since: at(0)})
		live("over", 50)
		lease(checks.London.Lease(), "a", 60)
		live("taken again", 60, checks.LiveLocation{Location: checks.London, Since: at(60)})
		lease(checks.London.Lease(), "b", 95)
		live("taken by another", 95, checks.LiveLocation{Location: checks.London, Since: at(95)})
	})
}

func TestNodesCompeteForALease(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	nodes := []*store.Store{c.Node(t), c.Node(t)}
	var held atomic.Int64
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			ok, err := nodes[i%2].Uptime.Occupy(t.Context(), storetest.Noon, checks.Oregon, string(rune('a'+i)), false, time.Minute)
			if err != nil {
				t.Error(err)
			}
			if ok {
				held.Add(1)
			}
		})
	}
	all.Wait()
	if held.Load() != 1 {
		t.Errorf("%d hold the same lease", held.Load())
	}
}

// Two nodes record checks of the same sites at once: each outage is one, and no failure of a streak is lost.
func TestNodesRecordTheSameSites(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	nodes := []*store.Store{c.Node(t), c.Node(t)}
	d := newDesk(t, nodes[0])
	d.Live(storetest.Noon, checks.Virginia, checks.London)
	var sites []checks.Site
	for range 20 {
		sites = append(sites, d.Site(d.ProjectID, func(c *checks.SiteChange) { c.OutageThreshold = sett.Some(int64(20)) }))
	}
	now := storetest.Noon.Add(time.Minute)
	d.StaysLive(now)
	var all sync.WaitGroup
	var downs atomic.Int64
	for i, l := range []checks.Location{checks.Virginia, checks.London} {
		all.Go(func() {
			for round := range 10 {
				var reports []checks.CheckReport
				for _, site := range sites {
					reports = append(reports, storetest.Look(site, l, storetest.Noon.Add(time.Duration(round)*time.Second), false))
				}
				events, err := nodes[i].Uptime.RecordChecks(t.Context(), now, reports)
				if err != nil {
					t.Error(err)
				}
				downs.Add(int64(len(events)))
			}
		})
	}
	all.Wait()
	for _, site := range sites {
		if got := d.FindSite(site); got.State != sett.SiteDown || len(d.OutagesOf(site)) != 1 || len(d.ChecksOf(site)) != 20 {
			t.Errorf("%s, %d outages, %d checks", got.State, len(d.OutagesOf(site)), len(d.ChecksOf(site)))
		}
	}
	if downs.Load() != 20 {
		t.Errorf("%d went down", downs.Load())
	}
}

// A lease that was taken by a clock a day ahead does not block others after the clock is corrected.
func TestALeaseOfAClockThatWasSetBackIsOver(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		tomorrow := storetest.Noon.Add(24 * time.Hour)
		a := d.Agent(checks.Oregon, tomorrow)
		occupied := func(holder string, now time.Time) bool {
			t.Helper()
			held, err := s.Uptime.Occupy(t.Context(), now, checks.Virginia, holder, false, 15*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			return held
		}
		if !occupied("before", tomorrow) {
			t.Fatal("it is free, and cannot be taken")
		}
		if live, err := s.Uptime.LiveLocations(t.Context(), storetest.Noon); err != nil || len(live) != 0 {
			t.Errorf("live are %v, %v", live, err)
		}
		if held, err := s.Uptime.Occupy(t.Context(), storetest.Noon, checks.Virginia, "degraded", true, 15*time.Second); err != nil || !held {
			t.Errorf("a degraded process is on standby without a holder: %v", err)
		}
		if !occupied("after", storetest.Noon) || occupied("before", storetest.Noon.Add(-4*time.Minute)) {
			t.Error("the wrong one has it")
		}
		if !d.AgentSeen(a, checks.Oregon, storetest.Noon) {
			t.Error("an agent stands by for its own past")
		}
		earlier := storetest.Noon.Add(-time.Minute) // by a server whose clock is a minute behind
		d.AgentSeen(a, checks.Oregon, earlier)
		want := []checks.LiveLocation{{Location: checks.Oregon, Since: earlier}, {Location: checks.Virginia, Since: storetest.Noon}}
		live, err := s.Uptime.LiveLocations(t.Context(), earlier)
		slices.SortFunc(live, func(a, b checks.LiveLocation) int { return strings.Compare(string(a.Location), string(b.Location)) })
		if diff := cmp.Diff(want, live); diff != "" || err != nil {
			t.Errorf("live: %v (-want +got):\n%s", err, diff)
		}
	})
}
