//go:build walk

package walk

import (
	"net/http"
	"slices"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

// The site is not active, so that the server does not check it during the walk.
func TestSites(t *testing.T) {
	w := newWalker(t)
	p := w.project("Lighthouse")
	var body client.CreateSiteBody
	body.Site.Url = "https://shop.example.test/health"
	body.Site.Active = nullable.NewNullableWithValue(false)
	body.Site.Locations = nullable.NewNullableWithValue([]client.CreateSiteLocations{"London"})
	body.Site.RequestHeaders = nullable.NewNullableWithValue([]client.ProbeHeader{{Key: "X-Probe", Value: "1"}})
	made := must(w.CreateSiteWithResponse(w.ctx, p.Id, body)).JSON201
	if made.Name != body.Site.Url || made.Active || made.State != "pending" || !made.LastCheckedAt.IsNull() || !made.OutageThreshold.IsNull() ||
		!slices.Equal(made.Locations, []client.SiteLocations{"London"}) || len(made.RequestHeaders) != 1 {
		t.Fatalf("the site is %+v", made)
	}
	same(t, "made and read", made, must(w.GetSiteWithResponse(w.ctx, p.Id, made.Id)).JSON200)
	must(w.UpdateSiteWithResponse(w.ctx, p.Id, made.Id, client.SiteBody{Site: client.SiteChange{
		Name: nullable.NewNullableWithValue("Shop"), OutageThreshold: nullable.NewNullableWithValue(int64(3)), Locations: nullable.NewNullNullable[[]client.SiteChangeLocations](),
		MatchType: nullable.NewNullableWithValue(client.SiteChangeMatchType("exact")), Match: nullable.NewNullableWithValue("204"),
	}}))
	changed := must(w.GetSiteWithResponse(w.ctx, p.Id, made.Id)).JSON200
	if changed.Name != "Shop" || changed.Match.MustGet() != "204" || changed.OutageThreshold.MustGet() != 3 || len(changed.Locations) != 0 || changed.Url != made.Url {
		t.Errorf("the changed site is %+v", changed)
	}
	same(t, "list", []client.Site{*changed}, must(w.ListSitesWithResponse(w.ctx, p.Id, nil)).JSON200.Results)
	same(t, "site of the project", "Shop", must(w.GetProjectWithResponse(w.ctx, p.Id)).JSON200.Sites[0].Name)
	same(t, "outages", 0, len(must(w.ListOutagesWithResponse(w.ctx, p.Id, made.Id, &client.ListOutagesParams{Limit: new(int64(5))})).JSON200.Results))
	same(t, "checks", 0, len(must(w.ListUptimeChecksWithResponse(w.ctx, p.Id, made.Id, nil)).JSON200.Results))
	if uptime := must(w.GetUptimeWithResponse(w.ctx, p.Id, made.Id, nil)).JSON200; uptime.Checks != 0 || !uptime.Uptime.IsNull() || len(uptime.Days) != 0 {
		t.Errorf("the uptime is %+v, want none", uptime)
	}
	_, err := w.CheckSiteWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusUnprocessableEntity, err) // it is not active

	must(w.DeleteSiteWithResponse(w.ctx, p.Id, made.Id))
	_, err = w.GetSiteWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}
