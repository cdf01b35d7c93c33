package app_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/owner"
	"sett/internal/sett/regroup"
	"sett/internal/sett/repo"
	"sett/internal/sett/status"
	"sett/internal/setttest"
	"sett/internal/store"
	"sett/internal/store/block"
)

// beyond are requests that exceed a bound. In the path, PROJECT and ACCOUNT stand for ids. The answer is 422 with says in it.
type beyond struct{ method, path, body, says string }

const many = 2_000

// listed returns a text so many times, with commas between.
func listed(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

func scrubbing(members string) beyond {
	return beyond{method: "PUT", path: "/v2/projects/PROJECT/scrubbing", body: `{"scrubbing":{` + members + `}}`}
}

// unsent are the rules by which texts are refused that are not sent here. The path names them.
var unsent = map[string]func(text string) error{
	"grouping rules": func(text string) error {
		_, err := regroup.Parse(text)
		return err
	},
	"post-mortem": func(text string) error {
		over := status.StatusIncident{ID: 1, Kind: status.Disruption, Name: "a", Status: status.Resolved}
		_, err := status.IncidentChange{PostMortem: sett.Some(text)}.Update(over, status.StatusPage{}, time.Now())
		return err
	},
}

func groupingRules(rules, says string) beyond { return beyond{"", "grouping rules", rules, says} }

func (b beyond) answers(says string) beyond { b.says = says; return b }

func ownershipOf(rules, says string) beyond {
	return beyond{"PUT", "/v2/projects/PROJECT/ownership", `{"ownership":{"rules":"` + rules + `"}}`, says}
}

func forwardingOf(fields, says string) beyond {
	return beyond{"PUT", "/v2/projects/PROJECT/forwarding", `{"forwarding":{` + fields + `}}`, says}
}

func search(q, says string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/searches", `{"search":{"name":"a","q":"` + q + `"}}`, says}
}

func insights(query, says string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/insights/queries", `{"query":"` + query + `"}`, says}
}

func page(member, says string) beyond {
	return beyond{"POST", "/v2/accounts/ACCOUNT/status_pages", `{"status_page":{"name":"a",` + member + `}}`, says}
}

func projectOf(member string) beyond {
	return beyond{"PUT", "/v2/projects/PROJECT", `{"project":{` + member + `}}`, "maximum is 2000 characters"}
}

func site(member, says string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/sites", `{"site":{"url":"https://a.example.test",` + member + `}}`, says}
}

func dashboardOf(widgets, says string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/dashboards", `{"dashboard":{"title":"a","widgets":[` + widgets + `]}}`, says}
}

func alarmOf(period, says string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/alarms", `{"alarm":{"name":"a","query":"filter a == 1","evaluation_period":"` + period + `","trigger_config":{"type":"alert_result_count","config":{"operator":"eq","value":0}}}}`, says}
}

func window(string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/maintenance_windows", `{"maintenance_window":{"reason":"a"}}`, "100"}
}

func integration(filters string) beyond {
	return beyond{"POST", "/v2/projects/PROJECT/integrations", `{"integration":{"type":"WebHook","options":{"url":"https://a.example.test"},"filters":[` + filters + `]}}`, ""}
}

// sourceMap is an upload of a map, with its members behind the version.
func sourceMap(url, members, says string) beyond {
	return beyond{"POST", "/v1/source_maps", url + " " + `{"version":3,` + members + `}`, says}
}

const minified = "https://cdn.example.test/a.js"

// manyThings are more things than files of one account may make.
func manyThings() string {
	var all []string
	for i := range 5_001 {
		all = append(all, fmt.Sprintf(`"teams/t%d":{"id":""}`, i))
	}
	return strings.Join(all, ",")
}

// bounds are how each row of the table in docs/security.md is tried.
var bounds = map[string][]beyond{
	"patterns of data scrubbing": {
		scrubbing(`"patterns":[` + listed(21, `"a"`) + `]`).answers("at most 20"),
		scrubbing(`"patterns":["` + strings.Repeat("a", 301) + `"]`).answers("300 characters"),
		scrubbing(`"patterns":["(a?){400}b"]`).answers("300 are possible"),
	},
	"names of data scrubbing": {
		scrubbing(`"names":[` + listed(51, `"a"`) + `]`).answers("at most 50"),
		scrubbing(`"keep":[` + listed(51, `"a"`) + `]`).answers("at most 50"),
		scrubbing(`"names":["` + strings.Repeat("a", 101) + `"]`).answers("100 characters"),
	},
	"ownership rules": {
		ownershipOf(strings.Repeat(`a @b\n`, 501), "at most 500"),
		ownershipOf(strings.Repeat("a", 64<<10+1), "65536 bytes"),
		ownershipOf(strings.Repeat("a", 1_001)+" @b", "too long"),
		ownershipOf("a "+strings.Repeat(" @b", 11), "too many owners"),
		ownershipOf(strings.Repeat("a*", 11)+" @b", "10 wildcards"),
	},
	"forwarding to another service": {
		forwardingOf(`"key":"k","days":91`, "between 1 and 90"), forwardingOf(`"key":"`+strings.Repeat("k", 129)+`"`, "API key"),
		forwardingOf(`"key":"k","address":"https://`+strings.Repeat("a", 500)+`"`, "at most 500"),
	},
	"grouping rules": {
		groupingRules(strings.Repeat("app: a\n", 201), "at most 200"),
		groupingRules(strings.Repeat("#", 50_001), "50000 bytes"),
		groupingRules("app: "+strings.Repeat("a", 301), "300 characters"),
		groupingRules("app: "+strings.Repeat("a*", 9), "8 asterisks"),
	},
	"filters of a channel": {
		integration(listed(51, `{"event":"occurred","query":"a"}`)).answers("50"),
		integration(`{"event":"occurred","query":"class:` + strings.Repeat("*a", 21) + `"}`).answers("20 stars"),
	},
	"searches": {
		search(strings.Repeat("a", 2_001), "2000 bytes"), search(strings.Repeat("a ", 51), "50 terms"),
		search("class:"+strings.Repeat("*a", 21), "20 stars"), search("-context.plan:"+strings.Repeat("*a", 21), "20 stars"),
	},
	"saved searches": {search("a", "100")},
	"configuration as code": {
		{"PUT", "/v2/accounts/ACCOUNT/configuration", `{"configuration":{"lease":"a","version":0,"things":{` + manyThings() + `}}}`, "at most 5000"},
	},
	"dashboards": {
		dashboardOf(listed(51, `{"type":"errors"}`), "at most 50"),
		dashboardOf(listed(40, `{"type":"insights_vis","config":{"query":"`+strings.Repeat("a", 7_900)+`"}}`), "256 KiB"),
		dashboardOf("", "at most 100"),
	},
	"alarms": {alarmOf("30s", "1m"), alarmOf("5m", "100")},
	"queries of structured events": {
		insights(strings.Repeat("a", 8_001), "8000"),
		insights("filter a match /"+strings.Repeat("a", 501)+"/", "500 bytes"),
		insights("filter a match /(a?){400}b/", "300 and 1000 are possible"),
		insights("filter a match /a{250}/"+strings.Repeat(" or a match /a{250}/", 4), "300 and 1000 are possible"),
		insights(strings.Repeat("filter a == 1 | ", 101)+"limit 1", "100 comparisons"),
	},
	"link templates of a project": {
		projectOf(`"source_url":"https://a.example.test/[file]` + strings.Repeat("a", 2_000) + `"`), projectOf(`"user_url":"https://a.example.test/[user_id]` + strings.Repeat("a", 2_000) + `"`),
		projectOf(`"trace_url":"https://a.example.test/[trace_id]` + strings.Repeat("a", 2_000) + `"`),
	},
	"source maps": {
		sourceMap(minified, `"sources":["a"],"names":[],"mappings":"`+strings.Repeat("A", 32<<20)+`"`, "32"),
		sourceMap(minified, `"sources":["a"],"names":[],"mappings":"`+listed(2_000_001, "AAAA")+`"`, "2000000"),
		sourceMap(minified, `"sources":[`+listed(50_001, `""`)+`],"names":[],"mappings":"AAAA"`, "50000"),
		sourceMap(minified, `"sources":["a"],"names":[`+listed(500_001, `""`)+`],"mappings":"AAAA"`, "500000"),
		sourceMap(minified, `"sections":[`+listed(10_001, `{"offset":{"line":0,"column":0},"map":{"version":3,"sources":[],"names":[],"mappings":""}}`)+`]`, "too many sections"),
	},
	"addresses of source maps": {
		sourceMap(minified+strings.Repeat("a", 2_000), `"sources":["a"],"names":[],"mappings":"AAAA"`, "2000"),
		sourceMap("https://cdn.example.test/"+strings.Repeat("a*", 6), `"sources":["a"],"names":[],"mappings":"AAAA"`, "5 wildcards"),
	},
	"CSS of status pages":        {page(`"features":{"custom_css":"`+strings.Repeat("a", 20_001)+`"}`, "20000")},
	"components of status pages": {page(`"sites":[`+listed(101, `{}`)+`]`, "100"), page(`"check_ins":[`+listed(101, `{}`)+`]`, "100")},
	"post-mortem of an incident": {{"", "post-mortem", strings.Repeat("a", 20_001), "maximum is 20000 characters"}},
	"environments":               {{"POST", "/v2/projects/PROJECT/environments", `{"environment":{"name":"%d"}}`, "1000"}},
	"maintenance windows":        {window("")},
	"requests of sites": {
		site(`"request_headers":[`+listed(51, `{"key":"a","value":"b"}`)+`]`, "50"),
		site(`"request_headers":[{"key":"a","value":"`+strings.Repeat("a", 4<<10+1)+`"}]`, "4096"),
		site(`"request_method":"POST","request_body":"`+strings.Repeat("a", 32<<10+1)+`"`, "32768"),
	},
}

// boundsOfWork are the bounds in the table beyond which nothing is refused: what they hold, and how that is tried.
var boundsOfWork = map[string]func(t *testing.T, s *setttest.Server){
	"paths of more than 1,000 bytes have no owner":    longPathsHaveNoOwner,
	"of an error 100 frames are compared":             onlySomeFramesHaveOwners,
	"a list searches for five seconds":                listsEndInTime,
	"10 seconds, after which the answer says how far": queriesEndInTime,
	"1,000 rows": queriesReturnSomeRows,
	"errors and deploys create at most 200, and later ": someEnvironmentsAreCreated,
}

// ownerIn returns the owner of an error by a rule; "" for none.
func ownerIn(t *testing.T, pattern string, files ...string) string {
	t.Helper()
	var p sett.Problems
	rules := owner.Parse(&p, "rules", pattern+" ann@example.test")
	if len(p) > 0 {
		t.Fatal(p)
	}
	var frames []repo.Frame
	for _, file := range files {
		frames = append(frames, repo.Frame{File: file})
	}
	rule, _ := rules.Find(frames, "")
	return strings.Join(rule.Owners, " ")
}

func longPathsHaveNoOwner(t *testing.T, _ *setttest.Server) {
	if got := ownerIn(t, "*", strings.Repeat("a", 1_000)) + " " + ownerIn(t, "*", strings.Repeat("a", 1_001)); got != "ann@example.test " {
		t.Errorf("the owners are %q", got)
	}
}

func onlySomeFramesHaveOwners(t *testing.T, _ *setttest.Server) {
	files := slices.Repeat([]string{"b"}, 99)
	if got := ownerIn(t, "a", append(files, "a")...) + " " + ownerIn(t, "a", append(files, "b", "a")...); got != "ann@example.test " {
		t.Errorf("the owners are %q", got)
	}
}

// listsEndInTime has a search that has no time left look for an error in a block.
func listsEndInTime(t *testing.T, s *setttest.Server) {
	search := s.App.Store().Search
	if search.SearchTime != 5*time.Second {
		t.Errorf("a list searches for %s", search.SearchTime)
	}
	s.App.Store().Blocks.Sizes = block.Sizes{Most: 1, Least: 1}
	s.Post("/v1/notices", `{"error":{"class":"Old"},"server":{"hostname":"web-1"}}`).Want(http.StatusCreated)
	if err := s.App.Store().Intake.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	rest := func(context.Context, time.Duration) error { return nil }
	if _, err := s.App.Store().Compact(t.Context(), store.Purge{Now: time.Now, Rest: rest, Holder: "test"}); err != nil {
		t.Fatal(err)
	}
	search.SearchTime = -time.Second
	defer func() { search.SearchTime = 5 * time.Second }()
	var list struct {
		Results []struct{ ID int64 }
		Since   *time.Time `json:"searched_since"`
	}
	s.Do("GET", fmt.Sprintf("/v2/projects/%d/faults?q=hostname:we*", s.Setup.ProjectID), "").Want(http.StatusOK).Into(&list)
	if len(list.Results) > 0 || list.Since == nil {
		t.Errorf("without time left: %+v", list)
	}
}

// queried is the answer to a query of structured events.
type queried struct {
	Results []any
	Meta    struct {
		TotalRows int `json:"total_rows"`
		Partial   bool
	}
}

func queryOf(t *testing.T, s *setttest.Server, events int) (got queried) {
	t.Helper()
	if events > 0 {
		s.Do("POST", "/v1/events", strings.Repeat("{\"a\":1}\n", events), "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
	}
	s.Do("POST", fmt.Sprintf("/v2/projects/%d/insights/queries", s.Setup.ProjectID), `{"query":"fields a | limit 5000"}`).Want(http.StatusOK).Into(&got)
	return got
}

// queriesEndInTime has a query that has no time left.
func queriesEndInTime(t *testing.T, s *setttest.Server) {
	if got := queryOf(t, s, 3); got.Meta.Partial || len(got.Results) == 0 {
		t.Errorf("in time: %+v", got)
	}
	events := s.App.Store().Insights
	if events.QueryTime != 10*time.Second {
		t.Errorf("a query may take %s", events.QueryTime)
	}
	events.QueryTime = -time.Second
	defer func() { events.QueryTime = 10 * time.Second }()
	if got := queryOf(t, s, 0); !got.Meta.Partial {
		t.Errorf("without time left: %+v", got)
	}
}

func queriesReturnSomeRows(t *testing.T, s *setttest.Server) {
	if got := queryOf(t, s, 1_001); len(got.Results) != 1_000 || got.Meta.TotalRows < 1_001 {
		t.Errorf("%d of %d rows", len(got.Results), got.Meta.TotalRows)
	}
}

func someEnvironmentsAreCreated(t *testing.T, s *setttest.Server) {
	count := func(statement string) (n int) {
		t.Helper()
		if err := s.App.Store().Read.QueryRowContext(t.Context(), s.App.Store().Text(statement), s.Setup.ProjectID, faults.OtherEnvironment).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const made, collected = "SELECT count(*) FROM environments WHERE project_id = $1 AND name <> $2", "SELECT count(*) FROM environments WHERE project_id = $1 AND name = $2"
	for i := range 205 {
		s.Post("/v1/notices", fmt.Sprintf(`{"error":{"class":"A"},"server":{"environment_name":"made-%d"}}`, i)).Want(http.StatusCreated)
	}
	for i := range 5 {
		s.Post("/v1/deploys", fmt.Sprintf(`{"deploy":{"environment":"deployed-%d"}}`, i)).Want(http.StatusCreated)
	}
	if n := count(made); n != 200 || count(collected) != 1 {
		t.Errorf("%d environments", n)
	}
}

// TestBoundsOfWork tries what the table of bounds says of settings that are not refused. The servers are new: what one bound leaves is not in
// the way of another.
func TestBoundsOfWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a dozen servers")
	}
	table := boundTable(t)
	for phrase, try := range boundsOfWork {
		if !strings.Contains(table, phrase) {
			t.Errorf("the table does not say %q", phrase)
		}
		t.Run(phrase, func(t *testing.T) {
			t.Parallel()
			setttest.Each(t, try)
		})
	}
}

// boundTable returns the table of bounds in the manual.
func boundTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## What one project may cost")
	table, _, _ = strings.Cut(table, "\n## ")
	return table
}

// boundRow is a row of the table.
var boundRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`)

// TestBoundsOfSettings walks the table of bounds in the manual: each row is tried with settings beyond it.
func TestBoundsOfSettings(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it sends source maps of 32 MiB")
	}
	s := setttest.Start(t, "sqlite")
	tried := 0
	for _, row := range boundRow.FindAllStringSubmatch(boundTable(t), -1) {
		if row[1] == "setting" || row[1] == "---" {
			continue
		}
		if len(bounds[row[1]]) == 0 {
			t.Errorf("the bounds of %s are not tried", row[1])
		}
		tried++
		for i, b := range bounds[row[1]] {
			b.try(t, s, fmt.Sprintf("%s %d", row[1], i))
		}
	}
	if tried != len(bounds) {
		t.Errorf("the table has %d of %d bounds", tried, len(bounds))
	}
}

// try sends a request until it is refused: a number of rows is a bound too.
func (b beyond) try(t *testing.T, s *setttest.Server, name string) {
	t.Helper()
	var answer *setttest.Response
	for n := range many {
		if answer = b.send(t, s, n); answer.Status >= http.StatusBadRequest {
			break
		}
	}
	if answer.Status >= http.StatusInternalServerError || answer.Status < http.StatusBadRequest || !strings.Contains(string(answer.Body), b.says) {
		t.Errorf("%s: the answer is %d %.300s, without %q", name, answer.Status, answer.Body, b.says)
	}
}

func (b beyond) send(t *testing.T, s *setttest.Server, n int) *setttest.Response {
	path := strings.NewReplacer("PROJECT", fmt.Sprint(s.Setup.ProjectID), "ACCOUNT", fmt.Sprint(s.Setup.AccountID)).Replace(b.path)
	if check := unsent[b.path]; check != nil {
		if err := check(b.body); err != nil {
			return &setttest.Response{Status: http.StatusUnprocessableEntity, Body: []byte(err.Error())}
		}
		return &setttest.Response{Status: http.StatusOK}
	}
	if b.path != "/v1/source_maps" {
		return s.Do(b.method, path, strings.ReplaceAll(b.body, "%d", fmt.Sprint(n)))
	}
	url, text, _ := strings.Cut(b.body, " ")
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	for _, field := range [][2]string{{"api_key", s.Setup.APIKey}, {"minified_url", url}, {"revision", "a"}} {
		if err := m.WriteField(field[0], field[1]); err != nil {
			t.Fatal(err)
		}
	}
	file, err := m.CreateFormFile("source_map", "a.map")
	if err == nil {
		_, err = file.Write([]byte(text))
	}
	if err != nil || m.Close() != nil {
		t.Fatal(err)
	}
	return s.Do("POST", path, form.Bytes(), "Content-Type", m.FormDataContentType())
}
