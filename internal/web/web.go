// Package web is the frame of what people see: pages drawn by the server, which work without scripts. In come requests of
// browsers, each through one line of a room's route table; out go HTML pages under a strict content policy, and redirects
// after every change. It holds what every page has – shell, navigation, forms, permissions, charts' style and script – and
// no page of its own: those are in the rooms below it, one package for what belongs together (user, project, fault, …),
// with one file a noun and templates in page. A GET changes nothing, what people wrote is shown escaped, and no page holds
// script or style of its own. It never writes SQL and never decides what a role may do.
package web

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/auth"
	"sett/internal/loop"
	"sett/internal/serve"
	"sett/internal/sett"
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
	ReportURL string // where clients do
	Log       *slog.Logger
	Plan      sett.Plan // what accounts may use
	Limits    sett.Limits
	Keys      *auth.Keys // that remember what projects were

	StatusHost string // to which the domains of status pages are to point

	Version string // of the program
	Mail    bool   // mails are sent

	TestMail func(ctx context.Context, to string) (answer string, err error)    // nil: mails are not sent
	Jobs     func() []loop.Record                                               // what goes on in this process
	Backup   func(ctx context.Context, by string) (*sett.PreparedBackup, error) // nil: the database has programs of its own for that

	ProxyHeader *auth.ProxyHeader

	SetupToken string // that the link for making the first account holds; "" where there is one
}

// Room is a group of pages that belong together.
type Room struct {
	Routes    []serve.Route     // made with Get and Post
	Templates fs.FS             // with page/<name>.html, and part/<name>.html for what they share
	Done      map[string]string // what ?done= stands for on their pages, beside the texts of all
	Foreign   []string          // names of routes whose forms programs may send from anywhere, without a session
}

// Pages serves the pages.
type Pages struct {
	Options
	root      string // path of the base URL, without trailing slash: "" or "/errors"
	templates *templateSets
	assets    map[string]asset // by stem and ending, such as app.css
	routes    []serve.Route
	own       map[string]bool // methods and paths of the routes
	foreign   map[string]bool // names of routes
	done      map[string]string
	csrf      *http.CrossOriginProtection
	streams   *streams
}

// New returns the Pages of some rooms. Its error says that two rooms have a page of the same name, which is a bug.
func New(o Options, rooms ...func(*Pages) Room) (*Pages, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	p := &Pages{
		Options: o, root: strings.TrimSuffix(base.Path, "/"), own: map[string]bool{}, foreign: map[string]bool{},
		done: map[string]string{}, csrf: http.NewCrossOriginProtection(),
		streams: newStreams(),
	}
	p.templates = newTemplateSets(p.functions())
	if base.Host != "" { // a proxy may tell us another host than browsers see
		if err := p.csrf.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			return nil, fmt.Errorf("trust base URL: %w", err)
		}
	}
	if p.assets, err = readAssets(); err != nil {
		return nil, err
	}
	for _, build := range append([]func(*Pages) Room{frame}, rooms...) {
		if err := p.add(build(p)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add takes a room in.
func (p *Pages) add(room Room) error {
	for _, rt := range room.Routes {
		p.own[rt.Method+" "+rt.Path] = true
	}
	p.routes = append(p.routes, room.Routes...)
	for _, name := range room.Foreign {
		p.foreign[name] = true
	}
	for word, text := range room.Done {
		p.done[word] = text
	}
	return p.templates.add(room.Templates)
}

// Routes is every page and every form of all rooms.
func (p *Pages) Routes() []serve.Route { return p.routes }

// frame is what belongs to no room.
func frame(p *Pages) Room {
	return Room{Templates: templateFiles, Routes: []serve.Route{
		Get("/s/{file}", staticRoute, sett.Public, p.serveStatic, "The style and the scripts of all pages."),
		Post("/theme", "chooseTheme", sett.Public, p.chooseTheme, "Light, dark, or as the device has it."),
	}}
}

// Get is the route of a page; handle must not change anything.
func Get(path, name string, permission sett.Permission, handle serve.Handler, doc string) serve.Route {
	return page(http.MethodGet, path, name, permission, handle, doc)
}

// Post is the route of a form, which leads to a page when it is done.
func Post(path, name string, permission sett.Permission, handle serve.Handler, doc string) serve.Route {
	return page(http.MethodPost, path, name, permission, handle, doc)
}

func page(method, path, name string, permission sett.Permission, handle serve.Handler, doc string) serve.Route {
	return serve.Route{
		Method: method, Path: path, Name: name, Tag: "Pages", Permission: permission, Media: "text/html", Doc: doc, Handle: handle,
	}
}

// Redirect answers a request, usually a change, by leading the browser to a page of ours.
func (p *Pages) Redirect(w http.ResponseWriter, to string) error {
	w.Header().Set("Location", p.root+to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// Done redirects to a page that then shows what was done; see Room.Done.
func (p *Pages) Done(w http.ResponseWriter, to, what string) error {
	mark := "?"
	if strings.Contains(to, "?") {
		mark = "&"
	}
	return p.Redirect(w, to+mark+"done="+what)
}
