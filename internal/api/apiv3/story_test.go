package apiv3_test

import (
	"fmt"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// object is a body.
type object = map[string]any

// same fails the test if a member of an object is another one.
func same(t testing.TB, o map[string]any, name string, want any) {
	t.Helper()
	if fmt.Sprint(o[name]) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", name, o[name], want)
	}
}

func TestFaultsAndNotices(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := report(t, s, "First", "Second", "Second")
		all, project := owner(t, s)
		f := all.get(fault).data()
		same(t, f, "klass", "Second")
		same(t, f, "project_id", fmt.Sprint(s.Setup.ProjectID))
		if web := f["links"].(map[string]any)["web"]; web != s.App.BaseURL()+strings.TrimPrefix(fault, "/v3") {
			t.Errorf("the page is %v", web)
		}
		page := all.get(project + "/faults?per_page=1")
		same(t, page.body["pagination"].(map[string]any), "total_pages", 2)
		next := page.body["links"].(map[string]any)["next"].(string)
		if second := all.get(next); len(second.list()) != 1 || second.body["links"].(map[string]any)["next"] != nil {
			t.Errorf("the second page is %s", second.text)
		}
		same(t, all.get(project+"/faults/summary").data(), "total", 2)

		notices := all.get(fault + "/notices?limit=1")
		n := notices.list()[0].(map[string]any)
		same(t, n, "project_id", s.Setup.ProjectID)
		same(t, n["request"].(map[string]any), "params", "map[id:5]")
		same(t, n, "context", "map[user_id:7]")
		frame := n["backtrace"].([]any)[0].(map[string]any)
		same(t, frame, "line", 7)
		same(t, frame, "source", "[map[first_line:6 lines:[x y]]]")
		older := notices.body["links"].(map[string]any)["older"].(string)
		if second := all.get(older); len(second.list()) != 1 || second.body["pagination"].(map[string]any)["has_newer"] != true {
			t.Errorf("the older page is %s", second.text)
		}
		same(t, all.get("/v3/notices/"+n["id"].(string)+"?unmapped=true").data(), "id", n["id"])
		all.do("GET", "/v3/notices/nothing", nil).refused(404, "not_found")
		if users := all.get(fault + "/affected_users").list(); len(users) != 1 {
			t.Errorf("affected are %v", users)
		}
		all.get(fault + "/occurrences")
		all.get(project + "/occurrences?period=day")
		all.get("/v3/projects/occurrences")
		same(t, all.get(project+"/stats").data(), "notice_count_today", 3)
	})
}

func TestParametersThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	all, project := owner(t, s)
	for _, path := range []string{"/faults?page=0", "/faults?per_page=101", "/faults?per_page=x", "/faults?created_after=2026-11-18T10:00:00Z", "/faults?order=odd", "/deploys?limit=x", "/faults?q=hosname:a"} {
		problem := all.do("GET", project+path, nil).refused(400, "invalid_parameter")
		if details, _ := problem["details"].([]any); len(details) != 1 {
			t.Errorf("%s: details are %v", path, problem["details"])
		}
	}
	all.get(project + "/deploys?limit=1000")
	all.do("POST", project+"/sites", `{"url":`).refused(400, "invalid_parameter")
	problem := all.do("POST", project+"/sites", object{"url": "https://x.example.org", "nmae": "x", "frequency": 3}).refused(422, "validation_error")
	if fmt.Sprint(problem["details"]) != "[map[field:nmae message:is unknown]]" {
		t.Errorf("details are %v", problem["details"])
	}
	problem = all.do("POST", project+"/sites", object{"url": "", "frequency": 3}).refused(422, "validation_error")
	if details, _ := problem["details"].([]any); len(details) != 2 || details[0].(map[string]any)["field"] != "url" {
		t.Errorf("details are %v", problem["details"])
	}
}

func TestChangesOfFaults(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := report(t, s, "First", "Second")
		all, project := owner(t, s)
		id := fault[strings.LastIndex(fault, "/")+1:]
		all.do("POST", project+"/faults/resolve", object{}).refused(422, "validation_error")
		all.do("POST", project+"/faults/resolve", object{"q": "hosname:web-1"}).want(422)
		all.do("POST", project+"/faults/resolve", object{"q": "", "fault_ids": []string{id}}).refused(422, "validation_error")
		dry := all.do("POST", project+"/faults/resolve", object{"all": true, "dry_run": true}).want(200).data()
		same(t, dry, "count", 2)
		same(t, all.get(fault).data(), "resolved", false)
		done := all.do("POST", project+"/faults/resolve", object{"fault_ids": []string{id}}).want(200).data()
		same(t, done, "count", 1)
		same(t, all.get(fault).data(), "resolved", true)
		same(t, all.do("POST", project+"/faults/unresolve", object{"q": "is:resolved"}).want(200).data(), "count", 1)
		same(t, all.do("POST", project+"/faults/ignore", object{"all": true}).want(200).data(), "count", 2)
		same(t, all.do("POST", project+"/faults/unignore", object{"all": true}).want(200).data(), "count", 2)

		f := all.do("PATCH", fault, object{"resolve_on_deploy": true, "tags": []string{"a", "b"}, "klass": "read-only"}).want(200).data()
		same(t, f, "resolve_on_deploy", true)
		same(t, f, "tags", "[a b]")
		same(t, all.do("PATCH", fault, object{"tags": []string{"b"}}).want(200).data(), "tags", "[b]")
		same(t, all.do("PATCH", fault, object{"tags": []string{}}).want(200).data(), "tags", "[]")
		all.do("PATCH", fault, object{"odd": 1}).refused(422, "validation_error")

		s.Client.Post("/v1/deploys", object{"deploy": object{"environment": "production", "revision": "v7"}}).Want(201)
		same(t, f, "resolved_in", nil)
		in := all.do("PATCH", fault, object{"resolved_in": "v7"}).want(200).data()
		same(t, in, "resolved_in", "v7")
		same(t, in, "resolved", true)
		in["resolved"] = false
		same(t, all.do("PATCH", fault, in).want(200).data(), "resolved_in", nil)
		all.do("PATCH", fault, object{"resolved_in": "v8"}).refused(422, "validation_error")
		all.do("POST", project+"/faults/unresolve", object{"fault_ids": []string{id}, "resolved_in": "v7"}).refused(422, "validation_error")
		all.do("POST", project+"/faults/resolve", object{"fault_ids": []string{id}, "resolved_in": "v7"}).want(200)
		same(t, all.get(fault).data(), "resolved_in", "v7")

		user := fmt.Sprint(s.Setup.UserID)
		same(t, all.do("POST", fault+"/assign", object{"assignee_id": user}).want(200).data(), "assignee_id", user)
		all.do("POST", fault+"/assign", object{}).refused(422, "validation_error")
		same(t, all.do("DELETE", fault+"/assign", nil).want(200).data(), "assignee_id", nil)
		all.do("POST", fault+"/snooze", object{"time": "day"}).want(200)
		all.do("DELETE", fault+"/snooze", nil).want(200)

		comment := all.do("POST", fault+"/comments", object{"body": "Seen."}).want(201).data()
		path := fault + "/comments/" + comment["id"].(string)
		same(t, all.do("PATCH", path, object{"body": "Seen again."}).want(200).data(), "body", "Seen again.")
		newest := all.get(fault + "/comments?limit=1")
		same(t, newest.list()[0].(map[string]any), "id", comment["id"])
		if older := newest.body["links"].(map[string]any)["older"]; older == nil || len(all.get(older.(string)).list()) != 1 {
			t.Errorf("older comments are at %v", older)
		}
		if text := all.do("DELETE", path, nil).want(204).text; text != "" {
			t.Errorf("204 says %s", text)
		}

		other := all.get(project + "/faults").list()[1].(map[string]any)["id"].(string)
		all.do("POST", fault+"/merge", object{"target_fault_id": other}).want(202)
		moved := all.do("GET", fault+"/notices", nil)
		moved.refused(301, "fault_merged")
		if to := moved.header.Get("Location"); to != project+"/faults/"+other+"/notices" {
			t.Errorf("it moved to %s", to)
		}
		problem := all.do("PATCH", fault, object{"resolved": true}).refused(409, "fault_merged")
		same(t, problem["details"].(map[string]any), "merged_into", other)
		all.do("DELETE", project+"/faults/"+other, nil).want(204)
		all.do("DELETE", project+"/faults/"+other, nil).refused(404, "not_found")
	})
}

// What was read can be sent back, and null resets a field.
// One error says whether it is snoozed, which deploy it happened on, and which issues it is linked with.
func TestWhatOneFaultSays(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		s.Client.Post("/v1/deploys", object{"deploy": object{"environment": "production", "revision": "4f2a9c1"}}).Want(201)
		fault := report(t, s, "First")
		f := all.get(fault).data()
		same(t, f, "snoozed", false)
		same(t, f, "tickets", "[]")
		same(t, f["last_notice_deploy"].(object), "revision", "4f2a9c1")
		same(t, f["last_notice_deploy"].(object), "project_id", s.Setup.ProjectID)
		same(t, all.do("POST", fault+"/snooze", object{"time": "hour"}).want(200).data(), "snoozed", true)
		same(t, all.get(project + "/faults").list()[0].(object), "snoozed", true)
		same(t, all.do("DELETE", fault+"/snooze", nil).want(200).data(), "snoozed", false)

		tracker := all.do("POST", project+"/integrations", object{"type": "Github", "config": object{"repo": "acme/shop", "token": "very-secret"}}).want(201).data()["id"].(string)
		link := strings.Replace(fault, "/v3/", "/v2/", 1) + "/link"
		s.Client.Post(link, fmt.Sprintf(`{"channel_id": %s, "data": {"number": 12, "html_url": "https://github.com/acme/shop/issues/12"}}`, tracker)).Want(200)
		tickets := all.get(fault).data()["tickets"].([]any)
		if len(tickets) != 1 || fmt.Sprint(tickets[0]) != "map[channel_id:"+tracker+" url:https://github.com/acme/shop/issues/12]" {
			t.Errorf("the tickets are %v", tickets)
		}
	})
}

func TestProjectsAndTheirParts(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		p := all.get(project).data()
		if _, ok := p["token"]; ok {
			t.Error("a project shows its key")
		}
		p["purge_days"] = 30
		same(t, all.do("PATCH", project, p).want(200).data(), "purge_days", 30)
		same(t, all.do("PATCH", project, object{"purge_days": nil}).want(200).data(), "purge_days", 90)
		if list := all.get("/v3/projects?name=Nothing").list(); len(list) != 0 {
			t.Errorf("a name finds %v", list)
		}

		site := all.do("POST", project+"/sites", object{"url": "https://shop.example.org", "request_headers": object{"X-A": "1"}}).want(201).data()
		same(t, site, "request_headers", "map[X-A:1]")
		path := project + "/sites/" + site["id"].(string)
		same(t, all.do("PATCH", path, object{"name": "Shop", "state": "up"}).want(200).data(), "name", "Shop")
		for _, part := range []string{"", "/checks", "/outages"} {
			all.get(path + part)
		}
		all.get(project + "/sites")
		all.do("DELETE", path, nil).want(204)

		var ids []string
		for _, name := range []string{"a", "b"} {
			ids = append(ids, all.do("POST", project+"/environments", object{"name": name}).want(201).data()["id"].(string))
		}
		same(t, all.do("PATCH", project+"/environments/bulk_update", object{"environment_ids": ids, "notifications": false}).want(200).data(), "count", 2)
		same(t, all.get(project+"/environments/"+ids[0]).data(), "notifications", false)
		all.do("POST", project+"/environments/bulk_delete", object{"environment_ids": append(ids, "99999")}).refused(422, "validation_error")
		same(t, all.do("POST", project+"/environments/bulk_delete", object{"environment_ids": ids}).want(200).data(), "count", 2)

		for _, noun := range []string{"/ingestion_keys", "/keys"} {
			key := all.do("POST", project+noun, object{"label": "Web"}).want(201).data()
			path := project + noun + "/" + key["id"].(string)
			same(t, key, "label", "Web")
			same(t, all.do("PATCH", path, object{"label": "Shop"}).want(200).data(), "label", "Shop")
			same(t, key, "scope", "all")
			same(t, all.do("PATCH", path, object{"scope": "notices"}).want(200).data(), "scope", "notices")
			all.do("PATCH", path, object{"scope": "deploys"}).refused(422, "validation_error")
			all.do("DELETE", path, nil).want(204)
			all.do("GET", path, nil).refused(404, "not_found")
		}
		last := all.get(project + "/keys").list()[0].(map[string]any)["id"].(string)
		all.do("DELETE", project+"/keys/"+last, nil).want(409)

		all.get(project + "/deploys")
		streams := all.get(project + "/streams").list()
		stream := streams[0].(map[string]any)["id"]
		query := object{"query": "stats count() as n", "stream_ids": []any{stream}}
		if data := all.do("POST", project+"/insights/queries", query).want(200).data(); data["meta"] == nil {
			t.Errorf("the answer is %v", data)
		}
		all.do("POST", project+"/insights/queries", object{"query": "stats count()", "stream_ids": []any{stream, "nothing"}}).refused(422, "validation_error")
		all.do("POST", project+"/insights/queries", object{"query": "stats odd odd"}).refused(422, "validation_error")
		all.do("DELETE", project, nil).want(204)
	})
}

func TestCheckIns(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		c := all.do("POST", project+"/check_ins", object{"name": "Backup", "slug": "backup", "report_period": "1 day"}).want(201).data()
		path := project + "/check_ins/" + c["id"].(string)
		if !strings.Contains(fmt.Sprint(c["report_url"]), "/v1/check_in/") {
			t.Errorf("it reports to %v", c["report_url"])
		}
		same(t, all.do("PATCH", path, object{"grace_period": "5 minutes"}).want(200).data(), "grace_period", "5 minutes")
		all.get(project + "/check_ins")
		all.get(path + "/events")
		one := object{"slug": "report", "report_period": "1 hour"}
		for _, where := range []string{"/check_ins/bulk_update", "/check_ins"} {
			if list := all.do("PUT", project+where, object{"check_ins": []any{one}}).want(200).list(); len(list) == 0 {
				t.Error("nothing was replaced")
			}
		}
		all.do("GET", path, nil).refused(404, "not_found")
		all.do("PUT", project+"/check_ins", object{"check_ins": []any{}}).refused(422, "validation_error")
		problem := all.do("PUT", project+"/check_ins", object{"check_ins": []any{object{"slug": "report", "report_period": "often"}}}).refused(422, "validation_error")
		if !strings.Contains(fmt.Sprint(problem["details"]), "check_ins.report") {
			t.Errorf("details are %v", problem["details"])
		}
	})
}

func TestAccountsTeamsAndStatusPages(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		same(t, all.get("/v3/account").data(), "id", s.Setup.AccountID)
		all.get("/v3/account/usage")
		_, user := s.AddUser(t, "m@example.test", "Member")
		member := "/v3/account/members/" + fmt.Sprint(user)
		same(t, all.do("PATCH", member, object{"role": "Admin"}).want(200).data(), "role", "Admin")
		all.get("/v3/account/members")
		all.do("DELETE", member, nil).want(204)
		invitation := all.do("POST", "/v3/account/invitations", object{"email": "n@example.test"}).want(201).data()
		if _, ok := invitation["token"]; ok {
			t.Error("an invitation shows its secret")
		}
		all.get("/v3/account/invitations")
		all.do("DELETE", "/v3/account/invitations/"+invitation["id"].(string), nil).want(204)

		team := "/v3/teams/" + all.do("POST", "/v3/teams", object{"name": "Shop"}).want(201).data()["id"].(string)
		same(t, all.do("PATCH", team, object{"name": "Store"}).want(200).data(), "name", "Store")
		all.do("PATCH", team, object{"project_ids": []string{"1"}}).refused(422, "validation_error")
		if list := all.get("/v3/teams?name=Store").list(); len(list) != 1 {
			t.Errorf("teams are %v", list)
		}
		all.get(team + "/members")
		all.do("POST", team+"/invitations", object{"email": "n@example.test", "admin": true}).want(201)
		all.get(team + "/invitations")
		all.do("DELETE", team, nil).want(204)

		site := all.do("POST", project+"/sites", object{"url": "https://shop.example.org"}).want(201).data()["id"]
		made := all.do("POST", "/v3/status_pages", object{"name": "Shop", "sites": []any{object{"site_id": site, "display_name": "Web"}}}).want(201).data()
		page := "/v3/status_pages/" + made["id"].(string)
		same(t, all.do("PATCH", page, object{"hide_branding": true}).want(200).data(), "hide_branding", true)
		all.get("/v3/status_pages")
		all.do("PATCH", page, object{"message_enabled": true}).refused(422, "validation_error")

		incident := all.do("POST", page+"/incidents", object{"title": "Slow", "updates": []any{object{"message": "We look.", "status": "identified", "severity": "partial_outage"}}}).want(201).data()
		same(t, incident, "current_status", "identified")
		same(t, incident, "current_severity", "partial_outage")
		path := page + "/incidents/" + incident["id"].(string)
		update := all.do("POST", path+"/updates", object{"message": "Done.", "status": "resolved"}).want(201).data()
		same(t, update, "status", "resolved")
		same(t, all.do("PATCH", path+"/updates/"+update["id"].(string), object{"message": "Over."}).want(200).data(), "message", "Over.")
		same(t, all.do("PATCH", path, object{"title": "Very slow"}).want(200).data(), "title", "Very slow")
		if list := all.get(path + "/updates").list(); len(list) != 2 {
			t.Errorf("updates are %v", list)
		}
		all.do("POST", page+"/incidents", object{"title": "x"}).refused(422, "validation_error")
		all.get(page + "/incidents")
		all.do("DELETE", path+"/updates/"+update["id"].(string), nil).want(204)
		all.do("DELETE", path, nil).want(204)
		all.do("DELETE", page, nil).want(204)
	})
}

// Secrets of integrations are never read back.
func TestIntegrations(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		made := all.do("POST", project+"/integrations", object{"type": "Slack", "all_sites": true, "config": object{"url": "https://hooks.example.org/very/secret"}}).want(201)
		if strings.Contains(made.text, "very/secret") {
			t.Errorf("a secret is shown: %s", made.text)
		}
		path := project + "/integrations/" + made.data()["id"].(string)
		read := all.get(path).data()
		read["active"] = false
		for _, name := range []string{"included_environments", "alarm_alert_ids", "alarm_ok_ids"} {
			delete(read, name)
		}
		same(t, all.do("PATCH", path, read).want(200).data(), "active", false)
		all.do("PATCH", path, object{"alarm_ok_ids": []string{"1"}}).refused(422, "validation_error")
		all.get(project + "/integrations")
		all.do("DELETE", path, nil).want(204)
	})
}

// A change of a dashboard keeps what it leaves out, and what was read can be sent back.
func TestDashboards(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		widgets := []any{object{"type": "uptime"}}
		made := all.do("POST", project+"/dashboards", object{"title": "Shop", "default_ts": "P1D", "widgets": widgets}).want(201).data()
		path := project + "/dashboards/" + made["id"].(string)
		same(t, made, "project_id", s.Setup.ProjectID)
		if made["links"] == nil || made["url"] != nil {
			t.Errorf("the dashboard is %v", made)
		}
		changed := all.do("PATCH", path, object{"title": "Store"}).want(200).data()
		same(t, changed, "title", "Store")
		same(t, changed, "default_ts", "P1D")
		same(t, changed, "widgets", made["widgets"])
		all.do("PATCH", path, all.get(path).data()).want(200)
		all.do("PATCH", path, object{"odd": 1}).refused(422, "validation_error")
		if list := all.get(project + "/dashboards").list(); len(list) != 1 {
			t.Errorf("dashboards are %v", list)
		}
		all.do("DELETE", path, nil).want(204)
	})
}

func TestAlarms(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	all, project := owner(t, s)
	trigger := object{"type": "alert_result_count", "config": object{"operator": "gt", "value": 5}}
	made := all.do("POST", project+"/alarms", object{"name": "Many", "query": "filter a::int > 1", "evaluation_period": "5m", "lookback_lag": "1m", "trigger_config": trigger}).want(201).data()
	path := project + "/alarms/" + made["id"].(string)
	same(t, all.do("PATCH", path, object{"name": "Lots"}).want(200).data(), "name", "Lots")
	all.do("PATCH", path, all.get(path).data()).want(200)
	all.do("PATCH", path, object{"stream_ids": []string{"default"}}).refused(422, "validation_error")
	all.do("PATCH", path, object{"stream_ids": []string{}}).refused(422, "validation_error")
	all.get(path + "/history")
	all.get(project + "/alarms")
	all.do("DELETE", path, nil).want(204)
}
