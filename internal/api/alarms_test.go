package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
	"sett/internal/setttest"
)

const alarmSent = `{"alarm": {"name": "Failing payments", "description": "See the runbook.", "query": "filter status::int >= 500\n| stats count() by path::str",
	"stream_ids": [], "evaluation_period": "5m", "lookback_lag": "1m", "trigger_config": {"type": "alert_result_count", "config": {"operator": "gt", "value": 10}}}}`

func TestAlarms(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		p := s.Setup.ProjectID
		path := projectPath(p, "/alarms")
		var made map[string]any
		s.Do("POST", path, alarmSent).Want(http.StatusCreated).Into(&made)
		id, _ := made["id"].(string)
		now := s.Clock.Now().UTC()
		want := map[string]any{
			"id": id, "name": "Failing payments", "description": "See the runbook.", "state": "initial", "query": "filter status::int >= 500\n| stats count() by path::str",
			"stream_ids": []any{insight.Sent.ID(p), insight.Recorded.ID(p)}, "evaluation_period": "5m", "lookback_lag": "1m",
			"trigger_config": map[string]any{"type": "alert_result_count", "config": map[string]any{"operator": "gt", "value": float64(10)}},
			"error":          nil, "last_checked_at": nil, "next_check_at": now.Truncate(time.Minute).Add(time.Minute).Format(time.RFC3339),
			"created_at": made["created_at"], "updated_at": made["updated_at"], "url": s.App.BaseURL() + "/projects/1/insights/alarms/" + id, "project_id": float64(p),
		}
		sameJSON(t, "made", want, made)
		var read map[string]any
		s.Do("GET", path+"/"+id, "").Want(http.StatusOK).Into(&read)
		sameJSON(t, "read", want, read)
		var list struct{ Results []map[string]any }
		s.Do("GET", path, "").Want(http.StatusOK).Into(&list)
		if len(list.Results) != 1 {
			t.Fatalf("%d alarms", len(list.Results))
		}
		sameJSON(t, "listed", want, list.Results[0])

		s.Do("PUT", path+"/"+id, `{"alarm": {"name": "Payments", "evaluation_period": "1d", "stream_ids": ["`+insight.Recorded.ID(p)+`"]}}`).Want(http.StatusNoContent)
		s.Do("GET", path+"/"+id, "").Want(http.StatusOK).Into(&read)
		want["name"], want["evaluation_period"], want["stream_ids"], want["updated_at"] = "Payments", "1d", []any{insight.Recorded.ID(p)}, read["updated_at"]
		sameJSON(t, "changed", want, read)
		var history map[string]any
		s.Do("GET", path+"/"+id+"/history", "").Want(http.StatusOK).Into(&history)
		sameJSON(t, "history", map[string]any{"links": map[string]any{"self": s.App.BaseURL() + path + "/" + id + "/history"}, "triggers": []any{}}, history)

		for body, says := range map[string]string{
			`{"alarm": {"query": "filter"}}`:                   "query character 7",
			`{"alarm": {"evaluation_period": "5 minutes"}}`:    "evaluation_period format is invalid",
			`{"alarm": {"stream_ids": ["default"]}}`:           "stream_ids must have ids",
			`{"alarm": {"trigger_config": {"type": "other"}}}`: "trigger_config must have the type alert_result_count",
			`{}`: "alarm",
		} {
			if got := string(s.Do("PUT", path+"/"+id, body).Want(http.StatusUnprocessableEntity).Body); !strings.Contains(got, says) {
				t.Errorf("%s: %s", body, got)
			}
		}
		s.Do("DELETE", path+"/"+id, "").Want(http.StatusNoContent)
		for _, method := range []string{"GET", "DELETE"} {
			s.Do(method, path+"/"+id, "").Want(http.StatusNotFound)
		}
		s.Do("PUT", path+"/"+id, `{"alarm": {}}`).Want(http.StatusNotFound)
		s.Do("GET", path+"/"+id+"/history", "").Want(http.StatusNotFound)
		s.Do("GET", projectPath(99, "/alarms"), "").Want(http.StatusNotFound)
	})
}

func sameJSON(t *testing.T, what string, want, got any) {
	t.Helper()
	w, _ := json.Marshal(want)
	g, _ := json.Marshal(got)
	if string(w) != string(g) {
		t.Errorf("%s: %s\nwant %s", what, g, w)
	}
}

func TestAProjectHasSoManyAlarms(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	path := projectPath(s.Setup.ProjectID, "/alarms")
	for range alarm.MostAlarms {
		s.Do("POST", path, alarmSent).Want(http.StatusCreated)
	}
	if got := string(s.Do("POST", path, alarmSent).Want(http.StatusUnprocessableEntity).Body); !strings.Contains(got, "A project may have 100 alarms") {
		t.Error(got)
	}
}
