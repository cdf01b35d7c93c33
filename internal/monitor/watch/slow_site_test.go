package watch_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// What a server and two agents measure makes a site slow, across a restart of the server, and fast again.
func TestTheMajorityDecidesWhetherASiteIsSlow(t *testing.T) {
	t.Parallel()
	inNetwork(t, func(t *testing.T, n *network) {
		defer n.withAgents()()
		site := n.site()
		limit := checks.SiteChange{SlowAfter: sett.Some[int64](800), SlowChecks: sett.Some[int64](2)}
		if err := n.store.Uptime.UpdateSite(t.Context(), time.Now(), n.project, site.ID, limit); err != nil {
			t.Fatal(err)
		}
		slow := func(when string, want bool) {
			t.Helper()
			have, err := n.store.Uptime.SiteByID(t.Context(), n.project, site.ID)
			if err != nil || have.Slow() != want || have.State != sett.SiteUp {
				t.Errorf("%s it is %s, slow: %t, %v", when, have.State, have.Slow(), err)
			}
		}
		take := func(d time.Duration, minutes time.Duration) {
			n.mu.Lock()
			n.took = d
			n.mu.Unlock()
			time.Sleep(minutes * time.Minute)
		}
		take(100*time.Millisecond, 3)
		slow("at first", false)
		take(2*time.Second, 1)
		slow("after one slow check from each", false)
		n.stop()
		n.start()
		take(2*time.Second, 3)
		slow("after more", true)
		take(100*time.Millisecond, 1)
		slow("after one fast check from each", true)
		take(100*time.Millisecond, 3)
		slow("after more fast ones", false)
		spells, err := n.store.Uptime.SlowSpells(t.Context(), n.project, site.ID, 10)
		if err != nil || len(spells) != 1 || spells[0].Ending != checks.SlowEndedFast || spells[0].Took != 2*time.Second || len(n.outages(site)) != 0 {
			t.Errorf("%+v, %v", spells, err)
		}
	})
}
