package events_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// Each view is drawn by the columns that its settings name, and by those that fit if they name none. What cannot be drawn is said, and is a table.
func TestWidgetsAreDrawn(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	requests(s)
	const by = "stats count() as n, avg(duration) as ms by path"
	for _, tt := range []struct {
		view, query, config string
		want                []string
	}{
		{"pie", by, "", []string{`class="f1 slice"`, "/p/1: ", "Show as table"}},
		{"pie", by, `{"nameField":"path","valueField":"n"}`, []string{`class="f1 slice"`, "/p/0: 5 (50%)"}},
		{"pie", by, `{"nameField":"path","valueField":"count"}`, []string{"The result has no column “count”, which valueField names. It has “path”, “n” and “ms”", "<td"}},
		{"pie", by, `{"nameField":"n","valueField":"path"}`, []string{"valueField is the column “path”, which has no numbers."}},
		{"pie", `filter path == "/p/1"`, "", []string{"This drawing needs columns: add stats or fields to the query."}},
		{"pie", "stats max(path) as p", "", []string{"This drawing needs a column for numbers, which the result does not have."}},
		{"histogram", by, `{"xField":"path","yField":"n"}`, []string{`<rect class="f1"`, "/p/0: 5"}},
		{"scatter", "fields path, duration, status", `{"xField":"duration","yField":"status","groupField":"path"}`, []string{`class="f1 dot"`, `class="f2 dot"`}},
		{"scatter", by, `{"xField":"path","yField":"n"}`, []string{"xField is the column “path”, which has neither numbers nor times."}},
		{"heatmap", "stats count() as n by bin(1h) as hour, path | sort hour, path", `{"xField":"hour","yField":"path","zField":"n","steps":3}`, []string{`<rect class="f1 o10"`}},
		{"heatmap", "stats count() as n by bin(1h) as hour, path", "", []string{`<rect class="f1 o10"`}},
		{"area", "stats count() as n by bin(1h) as hour, path", `{"xField":"hour","stacked":true}`, []string{`class="area f1"`, `class="area f2"`}},
		{"line", "stats count() as n by bin(1h) as hour", "", []string{`class="line s1"`}},
		{"line", "stats count() as n, avg(duration) as ms by bin(1h) as hour", `{"yField":"ms"}`, []string{`class="line s1"`, "<th scope=\"col\">ms</th>"}},
	} {
		vis := `{"view":"` + tt.view + `"}`
		if tt.config != "" {
			vis = `{"view":"` + tt.view + `","chart_config":` + tt.config + `}`
		}
		query, err := json.Marshal(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		var made struct{ ID string }
		s.Do("POST", fmt.Sprintf("/v2/projects/%d/dashboards", s.Setup.ProjectID),
			`{"dashboard":{"title":"x","default_ts":"P1D","widgets":[{"type":"insights_vis","config":{"query":`+string(query)+`,"streams":["default"],"vis":`+vis+`}}]}}`).Want(http.StatusCreated).Into(&made)
		_, shown, _ := strings.Cut(b.Get(in(s, "/dashboards/"+made.ID)).Want(200).CheckPage().Body, `class="grid board"`)
		shown, _, _ = strings.Cut(shown, "</section>")
		for _, want := range tt.want {
			if !strings.Contains(shown, want) {
				t.Errorf("%s of %s with %s does not show %q:\n%.3000s", tt.view, tt.query, tt.config, want, shown)
			}
		}
	}
}
