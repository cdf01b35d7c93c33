package kill

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"sett/e2e/rig"
)

// agentsAgree has the site fail at two of five locations, then at all, then at none: it is down once, from the first failure on.
// Agents check ports, too.
func agentsAgree(t *testing.T) {
	f := newFleet(t)
	m, s, shop := f.Manage(t), f.Server, f.shop
	few := []string{"Oregon", "Frankfurt"}
	rig.Await(t, "the site is up", func() bool { return m.Site(s, shop.ID).State == "up" }) // an outage cannot begin before that
	f.target.Breaks(func(location, page string) bool { return page == "shop" && slices.Contains(few, location) })
	lookAgain(m, s, shop, 29)
	failed := func() (all []rig.UptimeCheck) {
		return slices.DeleteFunc(m.Checks(s, shop.ID), func(c rig.UptimeCheck) bool { return c.Up })
	}
	rig.Await(t, "two locations have reported a failure", func() bool { return len(failed()) >= 2 })
	if state := m.Site(s, shop.ID).State; state != "up" || len(m.Outages(s, shop.ID)) != 0 {
		t.Fatalf("two of five see it fail: it is %s, with outages %+v", state, m.Outages(s, shop.ID))
	}

	f.target.Breaks(func(_, page string) bool { return page == "shop" })
	rig.Await(t, "the site is down", func() bool { return m.Site(s, shop.ID).State == "down" })
	first := slices.MinFunc(failed(), func(a, b rig.UptimeCheck) int { return a.CreatedAt.Compare(b.CreatedAt) })
	outages := m.Outages(s, shop.ID)
	if len(outages) != 1 || !outages[0].DownAt.Equal(first.CreatedAt) || outages[0].UpAt != nil {
		t.Fatalf("the outages are %+v, want one that began with the first failure, at %v", outages, first.CreatedAt)
	}

	f.target.Breaks(nil)
	lookAgain(m, s, shop, 28)
	rig.Await(t, "the site is up again", func() bool { return m.Site(s, shop.ID).State == "up" })
	if outages := m.Outages(s, shop.ID); len(outages) != 1 || outages[0].UpAt == nil || !outages[0].UpAt.After(outages[0].DownAt) {
		t.Fatalf("afterwards the outages are %+v, want one that is over", outages)
	}

	port := m.NewSite(s, "tcp://"+strings.TrimPrefix(f.target.URL, "http://"), few...)
	rig.Await(t, "agents have opened the port", func() bool { return m.Site(s, port.ID).State == "up" })
	f.Stop(t)
}

// lookAgain has every location look at a site at once, by another timeout in seconds.
func lookAgain(m rig.Manager, s *rig.Server, have rig.Site, timeout int) {
	m.T.Helper()
	m.Do(http.MethodPut, s.Project()+"/sites/"+have.ID, map[string]any{"site": map[string]any{"timeout": timeout}}, http.StatusNoContent)
}
