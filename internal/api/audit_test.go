package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/setttest"
	"sett/internal/store/sourcemapdb"
)

// auditPath is the path of the server's audit log.
func auditPath(s *setttest.Server, query string) string {
	return "/v2/accounts/" + s.Setup.AccountID + "/audit_log" + query
}

// auditLog reads the newest entries of the server's audit log.
func auditLog(s *setttest.Server, query string) []api.AuditEntry {
	var list serve.List[api.AuditEntry]
	s.Get(auditPath(s, query)).Into(&list)
	return list.Results
}

// change is a request that changes something and succeeds.
type change struct {
	name  string // of the route
	query string
	body  string // "" for none
	makes string // the path parameter that the id in the answer is for
}

// lifeOfChanges uses every route that changes anything, in an order in which each succeeds.
var lifeOfChanges = []change{
	{name: "updateProject", body: `{"project":{"purge_days":7}}`},
	{name: "createEnvironment", body: `{"environment":{"name":"lab"}}`, makes: "environment_id"},
	{name: "updateEnvironment", body: `{"environment":{"notifications":false}}`},
	{name: "deleteEnvironment"},
	{name: "createDashboard", body: `{"dashboard":{"title":"Shop","widgets":[]}}`, makes: "dashboard_id"},
	{name: "updateDashboard", body: `{"dashboard":{"title":"Store","widgets":[]}}`},
	{name: "deleteDashboard"},
	{name: "createProjectKey", body: `{"key":{"label":"web"}}`, makes: "key_id"},
	{name: "updateProjectKey", body: `{"key":{"label":"shop"}}`},
	{name: "deleteProjectKey"},
	{name: "updatePersonalAlerts", body: `{"personal_alerts":{"digest":"daily"}}`},
	{name: "updateFault", body: `{"fault":{"ignored":true}}`},
	{name: "pauseFault", body: `{"time":"hour"}`},
	{name: "unpauseFault"},
	{name: "unpauseFaults"},
	{name: "resolveFaults", query: "?q=is:ignored"},
	{name: "changeFaults", query: "?q=class:A", body: `{"action":"unresolve"}`},
	{name: "createAcknowledgement", body: `{"acknowledgement":{"kind":"fault","thing_id":"{open_id}"}}`, makes: "acknowledgement_id"},
	{name: "deleteAcknowledgement"},
	{name: "createRepository", body: `{"repository":{"url":"https://github.com/acme/shop","token":"t0"}}`, makes: "repository_id"},
	{name: "updateRepository", body: `{"repository":{"path":"web"}}`},
	{name: "linkFaultCodeChange", body: `{"url":"https://github.com/acme/shop/pull/12"}`},
	{name: "unlinkFaultCodeChange"},
	{name: "deleteRepository"},
	{name: "shareFault"},
	{name: "unshareFault"},
	{name: "createSavedSearch", body: `{"search":{"name":"Open","q":"-is:resolved"}}`, makes: "search_id"},
	{name: "deleteSavedSearch"},
	{name: "setForwarding", body: `{"forwarding":{"key":"hbp_0123456789"}}`},
	{name: "stopForwarding"},
	{name: "updateOwnership", body: `{"ownership":{"rules":"* @backend"}}`},
	{name: "updateGrouping", body: `{"grouping":{"rules":"# none"}}`},
	{name: "updateScrubbing", body: `{"scrubbing":{"names":["iban"]}}`},
	{name: "deleteSourceMap"},
	{name: "deleteSourceMaps", query: "?revision=aaa1"},
	{name: "createErasure", body: `{"erasure":{"user":"ines@example.test"}}`},
	{name: "mergeFault", body: `{"into_id":{into_id}}`},
	{name: "splitFault"},
	{name: "createComment", body: `{"comment":{"body":"Look"}}`, makes: "comment_id"},
	{name: "updateComment", body: `{"comment":{"body":"See"}}`},
	{name: "deleteComment"},
	{name: "createSite", body: `{"site":{"url":"https://shop.example.test"}}`, makes: "site_id"},
	{name: "updateSite", body: `{"site":{"frequency":1}}`},
	{name: "checkSite"},
	{name: "deleteSite"},
	{name: "deleteDeploy"},
	{name: "createIntegration", body: `{"integration":{"type":"Gitlab","options":{"server":"https://127.0.0.1:1","project":"acme/shop","token":"t"}}}`, makes: "integration_id"},
	{name: "updateIntegration", body: `{"integration":{"active":false}}`},
	{name: "createFaultIssue", body: `{"channel_id":{integration_id}}`},
	{name: "linkFault", body: `{"channel_id":{integration_id},"data":{"number":7}}`},
	{name: "closeFaultIssue", body: `{"channel_id":{integration_id}}`},
	{name: "reopenFaultIssue", body: `{"channel_id":{integration_id}}`},
	{name: "unlinkFault", body: `{"channel_id":{integration_id}}`},
	{name: "testIntegration", makes: "delivery_id"},
	{name: "redeliver"},
	{name: "deleteIntegration"},
	{name: "deleteFault"},
	{name: "createAlarm", body: `{"alarm":{"name":"Silence","query":"filter a == 1","evaluation_period":"5m","lookback_lag":"0s","trigger_config":{"type":"alert_result_count","config":{"operator":"eq","value":0}}}}`, makes: "alarm_id"},
	{name: "updateAlarm", body: `{"alarm":{"name":"Quiet","query":"filter a == 1","evaluation_period":"5m","lookback_lag":"0s","trigger_config":{"type":"alert_result_count","config":{"operator":"eq","value":0}}}}`},
	{name: "deleteAlarm"},
	{name: "createCheckIn", body: `{"check_in":{"slug":"backup","report_period":"1 day"}}`, makes: "check_in_id"},
	{name: "updateCheckIn", body: `{"check_in":{"name":"Backup"}}`},
	{name: "pauseCheckIn", body: `{"time":"hour"}`},
	{name: "unpauseCheckIn"},
	{name: "syncCheckIns", body: `{"check_ins":[{"slug":"backup","report_period":"2 days"}]}`},
	{name: "deleteCheckIn"},
	{name: "createMaintenanceWindow", body: `{"maintenance_window":{"reason":"Upgrade"}}`, makes: "window_id"},
	{name: "updateMaintenanceWindow", body: `{"maintenance_window":{"ends_at":null}}`},
	{name: "endMaintenanceWindow"},
	{name: "deleteMaintenanceWindow"},
	{name: "createStatusPage", body: `{"status_page":{"name":"Shop","domain":"status.example.test"}}`, makes: "status_page_id"},
	{name: "updateStatusPage", body: `{"status_page":{"name":"Store"}}`},
	{name: "deleteSubscriber"},
	{name: "putStatusPage", body: `{"status_page":{"name":"Shop"}}`},
	{name: "verifyDomain"},
	{name: "createIncident", body: `{"incident":{"name":"Down","message":"We look."}}`, makes: "incident_id"},
	{name: "updateIncident", body: `{"incident":{"name":"Slow"}}`},
	{name: "createIncidentUpdate", body: `{"update":{"message":"More."}}`, makes: "update_id"},
	{name: "updateIncidentUpdate", body: `{"update":{"message":"Less."}}`},
	{name: "deleteIncidentUpdate"},
	{name: "deleteIncident"},
	{name: "deleteStatusPage"},
	{name: "holdConfiguration", body: `{"lease":{"holder":"ci"}}`, makes: "lease"},
	{name: "updateConfiguration", body: `{"configuration":{"lease":"{lease}","version":0,"things":{}}}`},
	{name: "createAccountInvitation", body: `{"invitation":{"email":"new@example.test"}}`, makes: "invitation_id"},
	{name: "updateAccountInvitation", body: `{"invitation":{"role":"Admin"}}`},
	{name: "deleteAccountInvitation"},
	{name: "createTeamInvitation", body: `{"team_invitation":{"email":"new@example.test"}}`, makes: "invitation_id"},
	{name: "updateTeamInvitation", body: `{"team_invitation":{"admin":true}}`},
	{name: "deleteTeamInvitation"},
	{name: "updateTeamMember", body: `{"team_member":{"admin":true}}`},
	{name: "removeTeamMember"},
	{name: "createTeam", body: `{"team":{"name":"Night"}}`, makes: "team_id"},
	{name: "updateTeam", body: `{"team":{"name":"Day"}}`},
	{name: "deleteTeam"},
	{name: "updateDirectoryGroup", body: `{"group":{"role":"Billing"}}`},
	{name: "updateAccountUser", body: `{"user":{"role":"Admin"}}`},
	{name: "removeAccountUser"},
	{name: "createProject", body: `{"project":{"name":"Billing"}}`, makes: "project_id"},
	{name: "deleteProject"},
}

// Every route that changes anything leaves exactly one entry when it succeeds, and none when it is refused.
func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	routes := map[string]serve.Route{}
	for _, route := range new(api.API).Routes() {
		if route.Method != http.MethodGet && !route.Reads {
			routes[route.Name] = route
		}
	}
	known := map[string]bool{}
	for _, c := range lifeOfChanges {
		known[c.name] = true
	}
	for name := range routes {
		if !known[name] {
			t.Errorf("%s changes something: add it to lifeOfChanges", name)
		}
	}
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		ids := map[string]string{"account_id": s.Setup.AccountID, "project_id": fmt.Sprint(s.Setup.ProjectID)}
		ids["fault_id"] = fmt.Sprint(notify(t, s, "A", "production").ID)
		ids["change_number"] = "12"
		ids["into_id"] = fmt.Sprint(notify(t, s, "B", "production").ID)
		_, user := s.AddUser(t, "colleague@example.test", accounts.Member)
		ids["user_id"], ids["member_id"] = fmt.Sprint(user), fmt.Sprint(user)
		team, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", nil, map[int64]bool{user: false})
		if err != nil {
			t.Fatal(err)
		}
		ids["team_id"] = fmt.Sprint(team)
		group, _, err := s.App.Store().Accounts.CreateDirectoryGroup(t.Context(), s.Clock.Now(), s.Setup.AccountID, directory.Group{Name: "Ops"})
		if err != nil {
			t.Fatal(err)
		}
		ids["group_id"] = group.ID
		ids["deploy_id"] = deployed(t, s)
		ids["open_id"] = fmt.Sprint(notify(t, s, "C", "production").ID)
		for _, url := range []string{"~/a.js", "~/b.js"} {
			made, err := s.App.Store().SourceMaps.Save(t.Context(), s.Clock.Now(), sourcemapdb.Upload{ProjectID: s.Setup.ProjectID, Revision: "aaa1", URL: url, Map: []byte("{}")})
			if err != nil {
				t.Fatal(err)
			}
			ids["source_map_id"] = fmt.Sprint(made)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member) // of no team

		subjects := map[string]string{}
		for _, c := range lifeOfChanges {
			route := routes[c.name]
			c.body, _ = filled(c.body, ids)
			before := auditLog(s, "?limit=1")
			for _, refused := range refusals(c, route, ids, s.Client, member) {
				if refused.Status < 400 {
					t.Fatalf("%s was to be refused: %d %s", c.name, refused.Status, refused.Body)
				}
			}
			if diff := cmp.Diff(before, auditLog(s, "?limit=1")); diff != "" {
				t.Errorf("%s was refused and left an entry (-before +after):\n%s", c.name, diff)
			}
			s.Clock.Push(time.Minute)
			path, target := filled(route.Path, ids)
			answer := s.Do(route.Method, path+c.query, bodyOf(c.body))
			if answer.Status >= 300 {
				t.Fatalf("%s: %d %s", c.name, answer.Status, answer.Body)
			}
			if c.makes != "" {
				ids[c.makes] = idIn(answer)
			}
			if c.makes == "status_page_id" {
				ids["subscriber_id"] = fmt.Sprint(subscribed(t, s, ids[c.makes], "ann@example.test"))
			}
			var newest []string
			for _, e := range auditLog(s, fmt.Sprint("?created_after=", s.Clock.Now().Unix())) {
				newest = append(newest, e.Action)
				if e.Subject != nil {
					subjects[e.Action] = *e.Subject
				}
				if diff := cmp.Diff(target, e.Target); diff != "" {
					t.Errorf("target of %s (-want +got):\n%s", c.name, diff)
				}
			}
			if diff := cmp.Diff([]string{c.name}, newest); diff != "" {
				t.Errorf("entries of %s (-want +got):\n%s", c.name, diff)
			}
		}
		for name, want := range map[string]string{
			"createProject": "", "deleteProject": "Billing", "updateFault": "Shop", "removeTeamMember": "Crew", "deleteTeam": "Day", "removeAccountUser": "Acme",
		} {
			if subjects[name] != want {
				t.Errorf("the subject of %s is %q, want %q", name, subjects[name], want)
			}
		}
	})
}

// idIn returns the id of what was made, a number or a text.
func idIn(answer *setttest.Response) string {
	var made struct {
		ID json.RawMessage `json:"id"`
	}
	answer.Into(&made)
	return strings.Trim(string(made.ID), `"`)
}

// deployed records a deploy and returns its id.
func deployed(t *testing.T, s *setttest.Server) string {
	t.Helper()
	s.Post("/v1/deploys", `{"deploy":{"environment":"production","revision":"abc"}}`).Want(http.StatusCreated)
	var list serve.List[struct{ ID int64 }]
	s.Get(projectPath(s.Setup.ProjectID, "/deploys")).Into(&list)
	if len(list.Results) != 1 {
		t.Fatalf("deploys: %+v", list.Results)
	}
	return fmt.Sprint(list.Results[0].ID)
}

// refusals are the answers to a change in other ways that must not succeed.
func refusals(c change, route serve.Route, ids map[string]string, owner, member *setttest.Client) (answers []*setttest.Response) {
	path, target := filled(route.Path, ids)
	answers = append(answers, member.Do(route.Method, path+c.query, bodyOf(c.body)))
	if c.body != "" {
		answers = append(answers, owner.Do(route.Method, path+c.query, `{`), owner.Do(route.Method, path+c.query, `{}`))
	}
	if at := strings.LastIndex(route.Path, "{"); len(target) > 0 {
		nowhere, _ := filled(route.Path[:at], ids)
		_, rest, _ := strings.Cut(route.Path[at:], "}")
		answers = append(answers, owner.Do(route.Method, nowhere+missing+rest+c.query, bodyOf(c.body)))
	}
	return answers
}

// filled fills the names in a path, and returns those that it has.
func filled(path string, ids map[string]string) (string, map[string]string) {
	target := map[string]string{}
	for _, name := range anyParam.FindAllString(path, -1) {
		id := ids[strings.Trim(name, "{}")]
		target[strings.Trim(name, "{}")] = id
		path = strings.Replace(path, name, id, 1)
	}
	return path, target
}

// bodyOf is what a client sends for a body.
func bodyOf(body string) any {
	if body == "" {
		return nil
	}
	return body
}

func TestWhatTheAuditLogContains(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		admin, id := s.AddUser(t, "admin@example.test", accounts.Admin)
		body := `{"project":{"name":"Store","purge_days":12345678901234567890,"api_key":"hush"},"unknown":null}`
		admin.Put(projectPath(s.Setup.ProjectID, ""), body).Want(http.StatusUnprocessableEntity)
		body = `{"project":{"name":"Store","api_key":"hush"},"unknown":12345678901234567890}`
		admin.Do("PUT", projectPath(s.Setup.ProjectID, "/?note=1&auth_token=hush"), body,
			"User-Agent", "tool\xff/1", "X-Forwarded-For", "198.51.100.1, 203.0.113.7").Want(http.StatusNoContent)

		raw := string(s.Get(auditPath(s, "")).Body)
		if strings.Contains(raw, "hush") || !strings.Contains(raw, `"unknown":12345678901234567890`) {
			t.Errorf("the log: %s", raw)
		}
		token, subject := "test", "Shop"
		want := []api.AuditEntry{{
			CreatedAt: s.Clock.Now(), User: sett.Person{ID: id, Email: "admin@example.test", Name: "admin@example.test"}, Token: &token,
			Action: "updateProject", Subject: &subject, Target: map[string]string{"project_id": fmt.Sprint(s.Setup.ProjectID)},
			Address: "203.0.113.7", UserAgent: "tool\uFFFD/1",
		}}
		got := auditLog(s, "")
		var query, changes map[string]any
		if err := json.Unmarshal(got[0].Query.RawMessage, &query); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got[0].Changes.RawMessage, &changes); err != nil {
			t.Fatal(err)
		}
		want[0].ID, want[0].Query, want[0].Changes = got[0].ID, got[0].Query, got[0].Changes
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"note": "1", "auth_token": sett.Hidden}, query); diff != "" {
			t.Errorf("the query (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"name": "Store", "api_key": sett.Hidden}, changes["project"]); diff != "" {
			t.Errorf("the changes (-want +got):\n%s", diff)
		}
	}, func(c *app.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
}

func TestWhoReadsTheAuditLog(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stranger := s.AddStranger(t, "stranger@example.test")
		theirs := createProject(t, stranger, "Theirs")
		admin, id := s.AddUser(t, "admin@example.test", accounts.Admin)
		mine := createProject(t, admin, "Mine")
		s.Clock.Push(time.Minute)
		since := s.Clock.Now().Unix()
		s.Delete(projectPath(mine.ID, "")).Want(http.StatusNoContent)

		actions := func(query string) string {
			var all []string
			for _, e := range auditLog(s, query) {
				all = append(all, fmt.Sprint(e.Action, " by ", e.User.ID))
			}
			return strings.Join(all, ", ")
		}
		created, deleted := fmt.Sprint("createProject by ", id), fmt.Sprint("deleteProject by ", s.Setup.UserID)
		for query, want := range map[string]string{
			"":                                    deleted + ", " + created,
			"?action=createProject":               created,
			"?action=nothing":                     "",
			fmt.Sprint("?user_id=", id):           created,
			"?user_id=":                           deleted + ", " + created,
			fmt.Sprint("?created_after=", since):  deleted,
			fmt.Sprint("?created_before=", since): created,
			fmt.Sprint("?created_after=", since, "&created_before=", since): "",
			"?limit=1&page=2": created,
		} {
			if got := actions(query); got != want {
				t.Errorf("%q: %s, want %s", query, got, want)
			}
		}
		admin.Do("GET", auditPath(s, ""), nil).Want(http.StatusForbidden)
		stranger.Do("GET", auditPath(s, ""), nil).Want(http.StatusNotFound)
		var list serve.List[api.AuditEntry]
		stranger.Get("/v2/accounts/" + theirs.AccountID + "/audit_log").Into(&list)
		if len(list.Results) != 1 || list.Results[0].Action != "createProject" {
			t.Errorf("the stranger's log: %+v", list.Results)
		}
		const form = "must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z"
		for query, want := range map[string]string{
			"?user_id=me": "user_id must be an integer", "?created_after=x": "created_after " + form, "?page=0": "page must be a positive integer",
			"?created_before=x&user_id=1.5": "user_id must be an integer; created_before " + form, "?action=%00": "action must be valid UTF-8 without NUL characters",
			"?cursor=after.1": "cursor must be from a next or prev link of the same list",
		} {
			if got := s.Do("GET", auditPath(s, query), nil).Want(http.StatusUnprocessableEntity).Errors(); got != "Please correct: "+want+"." {
				t.Errorf("%s: %s", query, got)
			}
		}
	})
}
