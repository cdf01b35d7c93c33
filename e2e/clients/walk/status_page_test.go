//go:build walk

package walk

import (
	"net/http"
	"strings"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestStatusPages(t *testing.T) {
	w := newWalker(t)
	p := w.project("Belfry")
	var siteBody client.CreateSiteBody
	siteBody.Site.Url = "https://bells.example.test"
	siteBody.Site.Active = nullable.NewNullableWithValue(false)
	site := must(w.CreateSiteWithResponse(w.ctx, p.Id, siteBody)).JSON201
	job := must(w.CreateCheckInWithResponse(w.ctx, p.Id, client.CheckInBody{CheckIn: client.CheckInChange{
		Name: nullable.NewNullableWithValue("Chime"), ReportPeriod: nullable.NewNullableWithValue("1 hour"),
	}})).JSON201

	var body client.CreateStatusPageBody
	body.StatusPage.Name = "Belfry"
	body.StatusPage.Domain = nullable.NewNullableWithValue("bells.example.test")
	body.StatusPage.Sites = nullable.NewNullableWithValue([]client.StatusSiteChange{{SiteId: site.Id, DisplayName: nullable.NewNullableWithValue("Bells")}})
	body.StatusPage.CheckIns = nullable.NewNullableWithValue([]client.StatusCheckInChange{{CheckInId: job.Id, Position: nullable.NewNullableWithValue(int64(0))}})
	body.StatusPage.Features = nullable.NewNullableWithValue(client.StatusFeaturesChange{UpCaption: nullable.NewNullableWithValue("They ring")})
	made := must(w.CreateStatusPageWithResponse(w.ctx, *account, body)).JSON201
	if made.Slug != "belfry" || !strings.HasSuffix(made.Url, "/status/belfry") || made.DomainState.MustGet() != "pending" || len(made.DomainRecords) == 0 ||
		made.Sites[0].DisplayName != "Bells" || made.CheckIns[0].CheckInId != job.Id || made.Features.UpCaption != "They ring" {
		t.Fatalf("the page is %+v", made)
	}
	read := must(w.GetStatusPageWithResponse(w.ctx, *account, made.Id)).JSON200
	read.DomainProblem = made.DomainProblem // that it was looked for since says more
	same(t, "made and read", made, read)
	must(w.VerifyDomainWithResponse(w.ctx, *account, made.Id))

	must(w.UpdateStatusPageWithResponse(w.ctx, *account, made.Id, client.StatusPageBody{StatusPage: client.StatusPageChange{
		Name: new("Tower"), CheckIns: nullable.NewNullNullable[[]client.StatusCheckInChange](), Password: nullable.NewNullableWithValue("ding dong"),
	}}))
	must(w.PutStatusPageWithResponse(w.ctx, *account, made.Id, client.StatusPageBody{StatusPage: client.StatusPageChange{
		Slug: nullable.NewNullableWithValue("tower"), Domain: nullable.NewNullNullable[string](), HideBranding: nullable.NewNullableWithValue(true),
		SearchEngineIndexingDisabled: nullable.NewNullableWithValue(true), AutomaticIncidents: nullable.NewNullableWithValue(true),
	}}))
	changed := must(w.GetStatusPageWithResponse(w.ctx, *account, made.Id)).JSON200
	if changed.Name != "Tower" || changed.Slug != "tower" || !changed.Domain.IsNull() || len(changed.CheckIns) != 0 || len(changed.Sites) != 1 ||
		!changed.PasswordProtected || !changed.HideBranding || !changed.SearchEngineIndexingDisabled || !changed.AutomaticIncidents {
		t.Errorf("the changed page is %+v", changed)
	}
	same(t, "list", []client.StatusPage{*changed}, must(w.ListStatusPagesWithResponse(w.ctx, *account, nil)).JSON200.Results)

	if listed := must(w.ListSubscribersWithResponse(w.ctx, *account, made.Id, nil)).JSON200.Results; len(listed) != 0 {
		t.Errorf("subscribers: %+v", listed)
	}
	_, err := w.DeleteSubscriberWithResponse(w.ctx, *account, made.Id, 1) // only people themselves subscribe
	w.refused(http.StatusNotFound, err)

	must(w.DeleteStatusPageWithResponse(w.ctx, *account, made.Id))
	_, err = w.GetStatusPageWithResponse(w.ctx, *account, made.Id)
	w.refused(http.StatusNotFound, err)
}
