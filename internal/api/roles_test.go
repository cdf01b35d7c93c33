package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// actor is a user who tries a route, with their scope in the project.
type actor struct {
	name   string
	client *setttest.Client
	known  bool
	scope  accounts.Scope
}

// everybody makes one user of every kind in the server's account, two who have nothing to do with it, and the team that
// their scopes are about; the project belongs to it.
func everybody(t *testing.T, s *setttest.Server) (actors []actor, team int64) {
	t.Helper()
	anonymous := *s.Client
	anonymous.Token = ""
	actors = []actor{
		{name: "anonymous", client: &anonymous},
		{name: "owner of another account", client: s.AddStranger(t, "stranger@example.test"), known: true},
		{name: "owner", client: s.Client, known: true, scope: accounts.Scope{Role: accounts.Owner}},
	}
	members := map[int64]bool{}
	for _, role := range accounts.Roles {
		for _, scope := range []accounts.Scope{{Role: role}, {Role: role, OfTeam: true}, {Role: role, OfTeam: true, TeamAdmin: true}} {
			name := fmt.Sprintf("%s, of team %v, its admin %v", role, scope.OfTeam, scope.TeamAdmin)
			client, user := s.AddUser(t, fmt.Sprintf("user%d@example.test", len(actors)), role)
			if scope.OfTeam {
				members[user] = scope.TeamAdmin
			}
			actors = append(actors, actor{name, client, true, scope})
		}
	}
	team, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Everybody", []int64{s.Setup.ProjectID}, members)
	if err != nil {
		t.Fatal(err)
	}
	return actors, team
}

// Every route of the management interface, tried by everybody: what the table of permissions forbids is refused, what it
// allows is not, and what a user may not see does not exist.
func TestEveryRouteByEveryRole(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		actors, team := everybody(t, s)
		for _, route := range new(api.API).Routes() {
			for _, a := range actors {
				want := expected(route, a)
				path := concrete(s, route, team, want == http.StatusOK)
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
	see := accounts.SignedIn
	switch {
	case strings.Contains(route.Path, "{project_id}"):
		see = accounts.ReadProject
	case strings.Contains(route.Path, "{team_id}"):
		see = accounts.ReadTeam
	case strings.Contains(route.Path, "{account_id}"):
		see = accounts.ReadAccount
	}
	switch {
	case !a.known:
		return http.StatusUnauthorized
	case see != accounts.SignedIn && !a.scope.May(see):
		return http.StatusNotFound
	case a.scope.Role != "" && !a.scope.May(route.Permission): // of a new project or team: in the only account they have
		return http.StatusForbidden
	default:
		return http.StatusOK
	}
}

// missing is the id of nothing.
const missing = "999999999"

// concrete fills in a path. Ids below the project, team and account are of nothing, and a project or team that may be
// deleted is another one, so that what one user may do takes nothing away from the next.
func concrete(s *setttest.Server, route serve.Route, teamID int64, allowed bool) string {
	project, team := fmt.Sprint(s.Setup.ProjectID), fmt.Sprint(teamID)
	if allowed && (route.Name == "deleteProject" || route.Name == "deleteTeam") {
		project, team = missing, missing
	}
	path := strings.NewReplacer("{project_id}", project, "{team_id}", team, "{account_id}", s.Setup.AccountID,
		"{key}", s.Setup.APIKey).Replace(route.Path)
	return anyParam.ReplaceAllString(path, missing)
}

var anyParam = regexp.MustCompile(`\{\w+\}`)

func body(method string) any {
	if method == http.MethodGet || method == http.MethodDelete {
		return nil
	}
	return map[string]any{}
}
