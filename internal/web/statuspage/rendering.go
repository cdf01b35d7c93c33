package statuspage

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/sett/status/logo"
)

// rendering is the complete content of a page at one point in time. It is immutable, except for documents that its variants
// render on demand.
type rendering struct {
	page       *cached
	view       status.StatusView
	history    []status.StatusIncident // the newest first
	responses  responses
	custom     *document // the CSS that the page adds; nil for none
	customName string
	logo       *document // nil for none
	main       *variant  // at the server's address
	own        *variant  // at the page's domain; nil unless the domain is verified
}

func (d *rendering) protected() bool { return d.view.Page.PasswordHash != "" }

// expired reports whether a state that people set has ended since.
func (d *rendering) expired(now time.Time) bool {
	return slices.ContainsFunc(d.view.Components, func(c status.ComponentView) bool {
		return !c.Manual.Until.IsZero() && !now.Before(c.Manual.Until)
	})
}

// domain returns the verified domain of the page, or "".
func (d *rendering) domain() string {
	if d.view.Page.Domain.VerifiedAt.IsZero() {
		return ""
	}
	return d.view.Page.Domain.Name
}

// address returns the preferred URL of the page, without trailing slash: its domain, or main if it has none.
func (d *rendering) address(main string) string {
	if domain := d.domain(); domain != "" {
		return "https://" + domain
	}
	return main
}

// variant is a rendering with the links for one address.
type variant struct {
	rendered *rendering
	pages    *Pages
	lang     locale.Language // of what is not for one visitor: feeds, the badge and the summary
	root     string          // path of the page, without trailing slash: "/status/acme", or ""
	url      string          // of the page, without trailing slash

	front, summary, atom, jsonFeed, badge *document

	mu    sync.Mutex
	later map[string]*document // documents that are rendered on demand, by path
}

// historyLength is how many incidents a page shows at most.
const historyLength = 1000

// newRendering reads a page and renders it. It reuses unchanged documents of the last rendering.
func (p *Pages) newRendering(ctx context.Context, c *cached) (*rendering, error) {
	before := c.rendered.Load()
	view, err := p.Status.StatusView(ctx, p.Now(), c.id)
	if err != nil {
		return nil, err
	}
	view.Page = view.Page.Under(p.Plan)
	d := &rendering{page: c, view: view}
	if before != nil && before.view.Page.Revision == view.Page.Revision {
		d.history = before.history
	} else if d.history, err = p.Status.StatusHistory(ctx, c.id, historyLength); err != nil {
		return nil, err
	} else {
		d.history = byListing(d.history)
	}
	if d.responses, err = p.responsesOf(ctx, view, before); err != nil {
		return nil, err
	}
	if d.logo, err = p.logoOf(ctx, view.Page, before); err != nil {
		return nil, err
	}
	if err := p.render(d, before); err != nil {
		return nil, fmt.Errorf("render status page %s: %w", c.id, err)
	}
	return d, nil
}

// mainOf names the custom CSS of a rendering and returns its variant at the server's address.
func (p *Pages) mainOf(d *rendering) *variant {
	page := d.view.Page
	if css := page.Features.Style(); css != "" {
		d.customName = hashedName(customStem, ".css", []byte(css))
	}
	return &variant{rendered: d, pages: p, lang: page.Written(), root: p.root + "/status/" + page.Slug, url: p.BaseURL + "/status/" + page.Slug}
}

// logoOf returns the logo of a page, or nil. It reads only a new one.
func (p *Pages) logoOf(ctx context.Context, page status.StatusPage, before *rendering) (*document, error) {
	switch {
	case page.Logo.Name == "":
		return nil, nil
	case before != nil && before.logo != nil && before.view.Page.Logo.Name == page.Logo.Name:
		return before.logo, nil
	}
	body, err := p.Status.StatusLogo(ctx, page.ID)
	if err != nil || body == nil { // it was removed a moment ago: the next rendering has none
		return nil, err
	}
	return newDocument(nil, form{kind: logo.Type(page.Logo.Name), policy: deadPolicy}, body), nil
}

// render creates the documents of a rendering.
func (p *Pages) render(d, before *rendering) (err error) {
	if before == nil {
		before = &rendering{}
	}
	if css := d.view.Page.Features.Style(); css != "" {
		d.custom = newDocument(before.custom, styleForm, []byte(css))
	}
	d.main = p.mainOf(d)
	if err := d.main.render(before.main); err != nil {
		return err
	}
	if d.domain() == "" {
		return nil
	}
	d.own = &variant{rendered: d, pages: p, lang: d.main.lang, url: d.address("")}
	return d.own.render(before.own)
}

// render creates the most requested documents.
func (f *variant) render(before *variant) (err error) {
	if before == nil {
		before = &variant{}
	}
	if f.front, err = f.page(before.front, "front", f.frontPage()); err != nil {
		return err
	}
	if f.summary, err = jsonDocument(before.summary, summaryForm, f.summaryOf()); err != nil {
		return err
	}
	if f.jsonFeed, err = jsonDocument(before.jsonFeed, jsonFeedForm, f.jsonFeedOf()); err != nil {
		return err
	}
	if f.atom, err = atomDocument(before.atom, f.atomOf()); err != nil {
		return err
	}
	f.badge, err = f.badgeDocument(before.badge)
	return err
}

// inLanguage returns a document of a path in the language of the visitor. It calls make, with the variant in that language, unless the
// document is cached.
func (v visit) inLanguage(path string, make func(*variant) (*document, error)) (*document, error) {
	return v.variant.lazily(string(v.lang)+" "+path, func() (*document, error) { return make(v.variant.in(v.lang)) })
}

// in returns the variant in a language, to render pages.
func (f *variant) in(l locale.Language) *variant {
	return &variant{rendered: f.rendered, pages: f.pages, lang: l, root: f.root, url: f.url}
}

// mostLater is how many documents a variant keeps that were rendered on demand.
const mostLater = 50

// lazily returns the document of a path. It calls make unless the document is cached.
func (f *variant) lazily(path string, make func() (*document, error)) (*document, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.later[path]; d != nil {
		return d, nil
	}
	d, err := make()
	if err != nil {
		return nil, err
	}
	by := d.size()
	if len(f.later) >= mostLater {
		by -= f.forgetLater()
	}
	if f.later == nil {
		f.later = map[string]*document{}
	}
	f.later[path] = d
	f.pages.cache.grow(f.rendered.page, by)
	return d, nil
}

// forgetLater drops the documents that were rendered on demand and returns their size.
func (f *variant) forgetLater() (size int) {
	for _, d := range f.later {
		size += d.size()
	}
	f.later = nil
	return size
}

// incidentBytes is the approximate size of an incident of the history without its texts.
const incidentBytes = 300

// size returns the approximate memory use of the rendering.
func (d *rendering) size() int {
	size := d.custom.size() + d.logo.size()
	for _, i := range d.history {
		size += incidentBytes + len(i.Name) + len(i.PostMortem.Message)
		for _, u := range i.Updates {
			size += incidentBytes/2 + len(u.Message)
		}
	}
	for _, f := range []*variant{d.main, d.own} {
		if f == nil {
			continue
		}
		for _, doc := range []*document{f.front, f.summary, f.atom, f.jsonFeed, f.badge} {
			size += doc.size()
		}
	}
	return size
}
