package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

func (a *API) faultBulkRoutes() []serve.Route {
	return []serve.Route{{
		Method: "POST", Path: faultsPath + "/bulk", Name: "changeFaults", Tag: "Faults", Permission: sett.WorkFaults,
		Query: bulkQuery{}, Body: sett.BulkChange{}, Result: BulkResult{}, Handle: a.changeFaults,
		Doc: "Do the same to many faults: those that fault_ids names, or else every one that q finds. An empty q means all of the project.",
	}}
}

// bulkQuery says which faults are changed where the body does not name them.
type bulkQuery struct {
	faultQuery
	AsOf timeParam `query:"as_of" doc:"Leaves faults alone that were made later, or that something happened to later, such as after the list was read; seconds since 1970, or RFC 3339."`
}

// BulkResult is what came of a change of many faults.
type BulkResult struct {
	Count   int64 `json:"count" doc:"How many faults were changed; those that were so already are not counted."`
	Waiting int64 `json:"waiting" doc:"Of delete: how many of count are still there when this is answered. They are deleted one after another, even when the server is restarted."`
	Left    int64 `json:"left" doc:"How many would have been changed, but were left alone because something happened to them after as_of."`
}

func (a *API) changeFaults(w http.ResponseWriter, r *http.Request) error {
	var q bulkQuery
	var body sett.BulkChange
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	choice := store.FaultChoice{Filter: q.filter(&problems, userID(r), a.Now()), AsOf: q.AsOf.Time}
	if err := problems.Refusal(); err != nil {
		return err
	}
	if err := serve.DecodeJSON(w, r, &body); err != nil {
		return err
	}
	if err := body.Validate(a.Now()); err != nil {
		return err
	}
	named, searched := body.FaultIDs.Sent && !body.FaultIDs.Null, r.URL.Query().Has("q")
	if named == searched { // nothing may be changed because somebody forgot to say what
		return sett.Errorf(sett.Invalid, "Send either fault_ids in the body, or q in the query of the address: it says which faults are changed.")
	}
	if named {
		choice.IDs = append([]int64{}, body.FaultIDs.Value...)
	}
	done, err := a.Store.ChangeFaults(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), choice, body)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, BulkResult{done.Changed, done.Waiting, done.Left})
}
