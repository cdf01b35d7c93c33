// Package web is what people see: pages drawn by the server, which work without scripts. In come requests of browsers,
// each through one line of the route table in routes.go; out go HTML pages under a strict content policy, and redirects
// after every change. One file a noun: the struct of its page and its handlers; templates are in page, what they share in
// part. A GET changes nothing, what people wrote is shown escaped, and no page holds script or style of its own. It never
// writes SQL and never decides what a role may do.
package web

import (
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/store"
)

// Options are what the pages work with.
type Options struct {
	Store     *store.Store
	Sessions  *auth.Sessions
	Passwords *auth.Passwords
	Throttle  *auth.Throttle
	Passkeys  *auth.Passkeys // nil: browsers allow none with this base URL
	OIDC      *auth.OIDC     // nil: there is no issuer to sign in with
	Proxies   serve.Proxies
	Now       func() time.Time
	BaseURL   string // where people reach the server; no trailing slash
	Log       *slog.Logger

	ProxyHeader *auth.ProxyHeader
}

// Pages serves the pages.
type Pages struct {
	Options
	root      string                        // path of the base URL, without trailing slash: "" or "/errors"
	templates map[string]*template.Template // by the name of their file, without .html
	style     asset
	script    asset
	own       map[string]bool // methods and paths of the routes of this room
	csrf      *http.CrossOriginProtection
}

// New returns the Pages. Its error says that a template cannot be read, which is a slip of ours.
func New(o Options) (*Pages, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	p := &Pages{Options: o, root: strings.TrimSuffix(base.Path, "/"), own: map[string]bool{}, csrf: http.NewCrossOriginProtection()}
	if base.Host != "" { // a proxy may tell us another host than browsers see
		if err := p.csrf.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			return nil, fmt.Errorf("trust base URL: %w", err)
		}
	}
	if p.style, err = newAsset("app", ".css", "text/css; charset=utf-8"); err != nil {
		return nil, err
	}
	if p.script, err = newAsset("passkey", ".js", "text/javascript; charset=utf-8"); err != nil {
		return nil, err
	}
	if p.templates, err = p.parseTemplates(); err != nil {
		return nil, err
	}
	for _, rt := range p.Routes() {
		p.own[rt.Method+" "+rt.Path] = true
	}
	return p, nil
}

// redirect answers a request, usually a change, by leading the browser to a page of ours.
func (p *Pages) redirect(w http.ResponseWriter, to string) error {
	w.Header().Set("Location", p.root+to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// done redirects to a page that then shows what was done; see doneTexts.
func (p *Pages) done(w http.ResponseWriter, to, what string) error {
	return p.redirect(w, to+"?done="+what)
}
