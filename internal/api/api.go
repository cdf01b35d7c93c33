// Package api is the API under /v2. Each request of a user has one line in the route table in routes.go; it is answered with the JSON
// shapes of the contract. There is one file per noun: its request and response types, and a handler per route that reads, validates, calls
// the store once and writes. It never writes SQL, never decides what a role may do – that is accounts.Scope.May – and never shows objects of
// other accounts.
package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"sett/internal/ingest/unminify"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
	"sett/internal/store/accountdb"
	"sett/internal/store/alarmdb"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/dashboarddb"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/faultdb"
	"sett/internal/store/insightdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/releasedb"
	"sett/internal/store/repodb"
	"sett/internal/store/searchdb"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/statusdb"
	"sett/internal/store/uptimedb"
)

// patience is how long the database may take to answer a request; it is less than the server gives a connection.
const patience = 20 * time.Second

// Options are what the interface works with.
type Options struct {
	DB         *db.DB
	Accounts   *accountdb.Store
	Status     *statusdb.Store
	Uptime     *uptimedb.Store
	Faults     *faultdb.Store
	Search     *searchdb.Store
	Intake     *intakedb.Store
	Releases   *releasedb.Store
	Repos      *repodb.Store
	Deliveries *deliverydb.Store
	SourceMaps *sourcemapdb.Store
	Maps       *unminify.Maps
	Insights   *insightdb.Store
	Dashboards *dashboarddb.Store
	Alarms     *alarmdb.Store

	Attachments *attachmentdb.Store

	// DeleteProject deletes a project; it calls closed once intake must refuse its keys.
	DeleteProject func(ctx context.Context, projectID int64, closed func()) error

	Erasures Erasures

	Tokens  *auth.Tokens
	Keys    *auth.Keys
	Limiter *auth.Limiter

	Passwords *auth.Passwords // hashes those of status pages

	Limits  accounts.Limits // of intake, for the usage of an account
	Now     func() time.Time
	Proxies serve.Proxies
	Plan    accounts.Plan // what accounts may use
	BaseURL string        // where people reach the server; no trailing slash

	ReportURL string // where clients reach it, as BaseURL

	IdentityHeader string // in which a proxy names users, so that checks must not send it; "" for none

	StatusHost string // to which the domains of status pages are to point
}

// Erasures are erasures of affected users.
type Erasures interface {
	CreateErasure(ctx context.Context, now time.Time, userID, projectID int64, change scrub.ErasureChange) (scrub.Erasure, error)
	// AwaitErasure returns an erasure when it has deleted all notices, or as it is when ctx ends.
	AwaitErasure(ctx context.Context, projectID, id int64) (scrub.Erasure, error)
	ErasureByID(ctx context.Context, projectID, id int64) (scrub.Erasure, error)
	ListErasures(ctx context.Context, projectID int64, p sett.Page) ([]scrub.Erasure, sett.Marks, error)
}

// API answers the routes under /v2.
type API struct {
	Options
}

// New returns an API.
func New(o Options) *API { return &API{o} }

// Wrap puts authentication, the rate limit and the permission of a route before its handler. It is meant for
// serve.MuxOptions and leaves routes alone that are not under /v2, and those of reports, which carry the key of a project.
func (a *API) Wrap(route serve.Route, next serve.Handler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !isManagement(r.URL.Path) || route.Permission == accounts.ReportWithKey {
			return next(w, r)
		}
		w.Header().Set("Cache-Control", "no-store") // answers hold keys, tokens and addresses of people
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		return a.DB.Explain(a.known(route, next)(w, r.WithContext(ctx)))
	}
}

// known finds out who asks, and whether they may, before the handler runs.
func (a *API) known(route serve.Route, next serve.Handler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		principal, err := a.admit(w, r)
		if err != nil {
			return err
		}
		serve.Known(r.Context())
		serve.SetPrincipal(r.Context(), "user:"+strconv.FormatInt(principal.User.ID, 10))
		if principal.ReadOnly && !route.Reads && r.Method != http.MethodGet && r.Method != http.MethodHead {
			return sett.Errorf(sett.Forbidden, "This token is read-only. Use a token with the scope write, which you can create at /me/tokens.")
		}
		return a.Answer(w, r.WithContext(auth.WithPrincipal(r.Context(), principal)), route, next)
	}
}

// Answer runs the handler of a route for the principal of a request who is known: it asks for the permission of the route, keeps what changes for
// the audit log, and looks whether what the path names is there. It is the one way to a handler, also for /v3.
func (a *API) Answer(w http.ResponseWriter, r *http.Request, route serve.Route, next serve.Handler) error {
	scope, err := auth.Authorize(a.Accounts, r, route.Permission)
	if err != nil {
		return err
	}
	principal := auth.PrincipalOf(r.Context())
	principal.Scope = scope
	r = r.WithContext(auth.WithPrincipal(r.Context(), principal))
	if route.Method != http.MethodGet && !route.Reads {
		r = a.audited(r, route, scope)
	}
	if route.Body != nil || route.Query != nil {
		if err := a.checkParent(r); err != nil {
			return a.merged(w, r, err)
		}
	}
	return a.merged(w, r, next(w, r))
}

func isManagement(path string) bool {
	return len(path) >= 3 && path[:3] == "/v2" && (len(path) == 3 || path[3] == '/')
}

// admit authenticates and counts the request; every response has the rate limit headers.
func (a *API) admit(w http.ResponseWriter, r *http.Request) (auth.Principal, error) {
	a.Limiter.Fresh(a.Now()).WriteTo(w.Header())
	principal, err := a.Tokens.Authenticate(r)
	if err != nil {
		return principal, err
	}
	quota, err := a.Limiter.Take(principal.User.ID, a.Now())
	quota.WriteTo(w.Header())
	return principal, err
}

// checkParent returns a NotFound error when the path names a fault or site that is not there: that it is missing is said
// before anything of what is asked about it.
func (a *API) checkParent(r *http.Request) error {
	if r.PathValue("site_id") != "" {
		_, err := a.Uptime.SiteByID(r.Context(), pathID(r, "project_id"), siteID(r))
		return err
	}
	return a.checkFault(r)
}

// checkFault returns a NotFound error when the path names a fault that is not there.
func (a *API) checkFault(r *http.Request) error {
	if r.PathValue("fault_id") == "" {
		return nil
	}
	_, err := a.Faults.FaultByID(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"))
	return err
}

// pathID reads an integer id from the path, as auth.PathID does.
func pathID(r *http.Request, name string) int64 { return auth.PathID(r, name) }

// userID returns who asks.
func userID(r *http.Request) int64 { return auth.PrincipalOf(r.Context()).User.ID }

// done answers a change with an empty body, unless it failed.
func done(w http.ResponseWriter, status int, err error) error {
	if err == nil {
		w.WriteHeader(status)
	}
	return err
}

// nullTime is how the interface writes a time that may not be there.
func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
