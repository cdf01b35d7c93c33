package ingest

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/setttest/recording"
	"sett/internal/store/faultdb"
)

// deploys returns what was recorded, the newest first, without the ids.
func (o *office) deploys(t *testing.T) []faults.Deploy {
	t.Helper()
	found, _, err := o.store.Faults.ListDeploys(t.Context(), o.setup.ProjectID, faultdb.DeployFilter{Page: sett.Page{Size: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i].ID = 0
	}
	return found
}

// wantOK checks the answer that every client wants to a deploy.
func wantOK(t *testing.T, what string, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != http.StatusCreated || strings.TrimSpace(w.Body.String()) != `{"status":"OK"}` {
		t.Errorf("%s: answer = %d %s", what, w.Code, w.Body)
	}
}

func squeeze(t *testing.T, encoding, body string) io.Reader {
	t.Helper()
	var out bytes.Buffer
	var z io.WriteCloser
	switch encoding {
	case "gzip":
		z = gzip.NewWriter(&out)
	case "deflate":
		z = zlib.NewWriter(&out)
	default:
		return strings.NewReader(body)
	}
	if _, err := io.WriteString(z, body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// Deploys as clients send them (wire.md §2.5, clients.md "Deploys"), and the key wherever it may stand.
func TestPostDeploys(t *testing.T) {
	t.Parallel()
	const all = `"environment":"production","revision":"4f2a9c1","repository":"https://git.example.test/shop","local_username":"olga"`
	form := url.Values{
		"deploy[environment]": {"production"}, "deploy[revision]": {"4f2a9c1"},
		"deploy[repository]": {"https://git.example.test/shop"}, "deploy[local_username]": {"olga"},
	}.Encode()
	parts, inParts := recording.Form(t, map[string]string{
		"deploy[environment]": "production", "deploy[revision]": "4f2a9c1",
		"deploy[repository]": "https://git.example.test/shop", "deploy[local_username]": "olga", "api_key": "KEY",
	})
	for _, c := range []struct{ name, path, header, contentType, encoding, body string }{
		{"hb", "/v1/deploys", "KEY", "application/json", "", `{"deploy":{` + all + `,"timestamp":"2026-11-20T12:00:00Z"}}`},
		{"ruby, deflated and unwrapped", "/v1/deploys", "KEY", "application/json", "deflate", `{` + all + `}`},
		{"bundlers", "/v1/deploys/", "KEY", "application/json", "gzip", `{"deploy":{` + all + `}}`},
		{"laravel", "/v1/deploys", "", urlEncoded, "", "api_key=KEY&" + form},
		{"a deflated form", "/v1/deploys", "KEY", urlEncoded, "deflate", form},
		{"a form in parts", "/v1/deploys/", "", parts, "", inParts},
		{"curl -g, posted", "/v1/deploys?api_key=KEY&" + form, "", "", "", ""},
		{"key in the JSON", "/v1/deploys", "", "application/json", "", `{"api_key":"KEY","deploy":{` + all + `}}`},
		{"key in JSON that curl calls a form", "/v1/deploys", "", urlEncoded, "", ` {"api_key":"KEY","deploy":{` + all + `}}`},
		{"key in the query, deploy in the body", "/v1/deploys?api_key=KEY", "", "text/json", "", `{` + all + `}`},
		{"the rest in the query", "/v1/deploys?" + form, "KEY", "application/json", "", `{"deploy":{"environment":"production","revision":null}}`},
		{"a form of plain names", "/v1/deploys", "KEY", urlEncoded, "", strings.NewReplacer("deploy%5B", "", "%5D", "").Replace(form)},
		{"a byte order mark", "/v1/deploys", "KEY", "", "", "\uFEFF{" + all + "}"},
		{"unknown fields", "/v1/deploys", "KEY", "", "", `{"deploy":{` + all + `,"colour":7,"created_at":"x"},"user":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			withKey := func(text string) string { return strings.ReplaceAll(text, "KEY", o.setup.APIKey) }
			w := o.post(t, withKey(c.path), squeeze(t, c.encoding, withKey(c.body)), map[string]string{
				"X-API-Key": withKey(c.header), "Content-Type": c.contentType, "Content-Encoding": c.encoding,
			})
			wantOK(t, "the deploy", w)
			want := []faults.Deploy{{
				ProjectID: o.setup.ProjectID, Environment: "production", Revision: "4f2a9c1", Repository: "https://git.example.test/shop",
				LocalUsername: "olga", CreatedAt: o.now,
			}}
			if diff := cmp.Diff(want, o.deploys(t)); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeploysOfTheAddressAlone(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	ask := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		return w
	}
	path := "/v1/deploys?deploy[environment]=staging&deploy[revision]=r1&api_key=" + o.setup.APIKey
	if w := ask("HEAD", path); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, OPTIONS, POST" {
		t.Errorf("HEAD: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	wantOK(t, "GET", ask("GET", path))
	wantError(t, ask("GET", "/v1/deploys?api_key=wrong"), http.StatusForbidden, "This API key is unknown.")
	wantError(t, ask("GET", "/v1/deploys"), http.StatusForbidden, "X-API-Key")
	for _, nothing := range []string{"", "&deploy[environment]=", "&utm_source=mail"} {
		wantError(t, ask("GET", "/v1/deploys?api_key="+o.setup.APIKey+nothing), http.StatusUnprocessableEntity, "Nothing was recorded")
	}
	want := []faults.Deploy{{ProjectID: o.setup.ProjectID, Environment: "staging", Revision: "r1", CreatedAt: o.now}}
	if diff := cmp.Diff(want, o.deploys(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestWhatADeployMaySay(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ö", 1024)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for body, want := range map[string]faults.Deploy{
		``:                               {},
		`{}`:                             {},
		`{"deploy":null}`:                {},
		`{"deploy":{}}`:                  {},
		`{"environment":null}`:           {},
		`{"revision":"` + long + `"}`:    {Revision: long},
		`{"revision":" a\nb\t"}`:         {Revision: "a b"},
		`{"environment":" qa\r\n"}`:      {Environment: "qa"},
		`{"environment":"` + long + `"}`: {Environment: strings.Repeat("ö", 255)}, // as a notice's
		`{"repository":"https://ci:token@git.example.test/shop"}`:        {Repository: "https://git.example.test/shop"},
		`{"deploy":{"revision":"in"},"revision":"out"}`:                  {Revision: "in"},
		`{"deploy":{"revision":"in"},"environment":"qa"}`:                {Revision: "in", Environment: "qa"},
		`{"timestamp":"2026-11-20T13:30:00+02:00"}`:                      {CreatedAt: now.Add(-30 * time.Minute)},
		fmt.Sprintf(`{"timestamp":%d}`, now.Unix()-60):                   {CreatedAt: now.Add(-time.Minute)},
		fmt.Sprintf(`{"deploy":{"timestamp":"%d"}}`, now.Unix()-60):      {CreatedAt: now.Add(-time.Minute)},
		`{"deploy":{"revision":"r"},"timestamp":"2026-11-20T11:00:00Z"}`: {Revision: "r", CreatedAt: now.Add(-time.Hour)},
		`{"timestamp":"2020-01-01T00:00:00Z"}`:                           {},
		`{"timestamp":1795000000000}`:                                    {}, // milliseconds are far ahead
		`{"timestamp":null}`:                                             {},
	} {
		o := setup(t, accounts.Limits{})
		wantOK(t, fmt.Sprintf("%.60s", body), o.post(t, "/v1/deploys", strings.NewReader(body), nil))
		want.ProjectID = o.setup.ProjectID
		if want.CreatedAt.IsZero() {
			want.CreatedAt = now
		}
		if diff := cmp.Diff([]faults.Deploy{want}, o.deploys(t)); diff != "" {
			t.Errorf("%.60s (-want +got):\n%s", body, diff)
		}
	}
}

func TestDeploysThatAreRefused(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	long := strings.Repeat("ö", 1025)
	const when = "Please correct: timestamp must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z."
	for _, c := range []struct {
		name, header, contentType, encoding, body string
		status                                    int
		says                                      string
	}{
		{
			"too long", "KEY", "", "", `{"environment":"` + long + `","revision":"` + long + `","repository":"` + long + `","local_username":"` + long + `"}`, 422,
			"Please correct: environment is too long (maximum is 1024 characters); revision is too long (maximum is 1024 characters); repository is too long (maximum is 1024 characters); local_username is too long (maximum is 1024 characters).",
		},
		{"too long in a form", "KEY", urlEncoded, "", "deploy[revision]=" + long, 422, "Please correct: revision is too long (maximum is 1024 characters)."},
		{
			"other types", "KEY", "", "", `{"deploy":{"environment":false,"revision":[],"repository":{},"local_username":true,"timestamp":{}}}`, 422,
			"Please correct: environment must be a string; revision must be a string; repository must be a string; local_username must be a string; " + when[len("Please correct: "):],
		},
		{"an array as deploy", "KEY", "", "", `{"deploy":[]}`, 422, "Please correct: deploy must be an object."},
		{"a text as timestamp", "KEY", "", "", `{"timestamp":"yesterday"}`, 422, when},
		{"a timestamp in a form", "KEY", urlEncoded, "", "timestamp=yesterday", 422, when},
		{"no UTF-8 in a form", "KEY", urlEncoded, "", "revision=%ff", 422, "Please correct: revision must be UTF-8."},
		{"half a character", "KEY", "", "", `{"revision":"\ud800"}`, 422, "surrogate pair"},
		{"an array", "KEY", "", "", `[]`, 422, "not a JSON object"},
		{"an unknown encoding", "KEY", "", "compress", `hello`, 422, "compress"},
		{"cut off", "KEY", "", "", `{"deploy":`, 400, "not valid JSON"},
		{"no JSON", "KEY", "", "", "hello", 400, "not valid JSON"},
		{"broken gzip", "KEY", "", "gzip", "this was never compressed", 400, "decompressed"},
		{"too large", "KEY", "", "", `{"deploy":"` + strings.Repeat("x", maxSent) + `"}`, 413, "Send less data"},
		{"no key", "", "", "", `{"deploy":{}}`, 403, "X-API-Key"},
		{"no key and no body", "", "", "", ``, 403, "X-API-Key"},
		{"no key in a form", "", urlEncoded, "", `deploy[environment]=x`, 403, "X-API-Key"},
		{"an unknown key", "wrong", "", "", `{`, 403, "This API key is unknown."},
		{"an unknown key in the body", "", "", "", `{"api_key":"wrong"}`, 403, "This API key is unknown."},
		{"no JSON and no key", "", "", "", `{"deploy":`, 400, "truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, o.post(t, "/v1/deploys", strings.NewReader(c.body), map[string]string{
				"X-API-Key": strings.ReplaceAll(c.header, "KEY", o.setup.APIKey), "Content-Type": c.contentType, "Content-Encoding": c.encoding,
			}), c.status, c.says)
		})
	}
	if left := o.deploys(t); len(left) > 0 {
		t.Errorf("recorded all the same: %+v", left)
	}
	o.wantToday(t, accounts.UsageDay{}) // no notice came
}

func TestPostHeroku(t *testing.T) {
	t.Parallel()
	const webhook = `{"action":"update","resource":"release","actor":{"email":"olga@example.test","id":"1"},"data":{"id":"2","version":7,"current":true,
		"description":"Deploy 4f2a9c1","status":%q,"slug":{"id":"3","commit":"4f2a9c1b"},"user":{"id":"1","email":"olga@example.test"},"app":{"name":"shop"}}}`
	hook := url.Values{
		"app": {"shop"}, "user": {"olga@example.test"}, "url": {"https://shop.example.test"}, "head": {"4f2a9c1"}, "head_long": {"4f2a9c1b"},
		"git_log": {"  * Olga: fix"}, "release": {"v7"},
	}
	short := url.Values{"user": {"olga@example.test"}, "head": {"4f2a9c1b"}, "head_long": {""}}
	for _, c := range []struct {
		name, query, contentType, body string
		want                           []faults.Deploy
	}{
		{"a webhook", "environment=production", "application/json", fmt.Sprintf(webhook, "succeeded"), []faults.Deploy{{Environment: "production"}}},
		{"of the whole project", "", "application/json", fmt.Sprintf(webhook, "succeeded"), []faults.Deploy{{}}},
		{"with a repository", "repository=https://git.example.test/shop", "", fmt.Sprintf(webhook, "succeeded"), []faults.Deploy{{Repository: "https://git.example.test/shop"}}},
		{"pending", "environment=production", "application/json", fmt.Sprintf(webhook, "pending"), nil},
		{"failed", "environment=production", "application/json", fmt.Sprintf(webhook, "failed"), nil},
		{"a deploy hook", "environment=staging", urlEncoded, hook.Encode(), []faults.Deploy{{Environment: "staging"}}},
		{"a deploy hook without head_long", "", urlEncoded, short.Encode(), []faults.Deploy{{}}},
		{"a number as revision", "", "application/json", `{"head_long":4295129,"user":"olga@example.test"}`, []faults.Deploy{{Revision: "4295129"}}},
		{"a deploy hook as JSON", "", "application/json", `{"head":"4f2a9c1","head_long":"4f2a9c1b","user":"olga@example.test"}`, []faults.Deploy{{}}},
	} {
		o := setup(t, accounts.Limits{})
		w := o.post(t, "/v1/deploys/heroku?api_key="+o.setup.APIKey+"&"+c.query, strings.NewReader(c.body), map[string]string{
			"X-API-Key": "", "Content-Type": c.contentType,
		})
		wantOK(t, c.name, w)
		for i := range c.want {
			c.want[i].ProjectID, c.want[i].CreatedAt = o.setup.ProjectID, o.now
			if c.want[i].LocalUsername = "olga@example.test"; c.want[i].Revision == "" {
				c.want[i].Revision = "4f2a9c1b"
			}
		}
		if diff := cmp.Diff(c.want, o.deploys(t), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestHerokuHooksThatAreRefused(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, c := range []struct {
		body   string
		status int
		says   string
	}{
		{`{"data":{"status":true}}`, 422, "data.status must be a string"},
		{`{"data":{"slug":{"commit":[]}}}`, 422, "revision must be a string"},
		{`{"data":"x"}`, 422, "data must be an object"},
		{`{"data":`, 400, "not valid JSON"},
	} {
		wantError(t, o.post(t, "/v1/deploys/heroku", strings.NewReader(c.body), nil), c.status, c.says)
	}
	wantError(t, o.post(t, "/v1/deploys/heroku?api_key=wrong", strings.NewReader("{}"), map[string]string{"X-API-Key": ""}), 403, "unknown")
	if left := o.deploys(t); len(left) > 0 {
		t.Errorf("recorded all the same: %+v", left)
	}
}

// A deploy that was answered has resolved what it resolves.
func TestADeployResolvesAndNoticesKnowIt(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	send := func() faults.Notice {
		body := `{"error":{"class":"A"},"server":{"environment_name":"production","revision":"r2"}}`
		id := wantID(t, o.post(t, "/v1/notices", strings.NewReader(body), nil))
		n, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, id)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := send()
	o.push(time.Second)
	wantOK(t, "the deploy", o.post(t, "/v1/deploys", strings.NewReader(`{"environment":"production","revision":"r2"}`), nil))
	fault, err := o.store.Faults.FaultByID(t.Context(), o.setup.ProjectID, before.FaultID)
	if err != nil || !fault.Resolved {
		t.Errorf("the fault is %+v, %v", fault.FaultState, err)
	}
	o.push(time.Second)
	after := send()
	if before.Deploy != nil || after.Deploy == nil || after.Deploy.Revision != "r2" || after.FaultID != before.FaultID {
		t.Errorf("before %+v, after %+v", before.Deploy, after.Deploy)
	}
}

func TestPreflightOfDeploys(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/v1/deploys", nil))
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("answer = %d %v", w.Code, w.Header())
	}
}
