package deliverydb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// siteAlert is an alert about a site that has a name.
func siteAlert(n int, event alerts.AlertEvent) alerts.Alert {
	a := storetest.About(alerts.SiteSubject(sett.UUID{byte(n)}), event)[0]
	a.Facts.Site = &alerts.SiteFacts{Name: fmt.Sprint("Site ", n)}
	return a
}

// Of 60 sites that go down together, those beyond the limit are named 10 seconds later, in one message, and so is their end.
func TestSitesThatFailTogetherAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		channel := d.WebHook(limited(30))
		at := func(seconds int) time.Time { return storetest.Noon.Add(time.Duration(seconds) * time.Second) }
		var names []string
		for n := range 60 {
			d.Happen(at(0), siteAlert(n, alerts.AlertDown))
			if n >= 30 {
				names = append(names, fmt.Sprint("Site ", n))
			}
		}
		d.FanOut(at(0))
		if n := d.closeFloods(at(9)); n != 0 {
			t.Errorf("%d lists after 9 seconds", n)
		}
		if n := d.closeFloods(at(10)); n != 1 {
			t.Errorf("%d lists after 10 seconds", n)
		}
		if n := d.closeFloods(at(60)); n != 0 {
			t.Errorf("%d lists without news", n)
		}
		for n := range 60 {
			d.Happen(at(120), siteAlert(n, alerts.AlertUp))
		}
		d.FanOut(at(120))
		if n := d.closeFloods(at(139)); n != 0 {
			t.Errorf("%d second lists after 19 seconds", n)
		}
		if n := d.closeFloods(at(140)); n != 1 {
			t.Errorf("%d second lists after 20 seconds", n)
		}
		want := []alerts.HeldFacts{
			{Count: 30, Limit: 30, Minutes: 10, Down: names, DownCount: 30, Listed: 30},
			{Count: 30, Limit: 30, Minutes: 10, Well: names, WellCount: 30, Listed: 30},
		}
		if diff := cmp.Diff(want, d.heldFacts()); diff != "" {
			t.Errorf("lists (-want +got):\n%s", diff)
		}
		if n := d.closeFloods(at(600)); n != 0 {
			t.Errorf("%d summaries of what was listed", n)
		}
		states := d.statesOf(channel.ID)
		if due := len(slices.DeleteFunc(states, func(s string) bool { return s == "held" })); due != 62 {
			t.Errorf("%d messages, want 30 for each state and two lists", due)
		}
	})
}

// What was not listed yet when a window ends is in its summary. A site that was down and is well again is well; errors are counted.
func TestASummaryNamesWhatWasNotListed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook(limited(1))
		end := storetest.Noon.Add(alerts.FloodWindow)
		d.Happen(storetest.Noon, siteAlert(0, alerts.AlertDown))
		d.FanOut(storetest.Noon)
		d.Happen(end.Add(-time.Second), siteAlert(1, alerts.AlertDown), siteAlert(2, alerts.AlertDown), siteAlert(1, alerts.AlertUp))
		d.Happen(end.Add(-time.Second), storetest.About(alerts.FaultSubject(7), alerts.AlertOccurred)...)
		d.FanOut(end.Add(-time.Second))
		if n := d.closeFloods(end); n != 1 {
			t.Errorf("%d summaries", n)
		}
		want := []alerts.HeldFacts{{Count: 4, Limit: 1, Minutes: 10, Down: []string{"Site 2"}, Well: []string{"Site 1"}, DownCount: 1, WellCount: 1, Listed: 3}}
		if diff := cmp.Diff(want, d.heldFacts()); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
	})
}

// The summary after quiet hours names what went down in them, also where a window of flood control was open before, and each only once.
func TestTheSummaryAfterQuietHoursNamesWhatIsDown(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.quiet(d.WebHook(limited(1)), nights)
		happen := func(at time.Time, alerts ...alerts.Alert) {
			d.Happen(at, alerts...)
			d.FanOut(at)
		}
		happen(evening.Add(-2*time.Hour), siteAlert(0, alerts.AlertDown), siteAlert(1, alerts.AlertDown))
		d.closeFloods(evening.Add(-time.Hour))
		for night := range 2 { // the second summary names nothing of the first night
			start, end := midnight.AddDate(0, 0, night), morning.AddDate(0, 0, night)
			happen(start, siteAlert(2, alerts.AlertDown), siteAlert(3, alerts.AlertDown), siteAlert(4, alerts.AlertDown))
			happen(start.Add(time.Hour), siteAlert(4, alerts.AlertUp))
			happen(start.Add(time.Hour), storetest.About(alerts.FaultSubject(7), alerts.AlertOccurred)...)
			happen(end.Add(time.Minute), siteAlert(2, alerts.AlertUp)) // by itself
			if n := d.closeFloods(end.Add(alerts.FloodWindow)); n != 1 {
				t.Errorf("%d summaries", n)
			}
			d.closeFloods(end.Add(2 * alerts.FloodWindow))
		}
		night := alerts.HeldFacts{Count: 4, Limit: 1, Minutes: 10, Quiet: true, Down: []string{"Site 3"}, Well: []string{"Site 4"}, DownCount: 1, WellCount: 1, Listed: 3}
		if diff := cmp.Diff([]alerts.HeldFacts{night, night}, d.heldFacts()[1:]); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
	})
}
