package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func (a *API) teamInvitationRoutes() []serve.Route {
	const tag, list = "Team invitations", "/v2/teams/{team_id}/team_invitations"
	const one = list + "/{invitation_id}"
	h := invitations{
		API:     a,
		to:      func(r *http.Request) accountdb.Inviting { return accountdb.Inviting{TeamID: pathID(r, "team_id")} },
		view:    func(i accounts.Invitation) any { return viewTeamInvitation(i) },
		readNew: readNewTeamInvitation, readChange: readTeamInvitation,
	}
	return []serve.Route{
		{
			Method: "GET", Path: list, Name: "listTeamInvitations", Tag: tag, Permission: accounts.ManageTeam,
			Result: serve.List[TeamInvitation]{}, Handle: h.list,
			Doc: "List the invitations to a team, including accepted and expired ones, in order of creation.",
		},
		{
			Method: "POST", Path: list, Name: "createTeamInvitation", Tag: tag, Permission: accounts.ManageTeam,
			Body: createTeamInvitationBody{}, Result: TeamInvitation{}, Status: http.StatusCreated, Handle: h.create,
			Doc: "Invite a user to a team. An email with a link that is valid for 14 days is sent. A user who is not in the account yet becomes a Member of it.",
		},
		{
			Method: "GET", Path: one, Name: "getTeamInvitation", Tag: tag, Permission: accounts.ManageTeam,
			Result: TeamInvitation{}, Handle: h.get,
			Doc: "Get an invitation to a team.",
		},
		{
			Method: "PUT", Path: one, Name: "updateTeamInvitation", Tag: tag, Permission: accounts.ManageTeam,
			Body: teamInvitationBody{}, Status: http.StatusNoContent, Handle: h.update,
			Doc: "Update an invitation that is neither accepted nor expired. Only the fields you send change; null resets a field. No new email is sent.",
		},
		{
			Method: "DELETE", Path: one, Name: "deleteTeamInvitation", Tag: tag, Permission: accounts.ManageTeam,
			Status: http.StatusNoContent, Handle: h.delete,
			Doc: "Delete an invitation. Its link stops working. A user who accepted it stays in the team.",
		},
	}
}

// TeamInvitation is an invitation to a team (contract, Team invitation).
type TeamInvitation struct {
	ID         int64      `json:"id"`
	Token      string     `json:"token" doc:"Token of the link /invitations/…, which a new user or the user with this email address can accept. The link in the email has a different token. Empty for read-only tokens."`
	Email      string     `json:"email" doc:"Empty after the invitation is accepted."`
	CreatedBy  *Contact   `json:"created_by" doc:"Null if the user no longer exists."`
	AcceptedBy *Contact   `json:"accepted_by" doc:"Null until the invitation is accepted, or if the user no longer exists."`
	Admin      bool       `json:"admin" doc:"Whether the user becomes an admin of the team."`
	AcceptedAt *time.Time `json:"accepted_at" doc:"Null until the invitation is accepted."`
	CreatedAt  time.Time  `json:"created_at"`
	Message    *string    `json:"message"`
	Projects   int64      `json:"projects_count" doc:"Projects that the user can see by this invitation, as of now. If it is 0, they see an empty account: give the team access to projects."`
}

func viewTeamInvitation(i accounts.Invitation) TeamInvitation {
	v := TeamInvitation{
		ID: i.ID, Token: i.Token, Email: i.Email, CreatedBy: viewContact(i.CreatedBy), AcceptedBy: viewContact(i.AcceptedBy),
		Admin: i.Admin, AcceptedAt: nullTime(i.AcceptedAt), CreatedAt: i.CreatedAt, Projects: i.Projects,
	}
	if i.Message != "" {
		v.Message = &i.Message
	}
	return v
}

// createTeamInvitationBody is the body that makes an invitation to a team.
type createTeamInvitationBody struct {
	TeamInvitation sett.Optional[accounts.CreateTeamInvitation] `json:"team_invitation" required:"true"`
}

func readNewTeamInvitation(w http.ResponseWriter, r *http.Request) (accounts.InvitationChange, error) {
	var body createTeamInvitationBody
	return readInside(w, r, &body, &body.TeamInvitation, "team_invitation", `{"email": "you@example.org"}`)
}

// teamInvitationBody is the body of an update of an invitation to a team.
type teamInvitationBody struct {
	TeamInvitation sett.Optional[accounts.TeamInvitationChange] `json:"team_invitation" required:"true"`
}

func readTeamInvitation(w http.ResponseWriter, r *http.Request) (accounts.InvitationChange, error) {
	var body teamInvitationBody
	return readInside(w, r, &body, &body.TeamInvitation, "team_invitation", `{"admin": true}`)
}
