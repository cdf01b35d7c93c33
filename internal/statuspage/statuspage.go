// Package statuspage is what everybody may see: public pages, feeds and badges of how sites and check-ins do. In come
// requests of anonymous readers, at the server's own address or at a page's domain, and word from the store that a page has
// changed; out go documents that were drawn before any request. Requests at the same time share one statement, which looks
// whether anything has changed, and the last drawing is served when the database is away. It changes
// nothing but subscribers, and knows no users.
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
	"sett/internal/sett"
	"sett/internal/store"
)

// Options are what the pages work with.
type Options struct {
	Store *store.Store // nil: pages never change
	// CheckPassword reports whether a password is the one that was hashed.
	CheckPassword func(ctx context.Context, hash, password string) (bool, error)
	Proxies       serve.Proxies
	Now           func() time.Time
	BaseURL       string // where people reach the server; no trailing slash
	ReportURL     string // where clients do; its host, too, is never a page's
	RateLimit     int64  // views a second for each address, in the long run; 0 for no limit
	// HasHTTPS reports whether a domain is reached by HTTPS without a proxy. Requests of browsers go there then.
	HasHTTPS func(domain string) bool
	Mail     bool // mails can be sent, so that people can subscribe by mail
	Plan     sett.Plan
	Bodies   *serve.Bodies
	Log      *slog.Logger
}

// Pages serves the status pages of a server.
type Pages struct {
	Options
	base        *url.URL
	ownHosts    []string              // never those of a page
	index       atomic.Pointer[index] // nil before the first round
	learning    sync.Mutex            // held during a look for changes
	learnt      atomic.Int64          // the revision of the directory that the index has
	abreast     abreast
	ready       chan struct{} // closed by the first round
	ailing      atomic.Bool   // the last round failed
	crowd       crowd         // bounds what is kept
	templates   map[string]*template.Template
	assets      map[string]*document // by the name of their file
	style       string               // the name of its file, as script
	script      string
	views       *limiter
	posts       *limiter
	tries       *limiter // of passwords, for each address and page
	triesAll    *limiter // of passwords, for each page
	subscribers *limiter // that ask to be some, for each page
	byHost      http.Handler
}

// Limits of what one address may do, and everybody together; the burst comes before the rate.
const (
	viewBurst = 4   // times the rate
	postRate  = 0.2 // a second
	postBurst = 10
	tryRate   = 0.1
	tryBurst  = 5
	allRate   = 1
	allBurst  = 30

	subscribeRate  = 1 // a second, for each page: strangers cannot fill it at once, nor have us send mails without end
	subscribeBurst = 200
)

// New returns the Pages. Its error says that the base URL or a template cannot be read.
func New(o Options) (*Pages, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	p := &Pages{
		Options: o, base: base, ready: make(chan struct{}), assets: map[string]*document{},
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
