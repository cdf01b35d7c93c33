// Package apiv3 is the API under /v3. It has one table of operations: what each is called, which scope it needs, and which route of /v2 answers it. A
// request is written anew as one of /v2, answered by the handler of that route, and what that wrote is shown in the form of /v3: ids as texts,
// envelopes, pages and cursors, error codes. So each rule exists once. The package writes no SQL, decides nothing that a handler of /v2 decides,
// and shows no text of an internal error. A token never does more than its scopes, its projects and the role of its user allow.
package apiv3

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/api/behind"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// patience is how long the database may take to answer a request.
const patience = 20 * time.Second

// Options are what the door works with.
type Options struct {
	DB       *db.DB
	Accounts *accountdb.Store
	Faults   *faultdb.Store
	Keys     *auth.Keys
	Tokens   *auth.Tokens
	Limiter  *auth.Limiter
	Now      func() time.Time
	BaseURL  string // where people reach the server; no trailing slash
	Version  string

	// Routes are those of /v2, and Answer runs the handler of one for the principal of a request.
	Routes []serve.Route
	Answer behind.Answer
}

// Door answers the routes under /v3.
type Door struct {
	Options
	behind     behind.Routes
	operations []operation
}

// New returns a Door.
func New(o Options) *Door {
	return &Door{Options: o, behind: behind.Named(o.Routes), operations: operations()}
}

// Routes is the table of all routes under /v3 that are there.
func (d *Door) Routes() []serve.Route {
	routes := []serve.Route{d.documentRoute()}
	for _, op := range d.operations {
		if d.missing(op) != "" {
			continue
		}
		routes = append(routes, serve.Route{
			Method: op.Method, Path: "/v3" + op.Path, Name: "v3." + op.Name, Tag: "v3", Permission: accounts.SignedIn, PageSize: mostPerPage,
			Status: op.status(), Reads: op.reads(), Doc: op.Name, Handle: func(w http.ResponseWriter, r *http.Request) error { return d.handle(w, r, op) },
		})
	}
	return routes
}

// missing returns the name of a route of /v2 that an operation needs and that is not there; "" for none.
func (d *Door) missing(op operation) string {
	for _, name := range op.needs() {
		if _, ok := d.behind[name]; !ok {
			return name
		}
	}
	return ""
}

// Wrap has errors below /v3 in its form, also those of paths and methods that are not there. It is meant for serve.MuxOptions.
func (d *Door) Wrap(_ serve.Route, next serve.Handler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !isBelow(r.URL.Path) {
			return next(w, r)
		}
		w.Header().Set("Cache-Control", "no-store")
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		r = r.WithContext(ctx)
		err := d.DB.Explain(serve.Recover(next)(w, r))
		if err == nil {
			return nil
		}
		return writeError(w, r, err)
	}
}

func isBelow(path string) bool { return path == "/v3" || strings.HasPrefix(path, "/v3/") }

// handle answers one request for an operation.
func (d *Door) handle(w http.ResponseWriter, r *http.Request, op operation) error {
	c := &call{door: d, w: w, r: r, op: op}
	if err := c.admit(); err != nil {
		return err
	}
	if op.Not != "" {
		return coded(http.StatusForbidden, "feature_unavailable", "%s", op.Not)
	}
	if err := c.read(); err != nil {
		return err
	}
	if op.Run != nil {
		return op.Run(c)
	}
	return c.answer()
}

// admit finds out who asks, counts the request, and looks whether the token may do this.
func (c *call) admit() error {
	d, r := c.door, c.r
	d.Limiter.Fresh(d.Now()).WriteTo(c.w.Header())
	secret, err := bearerOf(r)
	if err != nil {
		return err
	}
	principal, token, err := d.Tokens.Bearer(r, secret)
	if sett.CodeOf(err) == sett.Unauthenticated {
		if _, keyErr := d.Keys.Project(r.Context(), secret); keyErr == nil {
			return coded(http.StatusUnauthorized, "project_key_not_accepted", "This is the key of a project, with which clients report. Send a token, which you can create at /me/tokens.")
		}
		return err
	}
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	serve.SetPrincipal(r.Context(), "user:"+strconv.FormatInt(principal.User.ID, 10))
	quota, err := d.Limiter.Take(principal.User.ID, d.Now())
	quota.WriteTo(c.w.Header())
	if err != nil {
		wait := max(1, quota.Reset.Unix()-d.Now().Unix())
		c.w.Header().Set("Retry-After", strconv.FormatInt(wait, 10))
		return coded(http.StatusTooManyRequests, "rate_limit_exceeded", "You have reached the limit of %d requests per hour. Wait %d seconds.", quota.Limit, wait)
	}
	if !principal.Grant.Has(c.op.Scope) {
		return lacking(c.op.Scope, principal.Grant)
	}
	if c.op.Person && principal.Grant.OfAccount {
		return coded(http.StatusForbidden, "requires_user_token", "This needs the token of a person, which begins with hbu_. Create one at /me/tokens.")
	}
	if len(principal.Grant.Projects) > 0 && !c.op.reads() && !strings.Contains(c.op.Path, "{project_id}") {
		return coded(http.StatusForbidden, "project_restricted", "This token is limited to some projects, and this concerns the whole account. Use a token for all projects of the account.")
	}
	area, _, _ := strings.Cut(c.op.Scope, ":")
	principal.ReadOnly = !principal.Grant.Has(area + ":write") // so that secrets are masked
	c.token, c.who = token, principal
	c.r = r.WithContext(auth.WithPrincipal(r.Context(), principal))
	return nil
}

// bearerOf returns the token of a request.
func bearerOf(r *http.Request) (string, error) {
	for _, name := range []string{"auth_token", "api_key", "access_token"} {
		if r.URL.Query().Has(name) {
			return "", coded(http.StatusUnauthorized, "credential_in_query", "Addresses are logged, so a token in one is refused. Send it in the header Authorization: Bearer, and revoke this one.")
		}
	}
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case scheme == "":
		return "", coded(http.StatusUnauthorized, "unauthorized", "Authentication is required: send a token in the header Authorization: Bearer. Create one at /me/tokens.")
	case !strings.EqualFold(scheme, "Bearer"):
		return "", coded(http.StatusUnauthorized, "unsupported_auth_scheme", "Send the token in the header Authorization: Bearer; other schemes are for /v2.")
	}
	return strings.TrimSpace(secret), nil
}

// lacking is the refusal of a token without a scope.
func lacking(scope string, g signin.Grant) error {
	e := coded(http.StatusForbidden, "insufficient_scope", "This token lacks the scope %s. Create one with it at /me/tokens.", scope)
	e.details = map[string]any{"required_scope": scope, "token_scopes": g.Scopes}
	return e
}

// account returns the account of the token; that of a user with one account, if the token names none.
func (c *call) account() (string, error) {
	if id := c.who.Grant.AccountID; id != "" {
		return id, nil
	}
	found, _, err := c.door.Accounts.ListAccounts(c.r.Context(), c.who.User.ID, sett.Page{Size: 2})
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return found[0].ID, nil
	default:
		return "", coded(http.StatusUnprocessableEntity, "ambiguous_account", "You belong to %d accounts or more. Send a token with scopes, which is for one account.", len(found))
	}
}
