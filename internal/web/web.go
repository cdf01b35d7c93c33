// Package web is the frame of the web interface: pages that are rendered on the server and work without scripts. It receives
// requests of browsers, through the route tables of its areas, and returns HTML pages with a strict content policy, and
// redirects after every change. It contains what all pages share – shell, navigation, forms, permissions, styles and scripts –
// but no pages: those are in the areas below it, one package each (user, project, fault, …), with one file per noun and
// templates in page. A GET changes nothing, user input is escaped, and no page contains inline scripts or styles. The package
// contains no SQL and does not decide what a role may do.
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

	"sett/internal/base/loop"
	"sett/internal/ingest/unminify"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/serve/idp"
	"sett/internal/serve/oauth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/scrub"
	"sett/internal/sett/stats"
	"sett/internal/store/accountdb"
	"sett/internal/store/alarmdb"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/dashboarddb"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/faultdb"
	"sett/internal/store/insightdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/movedb"
	"sett/internal/store/releasedb"
	"sett/internal/store/repodb"
	"sett/internal/store/searchdb"
	"sett/internal/store/sheet"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/statusdb"
	"sett/internal/store/uptimedb"
)

// Whole is what pages need of the store as a whole.
type Whole interface {
	// DeleteProject deletes a project; it calls closed once intake must refuse its keys.
	DeleteProject(ctx context.Context, projectID int64, closed func()) error
	CreateErasure(ctx context.Context, now time.Time, userID, projectID int64, change scrub.ErasureChange) (scrub.Erasure, error)
	AwaitErasure(ctx context.Context, projectID, id int64) (scrub.Erasure, error)
	ListErasures(ctx context.Context, projectID int64, p sett.Page) ([]scrub.Erasure, sett.Marks, error)
	PreviewErasure(ctx context.Context, projectID int64, change scrub.ErasureChange) (scrub.ErasurePreview, error)
	ListBackups(ctx context.Context, most int) ([]accounts.Backup, error)
	Navigation(ctx context.Context, userID, projectID int64, accountID string) (accounts.Navigation, error)
	Places(ctx context.Context, userID int64, text string, most int) ([]sett.Place, error)
	Concerns(ctx context.Context, now time.Time, userID int64, most int) (stats.Concerns, error)
	ServerFigures(context.Context) (accounts.ServerFigures, error)
}

// Options configure the pages.
type Options struct {
	Store      Whole
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
	Insights   *insightdb.Store
	Dashboards *dashboarddb.Store
	Alarms     *alarmdb.Store
	Sheets     *sheet.Store
	SourceMaps *sourcemapdb.Store
	Maps       *unminify.Maps
	Moves      *movedb.Store

	Attachments *attachmentdb.Store

	Sessions  *auth.Sessions
	Passwords *auth.Passwords
	Throttle  *auth.Throttle
	Passkeys  *auth.Passkeys // nil: browsers allow no passkeys with this base URL
	OIDC      *auth.OIDC     // nil: there is no single sign-on
	OAuth     *oauth.Desk    // gives tokens to programs
	SAML      *idp.Desk      // signs people in with the identity providers of accounts

	LookupTXT func(ctx context.Context, name string) ([]string, error) // asks the name servers about a domain

	Proxies   serve.Proxies
	Now       func() time.Time
	BaseURL   string // the URL for users, without trailing slash
	ReportURL string // the URL for clients
	Log       *slog.Logger
	Plan      accounts.Plan // the plan of all accounts
	Limits    accounts.Limits
	Keys      *auth.Keys // the cache of project keys

	InsightBytes int64 // that a project may send a day as structured events; 0: none are stored

	// StatusPreview returns a public page for a frame; at base, with .css and .logo, are the CSS that it adds and its logo, and accept is
	// what the browser accepts as languages.
	StatusPreview func(ctx context.Context, id, base, accept string) ([]byte, error)

	Locations  checks.LocationLabels // what people call the locations of sites
	StatusHost string                // the host that domains of status pages point to

	Version string // of the program
	Mail    bool   // email is on

	TestMail func(ctx context.Context, to string) (answer string, err error)        // nil: email is off
	Jobs     func() []loop.Record                                                   // the background jobs of this process
	Objects  func() (problem string, ok bool)                                       // why object storage does not respond, "" if it does; if this process has one
	Spooled  func() (reports int64, ok bool)                                        // that wait in the spool of this process, if it has one
	Backup   func(ctx context.Context, by string) (*accounts.PreparedBackup, error) // nil: the database has its own backup programs

	ProxyHeader *auth.ProxyHeader

	SetupToken string // token of the link that creates the first account; "" if an account exists
}

// Area is a group of related pages.
type Area struct {
	Routes    []serve.Route     // created with Get and Post
	Templates fs.FS             // page/<name>.html, and part/<name>.html for shared parts
	Done      map[string]string // texts of ?done= on these pages, in addition to the common ones
	Foreign   []string          // names of routes that accept forms from any origin, without a session
}

// Pages serves the pages.
type Pages struct {
	Options
	root      string // see serve.Prefix: "" or "/errors"
	templates *templateSets
	assets    map[string]asset // by stem and ending, such as app.css
	routes    []serve.Route
	own       map[string]bool // methods and paths of the routes
	foreign   map[string]bool // names of routes
	done      map[string]string
	csrf      *http.CrossOriginProtection
	streams   *streams
}

// New returns the pages of some areas. It fails if two areas have a page of the same name, which is a bug.
func New(o Options, areas ...func(*Pages) Area) (*Pages, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	p := &Pages{
		Options: o, root: serve.Prefix(o.BaseURL), own: map[string]bool{}, foreign: map[string]bool{},
		done: map[string]string{}, csrf: http.NewCrossOriginProtection(),
		streams: newStreams(),
	}
	p.templates = newTemplateSets(p.functions())
	if base.Host != "" { // a proxy may pass on another host than browsers see
		if err := p.csrf.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			return nil, fmt.Errorf("trust base URL: %w", err)
		}
	}
	if p.assets, err = readAssets(); err != nil {
		return nil, err
	}
	for _, build := range append([]func(*Pages) Area{frame}, areas...) {
		if err := p.add(build(p)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add adds an area.
func (p *Pages) add(area Area) error {
	for _, rt := range area.Routes {
		p.own[rt.Method+" "+rt.Path] = true
	}
	p.routes = append(p.routes, area.Routes...)
	for _, name := range area.Foreign {
		p.foreign[name] = true
	}
	for word, text := range area.Done {
		p.done[word] = text
	}
	return p.templates.add(area.Templates)
}

// Routes returns the routes of all areas.
func (p *Pages) Routes() []serve.Route { return p.routes }

// frame is the routes and templates that belong to no area.
func frame(p *Pages) Area {
	return Area{Templates: templateFiles, Routes: []serve.Route{
		Get("/s/{file}", staticRoute, accounts.Public, p.serveStatic, "The style and the scripts of all pages."),
		Get(manifestPath, "manifest", accounts.Public, p.serveManifest, "The manifest of the app, by which browsers install it."),
		Post("/theme", "chooseTheme", accounts.Public, p.chooseTheme, "Choose the theme: light, dark or that of the system."),
	}}
}

// Get is the route of a page; handle must not change anything.
func Get(path, name string, permission accounts.Permission, handle serve.Handler, doc string) serve.Route {
	return page(http.MethodGet, path, name, permission, handle, doc)
}

// Post is the route of a form, which redirects to a page when it succeeds.
func Post(path, name string, permission accounts.Permission, handle serve.Handler, doc string) serve.Route {
	return page(http.MethodPost, path, name, permission, handle, doc)
}

func page(method, path, name string, permission accounts.Permission, handle serve.Handler, doc string) serve.Route {
	return serve.Route{
		Method: method, Path: path, Name: name, Tag: "Pages", Permission: permission, Media: "text/html", Doc: doc, Handle: handle,
	}
}

// Redirect redirects the browser to a page of this server, usually after a change.
func (p *Pages) Redirect(w http.ResponseWriter, to string) error {
	w.Header().Set("Location", p.root+to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// Done redirects to a page that shows what was done; see Area.Done.
func (p *Pages) Done(w http.ResponseWriter, to, what string) error {
	mark := "?"
	if strings.Contains(to, "?") {
		mark = "&"
	}
	return p.Redirect(w, to+mark+"done="+what)
}
