package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// A fixed word in a path is no id, whatever the method.
func TestFixedWordsAreNoIDs(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for path, allow := range map[string]string{
			"/v2/projects/occurrences":    "GET, HEAD",
			faultsPath(s, "/summary"):     "GET, HEAD",
			faultsPath(s, "/suggestions"): "GET, HEAD",
			faultsPath(s, "/resolve"):     "POST",
			faultsPath(s, "/unpause/"):    "POST",
			faultsPath(s, "/1/pause"):     "POST",
			faultsPath(s, "/1/notices"):   "GET, HEAD",
			checkInsPath(s, ""):           "GET, HEAD, POST, PUT",
			checkInsPath(s, "/x/events"):  "GET, HEAD",
			checkInsPath(s, "/x/pause"):   "POST",

			"/v2/integration_kinds":   "GET, HEAD",
			integrationsPath(s, ""):   "GET, HEAD, POST",
			integrationsPath(s, "/1"): "DELETE, GET, HEAD, PUT",
			personalAlertsPath(s):     "GET, HEAD, PUT",

			sitesPath(s, ""):                 "GET, HEAD, POST",
			sitesPath(s, "/1"):               "DELETE, GET, HEAD, PUT",
			sitesPath(s, "/1/check"):         "POST",
			sitesPath(s, "/1/outages"):       "GET, HEAD",
			sitesPath(s, "/1/uptime_checks"): "GET, HEAD",
			sitesPath(s, "/1/uptime/"):       "GET, HEAD",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH"} {
				if strings.Contains(allow, method) {
					continue
				}
				answer := s.Do(method, path, map[string]any{}).Want(http.StatusMethodNotAllowed)
				if got := answer.Header.Get("Allow"); got != allow {
					t.Errorf("%s %s: Allow %q, want %q", method, path, got, allow)
				}
			}
		}
		stranger := s.AddStranger(t, "stranger@example.test")
		stranger.Delete(faultsPath(s, "/summary")).Want(http.StatusNotFound)
		stranger.Do("GET", faultsPath(s, "/suggestions"), nil).Want(http.StatusNotFound)
	})
}

// What is missing or forbidden is said before anything that is wrong with what was sent.
func TestMissingAndForbiddenComeFirst(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault, site := fmt.Sprint(notify(t, s, "A", "production").ID), createSite(t, s).ID
		stranger := s.AddStranger(t, "stranger@example.test")
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		billing, user := s.AddUser(t, "billing@example.test", accounts.Billing)
		if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{user: true}); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"", "{", "[]", "{}", `{"project":7,"fault":7,"count":7,"channel_id":"x"}`, `{"a":"\ud800"}`} {
			for _, at := range []struct{ method, path string }{
				{"PUT", "/%s"}, {"POST", "/%s/pause"}, {"POST", "/%s/link"}, {"POST", "/%s/unlink"}, {"POST", "/%s/issue"},
			} {
				path := func(id string) string { return faultsPath(s, fmt.Sprintf(at.path, id)) }
				if text := s.Do(at.method, path(missing), bad).Want(http.StatusNotFound).Errors(); text != "Fault not found" {
					t.Errorf("%s %s: %s", at.method, path(missing), text)
				}
				stranger.Do(at.method, path(fault), bad).Want(http.StatusNotFound)
				member.Do(at.method, path(fault), bad).Want(http.StatusNotFound) // of no team
			}
			for _, at := range []struct{ method, path string }{{"PUT", "/x"}, {"POST", "/x/pause"}} {
				if text := s.Do(at.method, checkInsPath(s, at.path), bad).Want(http.StatusNotFound).Errors(); text != "Check-in not found" {
					t.Errorf("%s %s: %s", at.method, at.path, text)
				}
			}
			for _, at := range []struct{ method, path string }{{"POST", ""}, {"PUT", ""}, {"PUT", "/x"}, {"POST", "/x/pause"}} {
				stranger.Do(at.method, checkInsPath(s, at.path), bad).Want(http.StatusNotFound)
				member.Do(at.method, checkInsPath(s, at.path), bad).Want(http.StatusNotFound)
			}
			if text := s.Put(integrationsPath(s, "/"+missing), bad).Want(http.StatusNotFound).Errors(); text != "Integration not found" {
				t.Errorf("PUT of no integration: %s", text)
			}
			for _, at := range []struct{ method, path string }{{"POST", ""}, {"PUT", "/" + missing}} {
				stranger.Do(at.method, integrationsPath(s, at.path), bad).Want(http.StatusNotFound)
				billing.Do(at.method, integrationsPath(s, at.path), bad).Want(http.StatusForbidden)
			}
			s.Put(sitesPath(s, "/"+missing), bad).Want(http.StatusNotFound)
			for method, path := range map[string]string{"POST": sitesPath(s, ""), "PUT": sitesPath(s, "/"+site)} {
				stranger.Do(method, path, bad).Want(http.StatusNotFound)
				member.Do(method, path, bad).Want(http.StatusNotFound)
			}
			s.Put(projectPath(999999999, ""), bad).Want(http.StatusNotFound)
			billing.Put(projectPath(s.Setup.ProjectID, ""), bad).Want(http.StatusForbidden)
			member.Post("/v2/projects", bad).Want(http.StatusForbidden)
			member.Post("/v2/projects?account_id="+s.Setup.AccountID, bad).Want(http.StatusForbidden)
			stranger.Post("/v2/projects?account_id="+s.Setup.AccountID, bad).Want(http.StatusNotFound)
			stranger.Post(faultsPath(s, "/resolve?q=is:x"), bad).Want(http.StatusNotFound)
		}
		s.Do("GET", checkInsPath(s, "/x/events?limit=x"), nil).Want(http.StatusNotFound)
		for _, query := range []string{"/notices?limit=x", "/occurrences?period=x", "/affected_users?q=%00"} {
			s.Do("GET", faultsPath(s, "/"+missing+query), nil).Want(http.StatusNotFound)
			s.Do("GET", faultsPath(s, "/"+fault+query), nil).Want(http.StatusUnprocessableEntity)
		}
	})
}

// Text that is none is refused rather than stored as other text.
func TestTextThatIsNone(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		body := func(name string) string { return `{"project":{"name":"` + name + `"}}` }
		for _, c := range []struct {
			name, says string
			status     int
		}{
			{"Caf\xe9", "not valid UTF-8: see byte 24", http.StatusBadRequest},
			{`Caf\ud800`, `\ud800, which is half of a surrogate pair`, http.StatusUnprocessableEntity},
			{`\uDC00Caf`, `\uDC00, which is half of a surrogate pair`, http.StatusUnprocessableEntity},
			{`Caf\u0000`, `\u0000, which cannot be stored`, http.StatusUnprocessableEntity},
		} {
			for _, answer := range []*setttest.Response{
				s.Post("/v2/projects", body(c.name)), s.Put(projectPath(s.Setup.ProjectID, ""), body(c.name)),
			} {
				if text := answer.Want(c.status).Errors(); !strings.Contains(text, c.says) {
					t.Errorf("%q: %s", c.name, text)
				}
			}
		}
		s.Put(projectPath(s.Setup.ProjectID, ""), body(`Caf\u00e9 \ud83d\ude00 \ufffd`)).Want(http.StatusNoContent)
		if name := s.Get(projectPath(s.Setup.ProjectID, "")).JSON()["name"]; name != "Café 😀 \uFFFD" {
			t.Errorf("the project is called %q", name)
		}
	})
}
