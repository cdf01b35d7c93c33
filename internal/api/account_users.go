package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func (a *API) accountUserRoutes() []serve.Route {
	const tag, list = "Account users", "/v2/accounts/{account_id}/users"
	const one = list + "/{user_id}"
	return []serve.Route{
		{
			Method: "GET", Path: list, Name: "listAccountUsers", Tag: tag, Permission: accounts.ReadAccount,
			Result: serve.List[AccountUser]{}, Handle: a.listAccountUsers,
			Doc: "List the users of an account, ordered by id.",
		},
		{
			Method: "GET", Path: one, Name: "getAccountUser", Tag: tag, Permission: accounts.ReadAccount,
			Result: AccountUser{}, Handle: a.getAccountUser,
			Doc: "Get a user of an account.",
		},
		{
			Method: "PUT", Path: one, Name: "updateAccountUser", Tag: tag, Permission: accounts.ManagePeople,
			Body: accountUserBody{}, Status: http.StatusNoContent, Handle: a.updateAccountUser,
			Doc: "Change the role of a user. Only owners can change owners or make a user an owner. The last owner cannot be changed.",
		},
		{
			Method: "DELETE", Path: one, Name: "removeAccountUser", Tag: tag, Permission: accounts.LeaveAccount,
			Status: http.StatusNoContent, Handle: a.removeAccountUser,
			Doc: "Remove a user from an account and its teams, and unassign their faults. Users can remove themselves; admins and owners can remove others. Only owners can remove owners, and the last owner cannot be removed.",
		},
	}
}

// AccountUser is a user with what they are in an account (contract, Account user).
type AccountUser struct {
	ID    int64         `json:"id"`
	Role  accounts.Role `json:"role" enum:"Member,Billing,Admin,Owner"`
	Name  string        `json:"name"`
	Email string        `json:"email"`
}

func viewAccountUser(u accounts.AccountUser) AccountUser {
	return AccountUser{ID: u.ID, Role: u.Role, Name: u.Name, Email: u.Email}
}

func (a *API) listAccountUsers(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	users, marks, err := a.Accounts.ListAccountUsers(r.Context(), r.PathValue("account_id"), accountdb.AccountUserFilter{Page: page.Page})
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(users, viewAccountUser), marks))
}

func (a *API) getAccountUser(w http.ResponseWriter, r *http.Request) error {
	u, err := a.Accounts.AccountUserByID(r.Context(), r.PathValue("account_id"), pathID(r, "user_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAccountUser(u))
}

// accountUserBody is the body of an update of an account's user.
type accountUserBody struct {
	User sett.Optional[accounts.AccountUserChange] `json:"user" required:"true"`
}

func (a *API) updateAccountUser(w http.ResponseWriter, r *http.Request) error {
	account, user := r.PathValue("account_id"), pathID(r, "user_id")
	if _, err := a.Accounts.AccountUserByID(r.Context(), account, user); err != nil { // said before anything of the body
		return err
	}
	var body accountUserBody
	change, err := readInside(w, r, &body, &body.User, "user", `{"role": "Admin"}`)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Accounts.UpdateAccountUser(r.Context(), userID(r), account, user, change))
}

func (a *API) removeAccountUser(w http.ResponseWriter, r *http.Request) error {
	err := a.Accounts.RemoveAccountUser(r.Context(), userID(r), r.PathValue("account_id"), pathID(r, "user_id"))
	return done(w, http.StatusNoContent, err)
}
