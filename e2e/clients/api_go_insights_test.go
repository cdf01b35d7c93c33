package clients

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	honeybadgerapi "github.com/honeybadger-io/api-go"

	"sett/e2e/rig"
)

// The client reads how many rows an answer has, and when it begins and ends as hb does, which shows the year 1 for any other form of a
// time.
func TestAPIGoInsights(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	events := `{"event_type":"request","path":"/pay","status":500}` + "\n" + `{"event_type":"request","path":"/pay","status":200}` + "\n" + `{"event_type":"request","path":"/","status":200}`
	if status := rig.Send(http.DefaultClient, http.MethodPost, a.Base+"/v1/events", events, func(r *http.Request) { r.Header.Set("X-API-Key", a.APIKey) }); status != http.StatusCreated {
		t.Fatalf("the events are answered with %d", status)
	}
	streams := read[[]honeybadgerapi.Stream](t)(a.Streams.List(t.Context(), int(a.ProjectID)))
	if len(streams) != 2 || streams[0].Slug != "default" || streams[1].Slug != "internal" || !streams[1].Internal || streams[0].CreatedAt.IsZero() {
		t.Fatalf("streams %+v", streams)
	}
	ask := honeybadgerapi.InsightsQueryRequest{Query: "stats count() as n by path::str | sort n desc | limit 1", Ts: "PT1H", Timezone: "Europe/Berlin", StreamIDs: []string{streams[0].ID}}
	got := read[*honeybadgerapi.InsightsQueryResponse](t)(a.Insights.Query(t.Context(), int(a.ProjectID), ask))
	if diff := cmp.Diff([]map[string]any{{"path": "/pay", "n": 2.0}}, got.Results); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if m := got.Meta; m.Rows != 1 || m.TotalRows != 1 || cmp.Diff([]string{"path", "n"}, m.Fields) != "" || m.Query != ask.Query {
		t.Errorf("the client reads %+v", m)
	}
	begun, err := time.Parse(time.RFC3339, got.Meta.StartAt)
	if err != nil {
		t.Error(err)
	}
	ended, err := time.Parse(time.RFC3339, got.Meta.EndAt)
	if err != nil {
		t.Error(err)
	}
	if ended.Sub(begun) != time.Hour {
		t.Errorf("the query read from %s to %s", begun, ended)
	}
}

// The client makes, reads, changes and deletes alarms and dashboards.
func TestAPIGoAlarmsAndDashboards(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	project := int(a.ProjectID)
	ask := honeybadgerapi.AlarmRequest{
		Name: "Silence", Query: `filter event_type::str == "order"`, EvaluationPeriod: "1m", LookbackLag: "0s",
		TriggerConfig: map[string]any{"type": "alert_result_count", "config": map[string]any{"operator": "eq", "value": 0}},
	}
	made := read[*honeybadgerapi.Alarm](t)(a.Alarms.Create(t.Context(), project, ask))
	if made.ID == "" || made.State != "initial" || len(made.StreamIDs) != 2 || made.CreatedAt.IsZero() || made.NextCheckAt == nil || made.URL == "" || made.ProjectID != project {
		t.Errorf("the alarm is %+v", made)
	}
	ask.Name = "No orders"
	read[*honeybadgerapi.UpdateResult](t)(a.Alarms.Update(t.Context(), project, made.ID, ask))
	if got := read[*honeybadgerapi.Alarm](t)(a.Alarms.Get(t.Context(), project, made.ID)); got.Name != "No orders" || got.TriggerConfig["type"] != "alert_result_count" {
		t.Errorf("after a change it is %+v", got)
	}
	if list := read[*honeybadgerapi.AlarmListResponse](t)(a.Alarms.List(t.Context(), project)); len(list.Results) != 1 {
		t.Errorf("alarms %+v", list)
	}
	if history := read[*honeybadgerapi.AlarmHistoryResponse](t)(a.Alarms.History(t.Context(), project, made.ID, 1)); history.Triggers == nil || history.Links.Self == "" {
		t.Errorf("its history is %+v", history)
	}
	read[*honeybadgerapi.DeleteResult](t)(a.Alarms.Delete(t.Context(), project, made.ID))

	board := read[*honeybadgerapi.Dashboard](t)(a.Dashboards.Create(t.Context(), project, honeybadgerapi.DashboardRequest{Title: "Shop", DefaultTs: "P1D", Widgets: []map[string]any{{"type": "alarms"}}}))
	if board.ID == "" || !board.IsDefault || !board.Shared || len(board.Widgets) != 1 || board.CreatedAt.IsZero() || board.ProjectID != project {
		t.Errorf("the dashboard is %+v", board)
	}
	read[*honeybadgerapi.UpdateResult](t)(a.Dashboards.Update(t.Context(), project, board.ID, honeybadgerapi.DashboardRequest{Title: "Store", Widgets: board.Widgets}))
	if got := read[*honeybadgerapi.Dashboard](t)(a.Dashboards.Get(t.Context(), project, board.ID)); got.Title != "Store" || cmp.Diff(board.Widgets, got.Widgets) != "" {
		t.Errorf("after a change it is %+v", got)
	}
	if list := read[*honeybadgerapi.DashboardListResponse](t)(a.Dashboards.List(t.Context(), project)); len(list.Results) != 1 {
		t.Errorf("dashboards %+v", list)
	}
	read[*honeybadgerapi.DeleteResult](t)(a.Dashboards.Delete(t.Context(), project, board.ID))
}
