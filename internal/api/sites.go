package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"sett/internal/monitor/probe"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

const (
	sitesPath = "/v2/projects/{project_id}/sites"
	sitePath  = sitesPath + "/{site_id}"
)

func (a *API) siteRoutes() []serve.Route {
	const tag = "Sites"
	return []serve.Route{
		{
			Method: "GET", Path: sitesPath, Name: "listSites", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Site]{}, Handle: a.listSites,
			Doc: "List the uptime checks of a project, in order of creation.",
		},
		{
			Method: "POST", Path: sitesPath, Name: "createSite", Tag: tag, Permission: accounts.WatchProject,
			Body: createSiteBody{}, Result: Site{}, Status: http.StatusCreated, Handle: a.createSite,
			Doc: "Create an uptime check. The URL is checked at once, and then at the given frequency from each location.",
		},
		{
			Method: "GET", Path: sitePath, Name: "getSite", Tag: tag, Permission: accounts.ReadProject,
			Result: Site{}, Handle: a.getSite,
			Doc: "Get an uptime check.",
		},
		{
			Method: "PUT", Path: sitePath, Name: "updateSite", Tag: tag, Permission: accounts.WatchProject,
			Body: siteBody{}, Status: http.StatusNoContent, Handle: a.updateSite,
			Doc: "Update an uptime check. Only the fields you send change; null resets a field to its default. The URL is checked at once. State and outage stay the same until there is a result.",
		},
		{
			Method: "DELETE", Path: sitePath, Name: "deleteSite", Tag: tag, Permission: accounts.WatchProject,
			Status: http.StatusNoContent, Handle: a.deleteSite,
			Doc: "Delete an uptime check and its history. If it is down, no alert for the end of the outage is sent.",
		},
		{
			Method: "POST", Path: sitePath + "/check", Name: "checkSite", Tag: tag, Permission: accounts.WatchProject, Handle: a.checkSite,
			Doc: "Check the URL now from every location. The response does not wait for the results: see uptime_checks.",
		},
	}
}

// Site is an uptime check as the contract shows one, with what people can set or want to know beyond it: timeout,
// follow_redirects, live_locations, cert_will_expire_at and details_url.
type Site struct {
	ID               string               `json:"id"`
	Name             string               `json:"name"`
	URL              string               `json:"url" doc:"A user, password and secret parameters are shown as ********. If you send them back masked, they stay the same."`
	Active           bool                 `json:"active" doc:"If false, it is not checked and keeps its state."`
	State            sett.SiteState       `json:"state" enum:"pending,up,down" doc:"Pending until there is a first result."`
	LastCheckedAt    *time.Time           `json:"last_checked_at" doc:"Null before the first check."`
	Frequency        int64                `json:"frequency" doc:"Minutes between two checks from one location." enum:"1,5,15"`
	MatchType        checks.MatchType     `json:"match_type" enum:"success,exact,include,exclude"`
	Match            *string              `json:"match" doc:"Null for none."`
	RequestMethod    string               `json:"request_method" enum:"GET,POST,PUT,PATCH,DELETE"`
	RequestBody      string               `json:"request_body" doc:"Shown as ******** to read-only tokens and to users who cannot manage the project. If you send it back masked, it stays the same."`
	RequestHeaders   []checks.ProbeHeader `json:"request_headers" doc:"Secret values are shown as ******** to read-only tokens and to users who cannot manage the project. If you send them back masked, they stay the same."`
	Locations        []checks.Location    `json:"locations" doc:"The selected locations; empty for all." enum:"Virginia,Oregon,Frankfurt,Singapore,London"`
	LiveLocations    []checks.Location    `json:"live_locations" doc:"The locations that currently run checks. Each missing location needs an agent." enum:"Virginia,Oregon,Frankfurt,Singapore,London"`
	ValidateSSL      bool                 `json:"validate_ssl"`
	OutageThreshold  *int64               `json:"outage_threshold" doc:"Number of failing locations for an outage; null for half of the locations."`
	Timeout          int64                `json:"timeout" doc:"Timeout of a check in seconds."`
	FollowRedirects  bool                 `json:"follow_redirects" doc:"Whether a check follows redirects, up to 10 of them."`
	CertWillExpireAt *time.Time           `json:"cert_will_expire_at" doc:"Expiry of the last certificate seen; null for none."`
	DetailsURL       string               `json:"details_url" doc:"The page of the uptime check."`
}

// viewSites returns how sites are shown to the caller, while some locations are live.
func (a *API) viewSites(r *http.Request, live []checks.LiveLocation) func(checks.Site) Site {
	values := auth.PrincipalOf(r.Context()).MayChange(accounts.ManageProject)
	return func(s checks.Site) Site {
		s.SiteSettings = s.Shown(values)
		v := Site{
			ID: s.ID.String(), Name: s.Name, URL: s.URL, Active: s.Active, State: s.State, LastCheckedAt: nullTime(s.LastCheckedAt),
			Frequency: s.Frequency, MatchType: s.MatchType, Match: nullText(s.Match), RequestMethod: s.Method,
			RequestBody: s.Body, RequestHeaders: orEmpty(s.Headers), Locations: orEmpty(s.Locations),
			LiveLocations: liveOf(s, live), ValidateSSL: s.ValidateSSL, Timeout: int64(s.Timeout / time.Second), FollowRedirects: s.FollowRedirects,
			CertWillExpireAt: nullTime(s.CertWillExpireAt), DetailsURL: a.siteURL(s),
		}
		if s.OutageThreshold > 0 {
			v.OutageThreshold = &s.OutageThreshold
		}
		return v
	}
}

// liveOf returns the live locations that a site selects, in the order of the contract.
func liveOf(s checks.Site, live []checks.LiveLocation) []checks.Location {
	return slices.DeleteFunc(checks.Locations(), func(l checks.Location) bool {
		return !s.Selects(l) || !slices.ContainsFunc(live, func(have checks.LiveLocation) bool { return have.Location == l })
	})
}

// siteURL is the address of a site's page.
func (a *API) siteURL(s checks.Site) string {
	return fmt.Sprintf("%s/projects/%d/sites/%s", a.BaseURL, s.ProjectID, s.ID)
}

// siteID reads the id of a site from the path. An invalid id is not found.
func siteID(r *http.Request) sett.UUID {
	id, err := sett.ParseUUID(r.PathValue("site_id"))
	if err != nil {
		return sett.UUID{}
	}
	return id
}

func (a *API) listSites(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	sites, marks, err := a.Uptime.ListSites(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	live, err := a.Uptime.LiveLocations(r.Context(), a.Now())
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(sites, a.viewSites(r, live)), marks))
}

// siteBody is the body of a site's update.
type siteBody struct {
	Site sett.Optional[checks.SiteChange] `json:"site" required:"true"`
}

// createSiteBody is the body that makes a site.
type createSiteBody struct {
	Site sett.Optional[checks.SiteChange] `json:"site" required:"true" needs:"url"`
}

// siteAuthor returns what the settings of a site need to know about the caller.
func (a *API) siteAuthor(r *http.Request) checks.SiteAuthor {
	return checks.SiteAuthor{Blind: !auth.PrincipalOf(r.Context()).MayChange(accounts.ManageProject), Identity: a.IdentityHeader}
}

func (a *API) readSiteChange(w http.ResponseWriter, r *http.Request) (checks.SiteChange, error) {
	var body siteBody
	change, err := readInside(w, r, &body, &body.Site, "site", `{"url": "https://shop.example.org/health"}`)
	return change.By(a.siteAuthor(r)).Among(probe.Rules()), err
}

func (a *API) createSite(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readSiteChange(w, r)
	if err != nil {
		return err
	}
	s, err := a.Uptime.CreateSite(r.Context(), a.Now(), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	return a.writeSite(w, r, http.StatusCreated, s)
}

func (a *API) getSite(w http.ResponseWriter, r *http.Request) error {
	s, err := a.Uptime.SiteByID(r.Context(), pathID(r, "project_id"), siteID(r))
	if err != nil {
		return err
	}
	return a.writeSite(w, r, http.StatusOK, s)
}

func (a *API) writeSite(w http.ResponseWriter, r *http.Request, status int, s checks.Site) error {
	live, err := a.Uptime.LiveLocations(r.Context(), a.Now())
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, status, a.viewSites(r, live)(s))
}

func (a *API) updateSite(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readSiteChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Uptime.UpdateSite(r.Context(), a.Now(), pathID(r, "project_id"), siteID(r), change))
}

func (a *API) checkSite(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Uptime.AskSite(r.Context(), a.Now(), pathID(r, "project_id"), siteID(r)))
}

// deleteSite finishes what it began, whether or not the client waits for it: the history may be long.
func (a *API) deleteSite(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	return done(w, http.StatusNoContent, a.Uptime.DeleteSite(ctx, pathID(r, "project_id"), siteID(r)))
}
