//go:build walk

package walk

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

// team makes a team for one walk; it goes with the test.
func (w walker) team(name string) *client.Team {
	w.t.Helper()
	var body client.CreateTeamBody
	body.Team.Name = name
	made := must(w.CreateTeamWithResponse(w.ctx, &client.CreateTeamParams{AccountId: account}, body)).JSON201
	w.t.Cleanup(func() {
		if _, err := w.DeleteTeamWithResponse(context.WithoutCancel(w.ctx), made.Id); err != nil {
			w.refused(http.StatusNotFound, err) // the walk deleted it
		}
	})
	return made
}

// emails lists the members of a team.
func emails(w walker, team int64) []string {
	w.t.Helper()
	found := []string{}
	for _, m := range must(w.ListTeamMembersWithResponse(w.ctx, team, nil)).JSON200.Results {
		found = append(found, m.Email)
	}
	return found
}

func TestTeams(t *testing.T) {
	w := newWalker(t)
	made := w.team("Kitchen")
	same(t, "name", "Kitchen", made.Name)
	same(t, "made and read", made, must(w.GetTeamWithResponse(w.ctx, made.Id)).JSON200)

	must(w.UpdateTeamWithResponse(w.ctx, made.Id, client.TeamBody{Team: client.TeamChange{Name: new("Bakery")}}))
	p := w.project("Oven")
	must(w.UpdateProjectWithResponse(w.ctx, p.Id, client.ProjectBody{Project: client.ProjectChange{TeamIds: nullable.NewNullableWithValue([]int64{made.Id})}}))
	listed := must(w.ListTeamsWithResponse(w.ctx, &client.ListTeamsParams{AccountId: account})).JSON200.Results
	at := slices.IndexFunc(listed, func(team client.Team) bool { return team.Id == made.Id })
	if at < 0 || listed[at].Name != "Bakery" {
		t.Fatalf("the teams are %+v, want one that is called Bakery now", listed)
	}
	if projects := listed[at].Projects; len(projects) != 1 || projects[0].Name != "Oven" {
		t.Errorf("the projects of the team are %+v, want Oven", projects)
	}

	must(w.DeleteTeamWithResponse(w.ctx, made.Id))
	_, err := w.GetTeamWithResponse(w.ctx, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestTeamInvitationsAndMembers(t *testing.T) {
	w := newWalker(t)
	team := w.team("Garden")
	var body client.CreateTeamInvitationBody
	body.TeamInvitation.Email = "gus@example.test"
	body.TeamInvitation.Message = nullable.NewNullableWithValue("Bring a spade")
	made := must(w.CreateTeamInvitationWithResponse(w.ctx, team.Id, body)).JSON201
	if made.Email != "gus@example.test" || made.Admin || made.Message.MustGet() != "Bring a spade" {
		t.Fatalf("the invitation is %+v", made)
	}
	must(w.UpdateTeamInvitationWithResponse(w.ctx, team.Id, made.Id, client.TeamInvitationBody{TeamInvitation: client.TeamInvitationChange{
		Admin: nullable.NewNullableWithValue(true), Message: nullable.NewNullNullable[string](),
	}}))
	changed := must(w.GetTeamInvitationWithResponse(w.ctx, team.Id, made.Id)).JSON200
	if !changed.Admin || !changed.Message.IsNull() {
		t.Errorf("the changed invitation is %+v, want one for an admin and without a message", changed)
	}
	same(t, "list", []client.TeamInvitation{*changed}, must(w.ListTeamInvitationsWithResponse(w.ctx, team.Id, nil)).JSON200.Results)

	w.join(made.Token, "Gus")
	members := must(w.ListTeamMembersWithResponse(w.ctx, team.Id, nil)).JSON200.Results
	if len(members) != 2 || members[1].Name != "Gus" || !members[1].Admin {
		t.Fatalf("the members are %+v, want the owner who made the team, and Gus as admin", members)
	}
	gus := members[1]
	must(w.UpdateTeamMemberWithResponse(w.ctx, team.Id, gus.Id, client.TeamMemberBody{
		TeamMember: client.TeamMemberChange{Admin: nullable.NewNullableWithValue(false)},
	}))
	gus.Admin = false
	same(t, "member", gus, *must(w.GetTeamMemberWithResponse(w.ctx, team.Id, gus.Id)).JSON200)
	must(w.RemoveTeamMemberWithResponse(w.ctx, team.Id, gus.Id))
	same(t, "members", []string{"admin@example.com"}, emails(w, team.Id))

	must(w.DeleteTeamInvitationWithResponse(w.ctx, team.Id, made.Id))
	_, err := w.GetTeamInvitationWithResponse(w.ctx, team.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}
