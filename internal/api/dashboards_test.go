package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/sett/dashboard"
	"sett/internal/setttest"
)

type dashboardView struct {
	ID        string
	Title     string
	DefaultTS *string `json:"default_ts"`
	Widgets   []map[string]any
	IsDefault bool `json:"is_default"`
	Shared    bool
	ProjectID int64  `json:"project_id"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// What is written of a dashboard is read, with ids and places for widgets that have none, and without empty settings.
func TestDashboards(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := projectPath(s.Setup.ProjectID, "/dashboards")
		var made, second, got dashboardView
		s.Do("POST", path, `{"dashboard":{"title":"Requests","default_ts":"P1D","widgets":[
			{"type":"insights_vis","id":"slow_1","grid":{"x":6,"y":2,"w":6,"h":4},"presentation":{"title":"Slow","subtitle":""},
			 "config":{"query":"stats count()","streams":[],"vis":{"view":"line","chart_config":{"xField":"t","yAxisMin":0}}}},
			{"type":"errors","config":{"limit":5,"sort":"times_desc","query":null}},{"type":"deployments","grid":{"x":4},"config":{"override_time":false}}]}}`).Want(http.StatusCreated).Into(&made)
		s.Do("POST", path, `{"dashboard":{"title":"Empty","widgets":[]}}`).Want(http.StatusCreated).Into(&second)
		s.Get(path + "/" + made.ID).Into(&got)
		if got.Title != "Requests" || *got.DefaultTS != "P1D" || !got.IsDefault || second.IsDefault || !got.Shared || got.CreatedAt == "" || second.Widgets == nil {
			t.Errorf("%+v, %+v", got, second)
		}
		want := `map[config:map[query:stats count() streams:[default internal] vis:map[chart_config:map[xField:t yAxisMin:0] view:line]] grid:map[h:4 w:6 x:6 y:2] id:slow_1 presentation:map[title:Slow] type:insights_vis]`
		if text := fmt.Sprint(got.Widgets[0]); text != want {
			t.Errorf("the first widget is %s\nwant %s", text, want)
		}
		if w := got.Widgets[1]; w["id"] == "" || fmt.Sprint(w["grid"], w["config"]) != "map[h:3 w:12 x:0 y:0] map[limit:5 sort:times_desc]" {
			t.Errorf("the second is %v", w)
		}
		if w := got.Widgets[2]; fmt.Sprint(w["grid"], w["config"]) != "map[h:3 w:8 x:4 y:0] map[override_time:false]" {
			t.Errorf("the third is %v", w)
		}
		s.Do("PUT", path+"/"+made.ID, `{"dashboard":{"title":"Requests","widgets":[]}}`).Want(http.StatusNoContent)
		if s.Get(path + "/" + made.ID).Into(&got); len(got.Widgets) != 0 || got.DefaultTS != nil {
			t.Errorf("after a change: %+v", got)
		}
		s.Do("DELETE", path+"/"+made.ID, "").Want(http.StatusNoContent)
		var list struct{ Results []dashboardView }
		if s.Get(path).Into(&list); len(list.Results) != 1 || list.Results[0].ID != second.ID || !list.Results[0].IsDefault {
			t.Errorf("left is %+v", list)
		}
		for _, method := range []string{"GET", "DELETE", "PUT"} {
			s.Do(method, path+"/"+made.ID, `{"dashboard":{"title":"x","widgets":[]}}`).Want(http.StatusNotFound)
		}
		stranger, _ := s.AddUser(t, "stranger@example.test", accounts.Member)
		stranger.Do("GET", path+"/"+second.ID, "").Want(http.StatusNotFound)
	})
}

// Each wrong field of a dashboard is named, with what is possible.
func TestDashboardRefusals(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	path := projectPath(s.Setup.ProjectID, "/dashboards")
	for widget, says := range map[string]string{
		`{"type":"insight_vis"}`:                 "widgets[0].type must be one of insights_vis, errors",
		`{}`:                                     "widgets[0].type is required: insights_vis",
		`5`:                                      "widgets[0] must be an object",
		`{"type":"errors","titel":"x"}`:          "widgets[0].titel is unknown",
		`{"type":"errors","id":"a b"}`:           "widgets[0].id must have letters",
		`{"type":"errors","config":{"limit":0}}`: "widgets[0].config.limit must be a whole number of at least 1",
		`{"type":"errors","config":{"limits":1}}`:                                                                  "widgets[0].config.limits is unknown: did you mean limit?",
		`{"type":"errors","config":{"sort":"newest"}}`:                                                             "widgets[0].config.sort must be one of last_seen_desc",
		`{"type":"errors","grid":{"x":8,"w":5}}`:                                                                   "widgets[0].grid must end within 12 columns",
		`{"type":"errors","grid":{"y":5000}}`:                                                                      "widgets[0].grid must end within",
		`{"type":"insights_vis","config":{"streams":["all"]}}`:                                                     "widgets[0].config.streams[0] must be one of default, internal",
		`{"type":"insights_vis","config":{"vis":{"chart_config":{}}}}`:                                             "",
		`{"type":"insights_vis","config":{"vis":{"view":"pie","chart_config":{"nameField":"a"}}}}`:                 "widgets[0].config.vis.chart_config.valueField is required",
		`{"type":"insights_vis","config":{"vis":{"view":"table","chart_config":{"xField":"a"}}}}`:                  "chart_config.xField is unknown: nothing can be set here",
		`{"type":"insights_vis","config":{"vis":{"view":"circle"}}}`:                                               "widgets[0].config.vis.view must be one of area, bar, billboard",
		`{"type":"errors","id":"a"},{"type":"errors","id":"a"}`:                                                    "widgets[1].id is that of another widget",
		`{"type":"insights_vis","presentation":{"title":"` + strings.Repeat("a", 256) + `"}}`:                      "widgets[0].presentation.title",
		`{"type":"insights_vis","config":{"query":"` + strings.Repeat("a", 9_000) + `"}}`:                          "widgets[0].config.query may have at most 8000 bytes",
		strings.TrimSuffix(strings.Repeat(`{"type":"errors"},`, dashboard.MostWidgets+1), ","):                     "widgets may have at most 50 entries",
		`{"type":"insights_vis","config":{"vis":{"view":"line","chart_config":{"groups":{"a":{"color":"red"}}}}}}`: "",
		`{"type":"insights_vis","config":{"vis":{"view":"line","chart_config":{"groupType":"rows"}}}}`:             "groupType must be one of events, fields",
		`{"type":"insights_vis","config":{"query":"this | is not a query"}}`:                                       "",
	} {
		got := s.Do("POST", path, `{"dashboard":{"title":"x","widgets":[`+widget+`]}}`)
		if says == "" {
			got.Want(http.StatusCreated)
		} else if text := got.Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
			t.Errorf("%.80s is answered %q, want %q", widget, text, says)
		}
	}
	for body, says := range map[string]string{
		`{"dashboard":{"title":"x"}}`:                                  "widgets must be a list of widgets",
		`{"dashboard":{"widgets":[]}}`:                                 "title must be a text",
		`{"dashboard":{"title":" ","widgets":[]}}`:                     "title can't be blank",
		`{"dashboard":{"title":"x","widgets":[],"default_ts":"soon"}}`: "default_ts is not a time of queries",
		`{"dashboard":{"title":"x","widgets":{}}}`:                     "widgets must be",
		`{"dashboard":{"title":"x","widgets":[],"colour":"red"}}`:      `"colour" is unknown`,
		`{"title":"x"}`: "dashboard must be an object",
	} {
		if text := s.Do("POST", path, body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
			t.Errorf("%s is answered %q, want %q", body, text, says)
		}
	}
	for s.Do("POST", path, `{"dashboard":{"title":"x","widgets":[]}}`).Status == http.StatusCreated {
	}
	var list struct{ Results []dashboardView }
	if s.Get(path).Into(&list); len(list.Results) != dashboard.Most {
		t.Errorf("there are %d", len(list.Results))
	}
}
