package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// Rules of a project about grouping apply whatever protocol an event comes by: they win over what the client says.
func TestGroupingRulesApplyToAllProtocols(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		id, key := s.Setup.ProjectID, s.Setup.APIKey
		if err := s.App.Store().Accounts.UpdateGrouping(t.Context(), s.Clock.Now(), s.Setup.UserID, id, "", "library: *lib/*\nhelper: check_all", 0); err != nil {
			t.Fatal(err)
		}
		const trace = `Traceback (most recent call last):\n  File \"/srv/shop/app/cart.py\", line 3, in pay\n    a\n  File \"/srv/shop/app/check.py\", line 5, in check_all\n    b\n  File \"/srv/shop/lib/db.py\", line 7, in query\n    c\nOtlp: m`
		frames := `[{"filename":"app/cart.py","function":"pay","lineno":3,"in_app":true},{"filename":"app/check.py","function":"check_all","lineno":5,"in_app":true},{"filename":"lib/db.py","function":"query","lineno":7,"in_app":true}]`
		event := func(class string) string {
			return fmt.Sprintf(`{"exception":{"values":[{"type":%q,"value":"m","stacktrace":{"frames":%s}}]}}`, class, frames)
		}
		for class, sent := range map[string]struct{ target, body string }{
			"Notice": {"/v1/notices?api_key=" + key, `{"error":{"class":"Notice","message":"m","backtrace":[{"file":"lib/db.py","method":"query","number":7,"context":"app"},
				{"file":"app/check.py","method":"check_all","number":5,"context":"app"},{"file":"app/cart.py","method":"pay","number":3,"context":"app"}]}}`},
			"Envelope": {fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", id, key), "{}\n{\"type\":\"event\"}\n" + event("Envelope") + "\n"},
			"Store":    {fmt.Sprintf("/api/%d/store/?sentry_key=%s", id, key), event("Store")},
			"Airbrake": {fmt.Sprintf("/api/v3/projects/%d/notices?key=%s", id, key), `{"errors":[{"type":"Airbrake","message":"m","backtrace":[{"file":"/PROJECT_ROOT/lib/db.py","function":"query","line":7},
				{"file":"/PROJECT_ROOT/app/check.py","function":"check_all","line":5},{"file":"/PROJECT_ROOT/app/cart.py","function":"pay","line":3}]}]}`},
			"Otlp": {"/v1/traces?key=" + key, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a","spanId":"2b2b2b2b2b2b2b2b","events":[{"name":"exception","timeUnixNano":"1795820000000000000",
				"attributes":[{"key":"exception.type","value":{"stringValue":"Otlp"}},{"key":"exception.message","value":{"stringValue":"m"}},{"key":"exception.stacktrace","value":{"stringValue":"` + trace + `"}}]}]}]}]}]}`},
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+sent.target, strings.NewReader(strings.ReplaceAll(sent.body, "\n\t\t\t\t", "")))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil || answer.StatusCode/100 != 2 {
				t.Fatalf("%s: %v, %v", class, answer, err)
			}
			_ = answer.Body.Close()
		}
		var list struct {
			Results []struct {
				ID    int64
				Klass string
			}
		}
		s.Get(fmt.Sprintf("/v2/projects/%d/faults", id)).Into(&list)
		if len(list.Results) != 5 {
			t.Fatalf("%d faults, want five: %+v", len(list.Results), list)
		}
		for _, f := range list.Results {
			var grouping struct {
				Parts []struct{ Inputs struct{ Method, Line string } }
			}
			s.Get(fmt.Sprintf("/v2/projects/%d/faults/%d/grouping", id, f.ID)).Into(&grouping)
			if in := grouping.Parts[0].Inputs; in.Method != "pay" || in.Line != "3" {
				t.Errorf("%s is grouped by %+v, want pay, line 3", f.Klass, in)
			}
		}
	})
}
