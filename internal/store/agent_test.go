package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// agent makes an agent that is heard from a location.
func (d *desk) agent(l sett.Location, at time.Time) sett.Agent {
	d.t.Helper()
	a, err := d.CreateAgent(d.t.Context(), at, string(l), "", []byte(l))
	if err != nil {
		d.t.Fatal(err)
	}
	d.heard(a, l, at)
	return a
}

func (d *desk) heard(a sett.Agent, l sett.Location, at time.Time) (active bool) {
	d.t.Helper()
	active, err := d.HearAgent(d.t.Context(), at, a.ID, sett.AgentReport{Location: l, Version: "v1"})
	if err != nil {
		d.t.Fatal(err)
	}
	return active
}

// uploaded records a batch of an agent's, and reports whether it was there before.
func (d *desk) uploaded(now time.Time, a sett.Agent, l sett.Location, sequence int64, reports ...sett.CheckReport) (repeated bool) {
	d.t.Helper()
	_, repeated, err := d.RecordUpload(d.t.Context(), now, AgentUpload{AgentID: a.ID, Location: l, Stream: "run", Sequence: sequence, Reports: reports})
	if err != nil {
		d.t.Fatal(err)
	}
	return repeated
}

// A poll may wait for orders while its agent is revoked; it must not occupy the location again.
func TestARevokedAgentIsNotHeard(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		a := d.agent(sett.Oregon, noon)
		if live, err := s.LiveLocations(t.Context(), noon); err != nil || len(live) != 1 {
			t.Fatalf("live while it is heard: %v, %v", live, err)
		}
		if err := s.RevokeAgent(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.HearAgent(t.Context(), noon, a.ID, sett.AgentReport{Location: sett.Oregon}); sett.CodeOf(err) != sett.Unauthenticated {
			t.Errorf("heard after it was revoked: %v", err)
		}
		if live, err := s.LiveLocations(t.Context(), noon); err != nil || len(live) != 0 {
			t.Errorf("live after it was revoked: %v, %v", live, err)
		}
		if err := s.RevokeAgent(t.Context(), a.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("revoked twice: %v", err)
		}
	})
}

func TestAnUploadCountsOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		site, a := d.site(d.ProjectID), d.agent(sett.Oregon, noon)
		now := noon.Add(time.Minute)
		d.heard(a, sett.Oregon, now)
		first, second := look(site, sett.Oregon, noon.Add(time.Second), true), look(site, sett.Oregon, noon.Add(2*time.Second), true)
		for i, want := range []bool{false, true} {
			if repeated := d.uploaded(now, a, sett.Oregon, 1, first); repeated != want {
				t.Errorf("the first batch, time %d: repeated %t", i+1, repeated)
			}
		}
		if d.uploaded(now, a, sett.Oregon, 2, second) || len(d.checksOf(site)) != 2 {
			t.Errorf("after the second batch there are %v", d.checksOf(site))
		}
	})
}

// What an agent found while it was cut off is history, however new it is when it is back.
func TestWhatWasFoundBeforeTheLocationWasLiveIsHistory(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		site, a := d.site(d.ProjectID), d.agent(sett.Oregon, noon)
		d.uploaded(noon.Add(2*time.Second), a, sett.Oregon, 1, look(site, sett.Oregon, noon.Add(time.Second), true))
		back := noon.Add(10 * time.Minute)
		d.heard(a, sett.Oregon, back)
		d.uploaded(back, a, sett.Oregon, 2, look(site, sett.Oregon, back.Add(-20*time.Second), false))
		if got := d.findSite(site); got.State != sett.SiteUp || len(d.checksOf(site)) != 2 {
			t.Errorf("old news made it %s, with %d checks", got.State, len(d.checksOf(site)))
		}
		d.uploaded(back, a, sett.Oregon, 3, look(site, sett.Oregon, back.Add(-time.Second), false)) // its clock may be slow
		if got := d.findSite(site); got.State != sett.SiteDown {
			t.Errorf("what it found since made it %s", got.State)
		}
	})
}

// While another checks from the location, an agent has no say.
func TestAnUploadOfWhoStandsByIsHistory(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		site, first := d.site(d.ProjectID), d.agent(sett.Oregon, noon)
		second, err := s.CreateAgent(t.Context(), noon, "second", "", []byte("second"))
		if err != nil {
			t.Fatal(err)
		}
		if d.heard(second, sett.Oregon, noon) || !d.heard(first, sett.Oregon, noon) {
			t.Error("the second checks, too")
		}
		now := noon.Add(2 * time.Second)
		d.uploaded(now, second, sett.Oregon, 1, look(site, sett.Oregon, now, false))
		if got := d.findSite(site); got.State != sett.SitePending {
			t.Errorf("who stands by made it %s", got.State)
		}
		if later := noon.Add(sett.AgentSilence + time.Second); !d.heard(second, sett.Oregon, later) || d.heard(first, sett.Oregon, later) {
			t.Error("the second does not take over from the first, which was silent")
		}
		agents, err := s.ListAgents(t.Context())
		if err != nil || !slices.EqualFunc(agents, []string{"Oregon", "second"}, func(a sett.Agent, name string) bool { return a.Name == name }) {
			t.Errorf("listed are %v, %v", agents, err)
		}
	})
}

// The first message binds a token that is for no location yet, whichever it is; then it opens no other.
func TestATokenIsForTheLocationOfItsFirstMessage(t *testing.T) {
	t.Parallel()
	says := sett.AgentReport{Location: sett.Oregon, Version: "v1"}
	for name, use := range map[string]func(*Store, int64, sett.Location) error{
		"poll": func(s *Store, id int64, l sett.Location) error {
			r := says
			r.Location = l
			_, err := s.HearAgent(t.Context(), noon, id, r)
			return err
		},
		"upload": func(s *Store, id int64, l sett.Location) error {
			_, _, err := s.RecordUpload(t.Context(), noon, AgentUpload{AgentID: id, Location: l, Stream: "run", Sequence: 1, Dropped: 7})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines(t, func(t *testing.T, s *Store) {
				free, bound := newAgent(t, s, "free", ""), newAgent(t, s, "bound", sett.Frankfurt)
				if err := use(s, free.ID, sett.Oregon); err != nil {
					t.Fatal(err)
				}
				for a, other := range map[sett.Agent]sett.Location{free: sett.Frankfurt, bound: sett.London} {
					if err := use(s, a.ID, other); sett.CodeOf(err) != sett.Forbidden || !strings.Contains(err.Error(), "--location "+string(other)) {
						t.Errorf("%s is used at %s: %v", a.Name, other, err)
					}
				}
				agents, err := s.ListAgents(t.Context())
				if err != nil || agents[0].Location != sett.Oregon || agents[1].Location != sett.Frankfurt || agents[1].Dropped != 0 || !agents[1].HeardAt.IsZero() {
					t.Errorf("listed are %+v, %v", agents, err)
				}
				if live, err := s.LiveLocations(t.Context(), noon); err != nil || slices.ContainsFunc(live, func(l sett.LiveLocation) bool { return l.Location != sett.Oregon }) {
					t.Errorf("live are %v, %v", live, err)
				}
			})
		})
	}
}

func newAgent(t *testing.T, s *Store, name string, l sett.Location) sett.Agent {
	t.Helper()
	a, err := s.CreateAgent(t.Context(), noon, name, l, []byte(name))
	if err != nil || a.Location != l {
		t.Fatal(a, err)
	}
	return a
}

// Every change of a site has each agent ask again; that must not be a write for each.
func TestAnAgentThatSaysNothingNewIsNotWritten(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		first, second := d.agent(sett.Oregon, noon), newAgent(t, s, "second", "")
		heardAt := func() time.Time {
			t.Helper()
			agents, err := s.ListAgents(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return agents[0].HeardAt
		}
		d.heard(second, sett.Oregon, noon)
		soon, later := noon.Add(4*time.Second), noon.Add(6*time.Second)
		if !d.heard(first, sett.Oregon, soon) || d.heard(second, sett.Oregon, soon) || !heardAt().Equal(noon) {
			t.Errorf("a moment later it was heard at %v", heardAt())
		}
		if !d.heard(first, sett.Oregon, later) || !heardAt().Equal(later) {
			t.Errorf("a while later it was heard at %v", heardAt())
		}
		d.heard(second, sett.Oregon, later)
		if err := s.DropLease(t.Context(), sett.Oregon.Lease(), first.Holder()); err != nil {
			t.Fatal(err)
		}
		if !d.heard(second, sett.Oregon, later) {
			t.Error("a location that was given back is not taken at once")
		}
	})
}
