package statuspage

import (
	"net/http"
	"strings"
	"time"

	"sett/internal/sett"
)

// visit is a request for a page that exists, by somebody who has asked for no more than they may.
type visit struct {
	pages  *Pages
	page   *cached
	drawn  *drawing
	face   *face
	locked bool // it was answered with the form for the password
}

// admit finds the page of a GET that may be answered.
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

// find returns the page that a request names by its host or by its slug, with a drawing of it.
func (p *Pages) find(r *http.Request) (visit, error) {
	p.catchUp(r.Context())
	page, own := pageOf(r.Context()), true
	if page != nil && p.index.Load().page(page.id) == nil { // it was deleted a moment ago
		return visit{}, p.noPage()
	}
	if page == nil {
		page, own = p.bySlug(r), false
	}
	if page == nil {
		return visit{}, p.noPage()
	}
	drawn, err := p.freshDrawing(r.Context(), page)
	if err != nil {
		return visit{}, err
	}
	v := visit{pages: p, page: page, drawn: drawn, face: drawn.main}
	if own && drawn.own != nil {
		v.face = drawn.own
	}
	return v, nil
}

// bySlug returns the page at a path below /status, or nil.
func (p *Pages) bySlug(r *http.Request) *cached {
	slug := r.PathValue("slug")
	if asksForSummary(r) {
		slug = strings.TrimSuffix(slug, summaryEnding)
	}
	return p.known(r.Context()).slugs[slug]
}

const summaryEnding = ".json"

// asksForSummary reports whether the path is a slug with .json at its end, as no slug has a dot.
func asksForSummary(r *http.Request) bool {
	return strings.HasSuffix(r.PathValue("slug"), summaryEnding)
}

func (p *Pages) noPage() error {
	if p.index.Load() == nil {
		return &sett.Error{Code: sett.Unavailable, Message: "The server is starting. Try again in a moment.", RetryAfter: time.Second}
	}
	return sett.Errorf(sett.NotFound, "There is no status page at this URL. Check the spelling.")
}

// send answers with a document of the page.
func (v visit) send(w http.ResponseWriter, r *http.Request, d *document) {
	h := w.Header()
	h["Cache-Control"] = publicly
	if v.drawn.protected() {
		h["Cache-Control"] = privately
	}
	if v.drawn.view.Page.Unlisted {
		h["X-Robots-Tag"] = noIndex
	}
	if d.anywhere && !v.drawn.protected() {
		h["Access-Control-Allow-Origin"] = everybody
	}
	d.serve(w, r)
}

// Values of headers that all answers share: nobody adds to them.
var (
	publicly  = []string{"public, max-age=1, stale-if-error=86400"}
	privately = []string{"private, no-store"}
	noIndex   = []string{"noindex, nofollow"}
	everybody = []string{"*"}
)
