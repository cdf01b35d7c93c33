// Package sentryapi is the part of Sentry's API that sentry-cli and Sentry's plugins for bundlers use: releases, deploys, uploads of source
// maps and lists of what there is, below /api/0. Requests carry a personal token, or the API key of a project. The package stores releases,
// deploys and source maps, and answers with the JSON that these tools decode. The package never records events, which have the DSN's key,
// and shows nothing that the /v2 API would not show to the same user.
package sentryapi

import (
	"context"
	"net/http"
	"time"

	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/releasedb"
	"sett/internal/store/searchdb"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/uptimedb"
)

// patience is how long the database may take to answer a request that uploads nothing.
const patience = 20 * time.Second

// Options is what the API works with.
type Options struct {
	DB         *db.DB
	Accounts   *accountdb.Store
	Faults     *faultdb.Store // records deploys
	Search     *searchdb.Store
	Releases   *releasedb.Store
	Uptime     *uptimedb.Store // has check-ins
	SourceMaps *sourcemapdb.Store
	Uploads    *upload.Desk
	Maps       *unminify.Maps

	Tokens  *auth.Tokens
	Keys    *auth.Keys
	Limiter *auth.Limiter

	Now       func() time.Time
	Proxies   serve.Proxies
	ReportURL string // where clients reach the server; no trailing slash
}

// API serves the routes. It is safe for concurrent use.
type API struct{ Options }

// New returns an API.
func New(o Options) *API { return &API{o} }

// Paths of the routes. Names of accounts and projects may be their ids.
const (
	top          = "/api/0"
	organization = top + "/organizations/{org}"
	orgReleases  = organization + "/releases"
	orgRelease   = orgReleases + "/{version}"
	project      = top + "/projects/{org}/{project}"
)

// handler answers a request of a known caller, in an account that they belong to.
type handler func(w http.ResponseWriter, r *http.Request, c caller) error

// Routes is the table of all routes. The document of the /v2 API does not list them: Sentry describes them.
func (a *API) Routes() []serve.Route {
	var routes []serve.Route
	add := func(method, path, name string, h handler) {
		rt := serve.Route{Method: method, Path: path, Name: name, Tag: "Reporting", Permission: accounts.SignedIn, Raw: method != http.MethodGet}
		rt.Handle = a.known(rt, h)
		routes = append(routes, rt)
	}
	add(http.MethodGet, top, "sentryInfo", a.info)
	add(http.MethodGet, organization, "sentryOrganization", a.organization)
	add(http.MethodGet, top+"/organizations", "sentryOrganizations", a.listOrganizations)
	add(http.MethodGet, organization+"/projects", "sentryProjects", a.listProjects)
	add(http.MethodGet, organization+"/monitors", "sentryMonitors", a.listMonitors)
	add(http.MethodGet, project+"/issues", "sentryIssues", a.listIssues)
	add(http.MethodGet, project+"/events", "sentryEvents", a.listEvents)
	add(http.MethodGet, organization+"/repos", "sentryRepositories", a.repositories)
	for _, path := range []string{organization, project} {
		add(http.MethodGet, path+"/releases", "sentryReleases", a.listReleases)
		add(http.MethodPost, path+"/releases", "sentryCreateRelease", a.createRelease)
		add(http.MethodGet, path+"/releases/{version}", "sentryRelease", a.getRelease)
		add(http.MethodPut, path+"/releases/{version}", "sentryUpdateRelease", a.updateRelease)
		add(http.MethodDelete, path+"/releases/{version}", "deleteRelease", a.deleteRelease)
		add(http.MethodPost, path+"/releases/{version}/assemble", "sentryAssembleRelease", a.assembleBundle)
		add(http.MethodPost, path+"/releases/{version}/files", "sentryUploadFile", a.uploadFile)
	}
	add(http.MethodGet, orgRelease+"/previous-with-commits", "sentryPreviousRelease", a.previousRelease)
	add(http.MethodGet, orgRelease+"/deploys", "sentryDeploys", a.listDeploys)
	add(http.MethodPost, orgRelease+"/deploys", "sentryCreateDeploy", a.createDeploy)
	add(http.MethodGet, organization+"/chunk-upload", "sentryUploadOptions", a.uploadOptions)
	add(http.MethodPost, organization+"/chunk-upload", "sentryUploadChunks", a.uploadChunks)
	add(http.MethodPost, organization+"/artifactbundle/assemble", "sentryAssembleBundle", a.assembleBundle)
	add(http.MethodPost, project+"/files/difs/assemble", "sentryAssembleDebugFiles", a.assembleDebugFiles)
	for i := range routes {
		routes[i].Name += suffix(routes[i].Path)
	}
	return routes
}

// suffix keeps the names of routes apart that are below an account and below a project.
func suffix(path string) string {
	if len(path) > len(project) && path[:len(project)] == project {
		return "OfProject"
	}
	return ""
}

// refusal is the body of an error.
type refusal struct {
	Detail string `json:"detail"`
}

// known finds out who asks, and in which account, before a handler runs.
func (a *API) known(rt serve.Route, next handler) serve.Handler {
	handle := func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		ctx := r.Context()
		if !uploads(rt) {
			short, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			ctx = short
		}
		c, err := a.admit(w, r.WithContext(ctx))
		if err != nil {
			return err
		}
		return a.DB.Explain(next(w, a.audited(rt, r.WithContext(ctx), c), c))
	}
	return serve.AnswerErrorsAs(handle, func(_ int, message string) any { return refusal{message} })
}

// applyUploads has new source maps apply at once in this process: to errors, and in keys, which say that their project has none.
func (a *API) applyUploads() {
	a.Maps.Forget()
	a.Keys.Forget()
}

// uploads reports whether a route has bounds of its own on the time that it takes.
func uploads(rt serve.Route) bool {
	switch rt.Name {
	case "sentryUploadChunks", "sentryAssembleBundle", "sentryAssembleRelease", "sentryUploadFile":
		return true
	}
	return false
}
