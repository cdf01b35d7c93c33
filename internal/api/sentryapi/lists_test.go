package sentryapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// list reads a list below /api/0 as JSON objects.
func list(t *testing.T, s *setttest.Server, token, path string) (objects []map[string]any, link string) {
	t.Helper()
	got := ask(t, s, token, http.MethodGet, "/api/0/"+path, "", nil)
	if got.status != http.StatusOK {
		t.Fatalf("%s: status %d %s", path, got.status, got.body)
	}
	if err := json.Unmarshal(got.body, &objects); err != nil {
		t.Fatalf("%s: %v %s", path, err, got.body)
	}
	return objects, got.header.Get("Link")
}

// report sends a notice of an error.
func report(s *setttest.Server, class, rest string) {
	s.Clock.Push(time.Second)
	s.Do("POST", "/v1/notices", fmt.Sprintf(`{"error":{"class":%q,"message":"it broke\nbadly"},"server":{"environment_name":"production","revision":"r1"}%s}`, class, rest), "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
}

// Each list has the fields without which sentry-cli reads none of it.
func TestLists(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		report(s, "Old", "")
		report(s, "New", `,"request":{"context":{"user_id":7,"user_email":"ann@example.test","tags":{"plan":"gold"}}}`)
		report(s, "Old", "")
		s.Post(fmt.Sprintf("/v2/projects/%d/check_ins", s.Setup.ProjectID), map[string]any{"check_in": map[string]any{"slug": "nightly", "report_period": "1 day"}}).Want(http.StatusCreated)
		organizations, _ := list(t, s, s.Token, "organizations/")
		if len(organizations) != 1 || organizations[0]["dateCreated"] == "0001-01-01T00:00:00Z" {
			t.Fatalf("organizations: %v", organizations)
		}
		delete(organizations[0], "dateCreated")
		if got, want := fmt.Sprint(organizations[0]), "map[features:[] id:"+s.Setup.AccountID+" isEarlyAdopter:false name:Acme require2FA:false requireEmailVerification:false slug:acme]"; got != want {
			t.Errorf("the organization is %s, want %s", got, want)
		}
		projects, _ := list(t, s, s.Token, "organizations/acme/projects/")
		if got, want := fmt.Sprint(projects), fmt.Sprintf("[map[id:%d name:Shop slug:shop team:<nil>]]", s.Setup.ProjectID); got != want {
			t.Errorf("projects: %s, want %s", got, want)
		}
		monitors, _ := list(t, s, s.Token, "organizations/acme/monitors/")
		if len(monitors) != 1 || monitors[0]["slug"] != "nightly" || monitors[0]["name"] != "nightly" || monitors[0]["status"] != "pending" || monitors[0]["id"] == "" {
			t.Errorf("monitors: %v", monitors)
		}
		issues, _ := list(t, s, s.Token, "projects/acme/shop/issues/?query=")
		if len(issues) != 2 || issues[0]["title"] != "Old: it broke" || issues[0]["status"] != "unresolved" || issues[0]["level"] != "error" || issues[0]["shortId"] != fmt.Sprint("SHOP-", issues[0]["id"]) || issues[0]["lastSeen"] == nil {
			t.Errorf("issues: %v", issues)
		}
		events, link := list(t, s, s.Token, "projects/acme/shop/events/?cursor=")
		var titles []any
		for _, e := range events {
			titles = append(titles, e["title"])
		}
		if fmt.Sprint(titles) != "[Old: it broke New: it broke Old: it broke]" || !strings.Contains(link, `results="false"`) {
			t.Fatalf("events: %v, link %s", titles, link)
		}
		if got := fmt.Sprint(events[1]["tags"], events[1]["user"]); got != "[map[key:environment value:production] map[key:plan value:gold] map[key:release value:r1]] map[email:ann@example.test id:7]" || len(events[1]["eventID"].(string)) != 32 {
			t.Errorf("the event is %v", events[1])
		}
	})
}

// A list of errors takes the searches for states by which Sentry's tools ask, and its pages follow one another.
func TestListIssues(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for i := range 101 {
		report(s, fmt.Sprint("E", i), "")
	}
	first, link := list(t, s, s.Token, "projects/acme/shop/issues/?query=is:unresolved")
	_, cursor, _ := strings.Cut(link, `results="true"; cursor="`)
	cursor, _, more := strings.Cut(cursor, `"`)
	if len(first) != 100 || first[0]["title"] != "E100: it broke" || !more {
		t.Fatalf("%d issues, link %s", len(first), link)
	}
	rest, link := list(t, s, s.Token, "projects/acme/shop/issues/?cursor="+cursor+"&query=is:unresolved")
	if len(rest) != 1 || rest[0]["title"] != "E0: it broke" || !strings.Contains(link, `results="false"`) {
		t.Errorf("the last page has %v, link %s", rest, link)
	}
	s.Put(fmt.Sprintf("/v2/projects/%d/faults/%s", s.Setup.ProjectID, rest[0]["id"]), map[string]any{"fault": map[string]any{"resolved": true}}).Want(http.StatusNoContent)
	if got, _ := list(t, s, s.Token, "projects/acme/shop/issues/?query=is:resolved"); len(got) != 1 || got[0]["status"] != "resolved" {
		t.Errorf("resolved are %v", got)
	}
	if got := ask(t, s, s.Token, http.MethodGet, "/api/0/projects/acme/shop/issues/?query=clas:error", "", nil); got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), "clas") {
		t.Errorf("an unknown key: %d %s", got.status, got.body)
	}
}

// The newest events are found among many errors, whichever of them they are of.
func TestListEventsOfManyErrors(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	var want []string
	for i := range 120 {
		class := fmt.Sprint("E", i%7*(i%3))
		report(s, class, "")
		want = append([]string{class + ": it broke"}, want...)
	}
	events, _ := list(t, s, s.Token, "projects/acme/shop/events/")
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprint(e["title"]))
	}
	if fmt.Sprint(got) != fmt.Sprint(want[:50]) {
		t.Errorf("the newest are %v, want %v", got, want[:50])
	}
}

// Errors and check-ins are for those who may read them in /v2: neither for the key of a project, nor for people of other accounts.
func TestListsAreForReaders(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	other := s.AddStranger(t, "eve@example.test")
	member, _ := s.AddUser(t, "mia@example.test", accounts.Member)
	for path, statuses := range map[string][]int{ // the key, a stranger, a member without a team
		"organizations/":               {200, 200, 200},
		"organizations/acme/projects/": {200, 404, 200},
		"organizations/acme/monitors/": {403, 404, 200},
		"projects/acme/shop/issues/":   {403, 404, 404},
		"projects/acme/shop/events/":   {403, 404, 404},
	} {
		for i, token := range []string{s.Setup.APIKey, other.Token, member.Token} {
			if got := ask(t, s, token, http.MethodGet, "/api/0/"+path, "", nil); got.status != statuses[i] || i > 0 && strings.Contains(string(got.body), "Shop") {
				t.Errorf("%s for %d: status %d %s, want %d", path, i, got.status, got.body, statuses[i])
			}
		}
	}
}
