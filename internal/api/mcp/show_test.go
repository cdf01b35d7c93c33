package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sett/internal/api/behind"
	"sett/internal/base/fence"
	"sett/internal/serve"
	"sett/internal/serve/oauth"
)

// A list that is not whole says so: a search that could not read everything is not one that found nothing.
func TestAListThatIsNotWholeSaysSo(t *testing.T) {
	t.Parallel()
	for answer, says := range map[string]string{
		`{"results": [{"id": 1}], "links": {"next": "https://h/v2/faults?page=2"}}`: "There are more than these 1",
		`{"results": [], "unread_blocks": 2}`:                                       "could not read 2 blocks",
		`{"results": [], "searched_since": "2026-11-29T08:00:00Z"}`:                 "since 2026-11-29T08:00:00Z",
	} {
		d := &Door{behind: behind.Named([]serve.Route{{Name: "listFaults", Method: http.MethodGet, Path: "/v2/faults"}})}
		d.Answer = func(w http.ResponseWriter, _ *http.Request, _ serve.Route, _ serve.Handler) error {
			_, err := io.WriteString(w, answer)
			return err
		}
		c := &call{Writer: fence.New(), door: d, r: httptest.NewRequest(http.MethodPost, "/mcp", nil)}
		if err := c.list("listFaults", nil, "Errors", fence.Reporter, "id"); err != nil || !strings.Contains(c.Text(), says) {
			t.Errorf("%s: %v\n%s", answer, err, c.Text())
		}
	}
}

// People can allow a program every tool: otherwise it would ask for more in vain.
func TestPeopleCanAllowEveryTool(t *testing.T) {
	t.Parallel()
	scopes := oauth.ScopesOf([]string{"triage", "write"})
	for _, tool := range tools() {
		if tool.scope != "" && !slices.Contains(scopes, tool.scope) {
			t.Errorf("no level of OAuth has the scope %s of %s", tool.scope, tool.name)
		}
	}
}

// So do the lists that tools show in a form of their own.
func TestHistoriesThatAreNotWholeSaySo(t *testing.T) {
	t.Parallel()
	long := `{"name": "` + strings.Repeat("x", 390) + `", "reason": "` + strings.Repeat("y", 390) + `"}`
	for _, c := range []struct{ tool, list string }{{"list_incidents", "results"}, {"get_check_in", "results"}, {"list_alarms", "triggers"}} {
		for answer, says := range map[string]string{
			`{"` + c.list + `": [{"id": 1}], "links": {"next": "https://h/v2/x?page=2"}}`:    "There are more than these 1.",
			`{"` + c.list + `": [` + strings.Repeat(long+",", 60) + long + `], "links": {}}`: "results are left out",
		} {
			if c.tool == "list_alarms" && strings.Contains(says, "left out") {
				continue // a page of these has 25 short results
			}
			d := &Door{behind: behind.Routes{}}
			for _, name := range []string{"listIncidents", "getCheckIn", "listCheckInEvents", "getAlarm", "listAlarmHistory"} {
				d.behind[name] = serve.Route{Name: name, Method: http.MethodGet, Path: "/v2/" + name}
			}
			d.Answer = func(w http.ResponseWriter, _ *http.Request, _ serve.Route, _ serve.Handler) error {
				_, err := io.WriteString(w, answer)
				return err
			}
			at := map[string]string{"account_id": "a", "status_page_id": "p", "project_id": "1", "check_in_id": "c", "alarm_id": "a"}
			call := &call{Writer: fence.New(), door: d, r: httptest.NewRequest(http.MethodPost, "/mcp", nil), at: at}
			run := tools()[slices.IndexFunc(tools(), func(t tool) bool { return t.name == c.tool })].run
			if err := run(call); err != nil || !strings.Contains(call.Text(), says) {
				t.Errorf("%s: %v, without %q", c.tool, err, says)
			}
		}
	}
}
