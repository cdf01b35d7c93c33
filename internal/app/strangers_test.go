package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alarm"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/directory"
	"sett/internal/sett/faults"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/move"
	"sett/internal/sett/repo"
	"sett/internal/sett/scrub"
	"sett/internal/sett/signin"
	"sett/internal/sett/status"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/movedb"
	"sett/internal/store/searchdb"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/statusdb"
	"sett/internal/web"
	"sett/internal/web/fault"
	"sett/internal/web/people"
	"sett/internal/web/project"
	"sett/internal/web/settings"
	"sett/internal/web/statusadmin"
	"sett/internal/web/uptime"
)

// things are the ids of one thing of each kind of an account, by their names in paths, and what they are like.
type things struct {
	ids    map[string]string
	client *setttest.Client
}

// id returns the id of a kind of thing; one that furnish does not make is a mistake in the test.
func (o things) id(t *testing.T, name string) string {
	t.Helper()
	if o.ids[name] == "" {
		t.Fatalf("furnish makes nothing with a %s", name)
	}
	return o.ids[name]
}

// furnish makes one of everything in an account, for its owner.
func furnish(t *testing.T, s *setttest.Server, c *setttest.Client, account string, owner int64, projectID int64, key string) things {
	t.Helper()
	ctx, now, st := t.Context(), s.Clock.Now(), s.App.Store()
	p := fmt.Sprint(projectID)
	reporter := *c
	reporter.Key = key
	reported := reporter.Post("/v1/notices", strings.Replace(boom, `"server"`, `"request":{"context":{"user_id":"u4711"}},"server"`, 1)).Want(201).JSON()
	found, _, err := st.Search.ListFaults(ctx, now, projectID, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 1}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
	f := found[0].ID
	looked := must[alerts.Acknowledgement](t)(st.Deliveries.Acknowledge(ctx, now, projectID, owner, alerts.FaultSubject(f), alerts.ByAPI))
	comment := must[faults.Comment](t)(st.Faults.CreateComment(ctx, now, owner, projectID, f, faults.CommentChange{Body: sett.Some("Hm.")}))
	search := must[faults.SavedSearch](t)(st.Search.CreateSavedSearch(ctx, now, owner, projectID, faults.SavedSearchChange{Name: sett.Some("S"), Q: sett.Some("x"), Shared: sett.Some(true)}))
	hook := must[alerts.Integration](t)(st.Deliveries.CreateIntegration(ctx, now, projectID, channel.Rules(), alerts.IntegrationChange{
		Type: sett.Some("Github"), Options: sett.Some(map[string]any{"repo": "acme/shop", "token": "t"}),
	}))
	delivery := must[alerts.Delivery](t)(st.Deliveries.TestIntegration(ctx, now, projectID, hook.ID))
	place := must[accounts.Environment](t)(st.Accounts.CreateEnvironment(ctx, now, projectID, accounts.EnvironmentChange{Name: sett.Some("staging")}))
	site := must[checks.Site](t)(st.Uptime.CreateSite(ctx, now, projectID, checks.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/")}))
	job := must[checks.CheckIn](t)(st.Uptime.CreateCheckIn(ctx, now, projectID, checks.CheckInChange{Name: sett.Some("Job"), ReportPeriod: sett.Some(checks.PeriodText("1 hour"))}))
	bell := must[alarm.Alarm](t)(st.Alarms.Create(ctx, now, projectID, alarm.AlarmChange{
		Name: sett.Some("Bell"), Query: sett.Some("filter a == 1"), Period: sett.Some[alarm.Span]("1d"), Trigger: sett.Some(alarm.Settings{Operator: "gt"}.Trigger()),
	}))
	code := must[repo.Repository](t)(st.Repos.Create(ctx, now, projectID, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop")}))
	board := must[dashboard.Dashboard](t)(st.Dashboards.Create(ctx, now, projectID, dashboard.Settings{Title: "Board"}))
	deploy := must[int64](t)(st.Faults.RecordDeploy(ctx, now, projectID, faults.Deploy{Environment: "production", Revision: "aaa1"}))
	team := must[int64](t)(st.Accounts.CreateTeam(ctx, now, account, "Crew", []int64{projectID}, map[int64]bool{owner: true}))
	invited := must[accounts.Invitation](t)(st.Accounts.CreateInvitation(ctx, now, accountdb.Inviting{AccountID: account}, owner, accounts.CreateAccountInvitation{Email: sett.Some("i@" + p + ".test")}))
	page := must[status.WatchedStatusPage](t)(st.Status.CreateStatusPage(ctx, now, account, status.StatusPageRules{}, status.StatusPageChange{
		Name: sett.Some("Page of " + p), Sites: sett.Some([]status.StatusSiteChange{{SiteID: sett.Some(site.ID.String())}}),
	}))
	erasure := must[scrub.Erasure](t)(st.CreateErasure(ctx, now, owner, projectID, scrub.ErasureChange{User: sett.Some("ines@example.test")}))
	window := must[maintenance.Window](t)(st.Deliveries.CreateMaintenance(ctx, now, owner, projectID, maintenance.WindowChange{Reason: sett.Some("Upgrade")}))
	sourceMap := must[int64](t)(st.SourceMaps.Save(ctx, now, sourcemapdb.Upload{ProjectID: projectID, Revision: "aaa1", URL: "~/main.js", Map: []byte("{}")}))
	notice := must[sett.UUID](t)(sett.ParseUUID(fmt.Sprint(reported["id"])))
	file := attachmentdb.File{Name: "a.txt", Type: "text/plain", Body: []byte("a")}
	if saved, err := st.Attachments.Save(ctx, now, projectID, notice, []attachmentdb.File{file}); err != nil || saved.Stored != 1 {
		t.Fatalf("%+v %v", saved, err)
	}
	at, _ := sett.NoticeIDFromUUID(notice)
	attached := must[[]faults.Attachment](t)(st.Attachments.List(ctx, projectID, at))
	incident := must[statusdb.ShownIncident](t)(st.Status.CreateIncident(ctx, now, account, page.ID, status.IncidentChange{Name: sett.Some("Slow"), Message: sett.Some("We look.")}))
	template := must[int64](t)(st.Status.WriteTemplate(ctx, now, account, page.ID, 0, "Payments", status.IncidentChange{Message: sett.Some("We look.")}))
	if err := st.Status.SubscribeEmail(ctx, now, page.ID, "reader@"+p+".test"); err != nil {
		t.Fatal(err)
	}
	subscribers, _, err := st.Status.ListSubscribers(ctx, account, page.ID, sett.Page{Size: 1})
	if err != nil || len(subscribers) != 1 {
		t.Fatalf("%v %v", subscribers, err)
	}
	token := signin.PersonalToken{Name: "Robot", CreatedAt: now, Grant: signin.Grant{Scopes: signin.ReadScopes(), AccountID: account, OfAccount: true}}
	if err := st.Accounts.CreateAccountToken(ctx, owner, token, auth.HashToken("robot of "+p)); err != nil {
		t.Fatal(err)
	}
	moving := must[int64](t)(st.Moves.AddImport(ctx, now, movedb.Owner{AccountID: account, UserID: owner}, move.Settings{From: move.FromSentry, URL: "https://old.test"}, "secret", true))
	if err := st.Moves.StopImport(ctx, now, account, moving); err != nil {
		t.Fatal(err)
	}
	tokens := must[[]accountdb.AccountToken](t)(st.Accounts.ListAccountTokens(ctx, account))
	group, _, err := st.Accounts.CreateDirectoryGroup(ctx, now, account, directory.Group{Name: "Ops"})
	if err != nil {
		t.Fatal(err)
	}
	return things{client: c, ids: map[string]string{
		"group_id":           group.ID,
		"acknowledgement_id": fmt.Sprint(looked.ID), "alert_id": fmt.Sprint(delivery.AlertID), "token_id": fmt.Sprint(tokens[0].ID), "import_id": fmt.Sprint(moving), "dashboard_id": board.ID,
		"repository_id": fmt.Sprint(code.ID), "change_number": "12", "account_id": account, "project_id": p, "team_id": fmt.Sprint(team), "user_id": fmt.Sprint(owner), "member_id": fmt.Sprint(owner),
		"fault_id": fmt.Sprint(f), "notice_id": fmt.Sprint(reported["id"]), "comment_id": fmt.Sprint(comment.ID), "search_id": fmt.Sprint(search.ID), "erasure_id": fmt.Sprint(erasure.ID), "window_id": fmt.Sprint(window.ID), "source_map_id": fmt.Sprint(sourceMap), "attachment_id": fmt.Sprint(attached[0].ID), "integration_id": fmt.Sprint(hook.ID),
		"delivery_id": fmt.Sprint(delivery.ID), "environment_id": fmt.Sprint(place.ID), "site_id": site.ID.String(), "check_in_id": job.ID, "alarm_id": bell.ID,
		"deploy_id": fmt.Sprint(deploy), "invitation_id": fmt.Sprint(invited.ID), "status_page_id": page.ID, "template_id": fmt.Sprint(template), "status_component_id": fmt.Sprint(page.Components[0].ID), "incident_id": fmt.Sprint(incident.ID),
		"update_id": fmt.Sprint(incident.Updates[0].ID), "subscriber_id": fmt.Sprint(subscribers[0].ID),
	}}
}

// look returns what the owner of things sees of them.
func (o things) look() string {
	var seen strings.Builder
	for _, path := range []string{
		"/projects/P", "/projects/P/faults/F", "/projects/P/faults/F/comments", "/projects/P/integrations", "/projects/P/sites", "/projects/P/check_ins",
		"/projects/P/environments", "/projects/P/deploys", "/accounts/A/status_pages/S", "/accounts/A/status_pages/S/incidents", "/accounts/A/status_pages/S/subscribers",
		"/accounts/A/invitations", "/accounts/A/users", "/teams/T", "/projects/P/searches", "/projects/P/erasures", "/projects/P/maintenance_windows", "/projects/P/acknowledgements", "/projects/P/source_maps",
	} {
		path = strings.NewReplacer("/P", "/"+o.ids["project_id"], "/F", "/"+o.ids["fault_id"], "/A", "/"+o.ids["account_id"], "/S", "/"+o.ids["status_page_id"], "/T", "/"+o.ids["team_id"]).Replace(path)
		answer := o.client.Get("/v2" + path)
		fmt.Fprintf(&seen, "%s %d %s\n", path, answer.Status, answer.Body)
	}
	return seen.String()
}

// named are the names of ids in a path, in their order.
func named(path string) (names []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name := strings.Trim(part, "{}"); name != part && strings.HasSuffix(name, "_id") {
			names = append(names, name)
		}
	}
	return names
}

// anything is a form that has what any route may want.
var anything = url.Values{
	"name": {"Stolen"}, "do": {"resolve"}, "for": {"hour"}, "time": {"hour"}, "body": {"Hm."}, "message": {"Hm."}, "status": {"resolved"}, "email": {"eve@evil.test"},
	"role": {"Owner"}, "admin": {"true"}, "active": {"false"}, "url": {"https://github.com/acme/shop/issues/1"}, "action": {"delete"}, "sure": {"1"}, "password": {"longer than eight"},
	"token": {"stolen"}, "domain": {"status.evil.test"}, "starts_at": {"2026-11-18T10:00"}, "report_period": {"1 day"}, "grace_period": {"1 hour"}, "q": {"x"}, "user": {"ines@example.test"}, "kind": {"incident"},
}

// A user of one account has no access to another: neither below its ids in paths, nor with its ids below their own.
func TestIDsOfStrangersAreOfNoUse(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	theirs := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
	const password = "seven lonely walruses"
	account, eve, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Evil", accountdb.NewUser{Email: "eve@evil.test", Name: "Eve", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	made := must[accounts.Project](t)(s.App.Store().Accounts.CreateProject(t.Context(), s.Clock.Now(), eve, account, accounts.ProjectChange{Name: sett.Some("Lair")}))
	own := furnish(t, s, s.Client, account, eve, made.ID, made.Token)
	browser := visitor.New(t, s).SignIn("eve@evil.test", password)
	before := theirs.look()
	if strings.Contains(before, " 404 ") || strings.Contains(before, " 403 ") {
		t.Fatalf("the owner does not see everything: %s", before)
	}
	tried := 0
	for _, area := range []func(*web.Pages) web.Area{fault.Area, people.Area, project.Area, settings.Area, statusadmin.Area, uptime.Area} {
		for _, route := range area(new(web.Pages)).Routes {
			names := named(route.Path)
			for choice := 1; choice < 1<<len(names); choice++ {
				path := route.Path
				for i, name := range names {
					whose := own
					if choice>>i&1 == 1 {
						whose = theirs
					}
					path = strings.Replace(path, "{"+name+"}", whose.id(t, name), 1)
				}
				path = strings.Replace(path, "{report}", "notices_per_day", 1)
				tried++
				ask(t, browser, route, path)
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d paths were tried", tried)
	}
	stolen(t, browser, own, theirs)
	browser.Get(web.AffectedUser("u4711")).Want(http.StatusOK, "1 event of 1 error in 1 project<", "/projects/"+own.ids["project_id"]).Lacks("/projects/" + theirs.ids["project_id"] + "/")
	if after := theirs.look(); after != before {
		t.Errorf("a stranger has changed something:\n%s\n%s", before, after)
	}
}

func ask(t *testing.T, b *visitor.Browser, route serve.Route, path string) {
	t.Helper()
	var form url.Values
	if route.Method == http.MethodPost {
		form = anything
	}
	if got := b.Do(route.Method, path, form); got.Status != http.StatusNotFound {
		t.Errorf("%s %s (%s): status %d, want 404; to %q", route.Method, path, route.Name, got.Status, got.Header.Get("Location"))
	}
}

// stolen sends ids of others in forms of one's own.
func stolen(t *testing.T, b *visitor.Browser, own, theirs things) {
	t.Helper()
	faults := "/projects/" + own.ids["project_id"] + "/faults"
	one, set := faults+"/"+own.ids["fault_id"], "/projects/"+own.ids["project_id"]+"/settings"
	account := "/accounts/" + own.ids["account_id"]
	page := account + "/status_pages/" + own.ids["status_page_id"]
	site, job := "site:"+theirs.ids["site_id"], "check_in:"+theirs.ids["check_in_id"]
	for _, form := range [][]string{
		{one + "/assign", "assignee_id", theirs.ids["user_id"]},
		{faults + "/bulk", "action", "assign", "id", own.ids["fault_id"], "assignee_id", theirs.ids["user_id"]},
		{one + "/merge", "into_id", theirs.ids["fault_id"]},
		{one + "/link", "channel_id", theirs.ids["integration_id"], "url", "https://github.com/acme/shop/issues/1"},
		{one + "/issue", "channel_id", theirs.ids["integration_id"], "do", "create"},
		{set + "/members", "team_ids", theirs.ids["team_id"]},
		{page + "/components", "component", site, "display_name", "", "description", ""},
		{page + "/components", "component", job, "display_name", "", "description", ""},
		{page + "/components", "do", "add", "add", site},
		{page + "/incidents", "kind", "incident", "name", "n", "status", "investigating", "message", "m", "component", site},
		{page + "/incidents/" + own.ids["incident_id"] + "/edit", "name", "n", "component", job},
		{account + "/status_pages", "name", "n", "component", site},
		{account + "/invitations", "email", "x@evil.test", "role", "Member", "team_ids", theirs.ids["team_id"]},
		{set + "/channels", "type", "WebHook", "options.url", "https://evil.test/", "events", "down", "site_ids", theirs.ids["site_id"]},
		{set + "/channels", "type", "WebHook", "options.url", "https://evil.test/", "events", "check_in_missing", "check_in_ids", theirs.ids["check_in_id"]},
	} {
		if got := b.Post(form[0], form[1:]...); !slices.Contains([]int{404, 422}, got.Status) {
			t.Errorf("%q: status %d to %q, want 422", form, got.Status, got.Header.Get("Location"))
		}
	}
	for _, action := range []string{"resolve", "ignore", "delete"} { // what is not there is passed over
		b.Post(faults+"/bulk", "action", action, "sure", "1", "id", theirs.ids["fault_id"]).Want(303)
	}
}
