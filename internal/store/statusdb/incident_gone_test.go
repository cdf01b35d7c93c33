package statusdb_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// An incident whose components are gone says which they were, and does not come to be about all of the page.
func TestIncidentKnowsWhatIsGone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		front, night := d.Site(d.ProjectID, namedSite("Front")), d.CheckIn(d.ProjectID, storetest.Hourly("night"))
		stays := d.Site(d.ProjectID, namedSite("Stays"))
		page := d.StatusPage("Shop", front, night, stays)
		made, err := s.Status.CreateIncident(t.Context(), storetest.Noon, d.AccountID, page.ID, status.IncidentChange{
			Name: sett.Some("Slow"), Message: sett.Some("We look."),
			SiteIDs: sett.Some([]string{front.ID.String()}), CheckInIDs: sett.Some([]string{night.ID}),
		})
		if err != nil {
			t.Fatal(err)
		}
		want := func(when string, about int, gone ...string) {
			t.Helper()
			found, err := s.Status.IncidentByID(t.Context(), d.AccountID, page.ID, made.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(gone, found.Gone); diff != "" || len(found.ComponentIDs) != about || found.WholePage() {
				t.Errorf("%s: about %d components, all of the page %v, gone (-want +got):\n%s", when, len(found.ComponentIDs), found.WholePage(), diff)
			}
		}
		update := func(c status.IncidentChange) {
			t.Helper()
			if err := s.Status.UpdateIncident(t.Context(), storetest.Noon, d.AccountID, page.ID, made.ID, c); err != nil {
				t.Fatal(err)
			}
		}
		want("made", 2)
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, front.ID); err != nil {
			t.Fatal(err)
		}
		want("a site is deleted", 1, "Front")
		if err := d.changePage(storetest.Noon, page, status.StatusPageChange{CheckIns: sett.Some([]status.StatusCheckInChange{})}); err != nil {
			t.Fatal(err)
		}
		want("a check-in is no longer shown", 0, "Front", "night")
		none := sett.Some([]string{})
		update(status.IncidentChange{Name: sett.Some("Slower"), SiteIDs: none, CheckInIDs: none})
		want("what was read is sent back", 0, "Front", "night")
		v, err := s.Status.StatusView(t.Context(), storetest.Noon, page.ID)
		if err != nil {
			t.Fatal(err)
		}
		if o := v.Overall(); o != status.OverallUnknown || !slices.Equal(v.Incidents[0].Gone, []string{"Front", "night"}) {
			t.Errorf("the page is %s, its incident %+v", o, v.Incidents[0])
		}
		update(status.IncidentChange{SiteIDs: sett.Some([]string{stays.ID.String()})})
		want("something else is named", 1)
	})
}
