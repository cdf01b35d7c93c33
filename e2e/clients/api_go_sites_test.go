package clients

import (
	"errors"
	"io"
	"testing"
	"time"

	honeybadgerapi "github.com/honeybadger-io/api-go"
)

// The sites are not active, so that the server does not check them during the test.
func TestAPIGoSites(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	made := read[*honeybadgerapi.Site](t)(a.Uptime.Create(ctx, project, honeybadgerapi.SiteParams{
		Name: "Shop", URL: "https://shop.example.test/health", Frequency: new(15), MatchType: new("include"), Match: new("Welcome"),
		RequestMethod: new("POST"), RequestBody: new("{}"), RequestHeaders: []map[string]string{{"key": "X-Probe", "value": "1"}},
		Locations: []string{"London", "Oregon"}, ValidateSSL: new(false), Timeout: new(60), OutageThreshold: new(3), Active: new(false),
	}))
	want := honeybadgerapi.Site{
		ID: made.ID, Name: "Shop", URL: "https://shop.example.test/health", Frequency: 15, MatchType: "include", Match: new("Welcome"), State: "pending",
	}
	same(t, "made", want, *made)
	same(t, "read", want, *read[*honeybadgerapi.Site](t)(a.Uptime.Get(ctx, project, made.ID)))
	same(t, "list", []honeybadgerapi.Site{want}, read[[]honeybadgerapi.Site](t)(a.Uptime.List(ctx, project)))
	same(t, "sites of the project", 1, len(read[*honeybadgerapi.Project](t)(a.Projects.Get(ctx, project)).Sites))

	// The client wants a site where the contract has an empty answer (docs/compatibility.md).
	if _, err := a.Uptime.Update(ctx, project, made.ID, honeybadgerapi.SiteParams{Name: "Store", MatchType: new("success")}); !errors.Is(err, io.EOF) {
		t.Errorf("after a change the client says %v, want that there was nothing to read", err)
	}
	want.Name, want.MatchType = "Store", "success"
	same(t, "changed", want, *read[*honeybadgerapi.Site](t)(a.Uptime.Get(ctx, project, made.ID)))

	since, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	same(t, "outages", []honeybadgerapi.Outage{}, read[[]honeybadgerapi.Outage](t)(
		a.Uptime.ListOutages(ctx, project, made.ID, honeybadgerapi.OutageListOptions{CreatedAfter: since, CreatedBefore: until, Limit: 5})))
	same(t, "checks", []honeybadgerapi.UptimeCheck{}, read[[]honeybadgerapi.UptimeCheck](t)(
		a.Uptime.ListUptimeChecks(ctx, project, made.ID, honeybadgerapi.UptimeCheckListOptions{CreatedAfter: since, CreatedBefore: until, Limit: 5})))

	a.did(a.Uptime.Delete(ctx, project, made.ID))
	_, err := a.Uptime.Get(ctx, project, made.ID)
	a.gone(err)
	_, err = a.Uptime.Create(ctx, project, honeybadgerapi.SiteParams{URL: "https://shop.example.test", Locations: []string{"us-east"}})
	refused, ok := errors.AsType[*honeybadgerapi.APIError](err)
	if !ok || refused.StatusCode != 422 || refused.Message != `Please correct: locations must be some of Virginia, Oregon, Frankfurt, Singapore, London; "us-east" is none of them.` {
		t.Errorf("a location that is none: %v", err)
	}
}
