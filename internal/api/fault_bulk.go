package api

import (
	"cmp"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store/searchdb"
)

func (a *API) faultBulkRoutes() []serve.Route {
	return []serve.Route{{
		Method: "POST", Path: faultsPath + "/bulk", Name: "changeFaults", Tag: "Faults", Permission: accounts.WorkFaults,
		Query: bulkQuery{}, Body: triage.BulkChange{}, Result: BulkResult{}, Handle: a.changeFaults,
		Doc: "Change several faults at once: those in fault_ids, or all that match the search q. An empty q matches all faults of the project.",
	}}
}

// bulkQuery says which faults are changed where the body does not name them.
type bulkQuery struct {
	faultQuery
	AsOf timeParam `query:"as_of" doc:"Skips faults that were created or changed after this time, for example after you read the list; Unix seconds or RFC 3339."`
}

// BulkResult is the result of a change of several faults.
type BulkResult struct {
	Count   int64 `json:"count" doc:"Number of faults that were changed, or will be, see waiting; those already in the requested state are not counted."`
	Waiting int64 `json:"waiting" doc:"Number of faults in count that are still being changed. The change continues in the background, even after a restart of the server; it skips faults that are changed or occur meanwhile."`
	Left    int64 `json:"left" doc:"Number of faults that were skipped because they changed after as_of."`
}

func (a *API) changeFaults(w http.ResponseWriter, r *http.Request) error {
	var q bulkQuery
	var body triage.BulkChange
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	choice := searchdb.Choice{Filter: q.filter(&problems, userID(r), a.Now()), AsOf: q.AsOf.Time}
	if err := problems.Refusal(); err != nil {
		return err
	}
	if err := decodeOwn(w, r, &body); err != nil {
		return err
	}
	if err := cmp.Or(body.Validate(a.Now()), onlyUsers(body.AssigneeID)); err != nil {
		return err
	}
	named, searched := body.FaultIDs.Sent && !body.FaultIDs.Null, r.URL.Query().Has("q")
	if named == searched { // a missing selection must not select everything
		return sett.Errorf(sett.Invalid, "Send either fault_ids in the body or q in the query string to select the faults.")
	}
	if named {
		choice.IDs = append([]int64{}, body.FaultIDs.Value...)
	}
	done, err := a.Search.ChangeFaults(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), choice, body)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, BulkResult{done.Changed, done.Waiting, done.Left})
}
