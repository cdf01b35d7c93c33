package statuspage

import "context"

// Preview returns the main page as visitors see it at the server's address, for a frame: without a script, and with links that open
// another window. css is the path of its custom CSS. The caller decides who may see the page; its password is not asked for.
func (p *Pages) Preview(ctx context.Context, id, css string) ([]byte, error) {
	view, err := p.Status.StatusView(ctx, p.Now(), id)
	if err != nil {
		return nil, err
	}
	view.Page = view.Page.Under(p.Plan)
	page := p.mainOf(&rendering{view: view}).frontPage()
	page.Preview, page.Script = true, ""
	if page.Custom != "" {
		page.Custom = css
	}
	return p.writePage("front", page)
}
