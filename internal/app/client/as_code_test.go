package client_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/client"
	"sett/internal/sett/ascode"
	"sett/internal/setttest"
)

// accountOf returns the account of a server, as the commands ask it.
func accountOf(t *testing.T, s *setttest.Server) client.Account {
	t.Helper()
	server := client.Server{Do: http.DefaultClient.Do, Address: s.Base, Token: s.Token}
	account, err := server.Account(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	account.Holder = "test"
	return account
}

// read returns what files say; each secret is made of the name of its variable.
func read(t *testing.T, texts ...string) *ascode.Thing {
	t.Helper()
	var files []ascode.Source
	for i, text := range texts {
		files = append(files, ascode.Source{Name: fmt.Sprintf("%d.yaml", i), Text: []byte(text)})
	}
	root, problems := ascode.Read(files)
	problems = append(problems, ascode.Resolve(root, secret)...)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", client.Refuse(problems), strings.Join(texts, "---\n"))
	}
	return root
}

func secret(r ascode.Reference) (string, error) {
	if strings.HasSuffix(r.Env, "_URL") {
		return "https://ann:" + strings.ToLower(r.Env) + "@shop.example.org/health", nil
	}
	return strings.ToLower(r.Env), nil
}

// apply applies files and returns the plan that was done.
func apply(t *testing.T, a client.Account, texts ...string) string {
	t.Helper()
	application, err := a.Begin(t.Context(), read(t, texts...))
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(texts, "---\n"))
	}
	said := application.Plan.String()
	if err := application.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, strings.Join(texts, "---\n"))
	}
	return said
}

func export(t *testing.T, a client.Account) string {
	t.Helper()
	root, err := a.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, _ := ascode.Write(root, "")
	return text
}

const nothing = "Nothing to do: the server agrees with the files.\n"

// What a server has, as code, makes an empty server have the same; to apply it again changes nothing.
func TestAccountsMoveAsCode(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		fill(t, s, rand.New(rand.NewPCG(seed, 0)))
		first := export(t, accountOf(t, s))
		s.Delete(fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)).Want(http.StatusNoContent)
		other := setttest.Start(t, "sqlite")
		empty(t, other)
		account := accountOf(t, other)
		apply(t, account, first)
		if diff := cmp.Diff(first, export(t, account)); diff != "" {
			t.Fatalf("seed %d: the other server has something else (-want +got):\n%s", seed, diff)
		}
		if said := apply(t, account, first); said != nothing {
			t.Errorf("seed %d: applied again:\n%s\n%s", seed, said, first)
		}
	})
}

// Two programs cannot apply files at once; one that is cut off does not keep others away for long, and cannot go on afterwards.
func TestOneProgramAppliesFiles(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		account, file := accountOf(t, s), "teams:\n  night: {name: Night}\n"
		first, err := account.Begin(t.Context(), read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		_, err = account.Begin(t.Context(), read(t, file))
		if want := "owner@example.test (test) is applying files to this account. Try again when that is done; if it was cut off, at 10:32:00 UTC."; err == nil || err.Error() != want {
			t.Errorf("the second one: %v, want %s", err, want)
		}
		s.Clock.Push(3 * time.Minute)
		second, err := account.Begin(t.Context(), read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Keep(t.Context()); err == nil || !strings.Contains(err.Error(), "This lease has ended") {
			t.Errorf("the first one goes on: %v", err)
		}
		if err := second.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if said := apply(t, account, file); said != nothing {
			t.Errorf("afterwards: %s", said)
		}
	})
}

// empty deletes what a new server has.
func empty(t *testing.T, s *setttest.Server) {
	t.Helper()
	for _, path := range []string{"/v2/projects", "/v2/teams"} {
		var all struct{ Results []struct{ ID int64 } }
		s.Get(path).Into(&all)
		for _, thing := range all.Results {
			s.Delete(fmt.Sprintf("%s/%d", path, thing.ID)).Want(http.StatusNoContent)
		}
	}
}

type object = map[string]any

// filler makes random things.
type filler struct {
	*rand.Rand
	t *testing.T
	s *setttest.Server
	n int
}

func fill(t *testing.T, s *setttest.Server, random *rand.Rand) {
	t.Helper()
	f := &filler{Rand: random, t: t, s: s}
	var teams []any
	for range 1 + f.IntN(3) {
		teams = append(teams, f.post("/v2/teams", "team", object{"name": f.text()}))
	}
	var sites, checkIns []any
	for range 1 + f.IntN(2) {
		project := f.post("/v2/projects", "project", f.some(object{"name": f.text()}, object{
			"resolve_errors_on_deploy": false, "disable_public_links": true, "language": f.one("js", "golang", "ruby"), "user_url": "https://example.org/[user_id]",
			"source_url": "https://git.example.org/[sha]/[file]#L[line]", "trace_url": "https://traces.example.org/[trace_id]", "purge_days": 1 + f.IntN(3650),
			"user_search_field": "context.user.email", "team_ids": teams[:f.IntN(len(teams)+1)],
		}))
		s, c := f.project(fmt.Sprintf("/v2/projects/%v", project))
		sites, checkIns = append(sites, s...), append(checkIns, c...)
	}
	for range f.IntN(3) {
		shown, reported := []object{}, []object{}
		for _, id := range sites {
			shown = append(shown, f.some(object{"site_id": id}, object{"display_name": f.text(), "description": f.text(), "group": f.text()}))
		}
		for _, id := range checkIns {
			reported = append(reported, f.some(object{"check_in_id": id}, object{"display_name": f.text(), "group": f.text()}))
		}
		f.post("/v2/accounts/"+s.Setup.AccountID+"/status_pages", "status_page", f.some(object{"name": f.text()}, object{
			"sites": shown, "check_ins": reported, "hide_branding": true, "search_engine_indexing_disabled": true, "automatic_incidents": true, "response_times": true,
			"language": f.one("de", "fr"), "features": object{"up_caption": f.text(), "custom_css": "h1 {\n  color: teal;\n}\n", "accent_color": "#2f4fa8"}, "password": "correct horse",
			"domain": fmt.Sprintf("status%d.example.org", f.n),
		}))
	}
}

// project makes what is in a project, and returns its sites and check-ins.
func (f *filler) project(at string) (sites, checkIns []any) {
	for range f.IntN(3) {
		f.post(at+"/environments", "environment", f.some(object{"name": f.text()}, object{"notifications": false}))
		f.post(at+"/keys", "key", f.some(object{"label": f.text()}, object{"scope": "notices"}))
	}
	for range f.IntN(4) {
		sites = append(sites, f.post(at+"/sites", "site", f.some(object{"url": f.one("https://shop.example.org/?a=b", "https://ann:secret@shop.example.org/")}, object{
			"name": f.text(), "frequency": f.one(1, 5, 15), "match_type": "include", "match": f.text(), "request_method": "POST", "request_body": `{"a": 1}`,
			"request_headers": []object{{"key": "Accept", "value": "text/plain"}, {"key": "Authorization", "value": "Bearer x"}},
			"locations":       []string{"London", "Oregon"}, "validate_ssl": false, "outage_threshold": 1 + f.IntN(9), "active": false, "timeout": 1 + f.IntN(20), "follow_redirects": true,
		})))
		checkIns = append(checkIns, f.checkIn(at))
	}
	for range f.IntN(4) {
		f.post(at+"/integrations", "integration", f.channel(sites, checkIns))
	}
	for range f.IntN(3) {
		f.post(at+"/alarms", "alarm", f.some(object{
			"name": f.text(), "query": "filter status::int >= 500\n| stats count() by path", "evaluation_period": f.one("5m", "1h"),
			"trigger_config": object{"type": "alert_result_count", "config": object{"operator": f.one("gt", "lte", "neq"), "value": f.IntN(100)}},
		}, object{"description": f.text(), "lookback_lag": "1m"}))
		f.post(at+"/dashboards", "dashboard", f.some(object{"title": f.text(), "widgets": []object{
			{"type": "errors", "config": object{"limit": 5}}, {"type": "insights_vis", "presentation": object{"title": f.text()}, "config": object{"query": "fields @ts\n| limit 3"}},
		}}, object{"default_ts": "P1D"}))
		f.post(at+"/maintenance_windows", "maintenance_window", f.some(object{
			"reason": f.text(), "starts_at": f.s.Clock.Now().Add(40 * 24 * time.Hour), "ends_at": f.s.Clock.Now().Add(41 * 24 * time.Hour),
		}, object{"site_ids": sites, "check_in_ids": checkIns, "errors": true}))
	}
	f.put(at+"/ownership", "ownership", f.some(object{}, object{"rules": "/app/ ann@example.org\n\n# none\n*.go @team\n", "notify_only_owners": true}))
	f.put(at+"/scrubbing", "scrubbing", f.some(object{}, object{"enabled": false, "defaults": false, "names": []string{"iban", "x: y"}, "keep": []string{"key"}, "patterns": []string{`\d{4}-[a-z]+`}}))
	f.put(at+"/grouping", "grouping", f.some(object{}, object{"rules": "# " + f.text() + "\n"}))
	return sites, checkIns
}

func (f *filler) checkIn(at string) any {
	made := object{"slug": fmt.Sprintf("job-%d", f.n), "report_period": "1 day"}
	if f.IntN(2) == 0 {
		made = object{"name": f.text(), "schedule_type": "cron", "cron_schedule": "30 2 * * *", "cron_timezone": "Europe/Berlin"}
	}
	return f.post(at+"/check_ins", "check_in", f.some(made, object{"grace_period": "5 minutes", "reminder_interval": f.one("never", "6 hours")}))
}

func (f *filler) channel(sites, checkIns []any) object {
	kind := f.one(
		object{"type": "WebHook", "options": object{"url": "https://ann:pw@example.org/hook", "label": f.text()}},
		object{"type": "Slack", "options": object{"url": "https://hooks.slack.com/services/T0/B0/secret"}},
		object{"type": "Gitlab", "options": object{"server": "https://git.example.org", "project": "acme/shop", "token": "secret"}},
	).(object)
	more := object{"active": false, "events": []string{"occurred"}, "excluded_environments": []string{"lab"}, "notification_limit": 1 + f.IntN(99), "filters": []object{{"event": "all", "query": "-tag:wontfix"}}}
	if kind["type"] != "Gitlab" {
		more["site_ids"], more["check_in_ids"] = sites, checkIns
		more["quiet_hours"] = object{"from": "22:00", "to": "07:00", "time_zone": "Europe/Berlin", "days": []string{"sat", "sun"}}
	}
	return f.some(kind, more)
}

func (f *filler) post(path, member string, fields object) any {
	f.t.Helper()
	return f.s.Post(path, object{member: fields}).Want(http.StatusCreated).JSON()["id"]
}

func (f *filler) put(path, member string, fields object) {
	f.t.Helper()
	f.s.Put(path, object{member: fields}).Want(http.StatusNoContent)
}

// some adds some of more to fields.
func (f *filler) some(fields, more object) object {
	for name, v := range more {
		if f.IntN(2) == 0 {
			fields[name] = v
		}
	}
	if fields["match_type"] == nil || fields["match"] == nil {
		delete(fields, "match_type")
		delete(fields, "match")
	}
	return fields
}

func (f *filler) one(of ...any) any { return of[f.IntN(len(of))] }

// text is a text that no other thing has, with what YAML may take for something else.
func (f *filler) text() string {
	f.n++
	return fmt.Sprint(f.one("Shop", "no", "1.5", "- a: b", "#x", "“Ünïcode” 世界", "it's", `"q"`, "a\\b", "{x}", "&a *b", "0x1F", "null"), " ", f.n)
}
