package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// checkInsBody is the body that replaces all check-ins of a project.
type checkInsBody struct {
	CheckIns sett.Optional[[]checks.CheckInChange] `json:"check_ins" required:"true" doc:"The complete list of check-ins, each with its slug."`
}

// checkInSyncs are the results of each entry, and of the check-ins that were not listed.
type checkInSyncs struct {
	Results []CheckInSync `json:"results"`
}

// CheckInSync says what was done about one check-in, or why it was not.
type CheckInSync struct {
	Operation string   `json:"operation" enum:"create,update,delete"`
	Slug      string   `json:"slug"`
	Success   bool     `json:"success"`
	Errors    []string `json:"errors,omitempty" doc:"Errors of the entry, which was not applied."`
}

func viewCheckInSync(s checks.CheckInSync) CheckInSync {
	v := CheckInSync{Operation: string(s.Operation), Slug: s.Slug, Success: s.Problem == ""}
	if !v.Success {
		v.Errors = []string{s.Problem}
	}
	return v
}

// syncCheckIns responds with a body, unlike other changes: clients read the result of each entry there (wire.md §1.6).
func (a *API) syncCheckIns(w http.ResponseWriter, r *http.Request) error {
	var body checkInsBody
	if _, err := serve.DecodeBody(w, r, &body); err != nil {
		return err
	}
	if list := body.CheckIns; !list.Sent || list.Null || list.Bad != "" { // which must not mean that all are to go
		return sett.Refuse("check_ins", `must be an array of objects, as in {"check_ins": [{"slug": "backup", "report_period": "1 day"}]}`)
	}
	results, err := a.Uptime.SyncCheckIns(r.Context(), a.Now(), pathID(r, "project_id"), body.CheckIns.Value)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, checkInSyncs{viewAll(results, viewCheckInSync)})
}
