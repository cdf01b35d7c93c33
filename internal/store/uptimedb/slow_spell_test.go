package uptimedb_test

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// paceDesk is a desk with a site that is slow after 800 ms, two checks in a row.
type paceDesk struct {
	*desk
	site checks.Site
}

func newPaceDesk(t *testing.T, s *store.Store) *paceDesk {
	d := newDesk(t, s)
	d.Live(storetest.Noon, checks.Virginia)
	return d.paced()
}

// paced makes a site of a paceDesk.
func (d *desk) paced() *paceDesk {
	p := &paceDesk{d, d.Site(d.ProjectID, storetest.Named("Shop"))}
	p.change(0, checks.SiteChange{SlowAfter: sett.Some[int64](800), SlowChecks: sett.Some[int64](2)})
	return p
}

func (p *paceDesk) change(minute int, change checks.SiteChange) {
	p.T.Helper()
	if err := p.Uptime.UpdateSite(p.T.Context(), storetest.Clock(minute), p.ProjectID, p.site.ID, change); err != nil {
		p.T.Fatal(err)
	}
	p.site = p.FindSite(p.site)
}

// look records a check that took so many milliseconds; 0 for one that failed.
func (p *paceDesk) look(minute int, ms time.Duration) []checks.SiteEventKind {
	p.T.Helper()
	at := storetest.Clock(minute)
	return p.Checked(at.Add(2*time.Second), storetest.Look(p.site, checks.Virginia, at, ms > 0, func(r *checks.CheckReport) { r.Result.Duration = ms * time.Millisecond }))
}

// wantSpells compares the slow times, the newest first: their beginnings, ends and endings.
func (p *paceDesk) wantSpells(when string, want ...checks.SlowSpell) {
	p.T.Helper()
	got, err := p.Uptime.SlowSpells(p.T.Context(), p.ProjectID, p.site.ID, 10)
	if err != nil {
		p.T.Fatal(err)
	}
	for i := range got {
		got[i].ID = 0
	}
	if !slices.EqualFunc(got, want, func(a, b checks.SlowSpell) bool {
		return a.SlowAt.Equal(b.SlowAt) && a.FastAt.Equal(b.FastAt) && a.CreatedAt.Equal(b.CreatedAt) && a.Limit == b.Limit && a.Took == b.Took && a.Ending == b.Ending
	}) {
		p.T.Errorf("%s: %+v, want %+v", when, got, want)
	}
}

func (p *paceDesk) wantAlerts(when string, want ...alerts.AlertEvent) {
	p.T.Helper()
	var got []alerts.AlertEvent
	for _, a := range p.Raised() {
		got = append(got, a.Event)
	}
	if !slices.Equal(got, want) {
		p.T.Errorf("%s: alerts %v, want %v", when, got, want)
	}
}

func TestSlowSitesRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		p := newPaceDesk(t, s)
		raised := func(event alerts.AlertEvent, at, checked int, slow alerts.SlowFacts) alerts.Alert {
			slow.Limit, slow.Checks = 800, 2
			return alerts.Alert{
				ProjectID: p.ProjectID, Event: event, Subject: alerts.SlowSubject(p.site.ID), At: storetest.Clock(at), CreatedAt: storetest.Clock(checked).Add(2 * time.Second),
				Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{
					ID: p.site.ID.String(), Name: "Shop", URL: p.site.URL, State: sett.SiteUp, LastCheckedAt: storetest.Clock(checked), Slow: &slow,
				}},
			}
		}
		p.look(1, 100)
		p.look(2, 1840)
		p.WantRaised("one slow check")
		p.look(3, 1900)
		p.WantRaised("slow", raised(alerts.AlertSlow, 2, 3, alerts.SlowFacts{SlowAt: storetest.Clock(2), Took: 1900}))
		spell := checks.SlowSpell{SlowAt: storetest.Clock(2), CreatedAt: storetest.Clock(3).Add(2 * time.Second), Limit: 800 * time.Millisecond, Took: 1900 * time.Millisecond}
		p.wantSpells("slow", spell)
		if got := p.FindSite(p.site); !got.Slow() || !got.SlowSince.Equal(storetest.Clock(2)) || got.State != sett.SiteUp {
			t.Errorf("it is %s, slow since %v", got.State, got.SlowSince)
		}
		p.look(4, 1900)
		p.look(5, 90)
		p.look(6, 1900)
		p.WantRaised("still slow")
		p.look(7, 90)
		p.look(8, 80)
		spell.FastAt, spell.Ending = storetest.Clock(8), checks.SlowEndedFast
		p.wantSpells("fast", spell)
		p.WantRaised("fast", raised(alerts.AlertFast, 8, 8, alerts.SlowFacts{SlowAt: storetest.Clock(2), FastAt: storetest.Clock(8), Took: 80}))
		if days := p.View(storetest.Clock(9), p.PageOf(p.site).ID)[0].Days; days[len(days)-1].Down != 0 {
			t.Error("a slow site was down")
		}
	})
}

func TestOutagesAndPausesSuspendWhatIsKnownOfThePace(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		for _, c := range []struct {
			name   string
			lose   func(p *paceDesk) // at minute 3
			ending checks.SlowEnding
			back   []alerts.AlertEvent // once it is checked again
		}{
			{"an outage", func(p *paceDesk) { p.look(3, 0) }, checks.SlowEndedDown, []alerts.AlertEvent{alerts.AlertDown, alerts.AlertUp}},
			{"a pause", func(p *paceDesk) {
				p.change(3, checks.SiteChange{Active: sett.Some(false)})
				p.change(20, checks.SiteChange{Active: sett.Some(true)})
			}, checks.SlowEndedPaused, nil},
			{"no checks", func(p *paceDesk) {
				if _, err := s.Uptime.LapseSites(t.Context(), storetest.Clock(20), 10); err != nil {
					t.Fatal(err)
				}
			}, checks.SlowEndedUnchecked, nil},
		} {
			for _, slow := range []bool{true, false} {
				p := d.paced()
				p.look(1, 1840)
				p.look(2, 1840)
				p.wantAlerts(c.name, alerts.AlertSlow)
				c.lose(p)
				spells, err := s.Uptime.SlowSpells(t.Context(), p.ProjectID, p.site.ID, 10)
				if err != nil || len(spells) != 1 || spells[0].FastAt.IsZero() || spells[0].Ending != c.ending || p.FindSite(p.site).Slow() {
					t.Errorf("%s: %+v, %v", c.name, spells, err)
				}
				took, want := time.Duration(1840), c.back
				if !slow {
					took, want = 90, append(slices.Clone(c.back), alerts.AlertFast)
				}
				p.look(30, took)
				p.look(31, took)
				p.wantAlerts(c.name+", then", want...)
				if got := p.FindSite(p.site).Slow(); got != slow {
					t.Errorf("%s: slow afterwards: %t, want %t", c.name, got, slow)
				}
			}
		}
	})
}

func TestAnotherLimitCountsAnew(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		p := newPaceDesk(t, s)
		p.look(1, 900)
		p.change(2, checks.SiteChange{SlowAfter: sett.Some[int64](700)})
		p.look(3, 900)
		p.wantAlerts("one slow check under the new limit")
		p.look(4, 900)
		p.wantAlerts("two", alerts.AlertSlow)
		p.change(5, checks.SiteChange{SlowAfter: sett.Some[int64](2000)})
		p.look(6, 900)
		if !p.FindSite(p.site).Slow() {
			t.Error("a higher limit alone made it fast")
		}
		p.look(7, 900)
		p.wantAlerts("fast under the new limit", alerts.AlertFast)
		p.look(8, 2500)
		p.look(9, 2500)
		p.wantAlerts("slow again", alerts.AlertSlow)
		p.change(10, checks.SiteChange{SlowAfter: sett.Optional[int64]{Sent: true, Null: true}})
		p.change(11, checks.SiteChange{SlowAfter: sett.Some[int64](2000)})
		p.look(12, 90)
		p.look(13, 90)
		p.wantAlerts("a user has ended it")
		if spells, err := s.Uptime.SlowSpells(t.Context(), p.ProjectID, p.site.ID, 1); err != nil || spells[0].Ending != checks.SlowEndedOff || !spells[0].FastAt.Equal(storetest.Clock(10)) {
			t.Errorf("%+v, %v", spells, err)
		}
	})
}
