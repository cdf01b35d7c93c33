package watch_test

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// tcpSite makes a TCP site that is checked every minute.
func (n *network) tcpSite(address string) checks.Site {
	n.t.Helper()
	change := checks.SiteChange{URL: sett.Some(address), Frequency: sett.Some[int64](1)}
	site, err := n.store.Uptime.CreateSite(n.t.Context(), time.Now(), n.project, change.Among(probe.Rules()))
	if err != nil {
		n.t.Fatal(err)
	}
	return site
}

// probed returns how often a location has checked anything.
func (n *network) probed(l checks.Location) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.probes[l]
}

// A TCP site has the same retries, votes and outages as any other, and agents check it too.
func TestATCPSiteGoesDownAndRecovers(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		n.kinds = probe.Abilities()
		defer n.withAgents()()
		site := n.tcpSite("tcp://db.test:5432")
		time.Sleep(2 * time.Minute)
		if n.state(site) != sett.SiteUp || n.probed(checks.Oregon) == 0 || n.probed(checks.Frankfurt) == 0 {
			t.Fatalf("it is %s; probes %v", n.state(site), n.probes)
		}
		n.set(everywhere, nil)
		time.Sleep(2 * time.Minute)
		if outages := n.outages(site); n.state(site) != sett.SiteDown || len(outages) != 1 || !outages[0].UpAt.IsZero() {
			t.Fatalf("it is %s, with outages %+v", n.state(site), outages)
		}
		n.set(nil, nil)
		time.Sleep(2 * time.Minute)
		if outages := n.outages(site); n.state(site) != sett.SiteUp || len(outages) != 1 || outages[0].UpAt.IsZero() {
			t.Errorf("it is %s, with outages %+v", n.state(site), outages)
		}
	})
}

// An agent of an older version would report such a site as down. It receives only the sites that it can check.
func TestOldAgentsReceiveNoTCPSites(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		defer n.withAgents()()
		site := n.tcpSite("tcp://db.test:5432")
		n.set([]checks.Location{checks.Oregon, checks.Frankfurt}, nil)
		time.Sleep(5 * time.Minute)
		if n.state(site) != sett.SiteUp || n.probed(checks.Oregon)+n.probed(checks.Frankfurt) > 0 {
			t.Errorf("it is %s; probes %v", n.state(site), n.probes)
		}
		change := checks.SiteChange{URL: sett.Some("http://shop.test/")}
		if err := n.store.Uptime.UpdateSite(t.Context(), time.Now(), n.project, site.ID, change.Among(probe.Rules())); err != nil {
			t.Fatal(err)
		}
		n.set(nil, nil)
		time.Sleep(2 * time.Minute)
		before := n.probed(checks.Oregon)
		if before == 0 {
			t.Error("a site that the agent can check now is not checked")
		}
		change = checks.SiteChange{URL: sett.Some("tcp://db.test:5432")}
		if err := n.store.Uptime.UpdateSite(t.Context(), time.Now(), n.project, site.ID, change.Among(probe.Rules())); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		before = n.probed(checks.Oregon)
		time.Sleep(5 * time.Minute)
		if n.probed(checks.Oregon) != before {
			t.Error("a site that the agent cannot check any more is still checked")
		}
	})
}

// It does not receive sites either whose checks need more than it can do.
func TestOldAgentsReceiveNoSitesThatNeedMore(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		n.kinds = []string{"http", "tcp"} // as in 0.10
		defer n.withAgents()()
		url := sett.Some("http://shop.test/")
		for _, change := range []checks.SiteChange{
			{URL: url, FollowRedirects: sett.Some(true)}, {URL: url, MatchType: sett.Some("exact"), Match: sett.Some("600")},
		} {
			change.Frequency = sett.Some[int64](1)
			if _, err := n.store.Uptime.CreateSite(t.Context(), time.Now(), n.project, change); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		if n.probed(checks.Virginia) == 0 || n.probed(checks.Oregon)+n.probed(checks.Frankfurt) > 0 {
			t.Errorf("probes %v", n.probes)
		}
	})
}

// From a real port to a stored outage: what a check finds is evidence of it.
func TestAPortThatClosesIsAnOutage(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		site := n.tcpSite("tcp://" + address)
		check := probe.New(probe.Options{Dialer: dial.New(dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}), Now: time.Now})
		look := func() {
			t.Helper()
			time.Sleep(time.Minute)
			result, err := check(t.Context(), site.ProbeRequest)
			if err != nil {
				t.Fatal(err)
			}
			report := checks.CheckReport{SiteID: site.ID, Location: checks.Virginia, Revision: site.Revision, Result: result}
			if _, err := n.store.Uptime.RecordChecks(t.Context(), time.Now(), []checks.CheckReport{report}); err != nil {
				t.Fatal(err)
			}
		}
		if look(); n.state(site) != sett.SiteUp {
			t.Fatalf("it is %s", n.state(site))
		}
		_ = listener.Close()
		look()
		if outages := n.outages(site); n.state(site) != sett.SiteDown || len(outages) != 1 || outages[0].Reason != "Connection refused" || outages[0].Status != 0 {
			t.Fatalf("it is %s, with outages %+v", n.state(site), outages)
		}
		if listener, err = net.Listen("tcp", address); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		look()
		if outages := n.outages(site); n.state(site) != sett.SiteUp || len(outages) != 1 || outages[0].UpAt.IsZero() {
			t.Errorf("it is %s, with outages %+v", n.state(site), outages)
		}
	})
}
