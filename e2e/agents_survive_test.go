package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/checks"
)

// manyPages are checked besides the one that a story is about: each location then asks for about one in a second.
const manyPages = 60

// fleet is a server, agents at all other locations and one that stands by, and what they check.
type fleet struct {
	*server
	target  *target
	posts   []*post
	standby *post // at London
	shop    site
}

// newFleet starts all of them, and waits until every location is live.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{server: prepare(t, ""), target: newTarget(t, "127.0.0.1")}
	f.flags = append(f.flags, "--egress-allow", "127.0.0.0/8")
	f.restart(t)
	f.shop = f.manage(t).newSite(f.server, f.target.page("shop"))
	for _, location := range []string{"Oregon", "Frankfurt", "Singapore", "London", "London"} {
		p := f.newPost(t, location, newGate(t, "127.0.0.1", f.base))
		f.target.knows(p)
		f.posts = append(f.posts, p)
	}
	f.standby = f.posts[4]
	for _, p := range f.posts[:4] {
		p.start(t)
	}
	f.manage(t).awaitLive(f.server, f.shop.ID, checks.Locations()...)
	f.standby.start(t)
	return f
}

// agentsSurvive kills the server and an agent: the others check on and come back by themselves, the one that stood by takes
// over, and in the server's next life all pages are soon checked from everywhere. An agent that is revoked stops.
func agentsSurvive(t *testing.T) {
	f := newFleet(t)
	pages := 1 + len(f.manage(t).newSites(f.server, f.target, manyPages))
	for _, l := range checks.Locations() {
		await(t, "every page is checked from "+string(l), func() bool { return f.target.pages(string(l)) == pages })
	}
	f.posts[3].kill()
	f.kill()
	f.target.forget()
	await(t, "agents check without their server", func() bool { return f.target.pages("Oregon") > 5 && f.target.pages("Frankfurt") > 5 })
	if n := f.target.pages("Virginia"); n != 0 {
		t.Errorf("a server that is dead has asked for %d pages", n)
	}

	f.restart(t)
	for _, p := range f.posts {
		p.gate.leadTo(f.base)
	}
	f.target.forget()
	began := time.Now()
	for _, l := range checks.Locations() {
		await(t, "every page was asked for from "+string(l), func() bool { return f.target.pages(string(l)) == pages })
	}
	t.Logf("%d pages were checked from everywhere within %v of the start", pages, time.Since(began).Round(time.Second))
	f.manage(t).awaitLive(f.server, f.shop.ID, checks.Locations()...)
	f.revoke(t, f.posts[0])
	f.stop(t)
}

// revoke takes an agent's token from it: its location is not live any more, and nothing is checked from there.
func (f *fleet) revoke(t *testing.T, p *post) {
	t.Helper()
	f.sett(t, nil, "agents", "revoke", strconv.FormatInt(p.id, 10))
	f.manage(t).awaitLive(f.server, f.shop.ID, checks.Virginia, checks.Frankfurt, checks.Singapore, checks.London)
	await(t, "the agent knows that it was revoked", func() bool { return strings.Contains(p.log.String(), "sett agents add NAME") })
	f.target.forget()
	await(t, "others check on", func() bool { return f.target.pages("Frankfurt") > manyPages/4 })
	if n := f.target.pages(p.location); n != 0 {
		t.Errorf("an agent that was revoked looked at %d pages", n)
	}
	var agents []struct{ State string }
	if f.sett(t, &agents, "agents", "list"); len(agents) != 4 || agents[0].State != "alive" || agents[2].State != "silent" {
		t.Errorf("listed are %+v, want four of whom the third is silent", agents)
	}
}
