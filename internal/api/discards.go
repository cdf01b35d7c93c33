package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

func (a *API) discardRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: "/v2/projects/{project_id}/discarded", Name: "listDiscarded", Tag: "Projects", Permission: accounts.ReadProject,
		Result: ProjectDiscards{}, Handle: a.listDiscarded,
		Doc: "List what was not stored of a project on each day of this month (UTC): what Sentry SDKs report that they discarded, and what the server refused or dropped, with the reason. The last day comes first.",
	}}
}

// Discard is how much was not stored, of one category and for one reason.
type Discard struct {
	Source   stats.DiscardSource `json:"source" enum:"client,server" doc:"client: discarded before it was sent, as the SDK reports; server: dropped after it was received."`
	Category string              `json:"category" doc:"A data category of Sentry, such as error or transaction; other for unknown ones."`
	Reason   string              `json:"reason" doc:"A reason of Sentry SDKs, such as sample_rate; of the server: unsupported, too_large, full, no_event, no_check_in, unreadable, invalid, forbidden or limited; other for unknown ones."`
	Count    int64               `json:"count"`
	Detail   string              `json:"detail,omitempty" doc:"A sentence with which the server refused something for this reason."`
}

// DayDiscard is a Discard on one day.
type DayDiscard struct {
	Day string `json:"day" doc:"Day (UTC), such as 2026-11-25."`
	Discard
}

// ProjectDiscards are those of a project.
type ProjectDiscards struct {
	Discarded []DayDiscard `json:"discarded"`
}

func viewDiscard(d stats.Discard) Discard {
	return Discard{d.Source, d.Category, d.Reason, d.Count, d.Detail}
}

func viewDayDiscard(d stats.Discard) DayDiscard {
	return DayDiscard{d.Day.Format("2006-01-02"), viewDiscard(d)}
}

func (a *API) listDiscarded(w http.ResponseWriter, r *http.Request) error {
	all, err := a.Intake.ProjectDiscards(r.Context(), pathID(r, "project_id"), a.Now())
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, ProjectDiscards{viewAll(all, viewDayDiscard)})
}
