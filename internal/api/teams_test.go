package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// teamPath is the path of a team and what follows it.
func teamPath(id int64, rest ...any) string { return fmt.Sprint("/v2/teams/", id, fmt.Sprint(rest...)) }

// withTeam is the body that creates or updates a team.
func withTeam(fields map[string]any) map[string]any { return map[string]any{"team": fields} }

func createTeam(c *setttest.Client, name string) (team api.Team) {
	c.Post("/v2/teams", withTeam(map[string]any{"name": name})).Want(http.StatusCreated).Into(&team)
	return team
}

func getTeam(c *setttest.Client, id int64) (team api.Team) {
	c.Get(teamPath(id)).Into(&team)
	return team
}

func TestATeamFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made := createTeam(s.Client, " Checkout ")
		olga := sett.Person{ID: s.Setup.UserID, Email: "owner@example.test", Name: "Olga Owner"}
		want := api.Team{
			ID: made.ID, Name: "Checkout", CreatedAt: s.Clock.Now(), Owner: &olga, Projects: []api.Project{}, Invitations: []api.TeamInvitation{},
			Members: []api.TeamMember{{ID: olga.ID, CreatedAt: s.Clock.Now(), Admin: true, Name: olga.Name, Email: olga.Email}},
		}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("the new team (-want +got):\n%s", diff)
		}

		s.Put(projectPath(s.Setup.ProjectID, ""), withProject(map[string]any{"team_ids": []int64{made.ID}})).Want(http.StatusNoContent)
		var invitation api.TeamInvitation
		s.Post(teamPath(made.ID, "/team_invitations"), map[string]any{"team_invitation": map[string]any{"email": "new@example.test"}}).
			Want(http.StatusCreated).Into(&invitation)
		s.Put(teamPath(made.ID, "/"), withTeam(map[string]any{"name": "Payment"})).Want(http.StatusNoContent)
		s.Put(teamPath(made.ID), withTeam(map[string]any{})).Want(http.StatusNoContent)
		var project api.Project
		s.Get(projectPath(s.Setup.ProjectID, "")).Into(&project)
		want.Name, want.Projects, want.Invitations = "Payment", []api.Project{project}, []api.TeamInvitation{invitation}
		if diff := cmp.Diff(want, getTeam(s.Client, made.ID)); diff != "" {
			t.Errorf("the team later (-want +got):\n%s", diff)
		}
		var list serve.List[api.Team]
		s.Get("/v2/teams").Into(&list)
		if diff := cmp.Diff([]api.Team{want}, list.Results); diff != "" {
			t.Errorf("the team in the list (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]accounts.TeamName{{ID: made.ID, Name: "Payment"}}, project.Teams); diff != "" {
			t.Errorf("the teams of the project (-want +got):\n%s", diff)
		}

		s.Delete(teamPath(made.ID)).Want(http.StatusNoContent)
		s.Get(projectPath(s.Setup.ProjectID, "")).Into(&project)
		if len(project.Teams) > 0 {
			t.Errorf("the project is still of %v", project.Teams)
		}
		for _, r := range []*setttest.Response{
			s.Do("GET", teamPath(made.ID), nil), s.Delete(teamPath(made.ID)), s.Put(teamPath(made.ID), withTeam(map[string]any{"name": "New"})),
			s.Do("GET", teamPath(made.ID, "/team_members"), nil),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Team not found" {
				t.Errorf("the deleted team: %q", text)
			}
		}
	})
}

func TestTeamBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	team := createTeam(s.Client, "Crew")
	const wrap = `Please correct: team must be an object that contains the fields, as in {"team": {"name": "Checkout"}}.`
	for body, want := range map[string]string{
		`{}`:                      wrap,
		`{"name":"x"}`:            wrap,
		`{"team":null}`:           wrap,
		`{"team":"x"}`:            "Please correct: team must be an object.",
		`{"team":{"name":null}}`:  "Please correct: name can't be blank.",
		`{"team":{"name":" "}}`:   "Please correct: name can't be blank.",
		`{"team":{"name":[5]}}`:   "Please correct: name must be a string.",
		`{"team":{"name":"a\n"}}`: "", // spaces around a name are cut off
		`[]`:                      "The request body is not a JSON object. Send a JSON object in the request body.",
	} {
		for _, r := range []*setttest.Response{s.Post("/v2/teams", body), s.Put(teamPath(team.ID), body)} {
			if want == "" {
				if r.Status >= 400 {
					t.Errorf("%s: %d %s", body, r.Status, r.Body)
				}
			} else if text := r.Want(422).Errors(); text != want {
				t.Errorf("%s:\ngot  %s\nwant %s", body, text, want)
			}
		}
	}
	if text := s.Post("/v2/teams", `{"team":{}}`).Want(422).Errors(); text != "Please correct: name can't be blank." {
		t.Errorf("a team without a name: %s", text)
	}
	router := publishedRouter(t, s)
	for body, want := range map[string]bool{`{"team":{"name":"a"}}`: true, `{"team":{}}`: false, `{"team":{"name":null}}`: false, `{}`: false} {
		if got := allows(t, router, "POST", "/v2/teams", body); got != want {
			t.Errorf("POST %s: the document allows it: %v", body, got)
		}
	}
}

func TestTeamsOfOneAccountOrAll(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var mine []string
		for i := range 5 {
			mine = append(mine, fmt.Sprint(createTeam(s.Client, fmt.Sprint("T", i)).ID))
		}
		stranger := s.AddStranger(t, "stranger@example.test")
		theirs := createTeam(stranger, "Theirs")
		for _, query := range []string{"?limit=2", "?limit=2&account_id=", "?limit=2&account_id=" + s.Setup.AccountID} {
			forward, back := walk(t, s, "/v2/teams"+query, func() {})
			if diff := cmp.Diff([][]string{mine, mine}, [][]string{forward, back}); diff != "" {
				t.Errorf("%s forward and back (-want +got):\n%s", query, diff)
			}
		}
		for _, r := range []*setttest.Response{
			stranger.Do("GET", "/v2/teams?account_id="+s.Setup.AccountID, nil), s.Do("GET", "/v2/teams?account_id=nowhere", nil),
			stranger.Post("/v2/teams?account_id="+s.Setup.AccountID, withTeam(map[string]any{"name": "Mine"})),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Account not found" {
				t.Errorf("an account of another user: %q", text)
			}
		}
		for _, r := range []*setttest.Response{s.Do("GET", teamPath(theirs.ID), nil), s.Delete(teamPath(theirs.ID)), s.Put(teamPath(theirs.ID), "{}")} {
			r.Want(http.StatusNotFound)
		}

		for _, stray := range []any{theirs.ID, 999999999, 0} {
			body := withProject(map[string]any{"name": "New", "team_ids": []any{stray}})
			for _, r := range []*setttest.Response{s.Post("/v2/projects", body), s.Put(projectPath(s.Setup.ProjectID, ""), body)} {
				if text := r.Want(422).Errors(); text != "Please correct: team_ids must be ids of teams of this account." {
					t.Errorf("team %v: %s", stray, text)
				}
			}
		}
		if diff := cmp.Diff([]string{"Shop"}, names(s.Client, "/v2/projects")); diff != "" {
			t.Errorf("a refused body left its mark:\n%s", diff)
		}
	})
}

// The token of an invitation gives a permission to its holder, so it is shown only to users who have that permission, with a token that is not read-only.
func TestWhoGetsInvitationsWithATeam(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		mia, id := s.AddUser(t, "mia@example.test", accounts.Member)
		team, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", nil, map[int64]bool{id: false})
		if err != nil {
			t.Fatal(err)
		}
		s.Post(teamPath(team, "/team_invitations"), map[string]any{"team_invitation": map[string]any{"email": "new@example.test"}}).Want(http.StatusCreated)
		reader := readerOf(t, s)

		shown := func(c *setttest.Client) string { // what the list and the team itself say
			var list serve.List[api.Team]
			c.Get("/v2/teams").Into(&list)
			answer := ""
			for _, seen := range [][]api.TeamInvitation{list.Results[0].Invitations, getTeam(c, team).Invitations} {
				for _, i := range seen {
					answer += fmt.Sprintf("%s, token %v; ", i.Email, i.Token != "")
				}
			}
			return answer
		}
		for _, c := range []struct {
			name   string
			client *setttest.Client
			want   string
		}{
			{"the owner", s.Client, "new@example.test, token true; new@example.test, token true; "},
			{"the owner with a token that may only read", reader, "new@example.test, token false; new@example.test, token false; "},
			{"a member", mia, ""},
		} {
			if got := shown(c.client); got != c.want {
				t.Errorf("%s sees %q, want %q", c.name, got, c.want)
			}
		}
	})
}

func TestMembersOfATeam(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		mia, id := s.AddUser(t, "mia@example.test", accounts.Member)
		ben, other := s.AddUser(t, "ben@example.test", accounts.Member)
		team, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{id: false})
		if err != nil {
			t.Fatal(err)
		}
		members := func(rest ...any) string { return teamPath(team, "/team_members", fmt.Sprint(rest...)) }
		var shown api.TeamMember
		want := api.TeamMember{ID: id, CreatedAt: s.Clock.Now(), Name: "mia@example.test", Email: "mia@example.test"}
		if mia.Get(members("/", id)).Into(&shown); shown != want {
			t.Errorf("the member is %+v, want %+v", shown, want)
		}
		admin := func(value any) map[string]any {
			return map[string]any{"team_member": map[string]any{"admin": value}}
		}
		for _, r := range []*setttest.Response{
			mia.Put(members("/", id), admin(true)), mia.Delete(teamPath(team)),
			mia.Put(teamPath(team), withTeam(map[string]any{"name": "Mine"})),
		} {
			r.Want(http.StatusForbidden)
		}
		for _, c := range []struct {
			value any
			want  bool
		}{{true, true}, {false, false}, {"true", true}, {"false", false}, {"1", true}, {nil, false}, {true, true}} {
			s.Put(members("/", id), admin(c.value)).Want(http.StatusNoContent)
			if s.Get(members("/", id)).Into(&shown); shown.Admin != c.want {
				t.Errorf("admin %v made %v", c.value, shown.Admin)
			}
		}
		mia.Put(projectPath(s.Setup.ProjectID, ""), withProject(map[string]any{"purge_days": 7})).Want(http.StatusNoContent)
		mia.Put(members("/", id), map[string]any{"team_member": map[string]any{}}).Want(http.StatusNoContent)

		const wrap = `Please correct: team_member must be an object that contains the fields, as in {"team_member": {"admin": true}}.`
		for body, want := range map[string]string{
			`{}`:                              wrap,
			`{"admin":true}`:                  wrap,
			`{"team_member":null}`:            wrap,
			`{"team_member":true}`:            "Please correct: team_member must be an object.",
			`{"team_member":{"admin":"yes"}}`: "Please correct: admin must be true or false.",
			`{"team_member":{"admin":1}}`:     "Please correct: admin must be true or false.",
		} {
			if text := mia.Put(members("/", id), body).Want(422).Errors(); text != want {
				t.Errorf("%s:\ngot  %s\nwant %s", body, text, want)
			}
			for _, stray := range []any{missing, other} {
				if text := mia.Put(members("/", stray), body).Want(http.StatusNotFound).Errors(); text != "Team member not found" {
					t.Errorf("%s to user %v: %s", body, stray, text)
				}
			}
		}
		ben.Do("GET", members(), nil).Want(http.StatusNotFound)

		mia.Delete(members("/", id)).Want(http.StatusNoContent)
		mia.Do("GET", projectPath(s.Setup.ProjectID, ""), nil).Want(http.StatusNotFound)
		s.Delete(members("/", id)).Want(http.StatusNotFound)
		s.Get(userPath(s, "/", id))
	})
}

func TestMembersOfATeamPageByPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		everybody := map[int64]bool{}
		for i := range 6 {
			_, id := s.AddUser(t, fmt.Sprintf("u%d@example.test", i), accounts.Member)
			everybody[id] = false
		}
		team, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", nil, everybody)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, m := range getTeam(s.Client, team).Members {
			want = append(want, fmt.Sprint(m.ID))
		}
		if len(want) != len(everybody) {
			t.Errorf("the team shows the members %v, want %v", want, everybody)
		}
		forward, back := walk(t, s, teamPath(team, "/team_members?limit=2"), func() {})
		if diff := cmp.Diff([][]string{want, want}, [][]string{forward, back}); diff != "" {
			t.Errorf("pages forward and back (-want +got):\n%s", diff)
		}
		s.Do("GET", teamPath(team, "/team_members?cursor=after.x"), nil).Want(422)
	})
}
