package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
)

func (a *API) uptimeCheckRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: sitePath + "/uptime_checks", Name: "listUptimeChecks", Tag: "Sites", Permission: sett.ReadProject,
		Query: spanQuery{}, Result: serve.List[UptimeCheck]{}, PageSize: serve.ShortPage, Handle: a.listUptimeChecks,
		Doc: "Each look at an address from one location, the newest first. They are kept for some weeks; what they add up to is kept for good, see getUptime.",
	}}
}

// UptimeCheck is one look at a site as the contract shows one, with what came back.
type UptimeCheck struct {
	CreatedAt time.Time     `json:"created_at" doc:"When it began."`
	Duration  int64         `json:"duration" doc:"Milliseconds."`
	Location  sett.Location `json:"location"`
	Up        bool          `json:"up" doc:"Whether the address was as it should be."`
	Status    *int          `json:"status" doc:"Status of the response; null when there was none."`
	Reason    *string       `json:"reason" doc:"Why it failed; null when it did not."`
}

func viewUptimeCheck(c sett.UptimeCheck) UptimeCheck {
	return UptimeCheck{
		CreatedAt: c.At, Duration: milliseconds(c.Duration), Location: c.Location, Up: c.Up, Status: nullStatus(c.Status),
		Reason: nullText(c.Reason),
	}
}

// milliseconds is how the interface writes a duration: to the nearest whole one.
func milliseconds(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

func (a *API) listUptimeChecks(w http.ResponseWriter, r *http.Request) error {
	page, filter, err := readSpan(r)
	if err != nil {
		return err
	}
	checks, marks, err := a.Store.ListUptimeChecks(r.Context(), pathID(r, "project_id"), siteID(r), filter)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(checks, viewUptimeCheck), marks))
}
