package statusdb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestSubscribersChooseComponents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		shop, blog := d.Site(d.ProjectID), d.Site(d.ProjectID)
		page := d.PageOf(shop, blog)
		d.Subscriber(storetest.Clock(0), page, "all@x")
		choose := func(address string, ids ...int64) {
			who := d.Subscriber(storetest.Clock(0), page, address)
			if err := d.Status.ChooseComponents(t.Context(), storetest.Clock(0), page.ID, who.Token, ids); err != nil {
				t.Fatal(err)
			}
			if all, err := d.Status.SubscriberChoices(t.Context(), who.ID); err != nil || all[who.ID].Has(page.Components[1].ID) != (len(ids) == 2 || ids[0] == page.Components[1].ID) {
				t.Errorf("%s chose %+v, %v", address, all, err)
			}
		}
		choose("both@x", page.Components[0].ID, page.Components[1].ID)
		choose("blog@x", page.Components[1].ID, 999)
		choose("shop@x", page.Components[0].ID)
		made, err := d.Status.CreateIncident(t.Context(), storetest.Clock(1), d.AccountID, page.ID, status.IncidentChange{
			Name: sett.Some("Slow"), Message: sett.Some("one"), SiteIDs: sett.Some([]string{shop.ID.String()}),
		})
		if err != nil {
			t.Fatal(err)
		}
		d.fanOutUpdates(storetest.Clock(1), 10)
		d.notified(d.wantNotices("about the shop", storetest.Clock(1), "all@x: Slow, one", "both@x: Slow, one", "shop@x: Slow, one")...)

		change := status.IncidentChange{SiteIDs: sett.Some([]string{blog.ID.String()})}
		if err := d.Status.UpdateIncident(t.Context(), storetest.Clock(2), d.AccountID, page.ID, made.ID, change); err != nil {
			t.Fatal(err)
		}
		d.updated(storetest.Clock(2), page, made.StatusIncident, "two")
		d.fanOutUpdates(storetest.Clock(2), 10)
		d.notified(d.wantNotices("about the blog now", storetest.Clock(2), "all@x: Slow, two", "blog@x: Slow, two", "both@x: Slow, two", "shop@x: Slow, two")...)

		d.opened(storetest.Clock(3), page, "Broken", "three")
		d.fanOutUpdates(storetest.Clock(3), 10)
		d.wantNotices("about the whole page", storetest.Clock(3), "all@x: Broken, three", "blog@x: Broken, three", "both@x: Broken, three", "shop@x: Broken, three")
		if err := d.Status.ChooseComponents(t.Context(), storetest.Clock(4), page.ID, "made-up", nil); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a made-up token: %v", err)
		}
	})
}
