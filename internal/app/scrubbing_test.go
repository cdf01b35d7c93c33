package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// What a client of any protocol sends under the name of a secret, or as a card number, is nowhere afterwards: not in the event, not in the
// error, and no search finds it.
func TestSecretsAreNotStored(t *testing.T) {
	t.Parallel()
	const secret, card = "hunter2hunter2", "4111111111111111"
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		id := s.Setup.ProjectID
		for _, c := range []struct{ path, key, body string }{
			{"/v1/notices", "", `{"api_key":"%[3]s","error":{"class":"A1","message":"card %[2]s, password=%[1]s"},"request":{"url":"https://shop.test/?token=%[1]s","params":{"password":"%[1]s"},"cgi_data":{"HTTP_COOKIE":"session_id=%[1]s; theme=dark"},"context":{"user_token":"%[1]s","note":"%[2]s"}}}`},
			{"/v1/notices", "", "\uFEFF" + `{"error":{"class":"A2","message":"password=%[1]s"},"request":{"params":{"card":%[2]s}}}`},
			{fmt.Sprintf("/api/%d/store/", id), "sentry_key", `{"exception":{"values":[{"type":"A3","value":"password=%[1]s","stacktrace":{"frames":[{"function":"f","vars":{"password":"'%[1]s'","card":"%[2]s"}}]}}]},"extra":{"api_key":"%[1]s"},"request":{"data":{"password":"%[1]s"},"cookies":{"session_id":"%[1]s"},"headers":{"Authorization":"Bearer %[1]s"}}}`},
			{fmt.Sprintf("/api/v3/projects/%d/notices", id), "key", `{"errors":[{"type":"A4","message":"card %[2]s"}],"params":{"password":"%[1]s"},"session":{"secret":"%[1]s"}}`},
			{"/v1/logs", "key", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"exception.type","value":{"stringValue":"A5"}},{"key":"exception.message","value":{"stringValue":"card %[2]s"}},{"key":"password","value":{"stringValue":"%[1]s"}}]}]}]}]}`},
		} {
			target := c.path
			if c.key != "" {
				target += "?" + c.key + "=" + url.QueryEscape(s.Setup.APIKey)
			}
			body := fmt.Sprintf(c.body, secret, card, s.Setup.APIKey)
			if i := strings.Index(body, "%!(EXTRA"); i >= 0 {
				body = body[:i]
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+target, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-API-Key", s.Setup.APIKey)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode >= 300 {
				t.Fatalf("%s is answered with %d", c.path, answer.StatusCode)
			}
		}
		if n := readAllNotices(t, s); n != 5 {
			t.Errorf("%d notices are stored, want 5", n)
		}
		faults := fmt.Sprintf("/v2/projects/%d/faults", id)
		var list struct{ Results []struct{ ID int64 } }
		text := s.Get(faults).Want(http.StatusOK)
		text.Into(&list)
		shown := string(text.Body)
		for _, f := range list.Results {
			shown += string(s.Get(fmt.Sprintf("%s/%d/notices", faults, f.ID)).Want(http.StatusOK).Body)
		}
		for _, hidden := range []string{secret, card, s.Setup.APIKey} {
			if i := strings.Index(shown, hidden); i >= 0 {
				t.Errorf("%s is stored: …%s", hidden, shown[max(0, i-200):i+len(hidden)])
			}
			if got := s.Get(faults + "?q=" + url.QueryEscape(`"`+hidden+`"`)).Want(http.StatusOK); strings.Contains(string(got.Body), `"klass"`) {
				t.Errorf("%s is found", hidden)
			}
		}
		if !strings.Contains(shown, "theme=dark") && !strings.Contains(shown, `"theme":"dark"`) {
			t.Error("a harmless cookie was removed")
		}
	})
}
