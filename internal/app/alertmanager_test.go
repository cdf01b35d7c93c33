package app_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// recordedAlerts is the body of a webhook that Alertmanager 0.35.0 sent.
func recordedAlerts(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../ingest/testdata/alertmanager/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A firing alert is an error, however often it is repeated, a resolved one resolves it, and a new start opens it again.
func TestAlertmanagerSendsErrors(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		send := func(body string, want string) {
			t.Helper()
			if got := strings.TrimSpace(string(s.Post("/v1/alertmanager", body).Want(http.StatusOK).Body)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		listed := func() (lines []string) {
			var all serve.List[api.Fault]
			s.Get(fmt.Sprintf("/v2/projects/%d/faults?order=frequent", s.Setup.ProjectID)).Into(&all)
			for _, f := range all.Results {
				lines = append(lines, fmt.Sprint(f.Klass, ", ", f.Message, ", ", f.NoticesCount, ", ", f.Resolved))
			}
			return lines
		}
		firing := recordedAlerts(t, "firing")
		send(recordedAlerts(t, "resolved"), `{"firing":1,"resolved":0,"unknown":1,"left_out":0}`) // the first never fired here
		send(firing, `{"firing":2,"resolved":0,"unknown":0,"left_out":0}`)
		send(recordedAlerts(t, "repeated"), `{"firing":2,"resolved":0,"unknown":0,"left_out":0}`)
		if got := strings.Join(listed(), "; "); strings.Count(got, ", 1, false") != 2 || !strings.Contains(got, "HighLoad, Load of web-1 is 9.7") {
			t.Errorf("after repeats: %s", got)
		}
		send(recordedAlerts(t, "resolved"), `{"firing":1,"resolved":1,"unknown":0,"left_out":0}`)
		send(recordedAlerts(t, "resolved"), `{"firing":1,"resolved":1,"unknown":0,"left_out":0}`)
		if got := strings.Join(listed(), "; "); !strings.Contains(got, "9.7, 1, true") || !strings.Contains(got, "7, 1, false") {
			t.Errorf("after the end: %s", got)
		}
		send(strings.ReplaceAll(firing, "2026-11-29T11:25", "2026-11-29T12:25"), `{"firing":2,"resolved":0,"unknown":0,"left_out":0}`)
		if got := strings.Join(listed(), "; "); !strings.Contains(got, "9.7, 2, false") {
			t.Errorf("after another start: %s", got)
		}
		send(recordedAlerts(t, "resolved"), `{"firing":1,"resolved":0,"unknown":1,"left_out":0}`) // late, or again by a peer of the cluster
		if got := strings.Join(listed(), "; "); !strings.Contains(got, "9.7, 2, false") {
			t.Errorf("the end of the start before resolves what fires now: %s", got)
		}
		send(strings.ReplaceAll(firing, `"job": "node"`, `"job": "node", "sett": "x"`), `{"firing":0,"resolved":0,"unknown":0,"left_out":2}`)
	})
}

// The key comes as Prometheus can send it, must be a whole one, and the body one of Alertmanager.
func TestAlertmanagerIsRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	firing := []byte(recordedAlerts(t, "firing"))
	ask := func(query string, body []byte, sign func(*http.Request)) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+"/v1/alertmanager"+query, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if sign != nil {
			sign(r)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	key := s.Setup.APIKey
	bearer := func(key string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }
	}
	browser, err := s.App.Store().Accounts.AddProjectKey(t.Context(), s.Clock.Now(), s.Setup.ProjectID, accounts.ScopeNotices, "web")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ got, want int }{
		"bearer":         {ask("", firing, bearer(key)), 200},
		"password":       {ask("", firing, func(r *http.Request) { r.SetBasicAuth("sett", key) }), 200},
		"user":           {ask("", firing, func(r *http.Request) { r.SetBasicAuth(key, "") }), 200},
		"address":        {ask("?key="+key, firing, nil), 200},
		"none":           {ask("", firing, nil), 403},
		"wrong":          {ask("", firing, bearer("hbp_wrong")), 403},
		"of web pages":   {ask("", firing, bearer(browser)), 403},
		"no JSON":        {ask("", []byte("{"), bearer(key)), 400},
		"another object": {ask("", []byte(`{"alert":{}}`), bearer(key)), 400},
		"wrong types":    {ask("", []byte(`{"alerts":[{"labels":[1]}]}`), bearer(key)), 400},
		"empty":          {ask("", []byte(`{"alerts":[]}`), bearer(key)), 200},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
