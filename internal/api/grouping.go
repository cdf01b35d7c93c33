package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
)

const groupingPath = "/v2/projects/{project_id}/grouping"

func (a *API) groupingRoutes() []serve.Route {
	const tag = "Grouping"
	return []serve.Route{
		{
			Method: "GET", Path: groupingPath, Name: "getGrouping", Tag: tag, Permission: accounts.ManageProject,
			Result: groupingResult{}, Handle: a.getGrouping,
			Doc: "Get the rules that correct the grouping of a project's errors.",
		},
		{
			Method: "PUT", Path: groupingPath, Name: "updateGrouping", Tag: tag, Permission: accounts.ManageProject,
			Body: groupingBody{}, Status: http.StatusNoContent, Handle: a.updateGrouping,
			Doc: "Replace these rules; null removes them. They decide about events that arrive from now on, and are kept as a version. Errors that exist stay as they are: the page of the rules can also merge those that now belong together.",
		},
	}
}

// groupingResult is the body of a response.
type groupingResult struct {
	Grouping Grouping `json:"grouping"`
}

// Grouping is how a project's grouping is corrected.
type Grouping struct {
	Rules string `json:"rules" doc:"One rule per line; empty for none."`
}

func (a *API) getGrouping(w http.ResponseWriter, r *http.Request) error {
	s, err := a.Accounts.Grouping(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, groupingResult{Grouping{s.Rules}})
}

// groupingBody is the body of an update.
type groupingBody struct {
	Grouping sett.Optional[regroup.GroupingChange] `json:"grouping" required:"true"`
}

func (a *API) updateGrouping(w http.ResponseWriter, r *http.Request) error {
	var body groupingBody
	change, err := readOwn(w, r, &body, &body.Grouping, "grouping", `{"rules": "class:Timeout -> timeouts"}`, Grouping{})
	if err != nil {
		return err
	}
	project := pathID(r, "project_id")
	have, err := a.Accounts.Grouping(r.Context(), project)
	if err != nil {
		return err
	}
	rules, err := change.Apply(have.Rules)
	if err == nil {
		err = a.Accounts.UpdateGrouping(r.Context(), a.Now(), userID(r), project, have.Rules, rules, 0)
	}
	if err != nil {
		return err
	}
	a.Keys.Forget() // intake reads the rules with the key
	w.WriteHeader(http.StatusNoContent)
	return nil
}
