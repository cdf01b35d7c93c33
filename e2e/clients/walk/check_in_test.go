//go:build walk

package walk

import (
	"net/http"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestCheckIns(t *testing.T) {
	w := newWalker(t)
	p := w.project("Cellar")
	made := must(w.CreateCheckInWithResponse(w.ctx, p.Id, client.CheckInBody{CheckIn: client.CheckInChange{
		Name: nullable.NewNullableWithValue("Backup"), Slug: nullable.NewNullableWithValue("backup"), ReportPeriod: nullable.NewNullableWithValue("1 day"),
	}})).JSON201
	if made.Name != "Backup" || made.Slug != "backup" || made.State != "pending" || *made.ReportPeriod != "1 day" || made.MissedCount != 0 {
		t.Fatalf("the check-in is %+v", made)
	}
	same(t, "made and read", made, must(w.GetCheckInWithResponse(w.ctx, p.Id, made.Id)).JSON200)

	must(w.PingWithResponse(w.ctx, made.Id))
	must(w.PingBySlugWithPayloadWithResponse(w.ctx, p.Token, "backup", client.PingBody{CheckIn: &client.PingPart{
		Status: new(client.PingPartStatus("error")), Duration: new(int64(1500)), ExitCode: new(int64(3)), Stdout: new("out"),
	}}))
	failing := must(w.GetCheckInWithResponse(w.ctx, p.Id, made.Id)).JSON200
	if failing.State != "failing" || failing.ReportedAt.IsNull() || failing.ExpectedAt.IsNull() {
		t.Errorf("after pings the check-in is %+v", failing)
	}
	events := must(w.ListCheckInEventsWithResponse(w.ctx, p.Id, made.Id, nil)).JSON200.Results
	if len(events) != 2 || events[0].Event != "reported" || events[0].Payload.IsNull() || !events[1].Payload.IsNull() {
		t.Errorf("the history is %+v", events)
	}
	must(w.UpdateCheckInWithResponse(w.ctx, p.Id, made.Id, client.CheckInBody{CheckIn: client.CheckInChange{GracePeriod: nullable.NewNullableWithValue("5 minutes")}}))
	must(w.PauseCheckInWithResponse(w.ctx, p.Id, made.Id, client.CheckInPause{Time: "hour"}))
	if paused := must(w.GetCheckInWithResponse(w.ctx, p.Id, made.Id)).JSON200; paused.State != "paused" || paused.GracePeriod != "5 minutes" {
		t.Errorf("the paused check-in is %+v", paused)
	}
	must(w.UnpauseCheckInWithResponse(w.ctx, p.Id, made.Id))
	must(w.DeleteCheckInWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetCheckInWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestSyncOfCheckIns(t *testing.T) {
	w := newWalker(t)
	p := w.project("Attic")
	nightly := client.CheckInChange{
		Slug: nullable.NewNullableWithValue("nightly"), ScheduleType: nullable.NewNullableWithValue(client.CheckInChangeScheduleType("cron")),
		CronSchedule: nullable.NewNullableWithValue("30 2 * * *"), CronTimezone: nullable.NewNullableWithValue("Europe/Berlin"),
	}
	sync := func(all ...client.CheckInChange) []client.CheckInSync {
		return must(w.SyncCheckInsWithResponse(w.ctx, p.Id, client.CheckInsBody{CheckIns: append([]client.CheckInChange{}, all...)})).JSON200.Results
	}
	same(t, "first", []client.CheckInSync{{Operation: "create", Slug: "nightly", Success: true}}, sync(nightly))
	same(t, "again", []client.CheckInSync{{Operation: "update", Slug: "nightly", Success: true}}, sync(nightly))
	listed := must(w.ListCheckInsWithResponse(w.ctx, p.Id, nil)).JSON200.Results
	if len(listed) != 1 || *listed[0].CronSchedule != "30 2 * * *" || listed[0].CronTimezone.MustGet() != "Europe/Berlin" {
		t.Errorf("the list is %+v", listed)
	}
	same(t, "none", []client.CheckInSync{{Operation: "delete", Slug: "nightly", Success: true}}, sync())
}
