package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
)

const (
	savedSearchesPath = "/v2/projects/{project_id}/searches"
	savedSearchPath   = savedSearchesPath + "/{search_id}"
)

func (a *API) savedSearchRoutes() []serve.Route {
	const tag = "Saved searches"
	return []serve.Route{
		{
			Method: "GET", Path: savedSearchesPath, Name: "listSavedSearches", Tag: tag, Permission: accounts.ReadProject,
			Result: []SavedSearch{}, Handle: a.listSavedSearches,
			Doc: "List your saved searches in a project, and the shared ones, by name.",
		},
		{
			Method: "POST", Path: savedSearchesPath, Name: "createSavedSearch", Tag: tag, Permission: accounts.ReadProject,
			Body: createSavedSearchBody{}, Result: SavedSearch{}, Status: http.StatusCreated, Handle: a.createSavedSearch,
			Doc: "Save a search, for yourself or shared. A project can have 100 shared searches, and each user can save 100 more in it.",
		},
		{
			Method: "DELETE", Path: savedSearchPath, Name: "deleteSavedSearch", Tag: tag, Permission: accounts.ReadProject,
			Status: http.StatusNoContent, Handle: a.deleteSavedSearch,
			Doc: "Delete one of your searches, or a shared search that you created. Users who can change the project can delete all shared searches.",
		},
	}
}

// SavedSearch is a search that a user saved.
type SavedSearch struct {
	ID          int64        `json:"id"`
	ProjectID   int64        `json:"project_id"`
	Name        string       `json:"name"`
	Q           string       `json:"q"`
	Environment *string      `json:"environment" doc:"Null for all environments."`
	Order       *string      `json:"order" enum:"recent,frequent" doc:"Null for newest first."`
	Shared      bool         `json:"shared"`
	MadeBy      *sett.Person `json:"made_by" doc:"Null if the user no longer exists."`
	CreatedAt   time.Time    `json:"created_at"`
}

func viewSavedSearch(s faults.SavedSearch) SavedSearch {
	return SavedSearch{
		ID: s.ID, ProjectID: s.ProjectID, Name: s.Name, Q: s.Q, Environment: nullText(s.Environment), Order: nullText(s.Order),
		Shared: s.Shared, MadeBy: s.MadeBy, CreatedAt: s.CreatedAt,
	}
}

// listSavedSearches answers with a bare array: there are few.
func (a *API) listSavedSearches(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Search.ListSavedSearches(r.Context(), userID(r), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(found, viewSavedSearch))
}

// createSavedSearchBody is the body that makes a saved search.
type createSavedSearchBody struct {
	Search sett.Optional[faults.SavedSearchChange] `json:"search" required:"true" needs:"name"`
}

func (a *API) createSavedSearch(w http.ResponseWriter, r *http.Request) error {
	var body createSavedSearchBody
	change, err := readOwn(w, r, &body, &body.Search, "search", `{"name": "Open", "q": "-is:resolved"}`, SavedSearch{})
	if err != nil {
		return err
	}
	made, err := a.Search.CreateSavedSearch(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewSavedSearch(made))
}

func (a *API) deleteSavedSearch(w http.ResponseWriter, r *http.Request) error {
	project := pathID(r, "project_id")
	scope, err := a.Accounts.ProjectScope(r.Context(), userID(r), project)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Search.DeleteSavedSearch(r.Context(), userID(r), scope, project, pathID(r, "search_id")))
}
