package apiv3

import (
	"encoding/json"
	"time"
)

func teamOperations() []operation {
	const team = "/teams/{team_id}"
	const member, invitation = team + "/members/{member_id}", team + "/invitations/{invitation_id}"
	const differs = "`project_ids` is refused: set `team_ids` of a project."
	return []operation{
		{Name: "listTeams", Method: "GET", Path: "/teams", Scope: "team:read", Route: "listTeams", List: pages, Account: true, View: as[Team](), Keep: func(c *call, object any) bool { return keepNamed(c, object.(Team).Name) }}, //nolint:forcetypeassert // what as[Team] returns
		{Name: "createTeam", Method: "POST", Path: "/teams", Scope: "team:write", Route: "createTeam", Account: true, View: as[Team](), Refuses: []string{"project_ids"}, Differs: differs},
		{Name: "getTeam", Method: "GET", Path: team, Scope: "team:read", Route: "getTeam", View: as[Team]()},
		{Name: "updateTeam", Method: "PATCH", Path: team, Scope: "team:write", Route: "updateTeam", Read: "getTeam", View: as[Team](), Refuses: []string{"project_ids"}, Differs: differs},
		{Name: "deleteTeam", Method: "DELETE", Path: team, Scope: "team:write", Route: "deleteTeam"},

		{Name: "listTeamMembers", Method: "GET", Path: team + "/members", Scope: "team:read", Route: "listTeamMembers", List: pages, View: as[TeamMember](), Differs: "The id of a member is that of the user."},
		{Name: "getTeamMember", Method: "GET", Path: member, Scope: "team:read", Route: "getTeamMember", View: as[TeamMember]()},
		{Name: "updateTeamMember", Method: "PATCH", Path: member, Scope: "team:write", Route: "updateTeamMember", Read: "getTeamMember", View: as[TeamMember](), Person: true},
		{Name: "deleteTeamMember", Method: "DELETE", Path: member, Scope: "team:write", Route: "removeTeamMember", Person: true},

		{Name: "listTeamInvitations", Method: "GET", Path: team + "/invitations", Scope: "team:read", Route: "listTeamInvitations", List: pages, View: as[Invitation]()},
		{Name: "createTeamInvitation", Method: "POST", Path: team + "/invitations", Scope: "team:write", Route: "createTeamInvitation", View: as[Invitation](), Person: true},
		{Name: "getTeamInvitation", Method: "GET", Path: invitation, Scope: "team:read", Route: "getTeamInvitation", View: as[Invitation]()},
		{Name: "updateTeamInvitation", Method: "PATCH", Path: invitation, Scope: "team:write", Route: "updateTeamInvitation", Read: "getTeamInvitation", View: as[Invitation](), Person: true},
		{Name: "deleteTeamInvitation", Method: "DELETE", Path: invitation, Scope: "team:write", Route: "deleteTeamInvitation", Person: true},
	}
}

// Team is a team.
type Team struct {
	ID          id        `json:"id"`
	AccountID   id        `json:"account_id"`
	Name        string    `json:"name"`
	MemberCount int       `json:"member_count"`
	ProjectIDs  []id      `json:"project_ids"`
	CreatedAt   time.Time `json:"created_at"`
	Links       links     `json:"links"`
}

// UnmarshalJSON reads a team of /v2, which has all of its members and projects.
func (t *Team) UnmarshalJSON(data []byte) error {
	type plain Team
	read := struct {
		*plain
		Members  []struct{} `json:"members"`
		Projects []struct {
			ID        id `json:"id"`
			AccountID id `json:"account_id"`
		} `json:"projects"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	t.MemberCount, t.ProjectIDs = len(read.Members), []id{}
	for _, p := range read.Projects {
		t.ProjectIDs = append(t.ProjectIDs, p.ID)
	}
	return nil
}

func (t *Team) finish(c *call) { t.AccountID, t.Links = c.accountID(), c.page("/teams/%s", t.ID) }

// TeamMember is a user in a team.
type TeamMember struct {
	ID        id        `json:"id"`
	TeamID    id        `json:"team_id"`
	UserID    id        `json:"user_id"`
	Admin     bool      `json:"admin"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"created_at"`
}

func (m *TeamMember) finish(c *call) { m.UserID, m.TeamID = m.ID, id(c.r.PathValue("team_id")) }
