package clients

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	honeybadgerapi "github.com/honeybadger-io/api-go"
)

// join accepts an invitation as a new user does in a browser.
func (a apiGo) join(invitation, name string) {
	a.t.Helper()
	form := url.Values{"name": {name}, "new_password": {"a walk in the wet park"}}
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.Base+"/invitations/"+invitation, strings.NewReader(form.Encode()))
	a.did(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
	a.did(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		a.t.Fatalf("the page of the invitation answered with status %d, want a redirect", answer.StatusCode)
	}
}

func TestAPIGoAccounts(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx := t.Context()
	listed := read[[]honeybadgerapi.Account](t)(a.Accounts.List(ctx))
	if len(listed) != 1 || listed[0].ID != a.AccountID {
		t.Fatalf("the accounts are %+v", listed)
	}
	one := read[*honeybadgerapi.Account](t)(a.Accounts.Get(ctx, a.AccountID))
	if one.Name != listed[0].Name || one.Active == nil || !*one.Active || one.QuotaConsumed == nil || one.APIStats["stored"] == nil {
		t.Errorf("the account is %+v, want an active one with quota and counts", one)
	}

	params := honeybadgerapi.AccountInvitationParams{Email: "nora@example.test", Role: "Billing"}
	made := read[*honeybadgerapi.AccountInvitation](t)(a.Accounts.CreateInvitation(ctx, a.AccountID, params))
	if made.Email != "nora@example.test" || made.Role != "Billing" || made.Token == "" {
		t.Fatalf("the invitation is %+v", made)
	}
	params.Role = "Member" // the client repeats the address, which cannot be changed
	a.did(a.Accounts.UpdateInvitation(ctx, a.AccountID, made.ID, params))
	made.Role = "Member"
	same(t, "invitation", made, read[*honeybadgerapi.AccountInvitation](t)(a.Accounts.GetInvitation(ctx, a.AccountID, made.ID)))
	same(t, "invitations", []honeybadgerapi.AccountInvitation{*made}, read[[]honeybadgerapi.AccountInvitation](t)(a.Accounts.ListInvitations(ctx, a.AccountID)))

	a.join(made.Token, "Nora New")
	accepted := read[*honeybadgerapi.AccountInvitation](t)(a.Accounts.GetInvitation(ctx, a.AccountID, made.ID))
	if accepted.AcceptedAt == nil || accepted.Email != "" {
		t.Errorf("the accepted invitation is %+v", accepted)
	}
	users := read[[]honeybadgerapi.AccountUser](t)(a.Accounts.ListUsers(ctx, a.AccountID))
	at := slices.IndexFunc(users, func(u honeybadgerapi.AccountUser) bool { return u.Name == "Nora New" })
	if at < 0 || len(users) != 2 || users[at].Role != "Member" {
		t.Fatalf("the users are %+v, want the owner, and Nora as member", users)
	}
	a.did(a.Accounts.UpdateUser(ctx, a.AccountID, users[at].ID, "Admin"))
	same(t, "role", "Admin", read[*honeybadgerapi.AccountUser](t)(a.Accounts.GetUser(ctx, a.AccountID, users[at].ID)).Role)
	a.did(a.Accounts.RemoveUser(ctx, a.AccountID, users[at].ID))
	_, err := a.Accounts.GetUser(ctx, a.AccountID, users[at].ID)
	a.gone(err)
	a.did(a.Accounts.DeleteInvitation(ctx, a.AccountID, made.ID))
	_, err = a.Accounts.GetInvitation(ctx, a.AccountID, made.ID)
	a.gone(err)
}

func TestAPIGoTeams(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx := t.Context()
	team := read[*honeybadgerapi.Team](t)(a.Teams.Create(ctx, a.AccountID, "Kitchen"))
	a.did(a.Teams.Update(ctx, team.ID, "Bakery"))
	team.Name = "Bakery"
	same(t, "team", team, read[*honeybadgerapi.Team](t)(a.Teams.Get(ctx, team.ID)))
	for _, account := range []string{a.AccountID, ""} {
		teams := read[[]honeybadgerapi.Team](t)(a.Teams.List(ctx, account))
		if len(teams) != 2 || teams[0].Name != "First team" { // that of the setup
			t.Fatalf("the teams are %+v", teams)
		}
		same(t, "team", *team, teams[1])
	}

	params := honeybadgerapi.TeamInvitationParams{Email: "gus@example.test", Message: new("Bring a spade")}
	made := read[*honeybadgerapi.TeamInvitation](t)(a.Teams.CreateInvitation(ctx, team.ID, params))
	params.Admin = new(true)
	a.did(a.Teams.UpdateInvitation(ctx, team.ID, made.ID, params))
	made.Admin = true
	same(t, "invitation", made, read[*honeybadgerapi.TeamInvitation](t)(a.Teams.GetInvitation(ctx, team.ID, made.ID)))
	same(t, "invitations", []honeybadgerapi.TeamInvitation{*made}, read[[]honeybadgerapi.TeamInvitation](t)(a.Teams.ListInvitations(ctx, team.ID)))
	if made.Email != "gus@example.test" || made.Message == nil || *made.Message != "Bring a spade" {
		t.Errorf("the invitation is %+v", made)
	}

	a.join(made.Token, "Gus")
	members := read[[]honeybadgerapi.TeamMember](t)(a.Teams.ListMembers(ctx, team.ID))
	if len(members) != 2 || members[1].Name != "Gus" || !members[1].Admin {
		t.Fatalf("the members are %+v, want the owner who made the team, and Gus as admin", members)
	}
	a.did(a.Teams.UpdateMember(ctx, team.ID, members[1].ID, false))
	members[1].Admin = false
	same(t, "members", members, read[[]honeybadgerapi.TeamMember](t)(a.Teams.ListMembers(ctx, team.ID)))
	a.did(a.Teams.RemoveMember(ctx, team.ID, members[1].ID))
	same(t, "members", members[:1], read[[]honeybadgerapi.TeamMember](t)(a.Teams.ListMembers(ctx, team.ID)))

	a.did(a.Teams.DeleteInvitation(ctx, team.ID, made.ID))
	_, err := a.Teams.GetInvitation(ctx, team.ID, made.ID)
	a.gone(err)
	a.did(a.Teams.Delete(ctx, team.ID))
	_, err = a.Teams.Get(ctx, team.ID)
	a.gone(err)
}
