package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/setttest"
)

// actor is somebody who tries a route, and the scope that they have in the project.
type actor struct {
	name   string
	client *setttest.Client
	known  bool
	scope  sett.Scope
}

// everybody makes one user of every kind in the server's account, and two who have nothing to do with it.
func everybody(t *testing.T, s *setttest.Server) []actor {
	t.Helper()
	nobody := *s.Client
	nobody.Token = ""
	actors := []actor{
		{name: "nobody", client: &nobody},
		{name: "owner of another account", client: s.AddStranger(t, "stranger@example.test"), known: true},
		{name: "owner", client: s.Client, known: true, scope: sett.Scope{Role: sett.Owner}},
	}
	for _, role := range sett.Roles {
		for _, scope := range []sett.Scope{{Role: role}, {Role: role, OfTeam: true}, {Role: role, OfTeam: true, TeamAdmin: true}} {
			name := fmt.Sprintf("%s, of team %v, its admin %v", role, scope.OfTeam, scope.TeamAdmin)
			client, user := s.AddUser(t, fmt.Sprintf("user%d@example.test", len(actors)), role)
			if scope.OfTeam {
				if _, err := s.App.Store().CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, name, []int64{s.Setup.ProjectID}, map[int64]bool{user: scope.TeamAdmin}); err != nil {
					t.Fatal(err)
				}
			}
			actors = append(actors, actor{name, client, true, scope})
		}
	}
	return actors
}

// Every route of the management interface, tried by everybody: what the table of permissions forbids is refused, what it
// allows is not, and what somebody may not see does not exist.
func TestEveryRouteByEveryRole(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		actors := everybody(t, s)
		for _, route := range new(api.API).Routes() {
			for _, a := range actors {
				want := expected(route, a)
				path := concrete(s, route, want == http.StatusOK)
				got := a.client.Do(route.Method, path, body(route.Method))
				allowed := got.Status != http.StatusUnauthorized && got.Status != http.StatusForbidden
				switch {
				case want == http.StatusOK && !allowed, want != http.StatusOK && got.Status != want:
					t.Errorf("%s %s by %s: %d %s, want %d", route.Method, route.Path, a.name, got.Status, got.Body, want)
				}
			}
		}
	})
}

// expected is the status that the permission alone decides; 200 stands for "not refused".
func expected(route serve.Route, a actor) int {
	inProject, inAccount := strings.Contains(route.Path, "{project_id}"), strings.Contains(route.Path, "{account_id}")
	switch {
	case !a.known:
		return http.StatusUnauthorized
	case inProject && !a.scope.May(sett.ReadProject), inAccount && !a.scope.May(sett.SignedIn):
		return http.StatusNotFound
	case (inProject || inAccount) && !a.scope.May(route.Permission):
		return http.StatusForbidden
	case route.Permission == sett.CreateProject && a.scope.Role != "" && !a.scope.May(sett.CreateProject):
		return http.StatusForbidden // in the only account that they have
	default:
		return http.StatusOK
	}
}

// missing is the id of nothing.
const missing = "999999999"

// concrete fills in a path. Ids below the project are of nothing, and a project that may be deleted is another one, so
// that what one user may do takes nothing away from the next.
func concrete(s *setttest.Server, route serve.Route, allowed bool) string {
	project := fmt.Sprint(s.Setup.ProjectID)
	if allowed && route.Name == "deleteProject" {
		project = missing
	}
	return strings.NewReplacer("{project_id}", project, "{account_id}", s.Setup.AccountID, "{key}", s.Setup.APIKey,
		"{fault_id}", missing).Replace(route.Path)
}

func body(method string) any {
	if method == http.MethodGet || method == http.MethodDelete {
		return nil
	}
	return map[string]any{}
}
