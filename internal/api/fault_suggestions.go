package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/searchdb"
)

func (a *API) faultSuggestionRoute() serve.Route {
	return serve.Route{
		Method: "GET", Path: faultsPath + "/suggestions", Name: "suggestFaultSearch", Tag: "Faults", Permission: accounts.ReadProject,
		Query: suggestionQuery{}, Result: []Suggestion{}, Handle: a.suggestFaultSearch,
		Doc: "Suggest keys and values for a term of a fault search while it is typed, at most 30: first those that begin with the typed text, then those that contain it; " +
			"in each group those of the search language first, then the most frequent. They are from the 2,000 faults with the newest notices, and from some thousands of the newest notices.",
	}
}

// suggestionQuery says what is typed.
type suggestionQuery struct {
	Q string `query:"q" doc:"The term typed so far, such as env, environment:pr, context.pl or -context.plan:go. Empty suggests keys."`
}

// Suggestion completes a term of a search.
type Suggestion struct {
	Text         string `json:"text" doc:"The term to insert, in quotes where it needs them. That of a key ends with a colon."`
	Kind         string `json:"kind" enum:"key,value"`
	FaultsCount  *int64 `json:"faults_count" doc:"Number of faults with the value among those looked at; null if it is not known."`
	NoticesCount *int64 `json:"notices_count" doc:"Number of notices with the key or value among those looked at; null if it is not known."`
}

func viewSuggestion(s searchdb.Suggestion) Suggestion {
	kind := "value"
	if s.IsKey {
		kind = "key"
	}
	return Suggestion{Text: s.Text, Kind: kind, FaultsCount: nullCount(s.Faults), NoticesCount: nullCount(s.Notices)}
}

// nullCount is how the interface writes a count that may not be known.
func nullCount(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// suggestFaultSearch answers with a bare array: there are few.
func (a *API) suggestFaultSearch(w http.ResponseWriter, r *http.Request) error {
	var q suggestionQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	typed := sett.CheckTyped(&problems, "q", q.Q)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, err := a.Search.Suggest(r.Context(), pathID(r, "project_id"), typed)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(found, viewSuggestion))
}
