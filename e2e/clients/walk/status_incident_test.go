//go:build walk

package walk

import (
	"net/http"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestStatusIncidents(t *testing.T) {
	w := newWalker(t)
	var page client.CreateStatusPageBody
	page.StatusPage.Name = "Lighthouse"
	on := must(w.CreateStatusPageWithResponse(w.ctx, *account, page)).JSON201.Id

	var body client.CreateIncidentBody
	body.Incident.Name, body.Incident.Message = "Fog", "We cannot see."
	made := must(w.CreateIncidentWithResponse(w.ctx, *account, on, body)).JSON201
	if made.Status != "investigating" || made.Automatic || len(made.Updates) != 1 || made.Updates[0].Message != "We cannot see." {
		t.Fatalf("the incident is %+v", made)
	}
	same(t, "made and read", made, must(w.GetIncidentWithResponse(w.ctx, *account, on, made.Id)).JSON200)
	must(w.UpdateIncidentWithResponse(w.ctx, *account, on, made.Id, client.IncidentBody{Incident: client.IncidentChange{Name: new("Thick fog")}}))

	var more client.IncidentUpdateBody
	more.Update.Message = "It lifts."
	more.Update.Status = nullable.NewNullableWithValue(client.IncidentUpdateChangeStatus("monitoring"))
	update := must(w.CreateIncidentUpdateWithResponse(w.ctx, *account, on, made.Id, more)).JSON201
	lifted := more
	lifted.Update.Message = "It lifted."
	must(w.UpdateIncidentUpdateWithResponse(w.ctx, *account, on, made.Id, update.Id, lifted))
	changed := must(w.ListIncidentsWithResponse(w.ctx, *account, on, nil)).JSON200.Results[0]
	if changed.Name != "Thick fog" || changed.Status != "monitoring" || len(changed.Updates) != 2 || changed.Updates[0].Message != "It lifted." {
		t.Errorf("the changed incident is %+v", changed)
	}
	must(w.DeleteIncidentUpdateWithResponse(w.ctx, *account, on, made.Id, update.Id))
	must(w.DeleteIncidentWithResponse(w.ctx, *account, on, made.Id))
	_, err := w.GetIncidentWithResponse(w.ctx, *account, on, made.Id)
	w.refused(http.StatusNotFound, err)
	must(w.DeleteStatusPageWithResponse(w.ctx, *account, on))
}
