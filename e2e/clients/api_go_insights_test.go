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
	ask := honeybadgerapi.InsightsQueryRequest{Query: "stats count() as n by path::str | sort n desc | limit 1", Ts: "PT1H", Timezone: "Europe/Berlin", StreamIDs: []string{"5f0c2c4e"}}
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
