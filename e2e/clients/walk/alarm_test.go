//go:build walk

package walk

import (
	"net/http"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestAlarms(t *testing.T) {
	w := newWalker(t)
	p := w.project("Bell")
	stream := must(w.ListStreamsWithResponse(w.ctx, p.Id, nil)).JSON200.Results[0].Id
	var body client.AlarmBody
	body.Alarm.Name = nullable.NewNullableWithValue("Payments")
	body.Alarm.Query = nullable.NewNullableWithValue("filter status::int >= 500")
	body.Alarm.EvaluationPeriod = nullable.NewNullableWithValue("5m")
	body.Alarm.StreamIds = nullable.NewNullableWithValue([]string{stream})
	body.Alarm.TriggerConfig = nullable.NewNullableWithValue(client.Trigger{Type: "alert_result_count", Config: client.TriggerConfig{Operator: "gt", Value: 10}})
	made := must(w.CreateAlarmWithResponse(w.ctx, p.Id, body)).JSON201
	if made.Name != "Payments" || made.State != "initial" || made.EvaluationPeriod != "5m" || made.LookbackLag != "0s" || made.TriggerConfig.Config.Value != 10 || made.NextCheckAt.IsNull() {
		t.Fatalf("the alarm is %+v", made)
	}
	same(t, "streams", []string{stream}, made.StreamIds)
	same(t, "made and read", made, must(w.GetAlarmWithResponse(w.ctx, p.Id, made.Id)).JSON200)
	same(t, "alarms", 1, len(must(w.ListAlarmsWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
	must(w.UpdateAlarmWithResponse(w.ctx, p.Id, made.Id, client.AlarmBody{Alarm: client.AlarmChange{Description: nullable.NewNullableWithValue("Call Bob.")}}))
	same(t, "the description", "Call Bob.", must(w.GetAlarmWithResponse(w.ctx, p.Id, made.Id)).JSON200.Description)
	same(t, "history", 0, len(must(w.ListAlarmHistoryWithResponse(w.ctx, p.Id, made.Id, nil)).JSON200.Triggers))
	must(w.DeleteAlarmWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetAlarmWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}
