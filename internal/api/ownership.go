package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/owner"
)

const ownershipPath = "/v2/projects/{project_id}/ownership"

func (a *API) ownershipRoutes() []serve.Route {
	const tag = "Ownership"
	return []serve.Route{
		{
			Method: "GET", Path: ownershipPath, Name: "getOwnership", Tag: tag, Permission: accounts.ReadProject,
			Result: ownershipResult{}, Handle: a.getOwnership,
			Doc: "Get the rules that say who owns the errors of a project.",
		},
		{
			Method: "PUT", Path: ownershipPath, Name: "updateOwnership", Tag: tag, Permission: accounts.ManageProject,
			Body: ownershipBody{}, Status: http.StatusNoContent, Handle: a.updateOwnership,
			Doc: "Update these rules. Only the fields you send change; null resets a field. A rule assigns new errors if it names one user and no team.",
		},
	}
}

// ownershipResult is the body of a response with ownership rules.
type ownershipResult struct {
	Ownership Ownership `json:"ownership"`
}

// Ownership says who owns the errors of a project.
type Ownership struct {
	Rules      string   `json:"rules" doc:"One rule per line, as in a CODEOWNERS file. The last rule that matches decides."`
	OnlyOwners bool     `json:"notify_only_owners" doc:"Whether users receive personal notifications of new and reopened errors only if they own them. Errors without an owner are for everyone."`
	Unknown    []string `json:"unknown_owners" doc:"Owners in the rules that are neither a user who can see the project nor a team of the account."`
}

func (a *API) getOwnership(w http.ResponseWriter, r *http.Request) error {
	project := pathID(r, "project_id")
	s, err := a.Accounts.Ownership(r.Context(), project)
	if err != nil {
		return err
	}
	directory, err := a.Accounts.ProjectOwners(r.Context(), project)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, ownershipResult{Ownership{s.Rules, s.OnlyOwners, append([]string{}, directory.Resolve(s.Parsed().Names()).Unknown...)}})
}

// ownershipBody is the body of an update.
type ownershipBody struct {
	Ownership sett.Optional[owner.OwnershipChange] `json:"ownership" required:"true"`
}

func (a *API) updateOwnership(w http.ResponseWriter, r *http.Request) error {
	var body ownershipBody
	change, err := readOwn(w, r, &body, &body.Ownership, "ownership", `{"rules": "/app/payments/ ines@example.org"}`, Ownership{})
	if err != nil {
		return err
	}
	if err := a.Accounts.UpdateOwnership(r.Context(), pathID(r, "project_id"), change); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
