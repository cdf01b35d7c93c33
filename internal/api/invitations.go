package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

// Contact is how an invitation names a user.
type Contact struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

func viewContact(p *sett.Person) *Contact {
	if p == nil {
		return nil
	}
	return &Contact{Email: p.Email, Name: p.Name}
}

// invitations answers the routes of one kind of invitation: those to accounts, or those to teams.
type invitations struct {
	*API
	to         func(*http.Request) accountdb.Inviting
	view       func(accounts.Invitation) any
	readNew    func(http.ResponseWriter, *http.Request) (accounts.InvitationChange, error)
	readChange func(http.ResponseWriter, *http.Request) (accounts.InvitationChange, error)
}

// role is what who asks is in the account, as far as their token lets them act as that: none for one that only reads.
func (h invitations) role(r *http.Request) (accounts.Role, error) {
	if auth.PrincipalOf(r.Context()).ReadOnly {
		return "", nil
	}
	to := h.to(r)
	if to.TeamID != 0 {
		scope, err := h.Accounts.TeamScope(r.Context(), userID(r), to.TeamID)
		return scope.Role, err
	}
	scope, err := h.Accounts.AccountScope(r.Context(), userID(r), to.AccountID)
	return scope.Role, err
}

func (h invitations) list(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	role, err := h.role(r)
	if err != nil {
		return err
	}
	found, marks, err := h.Accounts.ListInvitations(r.Context(), h.to(r), role, page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(h.BaseURL, r, page, viewAll(found, h.view), marks))
}

func (h invitations) find(r *http.Request) (accounts.Invitation, error) {
	role, err := h.role(r)
	if err != nil {
		return accounts.Invitation{}, err
	}
	return h.Accounts.InvitationByID(r.Context(), h.to(r), role, pathID(r, "invitation_id"))
}

func (h invitations) get(w http.ResponseWriter, r *http.Request) error {
	i, err := h.find(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, h.view(i))
}

func (h invitations) create(w http.ResponseWriter, r *http.Request) error {
	change, err := h.readNew(w, r)
	if err != nil {
		return err
	}
	i, err := h.Accounts.CreateInvitation(r.Context(), h.Now(), h.to(r), userID(r), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, h.view(i))
}

func (h invitations) update(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.find(r); err != nil { // that it is missing is said before anything of the body
		return err
	}
	change, err := h.readChange(w, r)
	if err != nil {
		return err
	}
	err = h.Accounts.UpdateInvitation(r.Context(), h.Now(), h.to(r), userID(r), pathID(r, "invitation_id"), change)
	return done(w, http.StatusNoContent, err)
}

func (h invitations) delete(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, h.Accounts.DeleteInvitation(r.Context(), h.to(r), pathID(r, "invitation_id")))
}
