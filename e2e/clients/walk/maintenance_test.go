//go:build walk

package walk

import (
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestMaintenanceWindows(t *testing.T) {
	w := newWalker(t)
	p := w.project("Maintained")
	var body client.MaintenanceBody
	body.MaintenanceWindow.Reason = nullable.NewNullableWithValue("Upgrade")
	made := must(w.CreateMaintenanceWindowWithResponse(w.ctx, p.Id, body)).JSON201
	same(t, "the state", client.MaintenanceWindowState("active"), made.State)
	body.MaintenanceWindow.EndsAt = nullable.NewNullableWithValue(time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	must(w.UpdateMaintenanceWindowWithResponse(w.ctx, p.Id, made.Id, body))
	got := must(w.GetMaintenanceWindowWithResponse(w.ctx, p.Id, made.Id)).JSON200
	same(t, "until it is ended", false, got.UntilEnded)
	must(w.EndMaintenanceWindowWithResponse(w.ctx, p.Id, made.Id))
	listed := must(w.ListMaintenanceWindowsWithResponse(w.ctx, p.Id, nil)).JSON200.Results
	same(t, "windows", 1, len(listed))
	body.MaintenanceWindow.StartsAt = nullable.NewNullableWithValue(time.Now().Add(time.Minute).UTC().Format(time.RFC3339))
	planned := must(w.CreateMaintenanceWindowWithResponse(w.ctx, p.Id, body)).JSON201
	must(w.DeleteMaintenanceWindowWithResponse(w.ctx, p.Id, planned.Id))
	_, err := w.GetMaintenanceWindowWithResponse(w.ctx, p.Id, planned.Id)
	w.refused(404, err)
}
