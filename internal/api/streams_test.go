package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// streamIDs lists the ids of the streams of a project, by slug.
func streamIDs(s *setttest.Server, project int64) map[string]string {
	var list struct {
		Results []struct {
			ID, Name, Slug string
			Internal       bool
			ProjectID      int64 `json:"project_id"`
		}
	}
	s.Get(projectPath(project, "/streams")).Into(&list)
	ids := map[string]string{}
	for _, stream := range list.Results {
		ids[stream.Slug] = stream.ID
	}
	return ids
}

// Ids choose the streams that a query reads. Unknown ones are ignored beside known ones.
func TestStreams(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var made struct{ ID int64 }
		s.Do("POST", "/v2/projects", `{"project":{"name":"Other"}}`).Want(http.StatusCreated).Into(&made)
		mine, other := streamIDs(s, s.Setup.ProjectID), streamIDs(s, made.ID)
		if len(mine) != 2 || mine["default"] == "" || mine["internal"] == "" || mine["default"] == other["default"] || mine["default"] == mine["internal"] {
			t.Errorf("streams %v and %v", mine, other)
		}
		path := projectPath(s.Setup.ProjectID, "/insights/queries")
		s.Do("POST", "/v1/events", `{"event_type":"request"}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		for ids, want := range map[string]string{
			``:                                 `[{"n":1}]`,
			`"` + mine["default"] + `"`:        `[{"n":1}]`,
			`"` + mine["internal"] + `"`:       `[{"n":0}]`,
			`"none","` + mine["default"] + `"`: `[{"n":1}]`,
		} {
			var got insightAnswer
			s.Do("POST", path, fmt.Sprintf(`{"query":"filter event_type == \"request\" | stats count() as n","stream_ids":[%s]}`, ids)).Want(http.StatusOK).Into(&got)
			if string(got.Results) != want {
				t.Errorf("of the streams %s, the query returns %s, want %s", ids, got.Results, want)
			}
		}
		for _, ids := range []string{`"default"`, `"` + other["default"] + `"`} {
			got := s.Do("POST", path, `{"query":"stats count()","stream_ids":[`+ids+`]}`).Want(http.StatusUnprocessableEntity).Errors()
			if !strings.Contains(got, "stream_ids") {
				t.Errorf("the streams %s: %s", ids, got)
			}
		}
		if got := s.Get(projectPath(s.Setup.ProjectID, "/streams?limit=1")).JSON()["links"].(map[string]any)["next"]; got == nil {
			t.Error("the first page has no next one")
		}
	})
}
