package statuspage

import (
	"net/http"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// visit is a request for an existing page that is within the rate limit.
type visit struct {
	pages    *Pages
	page     *cached
	rendered *rendering
	variant  *variant
	lang     locale.Language // of the pages for the visitor
	locked   bool            // it was answered with the password form
}

// admit finds the page of a GET request and checks the rate limit and the password.
func (p *Pages) admit(w http.ResponseWriter, r *http.Request) (visit, error) {
	if !p.views.allow(p.client(r), p.Now()) {
		return visit{}, tooMany()
	}
	v, err := p.find(r)
	if err != nil {
		return v, err
	}
	return v, p.askPassword(w, r, &v)
}

func tooMany() error {
	return &sett.Error{Code: sett.TooMany, Message: "Too many requests from your address. Try again in a moment.", RetryAfter: time.Second}
}

// find returns the page of a request's host or slug, with its rendering.
func (p *Pages) find(r *http.Request) (visit, error) {
	sure := p.upToDate(r.Context(), catchUpWait)
	page, own := p.pageOf(r)
	if page == nil && !sure {
		sure = p.upToDate(r.Context(), catchUpTimeout)
		page, own = p.pageOf(r)
	}
	if page == nil {
		return visit{}, p.noPage(sure)
	}
	return p.visitOf(r, page, own)
}

// visitOf returns a request for a page, whose own host the request may be for.
func (p *Pages) visitOf(r *http.Request, page *cached, own bool) (visit, error) {
	rendered, err := p.freshRendering(r.Context(), page)
	if err != nil {
		return visit{}, err
	}
	v := visit{pages: p, page: page, rendered: rendered, variant: rendered.main, lang: languageOf(rendered.view.Page, r)}
	if own && rendered.own != nil {
		v.variant = rendered.own
	}
	return v, nil
}

// pageOf returns the page of a request's host, which is its own, or that of the slug; nil if there is none.
func (p *Pages) pageOf(r *http.Request) (page *cached, own bool) {
	if page := pageOfHost(r.Context()); page != nil {
		return p.index.Load().page(page.id), true // nil: it was just deleted
	}
	return p.bySlug(r), false
}

// languageOf returns the language of a page for a request: the one that its owner chose, otherwise the visitor's.
func languageOf(page status.StatusPage, r *http.Request) locale.Language {
	if page.Language != "" {
		return page.Language
	}
	return locale.Match(r.Header.Get("Accept-Language"))
}

// bySlug returns the page of a path below /status, or nil.
func (p *Pages) bySlug(r *http.Request) *cached {
	slug := r.PathValue("slug")
	if asksForSummary(r) {
		slug = strings.TrimSuffix(slug, summaryEnding)
	}
	return p.known(r.Context()).slugs[slug]
}

const summaryEnding = ".json"

// asksForSummary reports whether the path is a slug followed by .json; slugs contain no dots.
func asksForSummary(r *http.Request) bool {
	return strings.HasSuffix(r.PathValue("slug"), summaryEnding)
}

// noPage returns the error of a request for a page that is unknown. sure is whether all pages are known.
func (p *Pages) noPage(sure bool) error {
	if p.index.Load() == nil {
		return &sett.Error{Code: sett.Unavailable, Message: "The server is starting. Try again in a moment.", RetryAfter: time.Second}
	}
	if !sure {
		return &sett.Error{Code: sett.Unavailable, Message: "Status pages cannot be read at the moment. Try again in a moment.", RetryAfter: time.Second}
	}
	return sett.Errorf(sett.NotFound, "There is no status page at this URL. Check the spelling.")
}

// send answers with a document of the page.
func (v visit) send(w http.ResponseWriter, r *http.Request, d *document) {
	h := w.Header()
	h["Cache-Control"] = publicly
	if v.rendered.protected() {
		h["Cache-Control"] = privately
	}
	if v.rendered.view.Page.Unlisted {
		h["X-Robots-Tag"] = noIndex
	}
	if d.anywhere && !v.rendered.protected() {
		h["Access-Control-Allow-Origin"] = anyOrigin
	}
	d.serve(w, r)
}

// Header values that all responses share; they are never appended to.
var (
	publicly  = []string{"public, max-age=1, stale-if-error=86400"}
	privately = []string{"private, no-store"}
	noIndex   = []string{"noindex, nofollow"}
	anyOrigin = []string{"*"}
)
