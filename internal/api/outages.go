package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/uptimedb"
)

func (a *API) outageRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: sitePath + "/outages", Name: "listOutages", Tag: "Sites", Permission: accounts.ReadProject,
		Query: spanQuery{}, Result: serve.List[Outage]{}, PageSize: serve.ShortPage, Handle: a.listOutages,
		Doc: "List the outages of an uptime check with their reasons, newest first.",
	}}
}

// Outage is an outage as the contract shows one, with the evidence of the check that confirmed it.
type Outage struct {
	DownAt    time.Time          `json:"down_at" doc:"Start of the first failed check of the outage."`
	UpAt      *time.Time         `json:"up_at" doc:"Null while the outage lasts."`
	CreatedAt time.Time          `json:"created_at" doc:"Time at which the outage was confirmed."`
	Status    *int               `json:"status" doc:"HTTP status of the response; null when there was none."`
	Reason    string             `json:"reason"`
	Headers   *map[string]string `json:"headers" doc:"Response headers, with names in lower case, without cookies and other credentials; null without a response, and for read-only tokens."`
	Location  checks.Location    `json:"location" doc:"Location that confirmed the outage."`
	Body      *string            `json:"body" doc:"Start of the response body, without anything that looks like credentials; null without a response, and for read-only tokens."`
}

// viewOutages returns the view of outages for the caller: responses of the site are only for users who may edit the site.
func viewOutages(r *http.Request) func(checks.Outage) Outage {
	edits := auth.PrincipalOf(r.Context()).MayChange(accounts.WatchProject)
	return func(o checks.Outage) Outage {
		if !edits {
			o.Headers, o.Body = nil, nil
		}
		return viewOutage(o)
	}
}

func viewOutage(o checks.Outage) Outage {
	v := Outage{
		DownAt: o.DownAt, UpAt: nullTime(o.UpAt), CreatedAt: o.CreatedAt, Status: nullStatus(o.Status), Reason: o.Reason,
		Location: o.Location, Body: nullText(string(o.Body)),
	}
	if o.Headers != nil {
		v.Headers = &o.Headers
	}
	return v
}

// nullStatus is how the interface writes the status of a response that may not have come.
func nullStatus(status int) *int {
	if status == 0 {
		return nil
	}
	return &status
}

// spanQuery says which part of a site's history is listed.
type spanQuery struct {
	CreatedAfter  timeParam `query:"created_after" doc:"Only those at or after this time; Unix seconds or RFC 3339."`
	CreatedBefore timeParam `query:"created_before" doc:"Only those before this time; Unix seconds or RFC 3339."`
}

// readSpan reads which part of a history is asked for.
func readSpan(r *http.Request) (serve.Page, uptimedb.SpanFilter, error) {
	var q spanQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	filter := uptimedb.SpanFilter{CreatedAfter: q.CreatedAfter.Time, CreatedBefore: q.CreatedBefore.Time, Page: page.Page}
	return page, filter, problems.Refusal()
}

func (a *API) listOutages(w http.ResponseWriter, r *http.Request) error {
	page, filter, err := readSpan(r)
	if err != nil {
		return err
	}
	outages, marks, err := a.Uptime.ListOutages(r.Context(), pathID(r, "project_id"), siteID(r), filter)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(outages, viewOutages(r)), marks))
}
