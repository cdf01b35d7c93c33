//go:build walk

package walk

import (
	"slices"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestPersonalAlerts(t *testing.T) {
	w := newWalker(t)
	p := w.project("Mine")
	fresh := must(w.GetPersonalAlertsWithResponse(w.ctx, p.Id)).JSON200.PersonalAlerts
	if !slices.Contains(fresh.Events, "occurred") || !fresh.Mentions || fresh.Digest != "off" {
		t.Fatalf("the personal alerts are %+v", fresh)
	}
	must(w.UpdatePersonalAlertsWithResponse(w.ctx, p.Id, client.PersonalAlertsBody{PersonalAlerts: client.PersonalAlertsChange{
		Events: nullable.NewNullableWithValue([]client.PersonalAlertsChangeEvents{"up"}), Digest: nullable.NewNullableWithValue(client.PersonalAlertsChangeDigest("daily")),
	}}))
	want := client.PersonalAlerts{Events: []string{"up"}, Mentions: true, Follows: true, Digest: "daily"}
	same(t, "changed", want, must(w.GetPersonalAlertsWithResponse(w.ctx, p.Id)).JSON200.PersonalAlerts)
}
