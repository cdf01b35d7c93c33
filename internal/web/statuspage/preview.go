package statuspage

import (
	"context"

	"sett/internal/sett/status/locale"
)

// Preview returns the main page as visitors see it at the server's address, for a frame: without a script, and with links that open
// another window. accept is what the browser accepts as languages. The caller serves the CSS that the page adds and its logo at base
// with .css and .logo, and decides who may see the page; its password is not asked for.
func (p *Pages) Preview(ctx context.Context, id, base, accept string) ([]byte, error) {
	view, err := p.Status.StatusView(ctx, p.Now(), id)
	if err != nil {
		return nil, err
	}
	view.Page = view.Page.Under(p.Plan)
	times, err := p.responsesOf(ctx, view, nil)
	if err != nil {
		return nil, err
	}
	main := p.mainOf(&rendering{view: view, responses: times})
	if view.Page.Language == "" {
		main = main.in(locale.Match(accept))
	}
	page := main.frontPage()
	page.Preview, page.Script, page.Picture = true, "", ""
	if page.Custom != "" {
		page.Custom = base + ".css"
	}
	if page.Logo.URL != "" {
		page.Logo.URL = base + ".logo"
	}
	return p.writePage("front", page)
}
