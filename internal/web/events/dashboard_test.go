package events_test

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/dashboard"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

// dashboardOf returns the path of the dashboard that a form has made.
func dashboardOf(t *testing.T, answer *visitor.Answer) string {
	t.Helper()
	path, _, _ := strings.Cut(answer.Want(303).Header.Get("Location"), "?")
	return path[strings.Index(path, "/projects/"):]
}

var widgetTitle = regexp.MustCompile(`<h2 id="w-([^"]+)">([^<]*)`)

// titles returns the titles of the widgets of a page, and their ids.
func titles(body string) (all []string, ids map[string]string) {
	ids = map[string]string{}
	for _, m := range widgetTitle.FindAllStringSubmatch(body, -1) {
		all, ids[m[2]] = append(all, m[2]), m[1]
	}
	return all, ids
}

// Every template makes a dashboard whose queries can be read.
func TestDashboardTemplates(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		s.Do("POST", "/v1/notices", `{"error":{"class":"Boom","message":"too late"}}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		b.Get(in(s, "/dashboards")).Want(200, "No dashboards yet").CheckPage()
		b.Get(asking(s, `filter event_type::str == "notice" | stats count() by klass::str`)).Want(200, "Boom").CheckPage()
		report(s, `{"event_type":"process_action.action_controller","controller":"Orders","action":"pay","duration":12.5,"status":200}`)
		for _, template := range dashboard.Templates() {
			path := dashboardOf(t, b.Post(in(s, "/dashboards"), "template", template.Name, "title", ""))
			page := b.Get(path).Want(200, template.Title).Lacks("Character ").CheckPage()
			if got, _ := titles(page.Body); len(got) != len(template.Widgets) {
				t.Errorf("%s has the widgets %v", template.Title, got)
			}
			b.Get(path+"?edit=1").Want(200, "Add a widget").CheckPage()
		}
		all := b.Get(in(s, "/dashboards")).Want(200, "Overview", "Hosts").CheckPage()
		overview := regexp.MustCompile(`/projects/\d+/insights/dashboards/\w{12}`).FindString(all.Body)
		b.Get(overview).Want(200, "Boom", "too late", "events", "No deploys in this period", "No sites")
		b.Post(in(s, "/dashboards"), "template", "empty", "title", strings.Repeat("a", 300)).Want(422, "title").CheckPage()
	})
}

// Forms add, change, move and remove widgets. What the form does not have stays as it was.
func TestDashboardIsEdited(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		requests(s)
		var made struct{ ID string }
		s.Do("POST", fmt.Sprintf("/v2/projects/%d/dashboards", s.Setup.ProjectID), `{"dashboard":{"title":"Requests","default_ts":"P1D","widgets":[
			{"type":"insights_vis","id":"lines","presentation":{"title":"Lines","subtitle":"by path"},"config":{"query":"stats count() by bin(1h), path","vis":{"view":"line","chart_config":{"xField":"bin(1h)"}}}}]}}`).Want(http.StatusCreated).Into(&made)
		path := in(s, "/dashboards/"+made.ID)
		page := b.Get(path).Want(200, "Lines", "by path").CheckPage()
		if !strings.Contains(page.Body, `<svg class="chart"`) {
			t.Errorf("lines are not drawn: %s", regexp.MustCompile(`note info">[^<]*`).FindString(page.Body))
		}
		b.Post(path, "type", "insights_vis", "title", "Numbers", "query", "filter path == \"${path:-/p/1}\" | stats count() as n", "view", "billboard", "width", "6").Want(303)
		b.Post(path, "type", "errors", "title", "<Errors>", "query", "", "view", "table", "width", "6").Want(303)
		page = b.Get(path+"?edit=1").Want(200, "&lt;Errors&gt;").CheckPage()
		got, ids := titles(page.Body)
		if fmt.Sprint(got) != "[Lines Numbers &lt;Errors&gt;]" {
			t.Errorf("widgets %v", got)
		}
		b.Get(path).Want(200, "<dd>5</dd>")
		b.Get(path+"?path=/p/none").Want(200, "<dd>0</dd>")
		b.Post(path, "id", ids["Numbers"], "up", "1").Want(303)
		b.Post(path, "id", ids["&lt;Errors&gt;"], "remove", "1").Want(303)
		b.Post(path, "id", "lines", "type", "insights_vis", "title", "Renamed", "query", "stats count() by bin(1h), path", "view", "line", "width", "4").Want(303)
		b.Post(path, "rename", "1", "title", "Traffic").Want(303)
		if got, _ = titles(b.Get(path).Want(200, "Traffic").CheckPage().Body); fmt.Sprint(got) != "[Numbers Renamed]" {
			t.Errorf("widgets %v", got)
		}
		text := string(s.Get(fmt.Sprintf("/v2/projects/%d/dashboards/%s", s.Setup.ProjectID, made.ID)).Body)
		for _, kept := range []string{`"subtitle":"by path"`, `"xField":"bin(1h)"`, `"default_ts":"P1D"`, `{"x":0,"y":3,"w":4,"h":3}`} {
			if !strings.Contains(text, kept) {
				t.Errorf("%s is not kept in %s", kept, text)
			}
		}
		b.Post(path, "type", "insights_vis", "title", "x", "query", "stats count(", "view", "table", "width", "12").Want(303)
		b.Get(path).Want(200, "Character 13").CheckPage()
		b.Post(path, "type", "nonsense", "title", "x", "width", "12").Want(422, "type").CheckPage()
		b.Post(path, "id", "lines", "type", "errors", "width", "0").Want(422).CheckPage()
		b.Post(path + "/delete").Want(303)
		b.Get(path).Want(404)
	})
}

// For users of other accounts, there is no dashboard.
func TestDashboardsOfOthers(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	path := dashboardOf(t, b.Post(in(s, "/dashboards"), "template", "overview", "title", ""))
	_, _, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others", accountdb.NewUser{Email: "stranger@people.test", Name: "Stranger", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	stranger := visitor.New(t, s).SignIn("stranger@people.test", password)
	stranger.Get(path).Want(404)
	stranger.Post(path, "rename", "1", "title", "x").Want(404)
	stranger.Post(path+"/places", "version", "1", "places", "a:0,0,1,1").Want(404)
	stranger.Post(path + "/share").Want(404)
	stranger.Post(path + "/unshare").Want(404)
	stranger.Get(path + "/wall").Want(404)
	stranger.Post(path + "/delete").Want(404)
}

// Settings of lists do what they say: order, limit and streams. A link to a query leads to the same events.
func TestWidgetsDoAsTheyAreSet(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		for _, class := range []string{"First", "Second", "Third"} {
			s.Do("POST", "/v1/notices", `{"error":{"class":"`+class+`"}}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
			s.Clock.Push(time.Minute)
		}
		requests(s)
		for _, slug := range []string{"zebra", "apple", "mango"} {
			s.Do("POST", fmt.Sprintf("/v2/projects/%d/check_ins", s.Setup.ProjectID), `{"check_in":{"slug":"`+slug+`","report_period":"1 day"}}`).Want(http.StatusCreated)
		}
		s.Do("GET", "/v1/check_in/"+s.Setup.APIKey+"/mango", "").Want(http.StatusOK)
		var made struct{ ID string }
		for widget, want := range map[string]string{
			`{"type":"errors","config":{"sort":"last_seen_desc","limit":2}}`:                                                    "Third.*Second",
			`{"type":"errors","config":{"sort":"last_seen_asc","limit":2}}`:                                                     "First.*Second",
			`{"type":"checkins","config":{"sort_order":"name","limit":2}}`:                                                      "apple.*mango",
			`{"type":"checkins","config":{"sort_order":"last_reported","limit":2}}`:                                             "mango.*apple",
			`{"type":"insights_vis","config":{"query":"stats count() as n","streams":["default"],"vis":{"view":"billboard"}}}`:  "<dd>10</dd>",
			`{"type":"insights_vis","config":{"query":"stats count() as n","streams":["internal"],"vis":{"view":"billboard"}}}`: "<dd>4</dd>",
			`{"type":"insights_vis","config":{"query":"stats count() as n","vis":{"view":"billboard"}}}`:                        "<dd>14</dd>",
		} {
			s.Do("POST", fmt.Sprintf("/v2/projects/%d/dashboards", s.Setup.ProjectID), `{"dashboard":{"title":"x","default_ts":"P1D","widgets":[`+widget+`]}}`).Want(http.StatusCreated).Into(&made)
			body := b.Get(in(s, "/dashboards/"+made.ID)).Want(200).Body
			_, shown, _ := strings.Cut(body, `class="grid board"`)
			if found := regexp.MustCompile("(?s)" + want).MatchString(shown); !found || strings.Count(shown, `<li class="ends">`) > 2 {
				t.Errorf("%s does not show %s:\n%s", widget, want, shown)
			}
			if link := regexp.MustCompile(`href="(/projects/\d+/insights\?[^"]+)"`).FindStringSubmatch(shown); strings.Contains(widget, "streams") {
				n := regexp.MustCompile(`\d+`).FindString(want)
				b.Get(html.UnescapeString(link[1])).Want(200, ">"+n+"<", "selected>").CheckPage()
			}
		}
	})
}

// The places of all widgets are stored at once, of the version that they were made of. Forms do the same without a script.
func TestDashboardIsArranged(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		var made struct{ ID string }
		api := fmt.Sprintf("/v2/projects/%d/dashboards", s.Setup.ProjectID)
		s.Do("POST", api, `{"dashboard":{"title":"x","widgets":[{"type":"errors","id":"a"},{"type":"uptime","id":"b"},{"type":"alarms","id":"c"}]}}`).Want(http.StatusCreated).Into(&made)
		path := in(s, "/dashboards/"+made.ID)
		b.Get(path).Want(200, `class="card x0 w12 r1 n1 h3"`, `class="card x0 w12 r3 n1 h3"`, "board.").CheckPage().Lacks("data-arrange").Lacks(`class="handle"`).Lacks("/board.js")
		version := func() string {
			return regexp.MustCompile(`data-version="(\d+)"`).FindStringSubmatch(b.Get(path+"?edit=1").Want(200, `class="handle"`, "Shift and an arrow key").CheckPage().Body)[1]
		}
		stored := func(want string) {
			t.Helper()
			var d struct{ Widgets []dashboard.Widget }
			s.Get(api + "/" + made.ID).Into(&d)
			var got []string
			for _, w := range d.Widgets {
				got = append(got, fmt.Sprintf("%s:%d,%d,%d,%d", w.ID, w.Grid.X, w.Grid.Y, w.Grid.W, w.Grid.H))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("places %v, want %s", got, want)
			}
		}
		first := version()
		b.Post(path+"/places", "version", first, "places", "b:0,0,6,4 a:6,0,6,3 c:6,2,6,3").Want(200, `{"version":"`)
		stored("a:6,0,6,3 b:0,0,6,4 c:6,3,6,3")
		b.Post(path+"/places", "version", first, "places", "a:0,0,12,3 b:0,3,12,3 c:0,6,12,3").Want(409, "someone else has changed this dashboard")
		stored("a:6,0,6,3 b:0,0,6,4 c:6,3,6,3")
		for _, wrong := range []string{"", "z:0,0,1,1", "a:0,0,1", "a:0,0,1,-1"} {
			b.Post(path+"/places", "version", version(), "places", wrong).Want(422)
		}
		b.Post(path, "id", "a", "down", "1").Want(303)
		stored("a:6,3,6,3 b:0,0,6,4 c:6,0,6,3")
		b.Post(path, "id", "a", "type", "errors", "title", "A", "width", "4", "height", "2", "column", "0").Want(303)
		stored("a:0,4,4,2 b:0,0,6,4 c:6,0,6,3")
		b.Post(path, "type", "checkins", "title", "New", "width", "6", "height", "3").Want(303)
		if got, _ := titles(b.Get(path).Want(200).Body); fmt.Sprint(got) != "[Sites Alarms New A]" {
			t.Errorf("the order is %v", got)
		}
	})
}

// The form of a widget chooses its events and its columns. Another view drops columns that were not chosen for it.
func TestWidgetFormChoosesStreamsAndColumns(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	requests(s)
	path := dashboardOf(t, b.Post(in(s, "/dashboards"), "template", "empty", "title", "x"))
	id := path[strings.LastIndex(path, "/")+1:]
	widget := func(id, view, x, y, streams string) []string {
		return []string{"id", id, "type", "insights_vis", "title", "Paths", "query", "stats count() as n by path", "view", view, "x", x, "y", y, "z", "", "streams", streams, "width", "6", "height", "3"}
	}
	stored := func(want string) (first string) {
		t.Helper()
		var d struct{ Widgets []dashboard.Widget }
		answer := s.Get(fmt.Sprintf("/v2/projects/%d/dashboards/%s", s.Setup.ProjectID, id))
		if answer.Into(&d); !strings.Contains(string(answer.Body), want) {
			t.Errorf("%s is not in %s", want, answer.Body)
		}
		return d.Widgets[0].ID
	}
	b.Post(path, widget("", "pie", "path", "n", "default")...).Want(303)
	first := stored(`"streams":["default"],"vis":{"chart_config":{"nameField":"path","valueField":"n"},"view":"pie"}`)
	b.Get(path).Want(200, `class="f1 slice"`)
	b.Post(path, widget(first, "pie", "path", "", "")...).Want(422, "valueField").CheckPage()
	b.Post(path, widget(first, "pie", "", "", "")...).Want(303)
	stored(`"streams":["default","internal"],"vis":{"view":"pie"}`)
	b.Post(path, widget(first, "bar", "path", "n", "internal")...).Want(303)
	stored(`"streams":["internal"],"vis":{"chart_config":{"categoryField":"path","valueField":"n"},"view":"bar"}`)
	b.Post(path, widget(first, "histogram", "path", "n", "internal")...).Want(303)
	stored(`"streams":["internal"],"vis":{"view":"histogram"}`)
}

// The stylesheet has every place that a widget can have.
func TestEveryPlaceHasAClass(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../static/board.css")
	if err != nil {
		t.Fatal(err)
	}
	for name, last := range map[string]int{"x": dashboard.Columns - 1, "w": dashboard.Columns, "r": 2 * dashboard.MostWidgets, "n": dashboard.MostHeight, "h": dashboard.MostHeight} {
		for n := range last + 1 {
			if class := fmt.Sprintf(".%s%d {", name, n); (n > 0 || name == "x") && !strings.Contains(string(css), class) {
				t.Errorf("there is no %s", class)
			}
		}
	}
}

// A dashboard fills a screen without navigation and forms. The period and the parameters of queries stay on the way there and back.
func TestDashboardOnAWall(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	path := dashboardOf(t, b.Post(in(s, "/dashboards"), "template", "overview", "title", "Wall"))
	b.Get(path+"?period=24h&a=b").Want(200, html.EscapeString(path+"/wall?period=24h&a=b"))
	page := b.Get(path+"/wall?period=24h&a=b").Want(200, "<h1>Wall</h1>", "Last 24 hours", "Events of errors", html.EscapeString(path+"?period=24h&a=b"), `<noscript><meta http-equiv="refresh" content="60">`, "/wall.").CheckPage()
	page.Lacks("<nav").Lacks("<form").Lacks(`id="keys"`)
	b.Get(in(s, "/dashboards/nothing/wall")).Want(404)
	visitor.New(t, s).Get(path + "/wall").Want(303)
}
