package statuspage

import (
	"context"
	"fmt"
	"sync"

	"sett/internal/sett"
)

// drawing is all that a page shows at one time. It is not changed once it is made, but for what its faces draw later.
type drawing struct {
	page       *cached
	view       sett.StatusView
	history    []sett.StatusIncident // the newest first
	custom     *document             // the style that people have written; nil for none
	customName string
	main       *face // at the server's address
	own        *face // at the page's domain; nil while it is not verified
}

func (d *drawing) protected() bool { return d.view.Page.PasswordHash != "" }

// domain returns the verified domain of the page, or "".
func (d *drawing) domain() string {
	if d.view.Page.Domain.VerifiedAt.IsZero() {
		return ""
	}
	return d.view.Page.Domain.Name
}

// address returns where the page is best found, without trailing slash: its domain, or main where it has none.
func (d *drawing) address(main string) string {
	if domain := d.domain(); domain != "" {
		return "https://" + domain
	}
	return main
}

// face is a drawing with the links of one address.
type face struct {
	drawn *drawing
	pages *Pages
	root  string // path of the page, without trailing slash: "/status/acme", or ""
	url   string // of the page, without trailing slash

	front, summary, atom, jsonFeed, badge *document

	mu    sync.Mutex
	later map[string]*document // what is drawn when it is asked for, by its path
}

// historyLength is how many incidents a page tells of.
const historyLength = 1000

// newDrawing reads a page and draws it. What has not changed since the last drawing is taken from it.
func (p *Pages) newDrawing(ctx context.Context, c *cached) (*drawing, error) {
	before := c.drawn.Load()
	view, err := p.Store.StatusView(ctx, p.Now(), c.id)
	if err != nil {
		return nil, err
	}
	view.Page = view.Page.Under(p.Plan)
	d := &drawing{page: c, view: view}
	if before != nil && before.view.Page.Revision == view.Page.Revision {
		d.history = before.history
	} else if d.history, err = p.Store.StatusHistory(ctx, c.id, historyLength); err != nil {
		return nil, err
	} else {
		d.history = byListing(d.history)
	}
	if err := p.paint(d, before); err != nil {
		return nil, fmt.Errorf("draw status page %s: %w", c.id, err)
	}
	return d, nil
}

// paint makes the documents of a drawing.
func (p *Pages) paint(d, before *drawing) (err error) {
	if before == nil {
		before = &drawing{}
	}
	page := d.view.Page
	if css := page.Features.CustomCSS; css != "" {
		d.customName = hashedName(customStem, ".css", []byte(css))
		d.custom = newDocument(before.custom, styleForm, []byte(css))
	}
	d.main = &face{drawn: d, pages: p, root: p.base.Path + "/status/" + page.Slug, url: p.BaseURL + "/status/" + page.Slug}
	if err := d.main.paint(before.main); err != nil {
		return err
	}
	if d.domain() == "" {
		return nil
	}
	d.own = &face{drawn: d, pages: p, url: d.address("")}
	return d.own.paint(before.own)
}

// paint makes the documents that are asked for most.
func (f *face) paint(before *face) (err error) {
	if before == nil {
		before = &face{}
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

// mostLater is how many documents a face keeps that are drawn when they are asked for.
const mostLater = 50

// lazily returns the document at a path, which make draws unless it is kept.
func (f *face) lazily(path string, make func() (*document, error)) (*document, error) {
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
	f.pages.crowd.grow(f.drawn.page, by)
	return d, nil
}

// forgetLater drops what was drawn when it was asked for, and returns how large it was.
func (f *face) forgetLater() (size int) {
	for _, d := range f.later {
		size += d.size()
	}
	f.later = nil
	return size
}

// incidentBytes is about what an incident of the history takes, beside its texts.
const incidentBytes = 300

// size is about what the drawing takes in memory.
func (d *drawing) size() int {
	size := d.custom.size()
	for _, i := range d.history {
		size += incidentBytes + len(i.Name)
		for _, u := range i.Updates {
			size += incidentBytes/2 + len(u.Message)
		}
	}
	for _, f := range []*face{d.main, d.own} {
		if f == nil {
			continue
		}
		for _, doc := range []*document{f.front, f.summary, f.atom, f.jsonFeed, f.badge} {
			size += doc.size()
		}
	}
	return size
}
