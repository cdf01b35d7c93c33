package ingest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// What each endpoint answers to a key that may report everything, and to one that may report errors only. Every endpoint
// that takes a key is in the table.
func TestKeyScopes(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	job := o.checkIn(t, "backup")
	narrow, err := o.store.Accounts.AddProjectKey(t.Context(), o.now, o.setup.ProjectID, accounts.ScopeNotices, "")
	if err != nil {
		t.Fatal(err)
	}
	const notice, deploy, noDeploys, noPings = `{"error":{"class":"A"}}`, `{"deploy":{"environment":"production"}}`, "cannot record deploys", "cannot report check-ins"
	contentType, form := formOf(t, field{"minified_url", "~/main.js"}, field{"@source_map", smallMap})
	table := map[string]struct {
		body        string
		all, narrow int
		refusal     string
	}{
		"POST /v1/notices":                 {notice, 201, 201, ""},
		"POST /v1/notices/js":              {notice, 201, 201, ""},
		"POST /v1/events":                  {"{}", 201, 201, ""},
		"POST /v1/deploys":                 {deploy, 201, 403, noDeploys},
		"GET /v1/deploys":                  {"", 201, 403, noDeploys},
		"POST /v1/deploys/heroku":          {`{"data":{"status":"succeeded"}}`, 201, 403, noDeploys},
		"GET /v1/check_in/{key}/{slug}":    {"", 200, 403, noPings},
		"HEAD /v1/check_in/{key}/{slug}":   {"", 200, 403, ""},
		"POST /v1/check_in/{key}/{slug}":   {"{}", 200, 403, noPings},
		"GET /v1/check_in/{check_in_id}":   {"", 200, 200, ""}, // the address of a check-in holds no key
		"HEAD /v1/check_in/{check_in_id}":  {"", 200, 200, ""},
		"POST /v1/check_in/{check_in_id}":  {"{}", 200, 200, ""},
		"GET /v1/deploys?key in the query": {"", 201, 403, noDeploys},
		"POST /v1/alertmanager":            {`{"version":"4","status":"resolved","alerts":[]}`, 200, 403, "cannot resolve errors"},
		"POST /v1/source_maps":             {string(form), 201, 403, "cannot upload source maps"},
		"POST /v1/deploys?key in the body": {`{"api_key":"KEY","environment":"production"}`, 201, 403, noDeploys},
	}
	for _, r := range (&Ingest{}).Routes() {
		if _, ok := table[r.Method+" "+r.Path]; !ok && r.Method != http.MethodOptions && !strings.HasSuffix(r.Path, "/webhook") { // those are signed, and hold no key
			t.Errorf("nothing is said of %s %s", r.Method, r.Path)
		}
	}
	ask := func(name, key, body string) *httptest.ResponseRecorder {
		method, path, _ := strings.Cut(name, " ")
		path, where, _ := strings.Cut(path, "?")
		path = strings.NewReplacer("{key}", key, "{slug}", "backup", "{check_in_id}", job.ID).Replace(path)
		if where == "key in the query" {
			path += "?deploy[environment]=production&api_key=" + key
		} else if method == "GET" && path == "/v1/deploys" {
			path += "?deploy[environment]=production"
		}
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(strings.ReplaceAll(body, "KEY", key)))
		if where == "" {
			r.Header.Set("X-API-Key", key)
		}
		if path == "/v1/source_maps" {
			r.Header.Set("Content-Type", contentType)
		}
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		return w
	}
	for name, c := range table {
		if w := ask(name, o.setup.APIKey, c.body); w.Code != c.all {
			t.Errorf("%s with a key for everything: %d %s", name, w.Code, w.Body)
		}
	}
	before, _ := o.again(t, job)
	deploys := len(o.deploys(t))
	for name, c := range table {
		if strings.Contains(name, "check_in_id") {
			continue
		}
		w := ask(name, narrow, c.body)
		if w.Code != c.narrow || !strings.Contains(w.Body.String(), c.refusal) {
			t.Errorf("%s with a key for errors only: %d %s", name, w.Code, w.Body)
		}
	}
	if after, _ := o.again(t, job); after.ReportedAt != before.ReportedAt || len(o.deploys(t)) != deploys {
		t.Error("what was refused was recorded")
	}
	if err := o.store.Accounts.ChangeProjectKey(t.Context(), o.setup.ProjectID, narrow, accounts.ProjectKeyChange{Scope: sett.Some(string(accounts.ScopeAll))}); err != nil {
		t.Fatal(err)
	}
	o.keys.Forget()
	if w := ask("POST /v1/deploys", narrow, deploy); w.Code != 201 {
		t.Errorf("once it may report everything: %d %s", w.Code, w.Body)
	}
}
