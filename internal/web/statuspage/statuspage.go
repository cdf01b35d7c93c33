// Package statuspage serves public status pages, feeds and badges that show the state of sites and check-ins. It receives
// requests of anonymous visitors, at the server's own address or at the domain of a page, and notifications from the store
// that a page has changed. It returns documents that were rendered in advance. Concurrent requests share one statement that
// checks for changes, and the last rendering is served while the database is unavailable. The package changes only
// subscribers and has no notion of users.
package statuspage

import (
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
)

// Options configure the pages.
type Options struct {
	DB     *db.DB
	Outbox *outbox.Store
	Status *statusdb.Store // nil: no page ever changes
	// CheckPassword reports whether a password is the one that was hashed.
	CheckPassword func(ctx context.Context, hash, password string) (bool, error)
	Proxies       serve.Proxies
	Now           func() time.Time
	BaseURL       string // the URL for users, without trailing slash
	ReportURL     string // the URL for clients; its host is never the domain of a page either
	RateLimit     int64  // average views per second for each address; 0 for no limit
	// HasHTTPS reports whether this server serves HTTPS for a domain without a proxy. Browsers are then redirected to HTTPS.
	HasHTTPS func(domain string) bool
	Mail     bool // email can be sent, so people can subscribe by email
	Plan     accounts.Plan
	Bodies   *serve.Bodies
	Log      *slog.Logger
}

// Pages serves the status pages of a server.
type Pages struct {
	Options
	base        *url.URL
	root        string                // see serve.Prefix
	ownHosts    []string              // hosts of the server, which are never domains of pages
	index       atomic.Pointer[index] // nil before the first round
	learning    sync.Mutex            // held while checking for changes
	learnt      atomic.Int64          // the directory revision of the index
	check       sharedCheck
	ready       chan struct{} // closed after the first round
	unhealthy   atomic.Bool   // the last round failed
	cache       pageCache     // limits the memory of the renderings
	cards       cards
	templates   map[string]*template.Template
	assets      map[string]*document // by file name
	style       string               // file name of the style
	script      string
	views       *limiter
	posts       *limiter
	tries       *limiter // of passwords, for each address and page
	triesAll    *limiter // of passwords, for each page
	subscribers *limiter // of requests to subscribe, for each page
	byHost      http.Handler
}

// Rate limits, for one address or for all together. A burst is allowed before the rate applies.
const (
	viewBurst = 4   // times the rate
	postRate  = 0.2 // a second
	postBurst = 10
	tryRate   = 0.1
	tryBurst  = 5
	allRate   = 1
	allBurst  = 30

	subscribeRate  = 1 // a second, for each page: strangers can neither fill it quickly nor make us send unlimited mail
	subscribeBurst = 200
)

// New returns the Pages. It fails if the base URL or a template is invalid.
func New(o Options) (*Pages, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	p := &Pages{
		Options: o, base: base, root: serve.Prefix(o.BaseURL), ready: make(chan struct{}), assets: map[string]*document{},
		posts: newLimiter(postRate, postBurst), tries: newLimiter(tryRate, tryBurst), triesAll: newLimiter(allRate, allBurst),
		subscribers: newLimiter(subscribeRate, subscribeBurst),
	}
	if o.RateLimit > 0 {
		p.views = newLimiter(float64(o.RateLimit), viewBurst*float64(o.RateLimit))
	}
	for _, address := range []string{o.BaseURL, o.ReportURL} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			p.ownHosts = append(p.ownHosts, strings.ToLower(u.Hostname()))
		}
	}
	if p.style, err = p.addAsset("status", ".css", styleForm); err != nil {
		return nil, err
	}
	if p.script, err = p.addAsset("refresh", ".js", scriptForm); err != nil {
		return nil, err
	}
	if p.templates, err = parseTemplates(); err != nil {
		return nil, err
	}
	p.byHost = serve.NewMux(p.table(""), serve.MuxOptions{Log: o.Log, Error: p.answerError, Bodies: o.Bodies})
	return p, nil
}
