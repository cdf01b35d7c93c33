package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func (a *API) accountInvitationRoutes() []serve.Route {
	const tag, list = "Account invitations", "/v2/accounts/{account_id}/invitations"
	const one = list + "/{invitation_id}"
	h := invitations{
		API: a,
		to: func(r *http.Request) accountdb.Inviting {
			return accountdb.Inviting{AccountID: r.PathValue("account_id")}
		},
		view:    func(i accounts.Invitation) any { return viewAccountInvitation(i) },
		readNew: readNewAccountInvitation, readChange: readAccountInvitation,
	}
	return []serve.Route{
		{
			Method: "GET", Path: list, Name: "listAccountInvitations", Tag: tag, Permission: accounts.ManagePeople,
			Result: serve.List[AccountInvitation]{}, Handle: h.list,
			Doc: "List the invitations to an account, including accepted and expired ones, in order of creation. Team invitations are listed with the teams.",
		},
		{
			Method: "POST", Path: list, Name: "createAccountInvitation", Tag: tag, Permission: accounts.ManagePeople,
			Body: createAccountInvitationBody{}, Result: AccountInvitation{}, Status: http.StatusCreated, Handle: h.create,
			Doc: "Invite a user to an account. An email with a link that is valid for 14 days is sent. Only owners can invite owners.",
		},
		{
			Method: "GET", Path: one, Name: "getAccountInvitation", Tag: tag, Permission: accounts.ManagePeople,
			Result: AccountInvitation{}, Handle: h.get,
			Doc: "Get an invitation to an account.",
		},
		{
			Method: "PUT", Path: one, Name: "updateAccountInvitation", Tag: tag, Permission: accounts.ManagePeople,
			Body: accountInvitationBody{}, Status: http.StatusNoContent, Handle: h.update,
			Doc: "Update an invitation that is neither accepted nor expired. Only the fields you send change; null resets a field.",
		},
		{
			Method: "DELETE", Path: one, Name: "deleteAccountInvitation", Tag: tag, Permission: accounts.ManagePeople,
			Status: http.StatusNoContent, Handle: h.delete,
			Doc: "Delete an invitation. Its link stops working. A user who accepted it stays in the account.",
		},
	}
}

// AccountInvitation is an invitation to an account (contract, Account invitation).
type AccountInvitation struct {
	ID         int64         `json:"id"`
	Token      string        `json:"token" doc:"Token of the link /invitations/…, which a new user or the user with this email address can accept. The link in the email has a different token. Empty for users who cannot create such an invitation."`
	Email      string        `json:"email" doc:"Empty after the invitation is accepted."`
	CreatedBy  *Contact      `json:"created_by" doc:"Null if the user no longer exists."`
	AcceptedBy *Contact      `json:"accepted_by" doc:"Null until the invitation is accepted, or if the user no longer exists."`
	Role       accounts.Role `json:"role" enum:"Member,Billing,Admin,Owner"`
	AcceptedAt *time.Time    `json:"accepted_at" doc:"Null until the invitation is accepted."`
	CreatedAt  time.Time     `json:"created_at"`
	TeamIDs    []int64       `json:"team_ids" doc:"Teams that the user joins."`
	Projects   int64         `json:"projects_count" doc:"Projects that the user can see by this invitation, as of now. If it is 0, they see an empty account: add a team with projects, as members see the projects of their teams."`
}

func viewAccountInvitation(i accounts.Invitation) AccountInvitation {
	return AccountInvitation{
		ID: i.ID, Token: i.Token, Email: i.Email, CreatedBy: viewContact(i.CreatedBy), AcceptedBy: viewContact(i.AcceptedBy),
		Role: i.Role, AcceptedAt: nullTime(i.AcceptedAt), CreatedAt: i.CreatedAt, TeamIDs: orEmpty(i.TeamIDs), Projects: i.Projects,
	}
}

// createAccountInvitationBody is the body that makes an invitation to an account.
type createAccountInvitationBody struct {
	Invitation sett.Optional[accounts.CreateAccountInvitation] `json:"invitation" required:"true"`
}

func readNewAccountInvitation(w http.ResponseWriter, r *http.Request) (accounts.InvitationChange, error) {
	var body createAccountInvitationBody
	return readInside(w, r, &body, &body.Invitation, "invitation", `{"email": "you@example.org"}`)
}

// accountInvitationBody is the body of an update of an invitation to an account.
type accountInvitationBody struct {
	Invitation sett.Optional[accounts.AccountInvitationChange] `json:"invitation" required:"true"`
}

func readAccountInvitation(w http.ResponseWriter, r *http.Request) (accounts.InvitationChange, error) {
	var body accountInvitationBody
	return readInside(w, r, &body, &body.Invitation, "invitation", `{"role": "Admin"}`)
}
