package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func (a *API) teamMemberRoutes() []serve.Route {
	const tag, list = "Team members", "/v2/teams/{team_id}/team_members"
	const one = list + "/{member_id}"
	return []serve.Route{
		{
			Method: "GET", Path: list, Name: "listTeamMembers", Tag: tag, Permission: accounts.ReadTeam,
			Result: serve.List[TeamMember]{}, Handle: a.listTeamMembers,
			Doc: "List the members of a team, in the order in which they joined. Add members with invitations.",
		},
		{
			Method: "GET", Path: one, Name: "getTeamMember", Tag: tag, Permission: accounts.ReadTeam,
			Result: TeamMember{}, Handle: a.getTeamMember,
			Doc: "Get a member of a team.",
		},
		{
			Method: "PUT", Path: one, Name: "updateTeamMember", Tag: tag, Permission: accounts.ManageTeam,
			Body: teamMemberBody{}, Status: http.StatusNoContent, Handle: a.updateTeamMember,
			Doc: "Make a member an admin of the team, or remove that role.",
		},
		{
			Method: "DELETE", Path: one, Name: "removeTeamMember", Tag: tag, Permission: accounts.LeaveTeam,
			Status: http.StatusNoContent, Handle: a.removeTeamMember,
			Doc: "Remove a member from a team. They stay in the account. Members can remove themselves; users who can manage the team can remove others.",
		},
	}
}

// TeamMember is a user in a team (contract, Team member).
type TeamMember struct {
	ID        int64     `json:"id" doc:"Id of the user, the same in every team."`
	CreatedAt time.Time `json:"created_at" doc:"When the user joined the team."`
	Admin     bool      `json:"admin" doc:"Whether the user can manage the team and its projects."`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
}

func viewTeamMember(m accounts.TeamMember) TeamMember {
	return TeamMember{ID: m.ID, CreatedAt: m.CreatedAt, Admin: m.Admin, Name: m.Name, Email: m.Email}
}

func (a *API) listTeamMembers(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	members, marks, err := a.Accounts.ListTeamMembers(r.Context(), pathID(r, "team_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(members, viewTeamMember), marks))
}

func (a *API) getTeamMember(w http.ResponseWriter, r *http.Request) error {
	m, err := a.Accounts.TeamMemberByID(r.Context(), pathID(r, "team_id"), pathID(r, "member_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewTeamMember(m))
}

// teamMemberBody is the body of an update of a team's member.
type teamMemberBody struct {
	TeamMember sett.Optional[accounts.TeamMemberChange] `json:"team_member" required:"true"`
}

func (a *API) updateTeamMember(w http.ResponseWriter, r *http.Request) error {
	team, member := pathID(r, "team_id"), pathID(r, "member_id")
	if _, err := a.Accounts.TeamMemberByID(r.Context(), team, member); err != nil { // said before anything of the body
		return err
	}
	var body teamMemberBody
	change, err := readInside(w, r, &body, &body.TeamMember, "team_member", `{"admin": true}`)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Accounts.UpdateTeamMember(r.Context(), team, member, change))
}

func (a *API) removeTeamMember(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Accounts.RemoveTeamMember(r.Context(), userID(r), pathID(r, "team_id"), pathID(r, "member_id")))
}
