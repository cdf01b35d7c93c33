package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

func (a *API) accountInvitationRoutes() []serve.Route {
	const tag, list = "Account invitations", "/v2/accounts/{account_id}/invitations"
	const one = list + "/{invitation_id}"
	h := invitations{
		API:     a,
		to:      func(r *http.Request) store.Inviting { return store.Inviting{AccountID: r.PathValue("account_id")} },
		view:    func(i sett.Invitation) any { return viewAccountInvitation(i) },
		readNew: readNewAccountInvitation, readChange: readAccountInvitation,
	}
	return []serve.Route{
		{
			Method: "GET", Path: list, Name: "listAccountInvitations", Tag: tag, Permission: sett.ManagePeople,
			Result: serve.List[AccountInvitation]{}, Handle: h.list,
			Doc: "The invitations to an account, accepted and expired ones included, in the order in which they were made. Those to its teams are listed with the teams.",
		},
		{
			Method: "POST", Path: list, Name: "createAccountInvitation", Tag: tag, Permission: sett.ManagePeople,
			Body: createAccountInvitationBody{}, Result: AccountInvitation{}, Status: http.StatusCreated, Handle: h.create,
			Doc: "Invite somebody to an account, by a mail with a link that works for 14 days. Only owners invite owners.",
		},
		{
			Method: "GET", Path: one, Name: "getAccountInvitation", Tag: tag, Permission: sett.ManagePeople,
			Result: AccountInvitation{}, Handle: h.get,
			Doc: "An invitation to an account.",
		},
		{
			Method: "PUT", Path: one, Name: "updateAccountInvitation", Tag: tag, Permission: sett.ManagePeople,
			Body: accountInvitationBody{}, Status: http.StatusNoContent, Handle: h.update,
			Doc: "Change what an invitation leads to, as long as it is neither accepted nor expired: only what is sent; null resets.",
		},
		{
			Method: "DELETE", Path: one, Name: "deleteAccountInvitation", Tag: tag, Permission: sett.ManagePeople,
			Status: http.StatusNoContent, Handle: h.delete,
			Doc: "Withdraw an invitation: its link stops working. Who has accepted it stays in the account.",
		},
	}
}

// AccountInvitation is an invitation to an account (contract, Account invitation).
type AccountInvitation struct {
	ID         int64      `json:"id"`
	Token      string     `json:"token" doc:"Of its link, /invitations/…, with which somebody new or the user with this address accepts. The link in the mail has another one. Empty for those who may not make such an invitation."`
	Email      string     `json:"email" doc:"Empty once accepted."`
	CreatedBy  *Contact   `json:"created_by" doc:"Null when there is no such user any more."`
	AcceptedBy *Contact   `json:"accepted_by" doc:"Null until it is accepted, and when there is no such user any more."`
	Role       sett.Role  `json:"role" enum:"Member,Billing,Admin,Owner"`
	AcceptedAt *time.Time `json:"accepted_at" doc:"Null until it is accepted."`
	CreatedAt  time.Time  `json:"created_at"`
	TeamIDs    []int64    `json:"team_ids" doc:"Teams that it comes with."`
}

func viewAccountInvitation(i sett.Invitation) AccountInvitation {
	return AccountInvitation{
		ID: i.ID, Token: i.Token, Email: i.Email, CreatedBy: viewContact(i.CreatedBy), AcceptedBy: viewContact(i.AcceptedBy),
		Role: i.Role, AcceptedAt: nullTime(i.AcceptedAt), CreatedAt: i.CreatedAt, TeamIDs: orEmpty(i.TeamIDs),
	}
}

// createAccountInvitationBody is the body that makes an invitation to an account.
type createAccountInvitationBody struct {
	Invitation sett.Optional[sett.CreateAccountInvitation] `json:"invitation" required:"true"`
}

func readNewAccountInvitation(w http.ResponseWriter, r *http.Request) (sett.InvitationChange, error) {
	var body createAccountInvitationBody
	return readInside(w, r, &body, &body.Invitation, "invitation", `{"email": "you@example.org"}`)
}

// accountInvitationBody is the body of an update of an invitation to an account.
type accountInvitationBody struct {
	Invitation sett.Optional[sett.AccountInvitationChange] `json:"invitation" required:"true"`
}

func readAccountInvitation(w http.ResponseWriter, r *http.Request) (sett.InvitationChange, error) {
	var body accountInvitationBody
	return readInside(w, r, &body, &body.Invitation, "invitation", `{"role": "Admin"}`)
}
