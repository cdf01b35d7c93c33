package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/sett"
)

// patience is how long the database may take to answer a request; it is less than the server gives a connection.
const patience = 20 * time.Second

// Wrap puts what every page needs before its handler: forms of other sites are refused, whoever has to be signed in
// is led to the page for it, and they must be allowed what the route says where its path names a project, team or account.
// It is meant for serve.MuxOptions and leaves routes alone that are not pages.
func (p *Pages) Wrap(route serve.Route, next serve.Handler) serve.Handler {
	if !p.own[route.Method+" "+route.Path] || route.Name == staticRoute {
		return next
	}
	if route.Media == streamMedia {
		return func(w http.ResponseWriter, r *http.Request) error {
			return p.Store.Explain(p.admit(w, r, route, next))
		}
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		return p.Store.Explain(p.admit(w, r.WithContext(ctx), route, next))
	}
}

func (p *Pages) admit(w http.ResponseWriter, r *http.Request, route serve.Route, next serve.Handler) error {
	if err := p.csrf.Check(r); err != nil && !p.foreign[route.Name] {
		return sett.Errorf(sett.Forbidden, "This form was sent from another site. Open the page on this server and submit it again.")
	}
	who, err := p.Sessions.Of(r)
	if err == nil && !p.ProxyHeader.Stands(r, who) {
		who = auth.Principal{}
	}
	switch {
	case err != nil:
		return err
	case who.User.ID == 0 && route.Permission != sett.Public:
		return p.toLogin(w, r)
	case who.User.ID != 0:
		serve.Known(r.Context())
		serve.SetPrincipal(r.Context(), "user:"+strconv.FormatInt(who.User.ID, 10))
	}
	v := &visit{began: time.Now(), route: route}
	r = r.WithContext(withVisit(auth.WithPrincipal(r.Context(), who), v))
	if v.scope, err = p.authorize(r, route.Permission); err != nil {
		return err
	}
	err = next(w, p.audited(r, route, v.scope))
	if sett.CodeOf(err) == sett.Unauthenticated { // signed out while the request was on its way
		return p.toLogin(w, r)
	}
	return err
}

// authorize returns how far the rights of the user reach where the path leads, as auth.Authorize does. Pages that anybody who
// is signed in may open find out by themselves what they may see.
func (p *Pages) authorize(r *http.Request, permission sett.Permission) (sett.Scope, error) {
	if permission == sett.Public || permission == sett.SignedIn {
		return sett.Scope{}, nil
	}
	if permission == sett.RunServer {
		return p.authorizeOperator(r)
	}
	return auth.Authorize(p.Store, r, permission)
}

// authorizeOperator returns the rights of who runs the server.
func (p *Pages) authorizeOperator(r *http.Request) (sett.Scope, error) {
	is, err := p.Store.IsOperator(r.Context(), Who(r).User.ID)
	if err == nil && !is {
		err = sett.Errorf(sett.Forbidden, "This page is for server operators. To get access, ask an operator to run: sett user operator ADDRESS --on")
	}
	return sett.Scope{Operator: is}, err
}

// visit is what is known about a request beside who makes it.
type visit struct {
	began time.Time
	route serve.Route
	scope sett.Scope
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

// ScopeOf returns how far the rights of whoever asks reach where the path leads.
func ScopeOf(r *http.Request) sett.Scope { return visitOf(r).scope }

// toLogin leads to the page for signing in, and from there back to the page that was asked for.
func (p *Pages) toLogin(w http.ResponseWriter, r *http.Request) error {
	back := r.URL.RequestURI()
	if r.Method != http.MethodGet || back == "/" {
		return p.Redirect(w, "/login")
	}
	return p.Redirect(w, "/login"+AsNext(back))
}

// AsNext is the query that says where to go after signing in.
func AsNext(path string) string {
	if path == "/" {
		return ""
	}
	return "?next=" + url.QueryEscape(path)
}

// LocalPath returns where to go after a form that was shown on many pages: a path of this server, or "/" for everything else.
// What a browser could take for another host is refused: two slashes, and a backslash, which browsers read as a slash.
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

// Who returns who is signed in; their ID is 0 when nobody is.
func Who(r *http.Request) auth.Principal { return auth.PrincipalOf(r.Context()) }

// PathID reads an integer id from the path. What is no positive integer is 0, which no row has, and so not found.
func PathID(r *http.Request, name string) int64 { return auth.PathID(r, name) }

// Project returns the id of the project that the path names.
func Project(r *http.Request) int64 { return PathID(r, "project_id") }
