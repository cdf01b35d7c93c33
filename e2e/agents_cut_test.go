package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sett/internal/sett/checks"
)

func cutOffByGate(t *testing.T) {
	g := newGate(t, "127.0.0.1")
	cutOff(t, partition{gate: g, target: newTarget(t, "127.0.0.1"), cut: g.close, restore: g.open})
}

func cutOffByCable(t *testing.T) { cutOff(t, twoCables(t)) }

// partition is a network in which an agent reaches a target, and a server until it is cut.
type partition struct {
	gate         *gate
	target       *target
	netns        []string
	cut, restore func()
}

// cutOff takes an agent's way to the server from it. It checks on and keeps what it finds; when the way is back its history
// is whole, and shows no outage: who sees a site fail and cannot be heard has no say, then or later.
func cutOff(t *testing.T, net partition) {
	s := prepare(t, "")
	s.flags = append(s.flags, "--egress-allow", "127.0.0.0/8,198.18.0.0/15")
	s.restart(t)
	m, tg := s.manage(t), net.target
	net.gate.leadTo(s.base)
	sites := m.newSites(s, tg, manyPages, "Virginia", "Oregon")
	p := s.newPost(t, "Oregon", net.gate)
	p.netns = net.netns
	tg.knows(p)
	p.start(t)
	m.awaitLive(s, sites[0].ID, checks.Virginia, checks.Oregon)
	await(t, "every page was asked for", func() bool { return tg.pages("Oregon") == manyPages && tg.pages("Virginia") == manyPages })
	for _, have := range sites { // or it waits for the word of one that is not heard any more
		await(t, "both have said that it is up", func() bool { return m.site(s, have.ID).State == "up" })
	}

	net.cut()
	m.awaitLive(s, sites[0].ID, checks.Virginia)
	tg.forget()
	tg.breaks(func(location, _ string) bool { return location == "Oregon" })
	await(t, "the agent sees pages fail", func() bool { _, failed := tg.from("Oregon"); return failed > manyPages/4 })
	tg.breaks(nil)
	tg.forget()
	await(t, "the agent sees them answer", func() bool { return tg.pages("Oregon") > manyPages/4 })
	kept, files := p.spooled(t), p.batches(t)
	net.restore()

	p.awaitUploaded(t, files)
	m.awaitLive(s, sites[0].ID, checks.Virginia, checks.Oregon)
	written := map[look]bool{}
	for _, l := range kept {
		written[l] = true
	}
	m.proveLooks(s, sites, written)
	failed := 0
	for _, have := range sites {
		for _, c := range m.checks(s, have.ID) {
			if !c.Up {
				failed++
			}
		}
		if outages, state := m.outages(s, have.ID), m.site(s, have.ID).State; len(outages) != 0 || state != "up" {
			t.Errorf("%s is %s, with outages %+v", have.ID, state, outages)
		}
	}
	if failed == 0 {
		t.Error("no failure is in the history")
	}
	s.stop(t)
	t.Logf("%d checks were kept, and %d of those stored had failed", len(kept), failed)
}

// twoCables puts an agent into a network of its own that has one cable to the target and one to the server, which can
// be pulled. It needs root, and the Debian package iproute2.
func twoCables(t *testing.T) partition {
	t.Helper()
	name := fmt.Sprint("sett", os.Getpid())
	ip(t, "netns add "+name)
	t.Cleanup(func() { ip(t, "netns delete "+name) })
	inside := "-n " + name + " "
	cable := func(to string, net int) (host string) {
		outer, inner := fmt.Sprintf("s%s%d", to, os.Getpid()), to
		host, guest := fmt.Sprintf("198.18.%d.%d", net, 4*(os.Getpid()%60)+1), fmt.Sprintf("198.18.%d.%d", net, 4*(os.Getpid()%60)+2)
		ip(t, "link add "+outer+" type veth peer name "+inner+" netns "+name)
		ip(t, "address add "+host+"/30 dev "+outer)
		ip(t, inside+"address add "+guest+"/30 dev "+inner)
		ip(t, "link set "+outer+" up")
		ip(t, inside+"link set "+inner+" up")
		return host
	}
	n := os.Getpid() / 60 % 200
	server, pages := cable("srv", n), cable("tgt", n+1)
	pulled := fmt.Sprintf("link set ssrv%d ", os.Getpid())
	return partition{
		gate: newGate(t, server), target: newTarget(t, pages), netns: []string{"ip", "netns", "exec", name},
		cut: func() { ip(t, pulled+"down") }, restore: func() { ip(t, pulled+"up") },
	}
}

func ip(t testing.TB, args string) {
	t.Helper()
	command(t, "ip", strings.Fields(args)...)
}
