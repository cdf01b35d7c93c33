package events_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest"
)

// asking returns the address of a question.
func asking(s *setttest.Server, q string, more ...string) string {
	return in(s, "?q="+url.QueryEscape(q)+strings.Join(more, ""))
}

// requests reports ten requests, one an hour: nine on two paths, and one that is slow.
func requests(s *setttest.Server) {
	now := s.Clock.Now().UTC()
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf(`{"event_type":"request","ts":%q,"path":"/p/%d","status":%d,"duration":%d.5}`, now.Add(-time.Duration(i)*time.Hour).Format(time.RFC3339), i%2, 200+300*(i%2), i))
	}
	report(s, lines...)
}

var charted = regexp.MustCompile(`<svg class="chart"[^>]*aria-label="([^"]*)"`)

// A long table begins with its first rows. Its chart has them all.
func TestLongTable(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		var lines []string
		for i := range 130 {
			lines = append(lines, fmt.Sprintf(`{"event_type":"request","n":%d}`, i))
		}
		report(s, lines...)
		q := "stats count() as times by n | sort n"
		first := b.Get(asking(s, q)).Want(200, ">130 rows<", "100 of 130 rows", "Show all rows").CheckPage().Body
		if n := strings.Count(first, "<tr"); n != 101 {
			t.Errorf("%d rows of a table", n)
		}
		all := b.Get(asking(s, q, "&rows=all")).Want(200, ">130 rows<").Lacks("Show all rows").CheckPage().Body
		if n := strings.Count(all, "<tr"); n != 131 || !strings.Contains(first, "&amp;rows=all") {
			t.Errorf("%d rows of the whole table", n)
		}
	})
}

// The page and the API answer a query with the same rows; the page draws what has a shape.
func TestQueryOnPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		requests(s)
		for q, want := range map[string]struct{ chart, has string }{
			"stats count() as n by status | sort n desc":         {"", `class="spark"`},
			"stats count() by bin(1h)":                           {"10 count() from ", "10 rows<"},
			"stats avg(duration) by bin(1h), path":               {"2 lines from ", `<path class="s2"`},
			"stats avg(duration), max(duration) by bin(2h)":      {"2 lines from ", "max(duration)"},
			"path:/p/1 | stats max(duration) as longest":         {"", ">9.5<"},
			"filter status >= 500 | fields @ts, path":            {"5 events from ", `<th scope="col"><a href="/projects/1/insights?period=24h&amp;q=filter`},
			"filter status >= 500":                               {"5 events from ", "<details><summary"},
			"stats count() by bin(1s)":                           {"", "The steps are too short"},
			"stats count() by path | filter status == 1":         {"", ""},
			"filter\nstatus == 500\n| stats count() by duration": {"", "5 rows<"},
		} {
			answer := b.Get(asking(s, q))
			page := answer.CheckPage().Body
			if want.has == "" {
				answer.Want(422, "Character 32: there is no column", "stats count() by path | filter <mark>status</mark> == 1").Lacks("<svg class=\"chart\"")
				continue
			}
			answer.Want(200, want.has)
			if chart := charted.FindStringSubmatch(page); (chart == nil) != (want.chart == "") || chart != nil && !strings.HasPrefix(html.UnescapeString(chart[1]), want.chart) {
				t.Errorf("%s: chart %q, want %q", q, chart, want.chart)
			}
			b.Get(asking(s, q, "&view=table")).Want(200).CheckPage().Lacks(`<svg class="chart"`, `class="spark"`)
			b.Get(asking(s, q, "&view=chart")).Want(200).CheckPage()
		}
		var api, page struct{ Results json.RawMessage }
		q := "stats count() as n, percentile(95, duration) as p by path | sort n desc"
		body, _ := json.Marshal(map[string]string{"query": q, "ts": "P1D"})
		s.Do("POST", fmt.Sprintf("/v2/projects/%d/insights/queries", s.Setup.ProjectID), string(body)).Want(http.StatusOK).Into(&api)
		if err := json.Unmarshal([]byte(b.Get(in(s, ".json?q="+url.QueryEscape(q))).Want(200).Body), &page); err != nil || compact(api.Results) != compact(page.Results) {
			t.Errorf("the API has %s, the page %s, %v", api.Results, page.Results, err)
		}
	})
}

func compact(text []byte) string { return strings.Join(strings.Fields(string(text)), "") }

// Cells lead to the events behind them, in the step of time that they are in.
func TestCellsNarrow(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	requests(s)
	page := b.Get(asking(s, "stats count() by bin(4h), path | sort count() desc | limit 1")).Want(200, "1 row<").Body
	cell := regexp.MustCompile(`data-label="path"><a href="([^"]+)">/p/\d</a></td><td class="num" data-label="count\(\)">(\d+)<`).FindStringSubmatch(page)
	if cell == nil {
		t.Fatalf("no cell:\n%s", page)
	}
	b.Get(html.UnescapeString(cell[1])).Want(200, "Read as a query.", cell[2]+" event")
	if page := html.UnescapeString(b.Get(asking(s, "fields path, status | limit 1")).Want(200).Body); !strings.Contains(page, url.QueryEscape(`fields path, status | filter path == "/p/0" | limit 1`)) {
		t.Errorf("no link to the path:\n%s", page)
	}
	b.Get(in(s, "/query?query="+url.QueryEscape("stats count()")+"&ts=PT3H")).Leads(in(s, "?period=PT3H&q=stats+count%28%29"))
	b.Get(in(s, "?from=2026-01-01T10:00&to=never")).Want(422, "is not a time")
}

func TestSavedQueriesOnPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		requests(s)
		saved, first := in(s, "/saved"), in(s, "/saved/1")
		there := in(s, "?period=7d&q=stats+count%28%29&saved=1&view=chart")
		b.Get(saved).Want(200, "No saved queries yet").CheckPage()
		b.Post(saved, "name", "Load <b>", "q", "stats count()", "period", "7d", "view", "chart", "shared", "true").Leads(there + "&done=query_saved")
		b.Get(first).Leads(there)
		b.Get(there).Want(200, "Load &lt;b&gt;", "saved query, shared", `data-copy="`, first+`"`).CheckPage().Lacks(", changed")
		b.Get(in(s, "?q=level:error&saved=1")).Want(200, ", changed", "Update", "Revert").CheckPage()
		b.Post(first, "q", "level:error", "period", "24h", "view", "").Leads(in(s, "?period=24h&q=level%3Aerror&saved=1&done=query_changed"))
		b.Post(first, "name", " ").Want(422, "name").CheckPage()
		b.Post(first, "name", "Errors").Leads(saved + "?done=query_changed")
		b.Get(saved).Want(200, "Errors", "level:error", "Shared by Ann").CheckPage()
		b.Post(saved, "name", "", "q", "stats count()").Want(422, "stats count()").CheckPage()
		b.Post(saved, "name", "x", "q", "stats coutn()").Want(422, "Did you mean").CheckPage()
		b.Post(first + "/delete").Leads(saved + "?done=query_deleted")
		b.Get(first).Want(404)
		b.Get(saved).Want(200, "No saved queries yet")
	})
}

func TestSuggestionsOfQuestions(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		requests(s)
		for q, want := range map[string]string{
			"dur":                      `{"typed":"dur","texts":[["duration:","number"]]}`,
			"path:":                    `{"typed":"path:","texts":[["path:/p/0",""],["path:/p/1",""]]}`,
			`filter path == "/p/1`:     `{"typed":"\"/p/1","texts":[["\"/p/1\"",""]]}`,
			"stats avg(dur":            `{"typed":"dur","texts":[["duration","number"]]}`,
			"filter status > 5 | sort": `{"typed":"sort","texts":[]}`,
			strings.Repeat("x", 9_000): `{"typed":"","texts":[]}`,
		} {
			if got := strings.TrimSpace(b.Get(in(s, "/suggestions?q="+url.QueryEscape(q))).Want(200).Body); got != want {
				t.Errorf("%.40s:\n got %s\nwant %s", q, got, want)
			}
		}
	})
}
