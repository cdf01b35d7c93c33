package uptime

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"sett/internal/monitor/probe"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/web"
)

// siteAgain shows a rejected form, with the problems at its fields.
func (p *pages) siteAgain(w http.ResponseWriter, r *http.Request, refused error, form url.Values, site *checks.Site) error {
	page, err := p.newSiteForm(r, form, site)
	if err != nil {
		return err
	}
	all := append(append(web.Fields{{Name: "locations", Label: "Locations"}}, page.Fields...), page.Request...)
	explain(all, refused)
	page.Wrong = all[0].Problem
	page.Fields, page.Request = all[1:len(page.Fields)+1], all[len(page.Fields)+1:]
	return p.Again(w, r, refused, "site_form", page)
}

func (p *pages) makeSite(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	site, err := p.Uptime.CreateSite(r.Context(), p.Now(), web.Project(r), siteChange(form).By(p.siteAuthor(r)).Among(probe.Rules()))
	if err != nil {
		return p.siteAgain(w, r, err, form, nil)
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/sites/%s", site.ProjectID, site.ID), "site_made")
}

func (p *pages) changeSite(w http.ResponseWriter, r *http.Request) error {
	site, err := p.Uptime.SiteByID(r.Context(), web.Project(r), siteID(r))
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Uptime.UpdateSite(r.Context(), p.Now(), site.ProjectID, site.ID, siteChange(form).By(p.siteAuthor(r)).Among(probe.Rules())); err != nil {
		return p.siteAgain(w, r, err, form, &site)
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/sites/%s", site.ProjectID, site.ID), "saved")
}

// toSite redirects to the page of a site, unless a change of it has failed.
func (p *pages) toSite(w http.ResponseWriter, r *http.Request, err error, done string) error {
	if err != nil {
		return err
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/sites/%s", web.Project(r), siteID(r)), done)
}

func (p *pages) checkSite(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	return p.toSite(w, r, p.Uptime.AskSite(r.Context(), p.Now(), web.Project(r), siteID(r)), "site_checked")
}

func (p *pages) pauseSite(w http.ResponseWriter, r *http.Request) error {
	return p.setActive(w, r, false, "site_paused")
}

func (p *pages) resumeSite(w http.ResponseWriter, r *http.Request) error {
	return p.setActive(w, r, true, "site_resumed")
}

func (p *pages) setActive(w http.ResponseWriter, r *http.Request, active bool, done string) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	change := checks.SiteChange{Active: sett.Some(active)}.By(p.siteAuthor(r)).Among(probe.Rules())
	return p.toSite(w, r, p.Uptime.UpdateSite(r.Context(), p.Now(), web.Project(r), siteID(r), change), done)
}

// removeSite completes the deletion even if the browser disconnects: the history may be long.
func (p *pages) removeSite(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	if err := p.Uptime.DeleteSite(context.WithoutCancel(r.Context()), web.Project(r), siteID(r)); err != nil {
		return err
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/sites", web.Project(r)), "site_deleted")
}
