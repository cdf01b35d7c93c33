package clients

import (
	"errors"
	"testing"

	honeybadgerapi "github.com/honeybadger-io/api-go"
)

func TestAPIGoStatusPages(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	site := read[*honeybadgerapi.Site](t)(a.Uptime.Create(ctx, project, honeybadgerapi.SiteParams{
		Name: "Shop", URL: "https://shop.example.test/health", Active: new(false),
	}))
	job := read[*honeybadgerapi.CheckIn](t)(a.CheckIns.Create(ctx, project, honeybadgerapi.CheckInParams{
		Name: "Backup", Slug: "backup", ScheduleType: "simple", ReportPeriod: new("1 day"),
	}))
	made := read[*honeybadgerapi.StatusPage](t)(a.StatusPages.Create(ctx, a.AccountID, honeybadgerapi.StatusPageParams{
		Name: "Shop", Domain: new("status.example.test"), HideBranding: new(true), Features: map[string]any{"up_caption": "All is well"},
		Sites:    []honeybadgerapi.StatusPageSiteParams{{SiteID: site.ID, DisplayName: "Front", Description: "Of the house", Position: new(0)}},
		CheckIns: []honeybadgerapi.StatusPageCheckInParams{{CheckInID: job.ID}},
	}))
	want := honeybadgerapi.StatusPage{
		ID: made.ID, Name: "Shop", AccountID: a.AccountID, Domain: new("status.example.test"), URL: a.Base + "/status/shop", CreatedAt: made.CreatedAt,
		Sites:        []honeybadgerapi.StatusPageSite{{SiteID: site.ID, DisplayName: "Front", Description: "Of the house", State: "pending"}},
		CheckIns:     []honeybadgerapi.StatusPageCheckIn{{CheckInID: job.ID, State: "pending"}},
		HideBranding: new(true), Features: map[string]any{"home_link": "", "up_caption": "All is well", "down_caption": "", "mixed_caption": "", "custom_css": ""},
	}
	same(t, "made", want, *made)
	same(t, "read", want, *read[*honeybadgerapi.StatusPage](t)(a.StatusPages.Get(ctx, a.AccountID, made.ID)))
	same(t, "list", []honeybadgerapi.StatusPage{want}, read[[]honeybadgerapi.StatusPage](t)(a.StatusPages.List(ctx, a.AccountID)))

	// What is sent back as it was read changes nothing.
	a.did(a.StatusPages.Update(ctx, a.AccountID, made.ID, honeybadgerapi.StatusPageParams{Name: "Store", Domain: made.Domain, Features: made.Features}))
	want.Name = "Store"
	same(t, "changed", want, *read[*honeybadgerapi.StatusPage](t)(a.StatusPages.Get(ctx, a.AccountID, made.ID)))

	a.did(a.StatusPages.Delete(ctx, a.AccountID, made.ID))
	_, err := a.StatusPages.Get(ctx, a.AccountID, made.ID)
	a.gone(err)
	_, err = a.StatusPages.Create(ctx, a.AccountID, honeybadgerapi.StatusPageParams{Name: "Shop", Features: map[string]any{"logo": "x"}})
	refused, ok := errors.AsType[*honeybadgerapi.APIError](err)
	if !ok || refused.StatusCode != 422 || refused.Message != `Please correct: features must be some of home_link, up_caption, down_caption, mixed_caption, custom_css, accent_color; "logo" is none of them.` {
		t.Errorf("a feature that there is not: %v", err)
	}
}
