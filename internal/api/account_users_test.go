package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// userPath is the path of the users of the server's account and what follows it.
func userPath(s *setttest.Server, rest ...any) string {
	return "/v2/accounts/" + s.Setup.AccountID + "/users" + fmt.Sprint(rest...)
}

func withRole(role any) map[string]any { return map[string]any{"user": map[string]any{"role": role}} }

func TestUsersOfAnAccount(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		member, id := s.AddUser(t, "mia@example.test", accounts.Member)
		var shown api.AccountUser
		want := api.AccountUser{ID: id, Role: accounts.Member, Name: "mia@example.test", Email: "mia@example.test"}
		if member.Get(userPath(s, "/", id)).Into(&shown); shown != want {
			t.Errorf("the member sees themselves as %+v, want %+v", shown, want)
		}
		for _, at := range []any{id, missing} {
			member.Put(userPath(s, "/", at), withRole("Owner")).Want(http.StatusForbidden)
		}
		member.Delete(userPath(s, "/", s.Setup.UserID)).Want(http.StatusForbidden)
		member.Delete(userPath(s, "/", missing)).Want(http.StatusNotFound)

		s.Put(userPath(s, "/", id), withRole("Admin")).Want(http.StatusNoContent)
		s.Put(userPath(s, "/", id), map[string]any{"user": map[string]any{"colour": "red"}}).Want(http.StatusNoContent)
		want.Role = accounts.Admin
		if s.Get(userPath(s, "/", id)).Into(&shown); shown != want {
			t.Errorf("the owner sees %+v, want %+v", shown, want)
		}
		for _, r := range []*setttest.Response{
			member.Put(userPath(s, "/", s.Setup.UserID), withRole("Member")), member.Delete(userPath(s, "/", s.Setup.UserID)),
		} {
			if text := r.Want(http.StatusForbidden).Errors(); text != "Only an owner of this account can change or remove an owner. Ask one of them." {
				t.Errorf("an admin and the owner: %s", text)
			}
		}
		member.Put(userPath(s, "/", id), withRole("Owner")).Want(http.StatusForbidden)

		if text := s.Delete(userPath(s, "/", s.Setup.UserID)).Want(422).Errors(); text != "This is the last owner of the account. Make another user an owner first." {
			t.Errorf("the last owner goes: %s", text)
		}
		s.Put(userPath(s, "/", s.Setup.UserID), withRole("Billing")).Want(422)
		s.Put(userPath(s, "/", id), withRole("Owner")).Want(http.StatusNoContent)
		s.Put(userPath(s, "/", s.Setup.UserID), withRole("Billing")).Want(http.StatusNoContent)
		s.Put(userPath(s, "/", id), withRole("Member")).Want(http.StatusForbidden)
	})
}

// Whatever their role, everybody may go; only the last owner has to stay.
func TestEverybodyMayLeave(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		members := map[int64]bool{}
		leavers := map[int64]*setttest.Client{}
		for n, role := range accounts.Roles {
			client, id := s.AddUser(t, fmt.Sprintf("u%d@example.test", n), role)
			leavers[id], members[id] = client, false
		}
		bystander, other := s.AddUser(t, "by@example.test", accounts.Member)
		members[other] = false
		team, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", nil, members)
		if err != nil {
			t.Fatal(err)
		}
		for id, client := range leavers {
			at := teamPath(team, "/team_members/", fmt.Sprint(id))
			bystander.Delete(at).Want(http.StatusForbidden)
			client.Delete(at).Want(http.StatusNoContent)
			s.Do("GET", at, nil).Want(http.StatusNotFound)
			bystander.Delete(userPath(s, "/", id)).Want(http.StatusForbidden)
			client.Delete(userPath(s, "/", id)).Want(http.StatusNoContent)
			s.Do("GET", userPath(s, "/", id), nil).Want(http.StatusNotFound)
		}
		s.Get(userPath(s, "/", other))
		s.Delete(userPath(s, "/", s.Setup.UserID)).Want(422)
	})
}

func TestAccountUserBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	_, id := s.AddUser(t, "mia@example.test", accounts.Billing)
	const wrap = `Please correct: user must be an object that contains the fields, as in {"user": {"role": "Admin"}}.`
	for body, want := range map[string]string{
		`{}`:                        wrap,
		`{"role":"Admin"}`:          wrap,
		`{"user":null}`:             wrap,
		`{"user":"Admin"}`:          "Please correct: user must be an object.",
		`{"user":{"role":null}}`:    "Please correct: role is not included in the list: Member, Billing, Admin, Owner.",
		`{"user":{"role":"admin"}}`: "Please correct: role is not included in the list: Member, Billing, Admin, Owner.",
		`{"user":{"role":[3]}}`:     "Please correct: role must be a string.",
		`[]`:                        "The request body is not a JSON object. Send a JSON object in the request body.",
	} {
		if text := s.Put(userPath(s, "/", id), body).Want(422).Errors(); text != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, text, want)
		}
		if text := s.Put(userPath(s, "/", missing), body).Want(http.StatusNotFound).Errors(); text != "User not found" {
			t.Errorf("%s without a user: %s", body, text)
		}
	}
	if role := s.Get(userPath(s, "/", id)).JSON()["role"]; role != "Billing" {
		t.Errorf("a refused body made a %v", role)
	}
}

func TestUsersOfAnAccountPageByPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		want := []string{fmt.Sprint(s.Setup.UserID)}
		for i := range 6 {
			_, id := s.AddUser(t, fmt.Sprintf("u%d@example.test", i), accounts.Member)
			want = append(want, fmt.Sprint(id))
		}
		s.AddStranger(t, "stranger@example.test")
		forward, back := walk(t, s, userPath(s, "?limit=3"), func() {})
		if diff := cmp.Diff([][]string{want, want}, [][]string{forward, back}); diff != "" {
			t.Errorf("pages forward and back (-want +got):\n%s", diff)
		}
		s.Do("GET", userPath(s, "?cursor=x"), nil).Want(422)
	})
}

// As soon as a user is removed, their token gives no access to that account; after their last account it
// gives nothing at all.
func TestTokensDieWithTheMembership(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		admin, id := s.AddUser(t, "ada@example.test", accounts.Admin)
		other := s.AddStranger(t, "stranger@example.test")
		var all struct{ Results []api.Account }
		other.Get("/v2/accounts").Into(&all)
		theirs := all.Results[0].ID
		other.Post("/v2/accounts/"+theirs+"/invitations", map[string]any{"invitation": map[string]any{"email": "ada@example.test", "role": "Admin"}}).
			Want(http.StatusCreated)
		var invitations struct{ Results []struct{ Token string } }
		other.Get("/v2/accounts/" + theirs + "/invitations").Into(&invitations)
		if _, err := s.App.Store().Accounts.AcceptInvitation(t.Context(), s.Clock.Now(), invitations.Results[0].Token, accounts.Accepting{UserID: id}); err != nil {
			t.Fatal(err)
		}
		notify(t, s, "A", "production")
		s.Put(faultsPath(s, "/1"), map[string]any{"fault": map[string]any{"assignee_id": id}}).Want(http.StatusNoContent)

		ours := []string{
			projectPath(s.Setup.ProjectID, ""), faultsPath(s, ""), userPath(s), "/v2/accounts/" + s.Setup.AccountID,
			"/v2/projects?account_id=" + s.Setup.AccountID, "/v2/teams?account_id=" + s.Setup.AccountID, "/v2/project_keys/" + s.Setup.APIKey,
		}
		for _, path := range ours {
			admin.Get(path)
		}
		s.Delete(userPath(s, "/", id)).Want(http.StatusNoContent)
		s.Do("GET", userPath(s, "/", id), nil).Want(http.StatusNotFound)
		if fault := s.Get(faultsPath(s, "/1")).JSON(); fault["assignee"] != nil {
			t.Errorf("a fault is left to %v", fault["assignee"])
		}
		for _, path := range ours {
			admin.Do("GET", path, nil).Want(http.StatusNotFound)
		}
		for _, path := range []string{"/v2/projects", "/v2/teams"} {
			if ids, _ := idsOf(&setttest.Server{Client: admin}, path); len(ids) > 0 {
				t.Errorf("%s still shows %v", path, ids)
			}
		}
		admin.Get("/v2/accounts/" + theirs)
		createProject(t, admin, "Theirs")

		other.Delete("/v2/accounts/" + theirs + "/users/" + fmt.Sprint(id)).Want(http.StatusNoContent)
		admin.Do("GET", "/v2/accounts", nil).Want(http.StatusUnauthorized)
		s.Get(userPath(s))
	})
}
