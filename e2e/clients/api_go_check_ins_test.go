package clients

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	honeybadgerapi "github.com/honeybadger-io/api-go"
)

// ping asks for an address of the reporting interface, and wants the status that alone is success to clients.
func (a apiGo) ping(method, path string) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.Base+path, nil)
	a.did(err)
	answer, err := http.DefaultClient.Do(r)
	a.did(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		a.t.Fatalf("%s %s was answered with status %d, want 200", method, path, answer.StatusCode)
	}
}

func TestAPIGoCheckIns(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	checkIn := read[*honeybadgerapi.CheckIn](t)

	simple := checkIn(a.CheckIns.Create(ctx, project, honeybadgerapi.CheckInParams{
		Name: "Backup", Slug: "backup", ScheduleType: "simple", ReportPeriod: new("1 hour"), GracePeriod: new("5 minutes"),
	}))
	cron := checkIn(a.CheckIns.Create(ctx, project, honeybadgerapi.CheckInParams{
		Slug: "nightly", ScheduleType: "cron", CronSchedule: new("30 2 * * *"), CronTimezone: new("Eastern Time (US & Canada)"),
	}))
	same(t, "simple", honeybadgerapi.CheckIn{
		ID: simple.ID, Name: "Backup", Slug: "backup", State: "pending", ScheduleType: "simple", ReportPeriod: new("1 hour"), GracePeriod: new("5 minutes"),
		URL: a.Base + "/v1/check_in/" + simple.ID, DetailsURL: fmt.Sprintf("%s/projects/%d/check_ins/%s", a.Base, project, simple.ID),
	}, *simple)
	same(t, "cron", honeybadgerapi.CheckIn{
		ID: cron.ID, Name: cron.ID, Slug: "nightly", State: "pending", ScheduleType: "cron", CronSchedule: new("30 2 * * *"),
		CronTimezone: new("Eastern Time (US & Canada)"), GracePeriod: new(""), URL: a.Base + "/v1/check_in/" + cron.ID,
		DetailsURL: fmt.Sprintf("%s/projects/%d/check_ins/%s", a.Base, project, cron.ID),
	}, *cron)

	a.ping(http.MethodHead, "/v1/check_in/"+simple.ID)
	a.ping(http.MethodGet, "/v1/check_in/"+a.APIKey+"/nightly")
	reporting := checkIn(a.CheckIns.Get(ctx, project, simple.ID))
	if reporting.State != "reporting" || reporting.ReportedAt == nil || reporting.ExpectedAt.Sub(*reporting.ReportedAt) != time.Hour {
		t.Errorf("after a ping the check-in is %+v", reporting)
	}
	a.did(a.CheckIns.Update(ctx, project, simple.ID, honeybadgerapi.CheckInParams{Name: "Backups", Slug: "other", ScheduleType: "simple", CronSchedule: new("")}))
	changed := checkIn(a.CheckIns.Get(ctx, project, simple.ID))
	if changed.Name != "Backups" || changed.Slug != "backup" || changed.State != "reporting" {
		t.Errorf("the changed check-in is %+v", changed)
	}
	listed := read[[]honeybadgerapi.CheckIn](t)(a.CheckIns.List(ctx, project))
	same(t, "list", []honeybadgerapi.CheckIn{*changed, *checkIn(a.CheckIns.Get(ctx, project, cron.ID))}, listed)

	results := read[*honeybadgerapi.CheckInBulkUpdateResponse](t)(a.CheckIns.BulkUpdate(ctx, project, []honeybadgerapi.CheckInParams{
		{Slug: "nightly", ScheduleType: "cron", CronSchedule: new("30 3 * * *")},
		{Slug: "weekly", ReportPeriod: new("1 week")},
		{Slug: "broken", ReportPeriod: new("often")},
	})).Results
	if len(results) == 4 && len(results[2].Errors) == 1 {
		results[2].Errors = nil
	}
	same(t, "bulk", []honeybadgerapi.CheckInBulkResult{
		{Operation: "update", Slug: "nightly", Success: true},
		{Operation: "create", Slug: "weekly", Success: true},
		{Operation: "create", Slug: "broken"},
		{Operation: "delete", Slug: "backup", Success: true},
	}, results)
	a.did(a.CheckIns.Delete(ctx, project, cron.ID))
	_, err := a.CheckIns.Get(ctx, project, cron.ID)
	a.gone(err)
}
