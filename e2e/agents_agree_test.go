package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// agentsAgree has the site fail at two of five locations, then at all, then at none: it is down once, from the first failure on.
// Agents check ports, too.
func agentsAgree(t *testing.T) {
	f := newFleet(t)
	m, s, shop := f.manage(t), f.server, f.shop
	few := []string{"Oregon", "Frankfurt"}
	await(t, "the site is up", func() bool { return m.site(s, shop.ID).State == "up" }) // an outage cannot begin before that
	f.target.breaks(func(location, page string) bool { return page == "shop" && slices.Contains(few, location) })
	m.lookAgain(s, shop, 29)
	failed := func() (all []uptimeCheck) {
		return slices.DeleteFunc(m.checks(s, shop.ID), func(c uptimeCheck) bool { return c.Up })
	}
	await(t, "two locations have reported a failure", func() bool { return len(failed()) >= 2 })
	if state := m.site(s, shop.ID).State; state != "up" || len(m.outages(s, shop.ID)) != 0 {
		t.Fatalf("two of five see it fail: it is %s, with outages %+v", state, m.outages(s, shop.ID))
	}

	f.target.breaks(func(_, page string) bool { return page == "shop" })
	await(t, "the site is down", func() bool { return m.site(s, shop.ID).State == "down" })
	first := slices.MinFunc(failed(), func(a, b uptimeCheck) int { return a.CreatedAt.Compare(b.CreatedAt) })
	outages := m.outages(s, shop.ID)
	if len(outages) != 1 || !outages[0].DownAt.Equal(first.CreatedAt) || outages[0].UpAt != nil {
		t.Fatalf("the outages are %+v, want one that began with the first failure, at %v", outages, first.CreatedAt)
	}

	f.target.breaks(nil)
	m.lookAgain(s, shop, 28)
	await(t, "the site is up again", func() bool { return m.site(s, shop.ID).State == "up" })
	if outages := m.outages(s, shop.ID); len(outages) != 1 || outages[0].UpAt == nil || !outages[0].UpAt.After(outages[0].DownAt) {
		t.Fatalf("afterwards the outages are %+v, want one that is over", outages)
	}

	port := m.newSite(s, "tcp://"+strings.TrimPrefix(f.target.url, "http://"), few...)
	await(t, "agents have opened the port", func() bool { return m.site(s, port.ID).State == "up" })
	f.stop(t)
}

// lookAgain has every location look at a site at once, by another timeout in seconds.
func (m manager) lookAgain(s *server, have site, timeout int) {
	m.t.Helper()
	m.do(http.MethodPut, s.project()+"/sites/"+have.ID, map[string]any{"site": map[string]any{"timeout": timeout}}, http.StatusNoContent)
}
