package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"sett/internal/setttest"
)

// Released clients read the first page of a list alone: only those lists that the contract limits are cut at 25. Every
// list says in the document how long its pages are, and keeps to it.
func TestPagesAreAsLongAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		const many = 30
		project := projectPath(s.Setup.ProjectID, "")
		for i := range many {
			name := fmt.Sprintf("n%02d", i)
			createProject(t, s.Client, name)
			s.Post(project+"/environments", map[string]any{"environment": map[string]any{"name": name}}).Want(http.StatusCreated)
			s.Post(project+"/check_ins", map[string]any{"check_in": map[string]any{"slug": name, "schedule_type": "simple", "report_period": "1 day"}}).Want(http.StatusCreated)
			s.Post(project+"/sites", map[string]any{"site": map[string]any{"url": "https://" + name + ".example.test"}}).Want(http.StatusCreated)
			s.Post("/v2/teams", map[string]any{"team": map[string]any{"name": name}}).Want(http.StatusCreated)
			s.Post("/v2/accounts/"+s.Setup.AccountID+"/status_pages", map[string]any{"status_page": map[string]any{"name": name}}).Want(http.StatusCreated)
			s.Post("/v1/notices", map[string]any{"error": map[string]any{"class": name}}).Want(http.StatusCreated)
			s.Post("/v1/deploys", map[string]any{"deploy": map[string]any{"revision": name}}).Want(http.StatusCreated)
		}
		for path, want := range map[string]int{
			"/v2/projects": many + 1, project + "/environments": many + 1, project + "/check_ins": many, project + "/sites": many, "/v2/teams": many,
			"/v2/accounts/" + s.Setup.AccountID + "/status_pages": many, project + "/faults": 25, project + "/deploys": 25,
		} {
			var list struct {
				Links   struct{ Next string }
				Results []json.RawMessage
			}
			s.Get(path).Into(&list)
			if len(list.Results) != want || (list.Links.Next != "") != (want == 25) {
				t.Errorf("%s has %d results, next %q; want %d", path, len(list.Results), list.Links.Next, want)
			}
			if s.Get(path + "?limit=7").Into(&list); len(list.Results) != 7 || list.Links.Next == "" {
				t.Errorf("%s?limit=7 has %d results, next %q", path, len(list.Results), list.Links.Next)
			}
		}
		checkLimits(t, s)
	})
}

// checkLimits fails unless the document limits what the contract limits to 25, and nothing else but releases and the history of alarms.
func checkLimits(t *testing.T, s *setttest.Server) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Parameters  []struct {
				Name   string
				Schema struct{ Maximum int }
			}
		}
	}
	published, err := http.Get(s.Base + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer published.Body.Close()
	if err := json.NewDecoder(published.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	short := map[string]bool{"listFaults": true, "listNotices": true, "listOutages": true, "listUptimeChecks": true, "listDeploys": true, "listReleases": true, "listAlarmHistory": true}
	lists := 0
	for path, methods := range document.Paths {
		operation, there := methods["get"]
		for _, p := range operation.Parameters {
			if !there || p.Name != "limit" {
				continue
			}
			lists++
			if (p.Schema.Maximum == 25) != short[operation.OperationID] {
				t.Errorf("%s: at most %d on a page", path, p.Schema.Maximum)
			}
		}
	}
	if lists < 20 {
		t.Errorf("the document has %d lists: are they still found?", lists)
	}
}
