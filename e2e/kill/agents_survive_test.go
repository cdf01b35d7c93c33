package kill

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/internal/sett/checks"
)

// manyPages are checked besides the one that a story is about: each location then asks for about one in a second.
const manyPages = 60

// fleet is a server, agents at all other locations and one that stands by, and what they check.
type fleet struct {
	*rig.Server
	target  *rig.Target
	posts   []*rig.Agent
	standby *rig.Agent // at London
	shop    rig.Site
}

// newFleet starts all of them, and waits until every location is live.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{Server: rig.Prepare(t, ""), target: rig.NewTarget(t, "127.0.0.1")}
	f.Flags = append(f.Flags, "--egress-allow", "127.0.0.0/8")
	f.Restart(t)
	f.shop = f.Manage(t).NewSite(f.Server, f.target.Page("shop"))
	for _, location := range []string{"Oregon", "Frankfurt", "Singapore", "London", "London"} {
		p := f.NewAgent(t, location, rig.NewGate(t, "127.0.0.1", f.Base))
		f.target.Knows(p)
		f.posts = append(f.posts, p)
	}
	f.standby = f.posts[4]
	for _, p := range f.posts[:4] {
		p.Start(t)
	}
	f.Manage(t).AwaitLive(f.Server, f.shop.ID, checks.Locations()...)
	f.standby.Start(t)
	return f
}

// agentsSurvive kills the server and an agent: the others check on and come back by themselves, the one that stood by takes
// over, and in the server's next life all pages are soon checked from everywhere. An agent that is revoked stops.
func agentsSurvive(t *testing.T) {
	f := newFleet(t)
	pages := 1 + len(f.Manage(t).NewSites(f.Server, f.target, manyPages))
	for _, l := range checks.Locations() {
		rig.Await(t, "every page is checked from "+string(l), func() bool { return f.target.Pages(string(l)) == pages })
	}
	f.posts[3].Kill()
	f.Kill()
	f.target.Forget()
	rig.Await(t, "agents check without their server", func() bool { return f.target.Pages("Oregon") > 5 && f.target.Pages("Frankfurt") > 5 })
	if n := f.target.Pages("Virginia"); n != 0 {
		t.Errorf("a server that is dead has asked for %d pages", n)
	}

	f.Restart(t)
	for _, p := range f.posts {
		p.Gate.LeadTo(f.Base)
	}
	f.target.Forget()
	began := time.Now()
	for _, l := range checks.Locations() {
		rig.Await(t, "every page was asked for from "+string(l), func() bool { return f.target.Pages(string(l)) == pages })
	}
	t.Logf("%d pages were checked from everywhere within %v of the start", pages, time.Since(began).Round(time.Second))
	f.Manage(t).AwaitLive(f.Server, f.shop.ID, checks.Locations()...)
	f.revoke(t, f.posts[0])
	f.Stop(t)
}

// revoke takes an agent's token from it: its location is not live any more, and nothing is checked from there.
func (f *fleet) revoke(t *testing.T, p *rig.Agent) {
	t.Helper()
	f.Sett(t, nil, "agents", "revoke", strconv.FormatInt(p.ID, 10))
	f.Manage(t).AwaitLive(f.Server, f.shop.ID, checks.Virginia, checks.Frankfurt, checks.Singapore, checks.London)
	rig.Await(t, "the agent knows that it was revoked", func() bool { return strings.Contains(p.Log.String(), "sett agents add NAME") })
	f.target.Forget()
	rig.Await(t, "others check on", func() bool { return f.target.Pages("Frankfurt") > manyPages/4 })
	if n := f.target.Pages(p.Location); n != 0 {
		t.Errorf("an agent that was revoked looked at %d pages", n)
	}
	var agents []struct{ State string }
	if f.Sett(t, &agents, "agents", "list"); len(agents) != 4 || agents[0].State != "alive" || agents[2].State != "silent" {
		t.Errorf("listed are %+v, want four of whom the third is silent", agents)
	}
}
