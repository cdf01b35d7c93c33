//go:build walk

package walk

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestAccounts(t *testing.T) {
	w := newWalker(t)
	listed := must(w.ListAccountsWithResponse(w.ctx, nil)).JSON200.Results
	if len(listed) != 1 || listed[0].Id != *account {
		t.Fatalf("the accounts are %+v, want the one with id %s", listed, *account)
	}
	detail := must(w.GetAccountWithResponse(w.ctx, *account)).JSON200
	same(t, "name", listed[0].Name, detail.Name)
	same(t, "email", listed[0].Email, detail.Email)
	if !detail.Active || detail.Parked || detail.QuotaConsumed != 0 || len(detail.ApiStats.Stored) == 0 {
		t.Errorf("the account is %+v, want an active one with a pair for each day and nothing consumed", detail)
	}
	_, err := w.GetAccountWithResponse(w.ctx, "nothing")
	w.refused(http.StatusNotFound, err)
}

func TestConfiguration(t *testing.T) {
	w := newWalker(t)
	lease := must(w.HoldConfigurationWithResponse(w.ctx, *account, client.ConfigurationLeaseBody{})).JSON201
	before := must(w.GetConfigurationWithResponse(w.ctx, *account)).JSON200.Configuration
	change := client.ConfigurationChange{Lease: &lease.Id, Version: &before.Version, Things: &map[string]client.ConfiguredThing{"teams/night": {Id: "7", Fields: []string{"name"}}}}
	change.Done = nullable.NewNullableWithValue(true)
	after := must(w.UpdateConfigurationWithResponse(w.ctx, *account, client.ConfigurationBody{Configuration: change})).JSON200.Configuration
	if after.Version != before.Version+1 || after.Things["teams/night"].Id != "7" {
		t.Errorf("%+v", after)
	}
}

// invite makes an invitation to the account.
func (w walker) invite(email string, role client.CreateAccountInvitationRole, teams ...int64) *client.AccountInvitation {
	w.t.Helper()
	var body client.CreateAccountInvitationBody
	body.Invitation.Email = email
	body.Invitation.Role = nullable.NewNullableWithValue(role)
	body.Invitation.TeamIds = nullable.NewNullableWithValue(teams)
	return must(w.CreateAccountInvitationWithResponse(w.ctx, *account, body)).JSON201
}

func TestAccountInvitations(t *testing.T) {
	w := newWalker(t)
	team := w.team("Guests")
	made := w.invite("guest@example.test", "Billing", team.Id)
	if made.Email != "guest@example.test" || made.Role != "Billing" || !slices.Equal(made.TeamIds, []int64{team.Id}) || made.Token == "" {
		t.Fatalf("the invitation is %+v", made)
	}
	same(t, "made and read", made, must(w.GetAccountInvitationWithResponse(w.ctx, *account, made.Id)).JSON200)
	listed := must(w.ListAccountInvitationsWithResponse(w.ctx, *account, nil)).JSON200.Results
	if !slices.ContainsFunc(listed, func(i client.AccountInvitation) bool { return i.Id == made.Id }) {
		t.Errorf("the invitation is not in the list %+v", listed)
	}

	must(w.UpdateAccountInvitationWithResponse(w.ctx, *account, made.Id, client.AccountInvitationBody{Invitation: client.AccountInvitationChange{
		Role: nullable.NewNullableWithValue(client.AccountInvitationChangeRole("Admin")), TeamIds: nullable.NewNullNullable[[]int64](),
	}}))
	changed := must(w.GetAccountInvitationWithResponse(w.ctx, *account, made.Id)).JSON200
	same(t, "role", "Admin", string(changed.Role))
	same(t, "team_ids after null", []int64{}, changed.TeamIds)
	same(t, "email", made.Email, changed.Email)

	must(w.DeleteAccountInvitationWithResponse(w.ctx, *account, made.Id))
	_, err := w.GetAccountInvitationWithResponse(w.ctx, *account, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestAccountUsers(t *testing.T) {
	w := newWalker(t)
	team := w.team("Newcomers")
	invitation := w.invite("nora@example.test", "Member", team.Id)
	w.join(invitation.Token, "Nora New")

	accepted := must(w.GetAccountInvitationWithResponse(w.ctx, *account, invitation.Id)).JSON200
	same(t, "email of an accepted invitation", "", accepted.Email)
	same(t, "accepted_by", client.Contact{Email: "nora@example.test", Name: "Nora New"}, accepted.AcceptedBy.MustGet())
	users := must(w.ListAccountUsersWithResponse(w.ctx, *account, nil)).JSON200.Results
	at := slices.IndexFunc(users, func(u client.AccountUser) bool { return u.Email == "nora@example.test" })
	if at < 0 {
		t.Fatalf("who accepted is not among the users %+v", users)
	}
	nora := users[at]
	same(t, "user", client.AccountUser{Id: nora.Id, Name: "Nora New", Email: "nora@example.test", Role: "Member"}, nora)
	same(t, "members of the team of the invitation", []string{"admin@example.com", "nora@example.test"}, emails(w, team.Id))

	must(w.UpdateAccountUserWithResponse(w.ctx, *account, nora.Id, client.AccountUserBody{
		User: client.AccountUserChange{Role: new(client.AccountUserChangeRole("Billing"))},
	}))
	nora.Role = "Billing"
	same(t, "user with another role", nora, *must(w.GetAccountUserWithResponse(w.ctx, *account, nora.Id)).JSON200)

	must(w.RemoveAccountUserWithResponse(w.ctx, *account, nora.Id))
	_, err := w.GetAccountUserWithResponse(w.ctx, *account, nora.Id)
	w.refused(http.StatusNotFound, err)
	same(t, "members after the user is gone", []string{"admin@example.com"}, emails(w, team.Id))
}

func TestAuditLog(t *testing.T) {
	w := newWalker(t)
	p := w.project("Audited")
	log := must(w.ListAuditLogWithResponse(w.ctx, *account, &client.ListAuditLogParams{Limit: new(int64(1))})).JSON200
	if len(log.Results) != 1 || log.Links.Next == nil {
		t.Fatalf("a page of one is %+v", log)
	}
	last := log.Results[0]
	if last.Action != "createProject" || last.Address == "" || last.User.Id == 0 {
		t.Errorf("the last change is %+v, want the creation of the project", last)
	}
	later := len(must(w.ListAuditLogWithResponse(w.ctx, *account, &client.ListAuditLogParams{CreatedAfter: seconds(p.CreatedAt.Add(time.Hour))})).JSON200.Results)
	same(t, "changes of an hour from now", 0, later)
}

// seconds writes a time as the contract's query parameters have it.
func seconds(at time.Time) *string { return new(strconv.FormatInt(at.Unix(), 10)) }
