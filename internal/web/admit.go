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

// Wrap puts what every page needs before its handler: forms of other sites are refused, and whoever has to be signed in
// is led to the page for it. It is meant for serve.MuxOptions and leaves routes alone that are not of this room.
func (p *Pages) Wrap(route serve.Route, next serve.Handler) serve.Handler {
	if !p.own[route.Method+" "+route.Path] || route.Name == staticRoute {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		return p.Store.Explain(p.admit(w, r.WithContext(ctx), route, next))
	}
}

func (p *Pages) admit(w http.ResponseWriter, r *http.Request, route serve.Route, next serve.Handler) error {
	if err := p.csrf.Check(r); err != nil && route.Name != unsubscribeRoute {
		return sett.Errorf(sett.Forbidden, "This form was sent from another site. Open its page here and send it again.")
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
		serve.SetPrincipal(r.Context(), "user:"+strconv.FormatInt(who.User.ID, 10))
	}
	err = next(w, r.WithContext(auth.WithPrincipal(p.audited(r, route), who)))
	if sett.CodeOf(err) == sett.Unauthenticated { // signed out while the request was on its way
		return p.toLogin(w, r)
	}
	return err
}

// toLogin leads to the page for signing in, and from there back to the page that was asked for.
func (p *Pages) toLogin(w http.ResponseWriter, r *http.Request) error {
	back := r.URL.RequestURI()
	if r.Method != http.MethodGet || back == "/" {
		return p.redirect(w, "/login")
	}
	return p.redirect(w, "/login"+asNext(back))
}

// asNext is the query that says where to go after signing in.
func asNext(path string) string {
	if path == "/" {
		return ""
	}
	return "?next=" + url.QueryEscape(path)
}

// localPath returns where to go after signing in: a path of this server, or "/" for everything else. What a browser
// could take for another host is refused: two slashes, and a backslash, which browsers read as a slash.
func localPath(next string) string {
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

// who returns who is signed in; their ID is 0 when nobody is.
func who(r *http.Request) auth.Principal { return auth.PrincipalOf(r.Context()) }

// pathID reads an integer id from the path. What is none is 0, which no row has.
func pathID(r *http.Request, name string) int64 {
	id, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil {
		return 0
	}
	return id
}
