package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

func (a *API) uptimeCheckRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: sitePath + "/uptime_checks", Name: "listUptimeChecks", Tag: "Sites", Permission: accounts.ReadProject,
		Query: spanQuery{}, Result: serve.List[UptimeCheck]{}, PageSize: serve.ShortPage, Handle: a.listUptimeChecks,
		Doc: "List the checks of an uptime check from each location, newest first. Checks are deleted after the days that the operator sets; for totals of older checks, see getUptime.",
	}}
}

// UptimeCheck is one check of a site in the form of the contract, with the response.
type UptimeCheck struct {
	CreatedAt time.Time       `json:"created_at" doc:"Start of the check."`
	Duration  int64           `json:"duration" doc:"In milliseconds."`
	Location  checks.Location `json:"location"`
	Up        bool            `json:"up" doc:"Whether the check succeeded."`
	Status    *int            `json:"status" doc:"HTTP status of the response; null when there was none."`
	Reason    *string         `json:"reason" doc:"Why the check failed; null if it succeeded."`
}

func viewUptimeCheck(c checks.UptimeCheck) UptimeCheck {
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
	checks, marks, err := a.Uptime.ListUptimeChecks(r.Context(), pathID(r, "project_id"), siteID(r), filter)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(checks, viewUptimeCheck), marks))
}
