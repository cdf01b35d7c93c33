package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
)

// invitationsPath is the path of the invitations to an account and what follows it.
func invitationsPath(account string, rest ...any) string {
	return "/v2/accounts/" + account + "/invitations" + fmt.Sprint(rest...)
}

// teamInvitationsPath is the path of the invitations to a team and what follows it.
func teamInvitationsPath(team int64, rest ...any) string {
	return teamPath(team, "/team_invitations", fmt.Sprint(rest...))
}

// withInvitation is the body that makes or changes an invitation to an account.
func withInvitation(fields map[string]any) map[string]any {
	return map[string]any{"invitation": fields}
}

// withTeamInvitation is the body that makes or changes an invitation to a team.
func withTeamInvitation(fields map[string]any) map[string]any {
	return map[string]any{"team_invitation": fields}
}

// acceptInvitation accepts an invitation as a new user.
func acceptInvitation(t *testing.T, s *setttest.Server, token, name string) (userID int64) {
	t.Helper()
	userID, err := s.App.Store().Accounts.AcceptInvitation(t.Context(), s.Clock.Now(), token, accounts.Accepting{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return userID
}

// wantClosed fails the test unless the link of an invitation leads nowhere.
func wantClosed(t *testing.T, s *setttest.Server, token string) {
	t.Helper()
	_, err := s.App.Store().Accounts.AcceptInvitation(t.Context(), s.Clock.Now(), token, accounts.Accepting{Name: "Late"})
	if sett.CodeOf(err) != sett.NotFound {
		t.Errorf("a link that must lead nowhere: %v", err)
	}
}

func TestAnAccountInvitationFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		crew, desk := createTeam(s.Client, "Crew").ID, createTeam(s.Client, "Desk").ID
		path := func(rest ...any) string { return invitationsPath(s.Setup.AccountID, rest...) }
		var made, got api.AccountInvitation
		body := withInvitation(map[string]any{"email": "Nia@Example.Test", "team_ids": []int64{desk, crew, desk}, "colour": "red"})
		s.Post(path("/"), body).Want(http.StatusCreated).Into(&made)
		want := api.AccountInvitation{
			ID: made.ID, Token: made.Token, Email: "nia@example.test", CreatedBy: &api.Contact{Email: "owner@example.test", Name: "Olga Owner"},
			Role: accounts.Member, CreatedAt: s.Clock.Now(), TeamIDs: []int64{crew, desk},
		}
		if diff := cmp.Diff(want, made); diff != "" || !strings.HasPrefix(made.Token, "sett_i_") {
			t.Errorf("the new invitation has the token %q (-want +got):\n%s", made.Token, diff)
		}

		one := path("/", made.ID)
		s.Put(one, withInvitation(map[string]any{"role": "Billing"})).Want(http.StatusNoContent)
		s.Put(one, withInvitation(map[string]any{"team_ids": nil, "email": "other@example.test"})).Want(http.StatusNoContent)
		s.Put(one, withInvitation(map[string]any{})).Want(http.StatusNoContent)
		want.Role, want.TeamIDs = accounts.Billing, []int64{}
		if s.Get(one).Into(&got); cmp.Diff(want, got) != "" {
			t.Errorf("the changed invitation (-want +got):\n%s", cmp.Diff(want, got))
		}
		s.Put(one, withInvitation(map[string]any{"role": nil, "team_ids": []int64{crew}})).Want(http.StatusNoContent)

		s.Clock.Push(time.Hour)
		user, accepted := acceptInvitation(t, s, made.Token, "Nia"), s.Clock.Now()
		want.Role, want.Email, want.TeamIDs, want.AcceptedAt = accounts.Member, "", []int64{crew}, &accepted
		want.AcceptedBy = &api.Contact{Email: "nia@example.test", Name: "Nia"}
		var list serve.List[api.AccountInvitation]
		s.Get(path()).Into(&list)
		if diff := cmp.Diff([]api.AccountInvitation{want}, list.Results); diff != "" {
			t.Errorf("the accepted invitation in the list (-want +got):\n%s", diff)
		}
		if text := s.Put(one, withInvitation(map[string]any{"role": "Admin"})).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, "has been accepted") {
			t.Errorf("a change of the accepted invitation: %s", text)
		}
		var member api.AccountUser
		s.Get(fmt.Sprint("/v2/accounts/", s.Setup.AccountID, "/users/", user)).Into(&member)
		if want := (api.AccountUser{ID: user, Role: accounts.Member, Name: "Nia", Email: "nia@example.test"}); member != want {
			t.Errorf("the new user is %+v", member)
		}
		if members := getTeam(s.Client, crew).Members; len(members) != 2 || members[1].ID != user || members[1].Admin {
			t.Errorf("the members of the team are %+v", members)
		}

		s.Delete(one).Want(http.StatusNoContent)
		s.Get(fmt.Sprint("/v2/accounts/", s.Setup.AccountID, "/users/", user))
		for _, r := range []*setttest.Response{s.Do("GET", one, nil), s.Put(one, "{"), s.Delete(one)} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Invitation not found" {
				t.Errorf("the deleted invitation: %q", text)
			}
		}
	})
}

func TestATeamInvitationFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		team := createTeam(s.Client, "Crew").ID
		member, id := s.AddUser(t, "lead@example.test", accounts.Member) // who runs the team, and nothing else
		lead, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Lead", nil, map[int64]bool{id: true})
		if err != nil {
			t.Fatal(err)
		}
		member.Post(teamInvitationsPath(team), withTeamInvitation(map[string]any{"email": "x@example.test"})).Want(http.StatusNotFound)

		var made, got api.TeamInvitation
		body := withTeamInvitation(map[string]any{"email": "nia@example.test", "admin": "true", "message": " Come!\r\nPlease. "})
		member.Post(teamInvitationsPath(lead), body).Want(http.StatusCreated).Into(&made)
		message := "Come!\nPlease."
		want := api.TeamInvitation{
			ID: made.ID, Token: made.Token, Email: "nia@example.test", CreatedBy: &api.Contact{Email: "lead@example.test", Name: "lead@example.test"},
			Admin: true, CreatedAt: s.Clock.Now(), Message: &message,
		}
		if diff := cmp.Diff(want, made); diff != "" || !strings.HasPrefix(made.Token, "sett_i_") {
			t.Errorf("the new invitation has the token %q (-want +got):\n%s", made.Token, diff)
		}

		one := teamInvitationsPath(lead, "/", made.ID)
		member.Put(one, withTeamInvitation(map[string]any{"message": nil})).Want(http.StatusNoContent)
		member.Put(one, withTeamInvitation(map[string]any{"admin": "0"})).Want(http.StatusNoContent)
		want.Message, want.Admin = nil, false
		if member.Get(one).Into(&got); cmp.Diff(want, got) != "" {
			t.Errorf("the changed invitation (-want +got):\n%s", cmp.Diff(want, got))
		}
		member.Put(one, withTeamInvitation(map[string]any{"admin": true})).Want(http.StatusNoContent)

		user, accepted := acceptInvitation(t, s, made.Token, "Nia"), s.Clock.Now()
		want.Admin, want.Email, want.AcceptedAt, want.AcceptedBy = true, "", &accepted, &api.Contact{Email: "nia@example.test", Name: "Nia"}
		var list serve.List[api.TeamInvitation]
		member.Get(teamInvitationsPath(lead)).Into(&list)
		if diff := cmp.Diff([]api.TeamInvitation{want}, list.Results); diff != "" {
			t.Errorf("the accepted invitation in the list (-want +got):\n%s", diff)
		}
		member.Put(one, withTeamInvitation(map[string]any{"admin": false})).Want(http.StatusUnprocessableEntity)
		if members := getTeam(s.Client, lead).Members; len(members) != 2 || members[1].ID != user || !members[1].Admin {
			t.Errorf("the members of the team are %+v", members)
		}
		var new api.AccountUser
		if s.Get(fmt.Sprint("/v2/accounts/", s.Setup.AccountID, "/users/", user)).Into(&new); new.Role != accounts.Member {
			t.Errorf("the new user is %+v", new)
		}

		member.Delete(one).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{member.Do("GET", one, nil), member.Put(one, "{"), member.Delete(one)} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Invitation not found" {
				t.Errorf("the deleted invitation: %q", text)
			}
		}
	})
}

// An invitation says how many projects it shows, so that an invitation to an empty account is noticed.
func TestInvitationsSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		crew, empty := createTeam(s.Client, "Crew").ID, createTeam(s.Client, "Empty").ID
		project := fmt.Sprint("/v2/projects/", s.Setup.ProjectID)
		s.Put(project, map[string]any{"project": map[string]any{"team_ids": []int64{crew}}}).Want(http.StatusNoContent)
		for i, c := range []struct {
			role  accounts.Role
			teams []int64
			want  int64
		}{{accounts.Member, nil, 0}, {accounts.Billing, []int64{empty}, 0}, {accounts.Member, []int64{crew, empty}, 1}, {accounts.Admin, nil, 1}, {accounts.Owner, []int64{empty}, 1}} {
			var made api.AccountInvitation
			body := map[string]any{"email": fmt.Sprint("a", i, "@example.test"), "role": c.role, "team_ids": c.teams}
			s.Post(invitationsPath(s.Setup.AccountID), withInvitation(body)).Want(http.StatusCreated).Into(&made)
			if made.Projects != c.want {
				t.Errorf("as %s of %v they see %d projects, want %d", c.role, c.teams, made.Projects, c.want)
			}
		}
		for team, want := range map[int64]int64{crew: 1, empty: 0} {
			var made api.TeamInvitation
			s.Post(teamInvitationsPath(team), withTeamInvitation(map[string]any{"email": fmt.Sprint("t", team, "@example.test")})).Want(http.StatusCreated).Into(&made)
			if made.Projects != want {
				t.Errorf("in team %d they see %d projects, want %d", team, made.Projects, want)
			}
		}
	})
}

// Each body is refused when it makes an invitation and, where the fields are those of a change, when it changes one.
func TestInvitationBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		team := createTeam(s.Client, "Crew").ID
		theirs := createTeam(s.AddStranger(t, "stranger@example.test"), "Theirs").ID
		s.AddUser(t, "mia@example.test", accounts.Member)
		var account api.AccountInvitation
		s.Post(invitationsPath(s.Setup.AccountID), withInvitation(map[string]any{"email": "open@example.test"})).Want(http.StatusCreated).Into(&account)
		var toTeam api.TeamInvitation
		s.Post(teamInvitationsPath(team), withTeamInvitation(map[string]any{"email": "open@example.test"})).Want(http.StatusCreated).Into(&toTeam)
		accounts, teams := invitationsPath(s.Setup.AccountID), teamInvitationsPath(team)
		const (
			noRole    = "role is not included in the list: Member, Billing, Admin, Owner"
			noTeam    = "team_ids must be ids of teams of this account"
			isInvited = "email is already invited: delete that invitation first, or wait until it expires"
			isUser    = "email already belongs to a user of this account: change that user instead"
		)
		for _, c := range []struct{ method, path, body, want string }{
			{"POST", accounts, `{"email":"a@b.test"}`, `invitation must be an object that contains the fields, as in {"invitation": {"email": "you@example.org"}}`},
			{"POST", accounts, `{"invitation":[]}`, "invitation must be an object"},
			{"POST", accounts, `{"invitation":{"role":"King","team_ids":[0]}}`, "email can't be blank; " + noRole + "; " + noTeam},
			{"POST", accounts, `{"invitation":{"email":"MIA@example.test","role":[7]}}`, "role must be a string; " + isUser},
			{"POST", accounts, `{"invitation":{"email":"owner@example.test"}}`, isUser},
			{"POST", accounts, `{"invitation":{"email":"Open@example.test"}}`, isInvited},
			{"POST", accounts, fmt.Sprintf(`{"invitation":{"email":"a@b.test","team_ids":[%d,%d]}}`, team, theirs), noTeam},
			{"PUT", fmt.Sprint(accounts, "/", account.ID), `{}`, `invitation must be an object that contains the fields, as in {"invitation": {"role": "Admin"}}`},
			{"PUT", fmt.Sprint(accounts, "/", account.ID), `{"invitation":{"role":"Guest","team_ids":"all"}}`, noRole + "; team_ids must be an array of integers"},
			{"PUT", fmt.Sprint(accounts, "/", account.ID), fmt.Sprintf(`{"invitation":{"team_ids":[%d]}}`, theirs), noTeam},
			{"POST", teams, `{"team_invitation":null}`, `team_invitation must be an object that contains the fields, as in {"team_invitation": {"email": "you@example.org"}}`},
			{"POST", teams, `{"team_invitation":{"email":"you","admin":2,"message":[]}}`, "email must be an email address such as you@example.org; admin must be true or false; message must be a string"},
			{"POST", teams, `{"team_invitation":{"email":"open@example.test"}}`, isInvited},
			{"POST", teams, `{"team_invitation":{"email":"owner@example.test"}}`, "email already belongs to a member of this team"},
			{"PUT", fmt.Sprint(teams, "/", toTeam.ID), `{"team_invitation":7}`, "team_invitation must be an object"},
			{"PUT", fmt.Sprint(teams, "/", toTeam.ID), `{"admin":true}`, `team_invitation must be an object that contains the fields, as in {"team_invitation": {"admin": true}}`},
			{"PUT", fmt.Sprint(teams, "/", toTeam.ID), `{"team_invitation":{"admin":"x","message":"\u0001"}}`, "admin must be true or false; message must not contain control characters other than line breaks and tabs"},
		} {
			if text := s.Do(c.method, c.path, c.body).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+c.want+"." {
				t.Errorf("%s %s:\ngot  %s\nwant %s", c.method, c.body, text, c.want)
			}
		}
		s.Post(teams, withTeamInvitation(map[string]any{"email": "mia@example.test"})).Want(http.StatusCreated) // of the account, not of the team
		var list serve.List[api.AccountInvitation]
		if s.Get(accounts).Into(&list); cmp.Diff([]api.AccountInvitation{account}, list.Results) != "" {
			t.Errorf("a refused body left its mark: %+v", list.Results)
		}
	})
}

func TestOnlyAnOwnerInvitesAnOwner(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		admin, _ := s.AddUser(t, "admin@example.test", accounts.Admin)
		path := func(rest ...any) string { return invitationsPath(s.Setup.AccountID, rest...) }
		var owner, member, got api.AccountInvitation
		s.Post(path(), withInvitation(map[string]any{"email": "a@b.test", "role": "Owner"})).Want(http.StatusCreated).Into(&owner)
		admin.Post(path(), withInvitation(map[string]any{"email": "c@d.test", "role": "Admin"})).Want(http.StatusCreated).Into(&member)
		for _, r := range []*setttest.Response{
			admin.Post(path(), withInvitation(map[string]any{"email": "e@f.test", "role": "Owner"})),
			admin.Put(path("/", member.ID), withInvitation(map[string]any{"role": "Owner"})),
			admin.Put(path("/", owner.ID), withInvitation(map[string]any{"role": "Member"})),
		} {
			if text := r.Want(http.StatusForbidden).Errors(); text != "Only an owner of this account can invite an owner. Ask one of them, or choose another role." {
				t.Errorf("refused with %s", text)
			}
		}
		if admin.Get(path("/", owner.ID)).Into(&got); got.Token != "" || got.Role != accounts.Owner {
			t.Errorf("an admin sees %+v: with the token they would become an owner", got)
		}
		if s.Get(path("/", owner.ID)).Into(&got); got.Token != owner.Token || got.Token == "" {
			t.Errorf("an owner sees %+v", got)
		}
		admin.Delete(path("/", owner.ID)).Want(http.StatusNoContent)
		wantClosed(t, s, owner.Token)
	})
}

// readerOf returns a client with a token of the server's owner that may only read.
func readerOf(t *testing.T, s *setttest.Server) *setttest.Client {
	t.Helper()
	secret, reader := sett.NewUserToken(), *s.Client
	made := signin.Session{UserID: s.Setup.UserID, How: signin.ByProxy}
	if err := s.App.Store().Accounts.CreateSession(t.Context(), s.Clock.Now(), made, "", auth.HashToken("session"), nil); err != nil {
		t.Fatal(err)
	}
	session, _, err := s.App.Store().Accounts.SessionByHash(t.Context(), s.Clock.Now(), auth.HashToken("session"))
	if err != nil {
		t.Fatal(err)
	}
	token := signin.PersonalToken{Name: "reader", ReadOnly: true, CreatedAt: s.Clock.Now()}
	if err := s.App.Store().Accounts.CreatePersonalToken(t.Context(), session, token, auth.HashToken(secret)); err != nil {
		t.Fatal(err)
	}
	reader.Token = secret
	return &reader
}

// A token that may only read must not lead to a role that may do more.
func TestReadingShowsNoTokenOfAnInvitation(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	team := createTeam(s.Client, "Crew").ID
	s.Post(invitationsPath(s.Setup.AccountID), withInvitation(map[string]any{"email": "a@b.test"})).Want(http.StatusCreated)
	s.Post(teamInvitationsPath(team), withTeamInvitation(map[string]any{"email": "a@b.test"})).Want(http.StatusCreated)
	reader := readerOf(t, s)
	for _, path := range []string{invitationsPath(s.Setup.AccountID), teamInvitationsPath(team), teamPath(team)} {
		if text := string(reader.Get(path).Body); strings.Contains(text, "sett_i_") || !strings.Contains(text, "a@b.test") && path != teamPath(team) {
			t.Errorf("%s shows %s", path, text)
		}
		if text := string(s.Get(path).Body); !strings.Contains(text, "sett_i_") {
			t.Errorf("%s shows its owner %s", path, text)
		}
	}
}

func TestInvitationsEndAfterFourteenDays(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := invitationsPath(s.Setup.AccountID)
		body := withInvitation(map[string]any{"email": "a@b.test"})
		var first, second api.AccountInvitation
		s.Post(path, body).Want(http.StatusCreated).Into(&first)
		s.Clock.Push(14*24*time.Hour - time.Second)
		s.Post(path, body).Want(http.StatusUnprocessableEntity)
		s.Clock.Push(time.Second)
		wantClosed(t, s, first.Token)
		one := fmt.Sprint(path, "/", first.ID)
		if text := s.Put(one, withInvitation(map[string]any{"role": "Admin"})).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, "has expired") {
			t.Errorf("a change of the expired invitation: %s", text)
		}
		s.Post(path, body).Want(http.StatusCreated).Into(&second)
		var list serve.List[api.AccountInvitation]
		if s.Get(path).Into(&list); cmp.Diff([]api.AccountInvitation{first, second}, list.Results) != "" {
			t.Errorf("the list: %+v", list.Results)
		}
		s.Delete(one).Want(http.StatusNoContent)
		acceptInvitation(t, s, second.Token, "Ann")
		wantClosed(t, s, second.Token)
	})
}

func TestDeletingAnInvitationWithdrawsIt(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		team := createTeam(s.Client, "Crew").ID
		for path, body := range map[string]any{
			invitationsPath(s.Setup.AccountID): withInvitation(map[string]any{"email": "a@b.test"}),
			teamInvitationsPath(team):          withTeamInvitation(map[string]any{"email": "a@b.test"}),
		} {
			var made struct {
				ID    int64
				Token string
			}
			s.Post(path, body).Want(http.StatusCreated).Into(&made)
			s.Delete(fmt.Sprint(path, "/", made.ID)).Want(http.StatusNoContent)
			wantClosed(t, s, made.Token)
			s.Post(path, body).Want(http.StatusCreated)
		}
	})
}

// An invitation cannot be read or changed through another account, another team or the other kind's path.
func TestInvitationsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stranger := s.AddStranger(t, "stranger@example.test")
		theirs := createTeam(stranger, "Theirs").ID
		var accounts serve.List[api.Account]
		stranger.Get("/v2/accounts").Into(&accounts)
		team, sibling := createTeam(s.Client, "Crew").ID, createTeam(s.Client, "Desk").ID
		var ofAccount api.AccountInvitation
		s.Post(invitationsPath(s.Setup.AccountID), withInvitation(map[string]any{"email": "a@b.test"})).Want(http.StatusCreated).Into(&ofAccount)
		var ofTeam api.TeamInvitation
		s.Post(teamInvitationsPath(team), withTeamInvitation(map[string]any{"email": "a@b.test"})).Want(http.StatusCreated).Into(&ofTeam)
		for _, c := range []struct {
			client *setttest.Client
			path   string
		}{
			{stranger, invitationsPath(accounts.Results[0].ID, "/", ofAccount.ID)},
			{stranger, invitationsPath(s.Setup.AccountID, "/", ofAccount.ID)},
			{stranger, teamInvitationsPath(theirs, "/", ofTeam.ID)},
			{stranger, teamInvitationsPath(team, "/", ofTeam.ID)},
			{s.Client, invitationsPath(s.Setup.AccountID, "/", ofTeam.ID)},
			{s.Client, invitationsPath(s.Setup.AccountID, "/0", ofAccount.ID)},
			{s.Client, teamInvitationsPath(team, "/", ofAccount.ID)},
			{s.Client, teamInvitationsPath(sibling, "/", ofTeam.ID)},
		} {
			c.client.Do("GET", c.path, nil).Want(http.StatusNotFound)
			c.client.Put(c.path, map[string]any{"invitation": map[string]any{}, "team_invitation": map[string]any{}}).Want(http.StatusNotFound)
			c.client.Delete(c.path).Want(http.StatusNotFound)
		}
		s.Get(invitationsPath(s.Setup.AccountID, "/", ofAccount.ID))
		s.Get(teamInvitationsPath(team, "/", ofTeam.ID))
	})
}

// The document allows what the server takes of an invitation, and nothing that it refuses; only booleans sent as text are
// taken beyond it.
func TestInvitationsAreDocumentedAsTheyAreServed(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	router, team := publishedRouter(t, s), createTeam(s.Client, "Crew").ID
	accounts, teams := invitationsPath(s.Setup.AccountID), teamInvitationsPath(team)
	s.Post(accounts, `{"invitation":{"email":"open@b.test"}}`).Want(http.StatusCreated)
	s.Post(teams, `{"team_invitation":{"email":"open@b.test"}}`).Want(http.StatusCreated)
	for _, c := range []struct {
		method, path   string
		taken, refused []string
	}{
		{
			"POST", accounts,
			[]string{`{"invitation":{"email":"a@b.test"}}`, `{"invitation":{"email":"c@b.test","role":null,"team_ids":null}}`, fmt.Sprintf(`{"invitation":{"email":"d@b.test","role":"Owner","team_ids":[%d]}}`, team)},
			[]string{``, `{}`, `{"invitation":null}`, `{"invitation":{}}`, `{"invitation":{"email":null}}`, `{"invitation":{"email":""}}`, `{"invitation":{"email":"e@b.test","role":"King"}}`, `{"invitation":{"email":"e@b.test","team_ids":["one"]}}`},
		},
		{
			"PUT", accounts + "/1",
			[]string{`{"invitation":{}}`, `{"invitation":{"role":null,"team_ids":[]}}`},
			[]string{`{}`, `{"invitation":{"role":7}}`, `{"invitation":{"team_ids":1}}`},
		},
		{
			"POST", teams,
			[]string{`{"team_invitation":{"email":"a@b.test"}}`, `{"team_invitation":{"email":"c@b.test","admin":null,"message":null}}`, `{"team_invitation":{"email":"d@b.test","admin":true,"message":""}}`},
			[]string{``, `{}`, `{"team_invitation":{"admin":true}}`, `{"team_invitation":{"email":"e@b.test","message":"` + strings.Repeat("ö", 2001) + `"}}`, `{"team_invitation":{"email":"e@b.test","admin":"yes"}}`},
		},
		{
			"PUT", teams + "/2",
			[]string{`{"team_invitation":{}}`, `{"team_invitation":{"admin":false,"message":"` + strings.Repeat("ö", 2000) + `"}}`},
			[]string{`{}`, `{"team_invitation":{"admin":7}}`, `{"team_invitation":{"message":[7]}}`},
		},
	} {
		for want, bodies := range map[bool][]string{true: c.taken, false: c.refused} {
			for _, body := range bodies {
				answer := s.Do(c.method, c.path, body)
				if got := allows(t, router, c.method, c.path, body); got != want || (answer.Status < 400) != want {
					t.Errorf("%s %s %s: the document allows it: %v, the server answers %d %s", c.method, c.path, body, got, answer.Status, answer.Body)
				}
			}
		}
	}
}
