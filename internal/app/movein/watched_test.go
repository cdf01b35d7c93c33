package movein_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/store/db"
)

// Sites, check-ins and channels of an account come once, and jobs report where they did.
func TestWatchedOfHoneybadgerComes(t *testing.T) {
	t.Parallel()
	o := oldAccount(t, 1_000_000)
	project := fmt.Sprint("/v2/projects/", o.Setup.ProjectID)
	o.Post(project+"/sites", `{"site":{"name":"Shop","url":"https://shop.example.org/","frequency":15,"match_type":"include","match":"Welcome","request_method":"POST","request_body":"{}",
		"request_headers":[{"key":"X-Probe","value":"yes"}],"locations":["Oregon"],"validate_ssl":false,"outage_threshold":3,"active":false}}`).Want(201)
	var cron, simple struct {
		ID string `json:"id"`
	}
	o.Post(project+"/check_ins", `{"check_in":{"name":"Nightly","slug":"nightly","schedule_type":"cron","cron_schedule":"0 3 * * *","cron_timezone":"Europe/Vienna","grace_period":"5 minutes"}}`).Into(&cron)
	o.Post(project+"/check_ins", `{"check_in":{"name":"Often","schedule_type":"simple","report_period":"2 hours"}}`).Into(&simple)
	o.Post(project+"/integrations", `{"integration":{"type":"WebHook","options":{"url":"https://hooks.example.org/sett","label":"Ops"},"events":["occurred","down"],"excluded_environments":["staging"]}}`).Want(201)
	var site struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}
	o.Get(project + "/sites").Into(&site)
	o.Post("/v2/accounts/"+o.Setup.AccountID+"/status_pages", fmt.Sprintf(`{"status_page":{"name":"Acme","sites":[{"site_id":%q,"display_name":"The shop"}],"check_ins":[{"check_in_id":%q}]}}`,
		site.Results[0].ID, cron.ID)).Want(201)
	o.Post("/v2/accounts/"+o.Setup.AccountID+"/status_pages", `{"status_page":{"name":"Empty"}}`).Want(201)
	down := o.Clock.Now().Add(-48 * time.Hour).UnixMicro()
	err := o.App.Store().InTx(t.Context(), "an outage", func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
			SELECT id, $1, $2, $1, 500, 'Status 500', 'null', '', '', '' FROM sites`, down, down+600_000_000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		report := run(t, o.options(t, s))
		wantCame(t, report, move.Came{Noun: "sites", Found: 1, Made: 1}, move.Came{Noun: "check-ins", Found: 2, Made: 2}, move.Came{Noun: "channels", Found: 1, Made: 1},
			move.Came{Noun: "status pages", Found: 1, Made: 1})
		for statement, want := range map[string]int64{
			`SELECT count(*) FROM status_components c JOIN status_pages p ON p.number = c.page WHERE p.name = 'Acme' AND (c.display_name = 'The shop' OR c.check_in IS NOT NULL)`: 2,
			`SELECT count(*) FROM sites WHERE name = 'Shop' AND frequency = 15 AND match_value = 'Welcome' AND NOT active`:                                                        1,
			`SELECT count(*) FROM outages WHERE reason = 'Status 500' AND up_at - down_at = 600000000`:                                                                            1,
			`SELECT count(*) FROM check_ins WHERE name = 'Nightly' AND slug = 'nightly' AND cron_schedule = '0 3 * * *'`:                                                          1,
			`SELECT count(*) FROM check_ins WHERE name = 'Often' AND report_period = '2 hours'`:                                                                                   1,
			`SELECT count(*) FROM integrations WHERE type = 'WebHook' AND NOT active AND events LIKE '%down%' AND excluded_environments LIKE '%staging%'`:                         1,
		} {
			if got := row(t, s, statement); got != want {
				t.Errorf("%s: %d, want %d", statement, got, want)
			}
		}
		wantCame(t, run(t, o.options(t, s)), move.Came{Noun: "sites", Found: 1, Present: 1}, move.Came{Noun: "check-ins", Found: 2, Present: 2}, move.Came{Noun: "channels", Found: 1, Present: 1},
			move.Came{Noun: "status pages", Found: 1, Present: 1})
		s.Get("/v1/check_in/" + cron.ID).Want(http.StatusOK)
		s.Do(http.MethodGet, "/v1/check_in/zzz999", nil).Want(http.StatusNotFound)
		s.Post("/v1/check_in/"+simple.ID, `{"check_in":{"status":"error"}}`).Want(http.StatusOK)
		if got := row(t, s, `SELECT count(*) FROM check_ins WHERE reported_at IS NOT NULL`); got != 2 {
			t.Errorf("%d check-ins were reported", got)
		}
	})
}

// Monitors of Sentry come to the project that they are of.
func TestWatchedOfSentryComes(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := old(t, s.Clock.Now(), sentEvents(t)[:1])
	o.Lists = map[string][]any{}
	for name, text := range map[string]string{
		"monitors": `[{"id":"m1","slug":"nightly","name":"Nightly","project":{"id":"1"},"config":{"schedule":"0 3 * * *","checkin_margin":5}},
			{"id":"m2","slug":"bad","name":"Bad","project":{"id":"1"},"config":{"schedule":"every full moon"}}]`,
		"uptime": `[{"id":"7","projectSlug":"web","name":"Shop","url":"https://shop.example.org/","method":"GET","intervalSeconds":60},
			{"id":"8","projectSlug":"web","name":"Odd","url":"javascript:alert(1)","method":"GET","intervalSeconds":60}]`,
	} {
		var rows []any
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			t.Fatal(err)
		}
		o.Lists[name] = rows
	}
	dry := options(t, s, o)
	dry.DryRun = true
	came := []move.Came{{Noun: "sites", Found: 2, Made: 1}, {Noun: "check-ins", Found: 2, Made: 1}}
	wantCame(t, run(t, dry), came...)
	if got := row(t, s, `SELECT count(*) FROM sites`); got != 0 {
		t.Errorf("a dry run made %d sites", got)
	}
	report := run(t, options(t, s, o))
	wantCame(t, report, came...)
	left := map[string]bool{}
	for _, l := range report.Left {
		left[l.Name] = true
	}
	if !left["Bad"] || !left["Odd"] {
		t.Errorf("left %+v", report.Left)
	}
	if got := row(t, s, `SELECT count(*) FROM sites s JOIN projects p ON p.id = s.project_id WHERE p.name = 'web'`); got != 1 {
		t.Errorf("%d sites", got)
	}
}
