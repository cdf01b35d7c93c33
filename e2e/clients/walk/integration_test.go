//go:build walk

package walk

import (
	"net/http"
	"slices"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

// webHook makes an integration of a project.
func (w walker) webHook(p *client.Project) *client.Integration {
	w.t.Helper()
	var body client.CreateIntegrationBody
	body.Integration.Type = "WebHook"
	body.Integration.Options = nullable.NewNullableWithValue(map[string]any{"url": "https://127.0.0.1:1/hook"})
	return must(w.CreateIntegrationWithResponse(w.ctx, p.Id, body)).JSON201
}

func TestIntegrations(t *testing.T) {
	w := newWalker(t)
	p := w.project("Alerts")
	kinds := *must(w.ListIntegrationKindsWithResponse(w.ctx)).JSON200
	if !slices.ContainsFunc(kinds, func(k client.IntegrationKind) bool { return k.Type == "WebHook" && len(k.Options) > 0 }) {
		t.Errorf("the kinds are %+v", kinds)
	}
	made := w.webHook(p)
	if made.Type != "WebHook" || !made.Active || made.NotificationLimit != 30 || made.Options["secret"] == "********" {
		t.Fatalf("the integration is %+v", made)
	}
	must(w.UpdateIntegrationWithResponse(w.ctx, p.Id, made.Id, client.IntegrationBody{Integration: client.IntegrationFields{
		Events: nullable.NewNullableWithValue([]client.IntegrationFieldsEvents{"up", "rate_exceeded"}), Active: nullable.NewNullableWithValue(false),
		Rate: nullable.NewNullableWithValue(client.IntegrationFieldsRate("hour")), Threshold: nullable.NewNullableWithValue(int64(5)),
		Filters:    nullable.NewNullableWithValue([]client.IntegrationFilter{{Event: "all", Query: "-is:ignored"}}),
		QuietHours: nullable.NewNullableWithValue(client.QuietHoursChange{From: "22:00", To: "07:00"}),
	}}))
	changed := must(w.GetIntegrationWithResponse(w.ctx, p.Id, made.Id)).JSON200
	if changed.Active || !slices.Equal(changed.Events, []string{"up", "rate_exceeded"}) || changed.Threshold.MustGet() != 5 || changed.Options["secret"] != "********" ||
		changed.QuietHours.MustGet().From != "22:00" || !changed.QuietHours.MustGet().UrgentAtOnce {
		t.Errorf("the changed integration is %+v", changed)
	}
	same(t, "listed", []client.Integration{*changed}, *must(w.ListIntegrationsWithResponse(w.ctx, p.Id)).JSON200)

	must(w.DeleteIntegrationWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetIntegrationWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestDeliveries(t *testing.T) {
	w := newWalker(t)
	p := w.project("Tried")
	made := w.webHook(p)
	tried := must(w.TestIntegrationWithResponse(w.ctx, p.Id, made.Id)).JSON202
	if tried.Event != "occurred" || tried.Id == 0 {
		t.Fatalf("the delivery is %+v", tried)
	}
	listed := must(w.ListDeliveriesWithResponse(w.ctx, p.Id, made.Id, nil)).JSON200.Results
	if len(listed) != 1 || listed[0].Id != tried.Id {
		t.Errorf("the deliveries are %+v", listed)
	}
	same(t, "subject", tried.Subject, must(w.GetDeliveryWithResponse(w.ctx, p.Id, made.Id, tried.Id)).JSON200.Subject)
	same(t, "sent again", tried.Id, must(w.RedeliverWithResponse(w.ctx, p.Id, made.Id, tried.Id)).JSON202.Id)
}

// A webhook is no issue tracker, but faults can be linked with it.
func TestIssues(t *testing.T) {
	w := newWalker(t)
	p := w.project("Tickets")
	w.report(p, "EmptyTill")
	f, hook := w.fault(p), w.webHook(p)
	body := client.IssueBody{ChannelId: hook.Id}
	_, err := w.CreateFaultIssueWithResponse(w.ctx, p.Id, f.Id, body)
	w.refused(http.StatusUnprocessableEntity, err)
	_, err = w.CloseFaultIssueWithResponse(w.ctx, p.Id, f.Id, body)
	w.refused(http.StatusUnprocessableEntity, err)
	_, err = w.ReopenFaultIssueWithResponse(w.ctx, p.Id, f.Id, body)
	w.refused(http.StatusUnprocessableEntity, err)
	must(w.LinkFaultWithResponse(w.ctx, p.Id, f.Id, client.LinkBody{ChannelId: hook.Id, Data: map[string]any{"number": 7}}))
	must(w.UnlinkFaultWithResponse(w.ctx, p.Id, f.Id, client.UnlinkBody{ChannelId: hook.Id}))
}
