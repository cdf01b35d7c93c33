package people

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/web"
	"sett/internal/web/fault"
	"sett/internal/web/project"
	"sett/internal/web/settings"
	"sett/internal/web/statusadmin"
	"sett/internal/web/uptime"
	"sett/internal/web/user"
)

// Every change that people can make has a sentence of its own in the audit log.
func TestEveryChangeHasASentence(t *testing.T) {
	t.Parallel()
	routes := new(api.API).Routes()
	for _, area := range []func(*web.Pages) web.Area{fault.Area, Area, project.Area, settings.Area, statusadmin.Area, uptime.Area, user.Area} {
		routes = append(routes, area(new(web.Pages)).Routes...)
	}
	changes := 0
	for _, route := range routes {
		if route.Method == http.MethodGet || route.Permission == accounts.Public || isQuestion(route) {
			continue
		}
		if changes++; phrases[route.Name] == "" {
			t.Errorf("%s (%s) has no phrase in actionAreas", route.Name, route.Doc)
		}
	}
	if changes < 100 {
		t.Errorf("only %d changes were tried", changes)
	}
	for action, said := range phrases {
		if strings.Contains(said, "fault") || strings.Contains(said, "notice") || strings.Contains(said, "integration") {
			t.Errorf("%s: %q is not in the words of the pages", action, said)
		}
	}
}

// isQuestion reports whether a POST asks for something and changes nothing.
func isQuestion(route serve.Route) bool {
	return strings.HasPrefix(route.Name, "preview") || slices.Contains([]string{"proposePasskey", "proposeFactor", "logout", "queryInsights"}, route.Name)
}

func TestSentence(t *testing.T) {
	t.Parallel()
	people := map[int64]string{2: "Ines 100% Herrera", -4: "Platform"}
	for _, tt := range []struct{ action, object, changes, want string }{
		{"updateFault", "ZeroDivisionError: divided by 0", `{"fault":{"resolved":true}}`, "resolved ZeroDivisionError: divided by 0"},
		{"updateFault", "E", `{"fault":{"assignee_id":2,"resolve_on_deploy":true}}`, "set E to be resolved by the next deploy and assigned it to Ines 100% Herrera"},
		{"updateFault", "E", `{"fault":{}}`, "changed E"},
		{"updateFault", "E", `{"fault":{"resolved":true,"resolved_in":"v2-100%"}}`, "resolved E in v2-100%"},
		{"updateFault", "E", `{"fault":{"resolved":true,"resolved_in":null}}`, "resolved E"},
		{"changeFaultState", "E", `{"do":"resolve","resolved_in":"v2"}`, "resolved E in v2"},
		{"changeFaultState", "E: 5% left", `{"do":"reopen","then":"next"}`, "reopened E: 5% left"},
		{"assignFault", "E", `{"assignee_id":""}`, "unassigned E"},
		{"assignFault", "E", `{"assignee_id":"3"}`, "assigned E"},
		{"assignFault", "E", `{"assignee_id":"-4"}`, "assigned E to the team Platform"},
		{"assignFault", "E", `{"assignee_id":"-5"}`, "assigned E to a team"},
		{"tagFault", "E", `{"add":"50%"}`, `tagged E with "50%"`},
		{"tagFault", "E", `{"remove":"old"}`, `removed the tag "old" from E`},
		{"changeFaultsPage", "", `{"action":"resolve","id":["1","2,3"]}`, "resolved 3 errors"},
		{"changeFaultsPage", "", `{"action":"ignore","id":"1","all":"1","q":"class:E"}`, `ignored all errors that match "class:E"`},
		{"changeFaults", "", `{"action":"assign","fault_ids":[7],"assignee_id":2}`, "assigned 1 error to Ines 100% Herrera"},
		{"makeSite", "", `{"name":"Shop","url":"https://shop.example.test"}`, "created the site Shop"},
		{"createSite", "", `{"site":{"name":"Shop"}}`, "created the site Shop"},
		{"removeSite", "Shop", `{}`, "deleted the site Shop"},
		{"dropChannel", "WebHook", `{}`, "deleted the channel Webhook"},
		{"switchChannel", "WebHook", `{"active":"true"}`, "turned on the channel Webhook"},
		{"switchChannel", "WebHook", `{"active":""}`, "turned off the channel Webhook"},
		{"testIntegration", "", `{}`, "sent a test to the channel"},
		{"updateProjectKey", "", `{"key":{"label":"Web"}}`, "changed the label of an API key"},
		{"updateProjectKey", "", `{"key":{"label":"Web","scope":"notices"}}`, "changed what an API key may do"},
		{"saveOwnership", "", `{"rules":"x"}`, "changed the ownership rules"},
		{"dropIdea", "", `not json`, "drop idea"},
	} {
		e := accounts.AuditEntry{Action: tt.action, Object: tt.object, Changes: json.RawMessage(tt.changes)}
		if strings.HasSuffix(tt.action, "Channel") || strings.HasSuffix(tt.action, "Integration") {
			e.Target = map[string]string{"integration_id": "1"}
		}
		if got := sentence(e, people); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.action, tt.changes, got, tt.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	e := accounts.AuditEntry{AccountID: "acme", Action: "changeFault", Target: map[string]string{
		"project_id": "7", "fault_id": "12", "status_page_id": "p", "comment_id": "3", "team_id": "2",
	}}
	want := []place{
		{"comment 3", "", false},
		{"error 12", "/projects/7/faults/12", true},
		{"project 7", "/projects/7", false},
		{"status page p", "/accounts/acme/status_pages/p", true},
		{"team 2", "/teams/2", false},
	}
	if diff := cmp.Diff(want, placesOf(e), cmp.AllowUnexported(place{})); diff != "" {
		t.Error(diff)
	}
	e.Action = "deleteFault"
	for _, p := range placesOf(e) {
		if p.Path != "" {
			t.Errorf("what was deleted leads to %s", p.Path)
		}
	}
}
