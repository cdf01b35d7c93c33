package kill

import (
	"fmt"
	"os"
	"testing"

	"sett/e2e/rig"
	"sett/internal/sett/checks"
)

func cutOffByGate(t *testing.T) {
	g := rig.NewGate(t, "127.0.0.1")
	cutOff(t, partition{gate: g, target: rig.NewTarget(t, "127.0.0.1"), cut: g.Close, restore: g.Open})
}

func cutOffByCable(t *testing.T) { cutOff(t, twoCables(t)) }

// partition is a network in which an agent reaches a target, and a server until it is cut.
type partition struct {
	gate         *rig.Gate
	target       *rig.Target
	netns        []string
	cut, restore func()
}

// cutOff takes an agent's way to the server from it. It checks on and keeps what it finds; when the way is back its history
// is whole, and shows no outage: who sees a site fail and cannot be heard has no say, then or later.
func cutOff(t *testing.T, net partition) {
	s := rig.Prepare(t, "")
	s.Flags = append(s.Flags, "--egress-allow", "127.0.0.0/8,198.18.0.0/15")
	s.Restart(t)
	m, tg := s.Manage(t), net.target
	net.gate.LeadTo(s.Base)
	sites := m.NewSites(s, tg, manyPages, "Virginia", "Oregon")
	p := s.NewAgent(t, "Oregon", net.gate)
	p.Netns = net.netns
	tg.Knows(p)
	p.Start(t)
	m.AwaitLive(s, sites[0].ID, checks.Virginia, checks.Oregon)
	rig.Await(t, "every page was asked for", func() bool { return tg.Pages("Oregon") == manyPages && tg.Pages("Virginia") == manyPages })
	for _, have := range sites { // or it waits for the word of one that is not heard any more
		rig.Await(t, "both have said that it is up", func() bool { return m.Site(s, have.ID).State == "up" })
	}

	net.cut()
	m.AwaitLive(s, sites[0].ID, checks.Virginia)
	tg.Forget()
	tg.Breaks(func(location, _ string) bool { return location == "Oregon" })
	rig.Await(t, "the agent sees pages fail", func() bool { _, failed := tg.From("Oregon"); return failed > manyPages/4 })
	tg.Breaks(nil)
	tg.Forget()
	rig.Await(t, "the agent sees them answer", func() bool { return tg.Pages("Oregon") > manyPages/4 })
	kept, files := p.Spooled(t), p.Batches(t)
	net.restore()

	awaitUploaded(t, p, files)
	m.AwaitLive(s, sites[0].ID, checks.Virginia, checks.Oregon)
	written := map[rig.Look]bool{}
	for _, l := range kept {
		written[l] = true
	}
	proveLooks(m, s, sites, written)
	failed := 0
	for _, have := range sites {
		for _, c := range m.Checks(s, have.ID) {
			if !c.Up {
				failed++
			}
		}
		if outages, state := m.Outages(s, have.ID), m.Site(s, have.ID).State; len(outages) != 0 || state != "up" {
			t.Errorf("%s is %s, with outages %+v", have.ID, state, outages)
		}
	}
	if failed == 0 {
		t.Error("no failure is in the history")
	}
	s.Stop(t)
	t.Logf("%d checks were kept, and %d of those stored had failed", len(kept), failed)
}

// twoCables puts an agent into a network of its own that has one cable to the target and one to the server, which can
// be pulled. It needs root, and the Debian package iproute2.
func twoCables(t *testing.T) partition {
	t.Helper()
	name := fmt.Sprint("sett", os.Getpid())
	rig.IP(t, "netns add "+name)
	t.Cleanup(func() { rig.IP(t, "netns delete "+name) })
	inside := "-n " + name + " "
	cable := func(to string, net int) (host string) {
		outer, inner := fmt.Sprintf("s%s%d", to, os.Getpid()), to
		host, guest := fmt.Sprintf("198.18.%d.%d", net, 4*(os.Getpid()%60)+1), fmt.Sprintf("198.18.%d.%d", net, 4*(os.Getpid()%60)+2)
		rig.IP(t, "link add "+outer+" type veth peer name "+inner+" netns "+name)
		rig.IP(t, "address add "+host+"/30 dev "+outer)
		rig.IP(t, inside+"address add "+guest+"/30 dev "+inner)
		rig.IP(t, "link set "+outer+" up")
		rig.IP(t, inside+"link set "+inner+" up")
		return host
	}
	n := os.Getpid() / 60 % 200
	server, pages := cable("srv", n), cable("tgt", n+1)
	pulled := fmt.Sprintf("link set ssrv%d ", os.Getpid())
	return partition{
		gate: rig.NewGate(t, server), target: rig.NewTarget(t, pages), netns: []string{"ip", "netns", "exec", name},
		cut: func() { rig.IP(t, pulled+"down") }, restore: func() { rig.IP(t, pulled+"up") },
	}
}
