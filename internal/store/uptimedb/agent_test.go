package uptimedb_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// uploaded records a batch of an agent's, and reports whether it was there before.
func (d *desk) uploaded(now time.Time, a checks.Agent, l checks.Location, sequence int64, reports ...checks.CheckReport) (repeated bool) {
	d.T.Helper()
	_, repeated, err := d.Uptime.RecordUpload(d.T.Context(), now, uptimedb.AgentUpload{AgentID: a.ID, Location: l, Stream: "run", Sequence: sequence, Reports: reports})
	if err != nil {
		d.T.Fatal(err)
	}
	return repeated
}

// A poll may wait for orders while its agent is revoked; it must not occupy the location again.
func TestARevokedAgentIsNotHeard(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		a := d.Agent(checks.Oregon, storetest.Noon)
		if live, err := s.Uptime.LiveLocations(t.Context(), storetest.Noon); err != nil || len(live) != 1 {
			t.Fatalf("live while it is heard: %v, %v", live, err)
		}
		if err := s.Uptime.RevokeAgent(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Uptime.AgentSeen(t.Context(), storetest.Noon, a.ID, checks.AgentReport{Location: checks.Oregon}); sett.CodeOf(err) != sett.Unauthenticated {
			t.Errorf("heard after it was revoked: %v", err)
		}
		if live, err := s.Uptime.LiveLocations(t.Context(), storetest.Noon); err != nil || len(live) != 0 {
			t.Errorf("live after it was revoked: %v, %v", live, err)
		}
		if err := s.Uptime.RevokeAgent(t.Context(), a.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("revoked twice: %v", err)
		}
	})
}

func TestAnUploadCountsOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, a := d.Site(d.ProjectID), d.Agent(checks.Oregon, storetest.Noon)
		now := storetest.Noon.Add(time.Minute)
		d.AgentSeen(a, checks.Oregon, now)
		first, second := storetest.Look(site, checks.Oregon, storetest.Noon.Add(time.Second), true), storetest.Look(site, checks.Oregon, storetest.Noon.Add(2*time.Second), true)
		for i, want := range []bool{false, true} {
			if repeated := d.uploaded(now, a, checks.Oregon, 1, first); repeated != want {
				t.Errorf("the first batch, time %d: repeated %t", i+1, repeated)
			}
		}
		if d.uploaded(now, a, checks.Oregon, 2, second) || len(d.ChecksOf(site)) != 2 {
			t.Errorf("after the second batch there are %v", d.ChecksOf(site))
		}
	})
}

// What an agent found while it was cut off is history, however new it is when it is back.
func TestWhatWasFoundBeforeTheLocationWasLiveIsHistory(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, a := d.Site(d.ProjectID), d.Agent(checks.Oregon, storetest.Noon)
		d.uploaded(storetest.Noon.Add(2*time.Second), a, checks.Oregon, 1, storetest.Look(site, checks.Oregon, storetest.Noon.Add(time.Second), true))
		back := storetest.Noon.Add(10 * time.Minute)
		d.AgentSeen(a, checks.Oregon, back)
		d.uploaded(back, a, checks.Oregon, 2, storetest.Look(site, checks.Oregon, back.Add(-20*time.Second), false))
		if got := d.FindSite(site); got.State != sett.SiteUp || len(d.ChecksOf(site)) != 2 {
			t.Errorf("old news made it %s, with %d checks", got.State, len(d.ChecksOf(site)))
		}
		d.uploaded(back, a, checks.Oregon, 3, storetest.Look(site, checks.Oregon, back.Add(-time.Second), false)) // its clock may be slow
		if got := d.FindSite(site); got.State != sett.SiteDown {
			t.Errorf("what it found since made it %s", got.State)
		}
	})
}

// While another checks from the location, an agent has no say.
func TestAnUploadOfWhoStandsByIsHistory(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, first := d.Site(d.ProjectID), d.Agent(checks.Oregon, storetest.Noon)
		second, err := s.Uptime.CreateAgent(t.Context(), storetest.Noon, "second", "", []byte("second"))
		if err != nil {
			t.Fatal(err)
		}
		if d.AgentSeen(second, checks.Oregon, storetest.Noon) || !d.AgentSeen(first, checks.Oregon, storetest.Noon) {
			t.Error("the second checks, too")
		}
		now := storetest.Noon.Add(2 * time.Second)
		d.uploaded(now, second, checks.Oregon, 1, storetest.Look(site, checks.Oregon, now, false))
		if got := d.FindSite(site); got.State != sett.SitePending {
			t.Errorf("who stands by made it %s", got.State)
		}
		if later := storetest.Noon.Add(checks.AgentSilence + time.Second); !d.AgentSeen(second, checks.Oregon, later) || d.AgentSeen(first, checks.Oregon, later) {
			t.Error("the second does not take over from the first, which was silent")
		}
		agents, err := s.Uptime.ListAgents(t.Context())
		if err != nil || !slices.EqualFunc(agents, []string{"Oregon", "second"}, func(a checks.Agent, name string) bool { return a.Name == name }) {
			t.Errorf("listed are %v, %v", agents, err)
		}
	})
}

// The first message binds a token that is for no location yet, whichever it is; then it opens no other.
func TestATokenIsForTheLocationOfItsFirstMessage(t *testing.T) {
	t.Parallel()
	says := checks.AgentReport{Location: checks.Oregon, Version: "v1"}
	for name, use := range map[string]func(*store.Store, int64, checks.Location) error{
		"poll": func(s *store.Store, id int64, l checks.Location) error {
			r := says
			r.Location = l
			_, err := s.Uptime.AgentSeen(t.Context(), storetest.Noon, id, r)
			return err
		},
		"upload": func(s *store.Store, id int64, l checks.Location) error {
			_, _, err := s.Uptime.RecordUpload(t.Context(), storetest.Noon, uptimedb.AgentUpload{AgentID: id, Location: l, Stream: "run", Sequence: 1, Dropped: 7})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				free, bound := newAgent(t, s, "free", ""), newAgent(t, s, "bound", checks.Frankfurt)
				if err := use(s, free.ID, checks.Oregon); err != nil {
					t.Fatal(err)
				}
				for a, other := range map[checks.Agent]checks.Location{free: checks.Frankfurt, bound: checks.London} {
					if err := use(s, a.ID, other); sett.CodeOf(err) != sett.Forbidden || !strings.Contains(err.Error(), "--location "+string(other)) {
						t.Errorf("%s is used at %s: %v", a.Name, other, err)
					}
				}
				agents, err := s.Uptime.ListAgents(t.Context())
				if err != nil || agents[0].Location != checks.Oregon || agents[1].Location != checks.Frankfurt || agents[1].Dropped != 0 || !agents[1].HeardAt.IsZero() {
					t.Errorf("listed are %+v, %v", agents, err)
				}
				if live, err := s.Uptime.LiveLocations(t.Context(), storetest.Noon); err != nil || slices.ContainsFunc(live, func(l checks.LiveLocation) bool { return l.Location != checks.Oregon }) {
					t.Errorf("live are %v, %v", live, err)
				}
			})
		})
	}
}

func newAgent(t *testing.T, s *store.Store, name string, l checks.Location) checks.Agent {
	t.Helper()
	a, err := s.Uptime.CreateAgent(t.Context(), storetest.Noon, name, l, []byte(name))
	if err != nil || a.Location != l {
		t.Fatal(a, err)
	}
	return a
}

// Every change of a site has each agent ask again; that must not be a write for each.
func TestAnAgentThatSaysNothingNewIsNotWritten(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		first, second := d.Agent(checks.Oregon, storetest.Noon), newAgent(t, s, "second", "")
		heardAt := func() time.Time {
			t.Helper()
			agents, err := s.Uptime.ListAgents(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return agents[0].HeardAt
		}
		d.AgentSeen(second, checks.Oregon, storetest.Noon)
		soon, later := storetest.Noon.Add(4*time.Second), storetest.Noon.Add(6*time.Second)
		if !d.AgentSeen(first, checks.Oregon, soon) || d.AgentSeen(second, checks.Oregon, soon) || !heardAt().Equal(storetest.Noon) {
			t.Errorf("a moment later it was heard at %v", heardAt())
		}
		if !d.AgentSeen(first, checks.Oregon, later) || !heardAt().Equal(later) {
			t.Errorf("a while later it was heard at %v", heardAt())
		}
		d.AgentSeen(second, checks.Oregon, later)
		if err := s.DropLease(t.Context(), checks.Oregon.Lease(), first.Holder()); err != nil {
			t.Fatal(err)
		}
		if !d.AgentSeen(second, checks.Oregon, later) {
			t.Error("a location that was given back is not taken at once")
		}
	})
}
