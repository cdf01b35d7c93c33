package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

type insightAnswer struct {
	Results json.RawMessage
	URL     string
	Meta    struct {
		Query      string
		Fields     []string
		Schema     []struct{ Name, Type string }
		Rows       int
		TotalRows  int `json:"total_rows"`
		RowCount   int `json:"row_count"`
		TotalCount int `json:"total_count"`
		Partial    bool
		Notes      []string
		Start      string `json:"start_at"`
		End        string `json:"end_at"`
	}
}

// query asks for structured events of the server's project.
func query(s *setttest.Server, text, ts, zone string) (got insightAnswer) {
	body, _ := json.Marshal(map[string]string{"query": text, "ts": ts, "timezone": zone})
	s.Do("POST", projectPath(s.Setup.ProjectID, "/insights/queries"), string(body)).Want(http.StatusOK).Into(&got)
	return got
}

func TestQueryInsights(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		now := s.Clock.Now().UTC()
		var lines []string
		for i := range 10 {
			lines = append(lines, fmt.Sprintf(`{"event_type":"request","ts":%q,"path":"/p/%d","status":%d,"duration":%d.5}`, now.Add(-time.Duration(i)*time.Hour).Format(time.RFC3339), i%2, 200+300*(i%2), i))
		}
		s.Do("POST", "/v1/events", strings.Join(lines, "\n"), "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)

		got := query(s, "stats count() as n, max(duration::float) as longest by status::int | sort n desc, status asc", "P1D", "")
		if want := `[{"status":200,"n":5,"longest":8.5},{"status":500,"n":5,"longest":9.5}]`; string(got.Results) != want {
			t.Errorf("results = %s, want %s", got.Results, want)
		}
		if m := got.Meta; fmt.Sprint(m.Fields, m.Schema, m.RowCount, m.TotalCount, m.Rows, m.TotalRows, m.Partial) != "[status n longest] [{status integer} {n integer} {longest float}] 2 2 2 2 false" {
			t.Errorf("meta = %+v", m)
		}
		got = query(s, "filter status == 500 | fields @ts, path | limit 1", "PT3H", "Asia/Tokyo")
		tokyo, err := time.LoadLocation("Asia/Tokyo")
		if err != nil {
			t.Fatal(err)
		}
		const layout = "2006-01-02 15:04:05"
		if want := fmt.Sprintf(`[{"@ts":"%s.000","path":"/p/1"}]`, now.Add(-time.Hour).In(tokyo).Format(layout)); string(got.Results) != want || got.Meta.TotalCount != 1 {
			t.Errorf("results = %s, want %s", got.Results, want)
		}
		if got.Meta.Start != now.Add(-3*time.Hour).In(tokyo).Format(time.RFC3339) || got.Meta.End != now.In(tokyo).Format(time.RFC3339) {
			t.Errorf("from %s to %s", got.Meta.Start, got.Meta.End)
		}
		if got = query(s, "stats count() as n by bin(1d) as day | sort day asc | limit 1 | only day", "1d", "32400"); got.URL != s.Base+fmt.Sprintf("/projects/%d/insights/query?query=stats+count%%28%%29+as+n+by+bin%%281d%%29+as+day+%%7C+sort+day+asc+%%7C+limit+1+%%7C+only+day&ts=1d", s.Setup.ProjectID) ||
			!strings.Contains(string(got.Results), "00:00:00") || !strings.HasSuffix(got.Meta.Start, "+09:00") {
			t.Errorf("the page of a query is %s, its answer %s from %s", got.URL, got.Results, got.Meta.Start)
		}
		if got = query(s, "", "", ""); got.Meta.RowCount == 0 || fmt.Sprint(got.Meta.Schema) != "[{@ts datetime} {@preview json}]" {
			t.Errorf("no query: %+v", got.Meta)
		}
		if got = query(s, "filter staus == 500", "today", ""); string(got.Results) != "[]" || len(got.Meta.Notes) != 1 || !strings.Contains(got.Meta.Notes[0], `mean "status"?`) {
			t.Errorf("a misspelt field: %s, %+v", got.Results, got.Meta)
		}
	})
}

func TestQueryInsightsRefusals(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	path := projectPath(s.Setup.ProjectID, "/insights/queries")
	for body, says := range map[string]string{
		`{"query":"join a"}`:                      `query character 1: "join" is not a function that is supported`,
		`{"query":"fields lower(a)"}`:             `query character 8: the function "lower" is not supported`,
		`{"query":"fields a","timezone":"99999"}`: "timezone",
		`{"query":"fields a","ts":"soon"}`:        "ts is not a time",
		`{"query":"fields a","timezone":"Bonn"}`:  "timezone",
	} {
		if text := s.Do("POST", path, body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
			t.Errorf("%s is answered %q, want %q", body, text, says)
		}
	}
	s.Do("POST", path, `{"query":5}`).Want(http.StatusUnprocessableEntity)
	s.Do("POST", path, `[`).Want(http.StatusBadRequest)
	readerOf(t, s).Do("POST", path, `{"query":"fields a"}`).Want(http.StatusOK)
	stranger, _ := s.AddUser(t, "stranger@example.test", accounts.Member)
	stranger.Do("POST", path, `{"query":"fields a"}`).Want(http.StatusNotFound)
}
