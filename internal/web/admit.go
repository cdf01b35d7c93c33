package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
)

// requestTimeout is how long the database may take for a request; it is shorter than the timeout of connections.
const requestTimeout = 20 * time.Second

// Wrap adds the common checks to the handler of a page: it rejects forms of other sites, redirects anonymous users to the
// sign-in page, and checks the permission of the route for the project, team or account in its path. It is meant for
// serve.MuxOptions and does not change routes that are not pages.
func (p *Pages) Wrap(route serve.Route, next serve.Handler) serve.Handler {
	if !p.own[route.Method+" "+route.Path] || route.Name == staticRoute {
		return next
	}
	if route.Media == streamMedia {
		return func(w http.ResponseWriter, r *http.Request) error {
			return p.DB.Explain(p.admit(w, r, route, next))
		}
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		return p.DB.Explain(p.admit(w, r.WithContext(ctx), route, next))
	}
}

func (p *Pages) admit(w http.ResponseWriter, r *http.Request, route serve.Route, next serve.Handler) error {
	r = withStorableQuery(r)
	if err := p.csrf.Check(r); err != nil && !p.foreign[route.Name] {
		return sett.Errorf(sett.Forbidden, "This form was sent from another site. Open the page on this server and submit it again.")
	}
	who, required, err := p.visitor(r)
	switch {
	case err != nil:
		return err
	case who.User.ID == 0 && route.Permission != accounts.Public:
		return p.toLogin(w, r)
	case who.User.ID != 0:
		serve.Known(r.Context())
		serve.SetPrincipal(r.Context(), "user:"+strconv.FormatInt(who.User.ID, 10))
		switch {
		case required.AccountID == "" || withoutSignOn[route.Name]:
		case route.Permission == accounts.Public:
			who = auth.Principal{}
		default:
			return p.toSignOn(w, r, route, required)
		}
	}
	v := &visit{began: time.Now(), route: route}
	r = r.WithContext(withVisit(auth.WithPrincipal(r.Context(), who), v))
	if v.scope, err = p.authorize(r, route.Permission); err != nil {
		return err
	}
	err = next(w, p.audited(r, route, v.scope))
	if sett.CodeOf(err) == sett.Unauthenticated { // signed out during the request
		return p.toLogin(w, r)
	}
	return err
}

// visitor returns who asks by a session that still counts, and the account whose single sign-on they have to use before it opens anything.
func (p *Pages) visitor(r *http.Request) (who auth.Principal, required directory.Required, err error) {
	who, err = p.Sessions.Of(r)
	if err != nil || who.User.ID == 0 || !p.ProxyHeader.Stands(r, who) {
		return auth.Principal{}, required, err
	}
	required, err = p.required(r.Context(), who)
	return who, required, err
}

// withStorableQuery returns r, or a copy of it whose query has U+FFFD for what PostgreSQL refuses: NUL and bytes that are not UTF-8.
func withStorableQuery(r *http.Request) *http.Request {
	query, storable := r.URL.Query(), true
	for _, values := range query {
		for i, sent := range values {
			values[i] = strings.ReplaceAll(strings.ToValidUTF8(sent, "\uFFFD"), "\x00", "\uFFFD")
			storable = storable && values[i] == sent
		}
	}
	if storable {
		return r
	}
	clean, address := r.WithContext(r.Context()), *r.URL
	clean.URL, address.RawQuery = &address, query.Encode()
	return clean
}

// authorize returns the rights of the user on the object of the path, as auth.Authorize does. Pages for all signed-in users
// check themselves what a user may see.
func (p *Pages) authorize(r *http.Request, permission accounts.Permission) (accounts.Scope, error) {
	if permission == accounts.Public || permission == accounts.SignedIn {
		return accounts.Scope{}, nil
	}
	if permission == accounts.RunServer {
		return p.authorizeOperator(r)
	}
	return auth.Authorize(p.Accounts, r, permission)
}

// authorizeOperator returns the rights of an operator of the server.
func (p *Pages) authorizeOperator(r *http.Request) (accounts.Scope, error) {
	is, err := p.Accounts.IsOperator(r.Context(), Who(r).User.ID)
	if err == nil && !is {
		err = sett.Errorf(sett.Forbidden, "This page is for server operators. To get access, ask an operator to run: sett user operator ADDRESS --on")
	}
	return accounts.Scope{Operator: is}, err
}

// visit is the data of a request besides its user.
type visit struct {
	began time.Time
	route serve.Route
	scope accounts.Scope
}

type visitKey struct{}

func withVisit(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visitOf(r *http.Request) *visit {
	if v, ok := r.Context().Value(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{began: time.Now()}
}

// ScopeOf returns the rights of the user on the object of the path.
func ScopeOf(r *http.Request) accounts.Scope { return visitOf(r).scope }

// toLogin redirects to the sign-in page, and from there back to the requested page.
func (p *Pages) toLogin(w http.ResponseWriter, r *http.Request) error {
	back := r.URL.RequestURI()
	if r.Method != http.MethodGet || back == "/" {
		return p.Redirect(w, "/login")
	}
	return p.Redirect(w, "/login"+AsNext(back))
}

// AsNext returns the query with the path to open after signing in.
func AsNext(path string) string {
	if path == "/" {
		return ""
	}
	return "?next=" + url.QueryEscape(path)
}

// LocalPath returns a path to redirect to after a form: next if it is a path of this server, else "/". It rejects what a browser
// could take for another host: two slashes, and a backslash, which browsers read as a slash.
func LocalPath(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") {
		return "/"
	}
	if strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) {
		return "/"
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil {
		return "/"
	}
	return next
}

// Who returns the signed-in user; its ID is 0 for anonymous requests.
func Who(r *http.Request) auth.Principal { return auth.PrincipalOf(r.Context()) }

// PathID reads an integer ID from the path. It returns 0 for anything but a positive integer; no row has the ID 0.
func PathID(r *http.Request, name string) int64 { return auth.PathID(r, name) }

// Project returns the ID of the project in the path.
func Project(r *http.Request) int64 { return PathID(r, "project_id") }
