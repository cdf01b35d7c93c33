package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
)

const (
	statusPagesPath = "/v2/accounts/{account_id}/status_pages"
	statusPagePath  = statusPagesPath + "/{status_page_id}"
)

func (a *API) statusPageRoutes() []serve.Route {
	const tag = "Status pages"
	const change = "Update a status page. Only the fields you send change, and only the keys of features you send; null resets. The lists of sites and check-ins are replaced as a whole."
	return []serve.Route{
		{
			Method: "GET", Path: statusPagesPath, Name: "listStatusPages", Tag: tag, Permission: accounts.ReadAccount,
			Result: serve.List[StatusPage]{}, Handle: a.listStatusPages,
			Doc: "List the status pages of an account, in order of creation.",
		},
		{
			Method: "POST", Path: statusPagesPath, Name: "createStatusPage", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: createStatusPageBody{}, Result: StatusPage{}, Status: http.StatusCreated, Handle: a.createStatusPage,
			Doc: "Create a status page for sites and check-ins of the account. An account can have at most 100.",
		},
		{
			Method: "GET", Path: statusPagePath, Name: "getStatusPage", Tag: tag, Permission: accounts.ReadAccount,
			Result: StatusPage{}, Handle: a.getStatusPage,
			Doc: "Get a status page.",
		},
		{
			Method: "POST", Path: statusPagePath, Name: "updateStatusPage", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: statusPageBody{}, Status: http.StatusNoContent, Handle: a.updateStatusPage, Doc: change,
		},
		{
			Method: "PUT", Path: statusPagePath, Name: "putStatusPage", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: statusPageBody{}, Status: http.StatusNoContent, Handle: a.updateStatusPage, Doc: change,
		},
		{
			Method: "DELETE", Path: statusPagePath, Name: "deleteStatusPage", Tag: tag, Permission: accounts.ManageStatusPages,
			Status: http.StatusNoContent, Handle: a.deleteStatusPage,
			Doc: "Delete a status page with its incidents and subscribers.",
		},
		{
			Method: "POST", Path: statusPagePath + "/verify_domain", Name: "verifyDomain", Tag: tag, Permission: accounts.ManageStatusPages,
			Handle: a.verifyDomain,
			Doc:    "Verify the domain of a status page in DNS now. The response does not wait for the result: see domain_state.",
		},
	}
}

// StatusPage is a status page as the contract shows one, with what people can set or want to know beyond it.
type StatusPage struct {
	ID                string                `json:"id"`
	Name              string                `json:"name"`
	AccountID         string                `json:"account_id"`
	Slug              string                `json:"slug" doc:"Part of the URL of the page on this server."`
	Domain            *string               `json:"domain" doc:"Null for none."`
	URL               string                `json:"url" doc:"URL of the page, at its domain once that is verified."`
	CreatedAt         time.Time             `json:"created_at"`
	DomainVerifiedAt  *time.Time            `json:"domain_verified_at" doc:"Null until the page is served at the domain."`
	DomainState       *string               `json:"domain_state" enum:"pending,verified,failing,failed" doc:"pending: not found in DNS yet; failed: not found for a long time, and now checked rarely; failing: verified and still served, but no longer found. Null without a domain."`
	DomainProblem     *string               `json:"domain_problem" doc:"Why the domain is not verified, or no longer found; null for no problem."`
	DomainRecords     []status.DNSRecord    `json:"domain_records" doc:"DNS records for the domain; create one of them. Empty without a domain, and for users who cannot change the page."`
	Sites             []StatusPageSite      `json:"sites" doc:"In the order of the page."`
	CheckIns          []StatusPageCheckIn   `json:"check_ins" doc:"In the order of the page, below the sites."`
	HideBranding      bool                  `json:"hide_branding"`
	Features          status.StatusFeatures `json:"features"`
	Unlisted          bool                  `json:"search_engine_indexing_disabled"`
	AutoIncidents     bool                  `json:"automatic_incidents"`
	ResponseTimes     bool                  `json:"response_times" doc:"Whether the page shows response times of its sites."`
	PasswordProtected bool                  `json:"password_protected" doc:"Whether visitors need a password."`
	Language          *string               `json:"language" enum:"en,de,fr,es,pt,ja" doc:"Language of all that sett writes on the page; null for that of each visitor."`
	LogoURL           *string               `json:"logo_url" doc:"Null for none."`
}

// StatusPageSite is a site as a status page shows it.
type StatusPageSite struct {
	SiteID        string     `json:"site_id"`
	DisplayName   string     `json:"display_name" doc:"Empty if not set; the page then shows the original name."`
	Description   string     `json:"description"`
	State         string     `json:"state" enum:"pending,up,down"`
	LastCheckedAt *time.Time `json:"last_checked_at"`
	Group         string     `json:"group" doc:"Components with the same group are shown together; empty for none."`
}

// StatusPageCheckIn is a check-in as a status page shows it.
type StatusPageCheckIn struct {
	CheckInID   string     `json:"check_in_id" doc:"A secret; empty for users who cannot see the project of the check-in."`
	DisplayName string     `json:"display_name" doc:"Empty if not set; the page then shows the original name."`
	Description string     `json:"description"`
	State       string     `json:"state" enum:"pending,reporting,missing,paused"`
	ReportedAt  *time.Time `json:"reported_at"`
	Group       string     `json:"group" doc:"As that of a site."`
}

// viewStatusPages returns the view of status pages: ids of check-ins only for users who can see them anyway, and the proof
// of a domain only for users who can change it.
func (a *API) viewStatusPages(r *http.Request) (func(status.WatchedStatusPage) StatusPage, error) {
	projects, err := a.Accounts.VisibleProjectIDs(r.Context(), userID(r))
	if err != nil {
		return nil, err
	}
	manages, err := a.managesStatusPages(r)
	if err != nil {
		return nil, err
	}
	return func(p status.WatchedStatusPage) StatusPage {
		v := a.viewStatusPage(p.StatusPage)
		if manages {
			v.DomainRecords = orEmpty(p.Domain.Records(a.StatusHost))
		}
		for _, c := range p.Watched {
			if c.IsSite() {
				v.Sites = append(v.Sites, StatusPageSite{c.SiteID.String(), c.DisplayName, c.Description, c.Found, nullTime(c.SeenAt), c.Group})
				continue
			}
			if !slices.Contains(projects, c.ProjectID) {
				c.CheckInID = ""
			}
			v.CheckIns = append(v.CheckIns, StatusPageCheckIn{c.CheckInID, c.DisplayName, c.Description, c.Found, nullTime(c.SeenAt), c.Group})
		}
		return v
	}, nil
}

// managesStatusPages reports whether a request may change the status pages of the account in its path.
func (a *API) managesStatusPages(r *http.Request) (bool, error) {
	scope, err := a.Accounts.AccountScope(r.Context(), userID(r), r.PathValue("account_id"))
	return err == nil && scope.May(accounts.ManageStatusPages) && !auth.PrincipalOf(r.Context()).ReadOnly, err
}

// viewStatusPage returns what every user of the account can see of a page, without its components.
func (a *API) viewStatusPage(p status.StatusPage) StatusPage {
	return StatusPage{
		ID: p.ID, Name: p.Name, AccountID: p.AccountID, Slug: p.Slug, Domain: nullText(p.Domain.Name), URL: p.Address(a.BaseURL), CreatedAt: p.CreatedAt,
		DomainVerifiedAt: nullTime(p.Domain.VerifiedAt), DomainState: nullText(string(p.Domain.State)), DomainProblem: nullText(p.Domain.Problem),
		DomainRecords: []status.DNSRecord{}, Sites: []StatusPageSite{}, CheckIns: []StatusPageCheckIn{}, HideBranding: p.HideBranding,
		Features: p.Features, Unlisted: p.Unlisted, AutoIncidents: p.AutoIncidents, ResponseTimes: p.ResponseTimes, PasswordProtected: p.PasswordHash != "",
		Language: nullText(string(p.Language)), LogoURL: logoURL(p, a.BaseURL),
	}
}

// logoURL returns the public URL of the logo of a page, or nil.
func logoURL(p status.StatusPage, baseURL string) *string {
	if p.Logo.Name == "" {
		return nil
	}
	return new(p.Address(baseURL) + "/s/" + p.Logo.Name)
}

// statusPageRules are what this server lets status pages have.
func (a *API) statusPageRules() status.StatusPageRules {
	return status.StatusPageRules{Plan: a.Plan, Hosts: []string{hostOf(a.BaseURL), hostOf(a.ReportURL), a.StatusHost}}
}

// hostOf returns the host of an address, in lower case and without a port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func (a *API) listStatusPages(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Status.ListStatusPages(r.Context(), r.PathValue("account_id"), page.Page)
	if err != nil {
		return err
	}
	view, err := a.viewStatusPages(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, view), marks))
}

// statusPageBody is the body of a status page's update.
type statusPageBody struct {
	StatusPage sett.Optional[status.StatusPageChange] `json:"status_page" required:"true"`
}

// createStatusPageBody is the body that makes a status page.
type createStatusPageBody struct {
	StatusPage sett.Optional[status.StatusPageChange] `json:"status_page" required:"true" needs:"name"`
}

// readStatusPageChange reads the body of a create or update, and hashes the password in it.
func (a *API) readStatusPageChange(w http.ResponseWriter, r *http.Request) (status.StatusPageChange, error) {
	var body statusPageBody
	change, err := readInside(w, r, &body, &body.StatusPage, "status_page", `{"name": "Shop"}`)
	if password := change.NewPassword(); err == nil && password != "" {
		change.PasswordHash, err = a.Passwords.Hash(r.Context(), password)
	}
	return change.Prepare(), err
}

func (a *API) createStatusPage(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readStatusPageChange(w, r)
	if err != nil {
		return err
	}
	made, err := a.Status.CreateStatusPage(r.Context(), a.Now(), r.PathValue("account_id"), a.statusPageRules(), change)
	if err != nil {
		return err
	}
	return a.writeStatusPage(w, r, http.StatusCreated, made)
}

// statusPage returns the page that the path names. That it is missing is said before what is wrong with a body.
func (a *API) statusPage(r *http.Request) (status.WatchedStatusPage, error) {
	return a.Status.WatchedStatusPage(r.Context(), r.PathValue("account_id"), r.PathValue("status_page_id"))
}

func (a *API) getStatusPage(w http.ResponseWriter, r *http.Request) error {
	p, err := a.statusPage(r)
	if err != nil {
		return err
	}
	return a.writeStatusPage(w, r, http.StatusOK, p)
}

func (a *API) writeStatusPage(w http.ResponseWriter, r *http.Request, status int, p status.WatchedStatusPage) error {
	view, err := a.viewStatusPages(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, status, view(p))
}

func (a *API) updateStatusPage(w http.ResponseWriter, r *http.Request) error {
	p, err := a.statusPage(r)
	if err != nil {
		return err
	}
	change, err := a.readStatusPageChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Status.UpdateStatusPage(r.Context(), a.Now(), p.AccountID, p.ID, a.statusPageRules(), change))
}

// deleteStatusPage finishes what it began, whether or not the client waits for it: the subscribers may be many.
func (a *API) deleteStatusPage(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	return done(w, http.StatusNoContent, a.Status.DeleteStatusPage(ctx, r.PathValue("account_id"), r.PathValue("status_page_id")))
}

func (a *API) verifyDomain(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Status.AskDomain(r.Context(), a.Now(), r.PathValue("account_id"), r.PathValue("status_page_id")))
}
