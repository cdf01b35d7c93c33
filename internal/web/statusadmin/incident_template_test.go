package statusadmin_test

import (
	"fmt"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/status"
)

func TestTemplatesFillInIncidentsAndUpdates(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	at := v.base + "/templates"
	v.Post(at, "template", "", "name", "", "status", "identified", "message", "").CheckPage().Want(422, "Name of the template can&#39;t be blank.", "Message can&#39;t be blank.")
	v.Post(at, "template", "Payments", "name", "Payments fail", "status", "identified", "message", "Some fail.", "impact", "major", "component", "site:"+v.site+" partial").
		Leads(at + "?done=template_made")
	v.wantEntry("makeTemplate")
	v.Get(at).Want(200, "Payments fail", "Shop front (Partial outage)").CheckPage()
	v.Get(v.base+"/incidents/new?template=1").CheckPage().Want(200, `value="Payments fail"`, ">\nSome fail.</textarea>", `<option value="identified" selected>`,
		`<option value="major" selected>`, `value="site:`+v.site+` partial" selected`, `<option value="1" selected>Payments`)
	incident := v.createIncident(t)
	v.Get(incident+"?template=1").CheckPage().Want(200, ">\nSome fail.</textarea>", `<option value="identified" selected>`)

	v.Post(at+"/1", "template", "", "status", "identified", "message", "Some fail.").CheckPage().Want(422, "Name of the template can&#39;t be blank.")
	v.Post(at+"/1", "template", "Cards", "name", "", "status", "resolved", "message", "Fixed.").Leads(at + "?done=saved")
	v.wantEntry("saveTemplate")
	v.Get(at+"/1").CheckPage().Want(200, "Cards", "Fixed.").Lacks("partial\" selected")
	v.Post(at + "/1/delete").Leads(at + "?done=template_gone")
	v.wantEntry("removeTemplate")
	v.Get(at + "/1").Want(404)
	v.Post(at + "/1/delete").Want(404)
}

func TestTemplatesAreBounded(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	for n := range status.MostTemplates + 1 {
		_, err := v.s.App.Store().Status.WriteTemplate(t.Context(), v.s.Clock.Now(), v.s.Setup.AccountID, v.page, 0, fmt.Sprint(n), status.IncidentChange{Message: sett.Some("Hm.")})
		if over := n == status.MostTemplates; over != (sett.CodeOf(err) == sett.Invalid) || !over && err != nil {
			t.Fatalf("template %d: %v", n, err)
		}
	}
}
