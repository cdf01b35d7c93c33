package project_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
	"sett/internal/store/releasedb"
	"sett/internal/web"
)

const password = "seven lonely walruses"

// signedIn returns the browser of a new user of the server's account; a user who is not an admin is in a team with the project.
func signedIn(t *testing.T, s *setttest.Server, role accounts.Role) *visitor.Browser {
	t.Helper()
	email := strings.ToLower(string(role)) + "@people.test"
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: email, Name: "Ann " + string(role), Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew of "+email, []int64{s.Setup.ProjectID}, map[int64]bool{id: false}); err != nil {
		t.Fatal(err)
	}
	return visitor.New(t, s).SignIn(email, password)
}

// stranger returns the browser of a user of another account.
func stranger(t *testing.T, s *setttest.Server) *visitor.Browser {
	t.Helper()
	_, _, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others", accountdb.NewUser{Email: "stranger@people.test", Name: "Stranger", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	return visitor.New(t, s).SignIn("stranger@people.test", password)
}

// boom reports an error of the server's project.
func boom(s *setttest.Server, class, message string) {
	s.Do("POST", "/v1/notices", map[string]any{
		"error": map[string]any{"class": class, "message": message}, "request": map[string]any{"component": "carts", "action": "show"},
		"server": map[string]any{"environment_name": "production"},
	}, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
}

// deploy records one.
func deploy(t *testing.T, s *setttest.Server, revision string) int64 {
	t.Helper()
	id, err := s.App.Store().Faults.RecordDeploy(t.Context(), s.Clock.Now(), s.Setup.ProjectID, faults.Deploy{
		Environment: "production", Revision: revision, LocalUsername: "josh", Repository: "javascript:alert(1)//https://",
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func in(s *setttest.Server, rest string) string {
	return fmt.Sprintf("/projects/%d%s", s.Setup.ProjectID, rest)
}

// everyPath are the pages of the room.
func everyPath(s *setttest.Server, deploy int64) []string {
	paths := []string{"/", "/projects", "/projects?named=sho", "/projects?named=nothing", "/accounts/" + s.Setup.AccountID + "/timeline"}
	for _, rest := range []string{
		"", "?period=hour", "?period=week", "?period=month", "/timeline", "/timeline?kind=errors", "/timeline?kind=incidents", "/deploys", "/deploys?environment=production",
		fmt.Sprint("/deploys/", deploy), "/reports/notices_per_day", "/reports/notices_by_class", "/reports/notices_by_location",
		"/reports/notices_by_user?start=2026-11-01&stop=2026-11-18", "/setup", "/live",
	} {
		paths = append(paths, in(s, rest))
	}
	for _, l := range []string{"js", "node", "ruby", "python", "golang", "php", "elixir", "java", "other", "cobol", "django", "gin", "express", "dotnet", "react"} {
		paths = append(paths, in(s, "/setup?language="+l))
	}
	return paths
}

func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	owner, member, other := signedIn(t, s, accounts.Owner), signedIn(t, s, accounts.Member), stranger(t, s)
	for _, path := range everyPath(s, 0) { // a project to which nothing came
		if !strings.HasSuffix(path, "/deploys/0") {
			owner.Get(path).Want(200).CheckPage()
		}
	}
	boom(s, "Boom<script>", "no cart")
	s.Clock.Push(time.Minute)
	id := deploy(t, s, "9c2ab10d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b")
	s.Clock.Push(time.Minute)
	boom(s, "Late", "<img src=x onerror=alert(1)>")
	boom(s, "Boom<script>", "no cart")
	for _, path := range everyPath(s, id) {
		for _, b := range []*visitor.Browser{owner, member} {
			b.Get(path).Want(200).CheckPage().Lacks("<script>", "<img src=x", `href="javascript:`)
		}
		if strings.HasPrefix(path, "/projects/") || strings.HasPrefix(path, "/accounts/") {
			other.Get(path).Want(404).Lacks("Boom")
			visitor.New(t, s).Get(path).Want(303)
		}
	}
	owner.Get("/projects/new").Want(200).CheckPage()
	member.Get("/projects/new").Want(403)
	for _, path := range []string{"?period=year", "/reports/notices_by_moon", "/reports/notices_by_moon/rows.csv", "/deploys/999", "/deploys/x", "/timeline?page=x", "/deploys?page=x"} {
		if got := owner.Get(in(s, path)); got.Status != 404 && got.Status != 422 {
			t.Errorf("%s: status %d", path, got.Status)
		}
	}
}

func TestHomeAndOverviewTellHowProjectsDo(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b, other := signedIn(t, s, accounts.Owner), stranger(t, s)
	b.Get(in(s, "")).Want(200, "No events yet", in(s, "/setup"))
	boom(s, "Boom", "no cart")
	s.Clock.Push(time.Minute)
	id := deploy(t, s, "r1")
	s.Clock.Push(time.Minute)
	boom(s, "Late", "too late")
	page := fmt.Sprintf(`<a href="/projects/%d">Shop</a>`, s.Setup.ProjectID)
	b.Get("/").Want(200, page, "Nothing watched", "New project", ">Late</a>", fmt.Sprintf(`/deploys/%d"><code>r1</code>`, id), "by josh to production")
	b.Get("/projects").Want(200, page, `name="named"`)
	b.Get("/projects?named=SHO").Want(200, "<tr data-row>")
	b.Get("/projects?named=x").Want(200, "No matching projects").Lacks("<tr data-row>")
	b.Get("/projects?named=%25").Want(200, "No matching projects")
	other.Get("/").Want(200, "Create your first project", "Welcome to Others, Stranger.", "<strong>Others</strong>").Lacks("Shop", "Boom")
	b.Get(in(s, "")).Want(200, "Events per hour", "1 new since deploy", ">r1</a>", "<strong>Late</strong>", "carts#show", `<span aria-hidden="true">●</span> New`, "1 deploy").Lacks("No events yet")
	b.Get(in(s, "?period=week")).Want(200, "Events per day")
	b.Get(in(s, "/timeline")).Want(200, "Today, 18 November", ">Boom</a>", ">Late</a>", ">r1</a>")
	b.Get(in(s, "/timeline?kind=deploys")).Want(200, ">r1</a>").Lacks(">Boom</a>")
	b.Get(in(s, "/timeline?kind=uptime")).Want(200, "No activity of this kind")
	b.Get(in(s, "/deploys")).Want(200, "<code>r1</code>", "josh")
	b.Get(in(s, "/deploys?environment=staging")).Want(200, "No deploys yet")
	b.Get(in(s, fmt.Sprint("/deploys/", id))).Want(200, "Deploy r1", ">Late</a>", "No reopened errors", "Resolved by this deploy", ">Boom</a>")
}

// The home page begins with what concerns its user: what is down, the errors assigned to them, and what is new since their last visit.
func TestHomeBeginsWithWhatConcernsItsUser(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Owner)
	b.Get("/").Want(200).Lacks("Down now", "Assigned to you", "New in 24 hours")
	var job struct{ ID string }
	s.Post(fmt.Sprintf("/v2/projects/%d/check_ins", s.Setup.ProjectID), `{"check_in":{"slug":"night","schedule_type":"simple","report_period":"1 hour"}}`).Want(201).Into(&job)
	s.Do("POST", "/v1/check_in/"+job.ID, nil).Want(200)
	boom(s, "Boom", "no cart")
	s.Clock.Push(2 * time.Minute)
	b.Get("/").Want(200, "New in 24 hours", ">Boom</a>").Lacks("Down now", "Assigned to you").CheckPage()

	s.Clock.Push(3 * time.Hour)
	if _, _, err := s.App.Store().Uptime.SweepCheckIns(t.Context(), s.Clock.Now(), 10); err != nil {
		t.Fatal(err)
	}
	boom(s, "Later", "no cart")
	me, _, err := s.App.Store().Accounts.PasswordByEmail(t.Context(), "owner@people.test")
	if err != nil {
		t.Fatal(err)
	}
	concerns, err := s.App.Store().Concerns(t.Context(), s.Clock.Now(), me.ID, 5)
	if err != nil || len(concerns.Down) != 1 {
		t.Fatalf("%+v, %v", concerns.Down, err)
	}
	b.Get("/").Want(200, "Down now", ">night</a>", "/check_ins/"+job.ID, "New since your last visit").Lacks("Assigned to you").CheckPage()
	for _, e := range concerns.Down {
		if e.At.After(s.Clock.Now()) || e.At.Before(s.Clock.Now().Add(-3*time.Hour)) {
			t.Errorf("%s is down since %s", e.Title, e.At)
		}
	}
	if home := b.Get("/").Body; strings.Count(home, ">Later</a>") != 2 || strings.Count(home, ">Boom</a>") != 1 { // of them, one each in the activity
		t.Errorf("the home page is\n%s", home)
	}
	var faults struct{ Results []struct{ ID int64 } }
	s.Get(fmt.Sprintf("/v2/projects/%d/faults?q=class:Boom", s.Setup.ProjectID)).Want(200).Into(&faults)
	b.Post(in(s, fmt.Sprintf("/faults/%d/assign", faults.Results[0].ID)), "assignee_id", fmt.Sprint(me.ID)).Want(303)
	b.Get("/").Want(200, "Assigned to you").CheckPage()
	if _, err := s.App.Store().Write.ExecContext(t.Context(), `DELETE FROM check_in_turns`); err != nil { // too old to be kept
		t.Fatal(err)
	}
	b.Get("/").Want(200, ">night</a>")
}

// What a card of the home page has no room for is on a page of its own, of all projects of the user.
func TestTheHomePageLeadsToAllThatConcernsItsUser(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b, other := signedIn(t, s, accounts.Owner), stranger(t, s)
	for i := range 6 {
		boom(s, fmt.Sprint("Boom", i), "no cart")
	}
	b.Get("/").Want(200, "New in 24 hours").Lacks("/concerns/")
	boom(s, "Boom6", "no cart")
	home := b.Get("/").Want(200, ">Boom6</a> no cart", `href="/faults?order=newest&amp;q=-is%3Aresolved&#43;-is%3Aignored&#43;created.after%3A`).Lacks("/concerns/down", "assignee").CheckPage()
	more := regexp.MustCompile(`href="(/faults[^"]*)"`).FindStringSubmatch(home.Body)[1]
	all := b.Get(html.UnescapeString(more)).Want(200, ">All errors</h1>").CheckPage()
	for i := range 7 {
		if !strings.Contains(all.Body, fmt.Sprintf("<strong>Boom%d</strong> no cart</a>", i)) {
			t.Errorf("Boom%d is missing on\n%s", i, all.Body)
		}
	}
	b.Get("/concerns/down").Want(200, "No site is down")
	b.Get("/concerns/assigned").Leads("/faults?q=-is%3Aresolved+-is%3Aignored+assignee%3Ame")
	b.Get("/concerns/since").Leads("/faults?order=newest&q=-is%3Aresolved+-is%3Aignored+created.after%3A%2224+hours+ago%22")
	b.Get("/concerns/other").Want(404)
	other.Get(html.UnescapeString(more)).Want(200, "No matching errors").Lacks("Boom6")
}

func TestReleasesFromTheirEventsToTheirPages(t *testing.T) {
	s := setttest.Start(t, "sqlite")
	b, other := signedIn(t, s, accounts.Owner), stranger(t, s)
	b.Get(in(s, "/releases")).Want(200, "No releases yet", in(s, "/setup"))
	report := func(class, revision string) {
		s.Do("POST", "/v1/notices", map[string]any{
			"error": map[string]any{"class": class, "message": "m"}, "server": map[string]any{"revision": revision},
		}, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
	}
	report("Boom", "shop@1.0")
	s.Clock.Push(2 * time.Hour)
	deploy(t, s, "shop@1.1/b")
	for _, class := range []string{"A", "B", "C"} {
		report(class, "shop@1.1/b")
	}
	page := in(s, "/releases/shop@1.1%2Fb")
	if _, err := s.App.Store().Releases.ByVersion(t.Context(), s.Setup.ProjectID, "shop@1.1/b"); err != nil {
		t.Fatal(err)
	}
	b.Get(in(s, "/releases")).Want(200, page, "shop@1.0", "Worse", "first release")
	b.Get(page).Want(200, "Release shop@1.1/b", "Worse", "3 errors new or reopened, and 0 in as much time", in(s, "/releases/shop@1.0"), ">A</a>", "production", "by josh", "No reopened errors").Lacks("Crash-free")
	deployed := regexp.MustCompile(`<a href="` + in(s, "/deploys/") + `\d+">production</a>`)
	if list := b.Get(in(s, "/releases")).Body; len(deployed.FindAllString(list, -1)) != 1 || !strings.Contains(list, "not recorded") {
		t.Error("the list of releases does not show their deploys")
	}
	b.Get(in(s, "/deploys")).Want(200, page)
	b.Get(in(s, "")).Want(200, `<a href="`+page+`" tabindex="-1" aria-label=`, `<li><a href="`+page+`">shop@1.1/b to production`).CheckPage()
	b.Get(in(s, "/releases/none")).Want(404)
	other.Get(page).Want(404)
	err := s.App.Store().Releases.AddHours(t.Context(), s.Clock.Now(), []releasedb.Hour{{
		Key: releasedb.Key{ProjectID: s.Setup.ProjectID, Version: "shop@1.0"}, Environment: "eu", At: s.Clock.Now(), SessionSums: release.SessionSums{Total: 400, Crashed: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.Get(in(s, "/releases/shop@1.0")).Want(200, "Crash-free sessions", "99.75%", "400 sessions, 1 crashed", ">Boom</a>", "first release")
}

func TestReports(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Member)
	boom(s, "=cmd()", "x")
	boom(s, "=cmd()", "x")
	boom(s, "Boom", "x")
	b.Get(in(s, "/reports/notices_by_class")).Want(200, "=cmd()", "100% of the highest", "50% of the highest")
	b.Get(in(s, "/reports/notices_per_day")).Want(200, "2026-11-18", "3 events from")
	b.Get(in(s, "/reports?start=2026-11-01")).Leads(in(s, "/reports/notices_per_day?start=2026-11-01"))
	b.Get(in(s, "/reports/notices_per_day?start=2026-11-30")).Want(422, "Please correct: start must not be after stop").CheckPage()
	b.Get(in(s, "/reports/notices_per_day?start=x")).Want(422, "Please correct: start must be a date").CheckPage()
	csv := b.Get(in(s, "/reports/notices_by_class/rows.csv?start=2026-11-18")).Want(200)
	if want := "class,events\n'=cmd(),2\nBoom,1\n"; csv.Body != want || csv.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%s %s, want %s", csv.Header.Get("Content-Type"), csv.Body, want)
	}
	b.Get(in(s, "/reports/notices_by_class/rows.csv?start=x")).Want(422)
	b.Get(in(s, "/reports/notices_by_location/rows.csv")).Want(200, "location,events")
	b.Get(in(s, "/reports/notices_by_class?environment=eu&start=2026-11-01")).Want(200, // views keep what was chosen
		`href="`+in(s, "/faults?environment=eu")+`"`, `href="`+in(s, "/reports/notices_by_user?environment=eu&amp;start=2026-11-01")+`"`, `aria-current="page">By class`)
	stranger(t, s).Get(in(s, "/reports/notices_by_class/rows.csv")).Want(404)
}

// auditedActions returns the actions of the account's audit log since a time.
func auditedActions(t *testing.T, s *setttest.Server) (actions []string) {
	t.Helper()
	var list struct {
		Results []struct {
			Action  string
			Changes json.RawMessage
		}
	}
	s.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log").Into(&list)
	for _, e := range list.Results {
		actions = append(actions, e.Action+" "+string(e.Changes))
	}
	return actions
}

func TestMakeAProject(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b, member := signedIn(t, s, accounts.Admin), signedIn(t, s, accounts.Member)
	form := "/accounts/" + s.Setup.AccountID + "/projects"
	b.Get("/projects/new").Want(200, `action="`+form+`"`)
	b.Post(form, "name", " ", "language", "ruby").Want(422, "Name can&#39;t be blank.", `<option value="ruby" selected>`).CheckPage()
	b.Post(form, "name", "Two", "language", "cobol").Want(422, "language is not included in the list")
	member.Post(form, "name", "Two", "language", "ruby").Want(403)
	stranger(t, s).Post(form, "name", "Two", "language", "ruby").Want(404)
	got := b.Post(form, "name", "Two", "language", "ruby")
	m := regexp.MustCompile(`^(/projects/\d+/setup)\?done=project_made$`).FindStringSubmatch(got.Header.Get("Location"))
	if got.Status != http.StatusSeeOther || m == nil {
		t.Fatalf("status %d to %s", got.Status, got.Header.Get("Location"))
	}
	b.Get(m[1]+"?done=project_made").Want(200, "Project created.", "bundle add honeybadger", "Waiting for the first event").CheckPage()
	if actions := auditedActions(t, s); len(actions) != 1 || !strings.HasPrefix(actions[0], `makeProject {"language":"ruby","name":"Two"}`) {
		t.Errorf("the audit log contains %q", actions)
	}
}

func TestTestNotice(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Member)
	dsn := strings.Replace(s.App.BaseURL(), "://", "://"+s.Setup.APIKey+"@", 1) + "/" + strconv.FormatInt(s.Setup.ProjectID, 10)
	b.Get(in(s, "/setup")).Want(200, s.Setup.APIKey, s.App.BaseURL(), "Waiting for the first event", dsn)
	b.Post(in(s, "/setup/test"), "language", "python").Leads(in(s, "/setup?language=python&done=test_sent"))
	page := b.Get(in(s, "/setup?language=python&done=test_sent")).Want(200, "First event received</a></h2>", "Test event received", "sett::Test", "pip install honeybadger")
	link := regexp.MustCompile(`/projects/\d+/faults/\d+\?notice=[0-9a-f-]{36}`).FindString(page.Body)
	if link == "" {
		t.Errorf("the page does not lead to the event")
	}
	var faults struct {
		Results []struct{ Klass, Environment string }
	}
	s.Get(fmt.Sprintf("/v2/projects/%d/faults", s.Setup.ProjectID)).Into(&faults)
	if len(faults.Results) != 1 || faults.Results[0].Klass != "sett::Test" || faults.Results[0].Environment != "test" {
		t.Errorf("faults: %+v", faults)
	}
	stranger(t, s).Post(in(s, "/setup/test")).Want(404)
	if actions := auditedActions(t, s); len(actions) != 1 || !strings.HasPrefix(actions[0], "sendTestNotice") {
		t.Errorf("the audit log contains %q", actions)
	}
}

// The client for Node.js ignores the port of its endpoint. Its page says so, and what to do, before anything to copy.
func TestNodeIsWarnedOfThePort(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	page := signedIn(t, s, accounts.Member).Get(in(s, "/setup?language=node")).Want(200, "always uses port 80").CheckPage().Body
	if warned, copied := strings.Index(page, "cannot report to "+s.App.BaseURL()), strings.Index(page, "npm install"); warned < 0 || warned > copied {
		t.Errorf("the warning is at %d, the first step at %d", warned, copied)
	}
}

// stream opens a stream of a browser and returns its lines.
func stream(t *testing.T, b *visitor.Browser, path string) (next func() string, status int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { got.Body.Close() })
	lines := bufio.NewScanner(got.Body)
	return func() string {
		for lines.Scan() {
			if text := lines.Text(); text != "" && !strings.HasPrefix(text, ":") {
				return text
			}
		}
		return ""
	}, got.StatusCode
}

// liveStream finds the path of a page's stream.
var liveStream = regexp.MustCompile(`data-live="([^"]+)"`)

func TestStreamsBringWhatComesIn(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Member)
	boom(s, "Before", "x")
	s.Clock.Push(time.Second)
	for _, of := range []struct{ page, kind, last string }{{"/live", "row", "</li>"}, {"/setup", "part", "</div>"}} {
		page := of.page
		path := liveStream.FindStringSubmatch(b.Get(in(s, page)).Want(200).Body)
		next, status := stream(t, b, html.UnescapeString(path[1]))
		if status != 200 {
			t.Fatalf("%s: status %d", page, status)
		}
		s.Clock.Push(time.Second)
		boom(s, "Now<b>", "x")
		id, event, data := next(), next(), next()
		for line := data; !strings.HasSuffix(line, of.last); data += line {
			line = next()
		}
		if !strings.HasPrefix(id, "id: ") || event != "event: "+of.kind || !strings.Contains(data, "Now&lt;b&gt;") || of.kind == "part" && !strings.Contains(data, "New event received") || strings.Contains(data, "Before") {
			t.Errorf("%s: %s, %s, %s", page, id, event, data)
		}
		s.Clock.Push(time.Second)
	}
	other := stranger(t, s)
	other.Get(in(s, "/live/events")).Want(404)
}

// The tabs of the instructions are named as the languages are that people choose from.
func TestLanguagesHaveOneName(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Admin)
	tabs, form, general := b.Get(in(s, "/setup")).Want(200, ">curl<"), b.Get("/projects/new").Want(200), b.Get(in(s, "/settings/general")).Want(200, ">Not set<")
	for _, c := range web.LanguageChoices() {
		option := fmt.Sprintf(`<option value="%s"[^>]*>%s</option>`, c.Value, c.Label)
		for _, page := range []*visitor.Answer{form, general} {
			if !regexp.MustCompile(option).MatchString(page.Body) {
				t.Errorf("%s offers no %s", page.Asked, c.Label)
			}
		}
		if c.Value != "other" && !regexp.MustCompile(`language=`+c.Value+`"[^>]*>`+c.Label+`<`).MatchString(tabs.Body) {
			t.Errorf("there are no instructions for %s", c.Label)
		}
	}
}

func TestStreamsAreFew(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Member)
	for range 4 {
		if _, status := stream(t, b, in(s, "/live/events")); status != 200 {
			t.Fatalf("status %d", status)
		}
	}
	b.Get(in(s, "/live/events")).Want(429)
}

// The page of a release shows each environment once, with its latest deploy first.
func TestDeploysOfAReleaseByEnvironment(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Member)
	var staging []string
	for i, d := range []struct{ environment, by string }{{"staging", "ann"}, {"production", "bea"}, {"staging", "cleo"}, {"", "dora"}, {"staging", "eve"}} {
		s.Clock.Push(time.Duration(i) * time.Hour)
		id, err := s.App.Store().Faults.RecordDeploy(t.Context(), s.Clock.Now(), s.Setup.ProjectID, faults.Deploy{Environment: d.environment, Revision: "1.0", LocalUsername: d.by})
		if err != nil {
			t.Fatal(err)
		}
		if d.environment == "staging" {
			staging = append(staging, in(s, fmt.Sprint("/deploys/", id)))
		}
	}
	got := b.Get(in(s, "/releases/1.0")).Want(200).CheckPage().Body
	_, got, _ = strings.Cut(got, `id="deploys"`)
	rest := got
	for _, next := range []string{"<strong>staging", staging[2], "by eve", "Earlier deploys", staging[1], "by cleo", staging[0], "by ann", "<strong>All environments", "by dora", "<strong>production", "by bea"} {
		_, after, found := strings.Cut(rest, next)
		if !found {
			t.Fatalf("%q does not follow in %s", next, got)
		}
		rest = after
	}
}

// A project has seven entries in the navigation. What else there is of it is a view of one of them.
func TestNavigation(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Owner)
	for path, on := range map[string]string{
		"": "", "/timeline": "", "/faults": "/faults", "/reports/notices_by_class": "/faults", "/sites": "/sites", "/check_ins": "/check_ins",
		"/releases": "/releases", "/deploys": "/releases", "/insights": "/insights", "/settings/general": "/settings/general",
	} {
		_, menu, _ := strings.Cut(b.Get(in(s, path)).Want(200).Body, `<nav class="side"`)
		menu, _, _ = strings.Cut(menu, "</ul>")
		links := regexp.MustCompile(`<a href="([^"]+)"[^>]*?( aria-current="page")?>`).FindAllStringSubmatch(menu, -1)
		current := slices.DeleteFunc(slices.Clone(links), func(l []string) bool { return l[2] == "" })
		if len(links) != 7 || len(current) != 1 || current[0][1] != in(s, on) {
			t.Errorf("%s: %d entries, current is %q", path, len(links), current)
		}
	}
}
