package statusdb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

// outageModel is three sites on two status pages, which go down and up while people write and work.
type outageModel struct {
	*desk
	now    time.Time
	sites  []checks.Site
	down   map[sett.UUID]time.Time // since when
	seen   map[sett.UUID]time.Time // the last check
	active map[sett.UUID]bool
	pages  []status.StatusPage
}

func newOutageModel(d *desk) *outageModel {
	m := &outageModel{desk: d, now: storetest.Noon, down: map[sett.UUID]time.Time{}, seen: map[sett.UUID]time.Time{}, active: map[sett.UUID]bool{}}
	for range 3 {
		site := d.Site(d.ProjectID)
		m.sites, m.active[site.ID] = append(m.sites, site), true
	}
	m.pages = []status.StatusPage{d.PageOf(m.sites[0], m.sites[1]), d.PageOf(m.sites[1], m.sites[2])}
	return m
}

// wanted returns the components of a page that its automatic incident must name. It does not use the rule that is tested.
func (m *outageModel) wanted(page status.StatusPage) (ids []int64) {
	incidents := m.IncidentsOf(page, statusdb.AnyIncident)
component:
	for _, c := range page.Components {
		since, down := m.down[c.SiteID]
		if !down || !m.active[c.SiteID] {
			continue
		}
		for _, i := range incidents {
			names := slices.Contains(i.ComponentIDs, c.ID)
			worked := i.Status == status.InProgress && (names || i.ComponentIDs == nil)
			theirs := i.Kind == status.Disruption && !i.Automatic && names && (i.ResolvedAt.IsZero() || i.ResolvedAt.After(since))
			if worked || theirs {
				continue component
			}
		}
		ids = append(ids, c.ID)
	}
	return ids
}

func (m *outageModel) check(r *rapid.T, what string) {
	for n, page := range m.pages {
		var open []status.StatusIncident
		for _, i := range m.IncidentsOf(page, statusdb.OpenIncident) {
			if i.Automatic {
				open = append(open, i.StatusIncident)
			}
		}
		var named []int64
		if len(open) > 0 {
			named = open[0].ComponentIDs
		}
		if want := m.wanted(page); len(open) > 1 || len(open) == 1 && len(named) == 0 || !cmp.Equal(want, named) {
			r.Fatalf("%s, page %d: %d automatic incidents are open, of %v, want %v\n%q", what, n, len(open), named, want, m.Announced(page))
		}
	}
}

// step does something and returns what.
func (m *outageModel) step(r *rapid.T) string {
	m.now = m.now.Add(time.Duration(rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 400)).Draw(r, "seconds")) * time.Second)
	page := rapid.SampledFrom(m.pages).Draw(r, "page")
	switch kind := rapid.IntRange(0, 9).Draw(r, "kind"); kind {
	case 0:
		return m.open(r, page)
	case 1, 2:
		return m.say(r, page)
	case 3:
		return m.plan(r, page)
	case 4:
		return m.delete(r, page)
	case 5:
		return m.toggle(r)
	}
	return m.look(r)
}

func (m *outageModel) look(r *rapid.T) string {
	var reports []checks.CheckReport
	for _, site := range m.sites {
		how := rapid.IntRange(0, 2).Draw(r, "look")
		if how == 0 || !m.active[site.ID] {
			continue
		}
		_, was := m.down[site.ID]
		if up := how == 1; up {
			delete(m.down, site.ID)
		} else if !was || m.now.Sub(m.seen[site.ID]) > site.Patience() { // an outage ends where a gap begins
			m.down[site.ID] = m.now
		}
		m.seen[site.ID] = m.now
		reports = append(reports, storetest.Look(m.FindSite(site), checks.Virginia, m.now, how == 1))
	}
	m.Checked(m.now, reports...)
	return fmt.Sprint("look ", m.down)
}

func (m *outageModel) toggle(r *rapid.T) string {
	id := rapid.SampledFrom(m.sites).Draw(r, "site").ID
	if m.active[id] = !m.active[id]; m.active[id] { // what was found before the pause says nothing of now
		delete(m.down, id)
	}
	m.must(r, m.Uptime.UpdateSite(m.T.Context(), m.now, m.ProjectID, id, checks.SiteChange{Active: sett.Some(m.active[id])}))
	return fmt.Sprint("active ", m.active[id])
}

func (m *outageModel) must(r *rapid.T, err error) {
	if err != nil {
		r.Fatal(err)
	}
}

// someSites draws some of the sites of a page.
func someSites(r *rapid.T, page status.StatusPage) (ids []string) {
	for _, c := range page.Components {
		if rapid.Bool().Draw(r, "about") {
			ids = append(ids, c.SiteID.String())
		}
	}
	return ids
}

func (m *outageModel) open(r *rapid.T, page status.StatusPage) string {
	_, err := m.Status.CreateIncident(m.T.Context(), m.now, m.AccountID, page.ID, status.IncidentChange{Name: sett.Some("Slow"), Message: sett.Some("x"), SiteIDs: sett.Some(someSites(r, page))})
	m.must(r, err)
	return "open"
}

func (m *outageModel) plan(r *rapid.T, page status.StatusPage) string {
	from := m.now.Add(time.Duration(rapid.IntRange(0, 60).Draw(r, "from")) * time.Second)
	to := from.Add(time.Duration(rapid.IntRange(1, 60).Draw(r, "to")) * time.Second)
	_, err := m.Status.CreateIncident(m.T.Context(), m.now, m.AccountID, page.ID, status.IncidentChange{
		Kind: sett.Some("maintenance"), Name: sett.Some("Disks"), Message: sett.Some("x"), SiteIDs: sett.Some(someSites(r, page)),
		StartsAt: sett.Some(from.Format(time.RFC3339Nano)), EndsAt: sett.Some(to.Format(time.RFC3339Nano)),
	})
	m.must(r, err)
	return "plan"
}

func (m *outageModel) say(r *rapid.T, page status.StatusPage) string {
	all := m.IncidentsOf(page, statusdb.AnyIncident)
	if len(all) == 0 {
		return "nothing to say"
	}
	i := rapid.SampledFrom(all[:min(len(all), 4)]).Draw(r, "incident")
	next := rapid.SampledFrom(i.Kind.Statuses()).Draw(r, "status")
	_, err := m.Status.AddIncidentUpdate(m.T.Context(), m.now, m.AccountID, page.ID, i.ID, status.IncidentUpdateChange{Status: sett.Some(string(next)), Message: sett.Some("x")})
	if sett.CodeOf(err) != sett.Invalid { // of times that have passed
		m.must(r, err)
	}
	return fmt.Sprint("say ", next, " of ", i.Name)
}

func (m *outageModel) delete(r *rapid.T, page status.StatusPage) string {
	for _, i := range m.IncidentsOf(page, statusdb.AnyIncident) {
		if i.CheckDelete() == nil && rapid.Bool().Draw(r, "it") {
			m.must(r, m.Status.DeleteIncident(m.T.Context(), m.now, m.AccountID, page.ID, i.ID))
			return "delete " + i.Name
		}
	}
	return "nothing to delete"
}

// Whatever happens, a page has at most one open automatic incident. It names exactly the components that are down, are not in
// maintenance and are not named by an incident that people reported.
func TestAutomaticIncidentsFollowTheModel(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		rapid.Check(t, func(r *rapid.T) {
			m := newOutageModel(d)
			for range rapid.IntRange(1, 25).Draw(r, "steps") {
				what := m.step(r)
				_, err := m.Status.MoveIncidents(t.Context(), m.now)
				m.must(r, err)
				m.check(r, what)
			}
		})
	})
}
