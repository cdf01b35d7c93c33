package statusdb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// A site without a name has its address as its name; visitors read no address of a private network.
func TestVisitorsReadNoInternalAddress(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		unnamed := func(url string) checks.Site {
			return d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Name, c.URL = sett.Some(""), sett.Some(url) })
		}
		d.PageNamed("page", unnamed("http://10.0.0.5:8080"), unnamed("https://shop.example.org/health"))
		for i, want := range []string{"Website", "shop.example.org"} {
			if got := d.View(storetest.Noon, "page")[i].Name; got != want {
				t.Errorf("component %d is %q, want %q", i, got, want)
			}
		}
	})
}
