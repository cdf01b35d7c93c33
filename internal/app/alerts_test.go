package app

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/dial"
	"sett/internal/store"
)

// What is shown of answers follows the networks that the server may reach.
func TestCourierKnowsTheNetworks(t *testing.T) {
	t.Parallel()
	allow, deny := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	a := &App{store: &store.Store{}, cfg: Config{EgressAllow: allow, EgressDeny: deny}, now: time.Now}
	a.setUpNotifications(nil, "")
	got := a.dispatcher.Tools.Egress
	if diff := cmp.Diff(dial.Policy{Allow: allow, Deny: deny}, got, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
