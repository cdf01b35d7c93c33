package statuspage

import (
	"net/http"
	"slices"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
)

// Routes returns the routes at the server's own address.
func (p *Pages) Routes() []serve.Route {
	return append(p.table("/status/{slug}"), p.domainRoute(), p.view("/status/{slug}", "statusPageOrSummary", p.frontOrSummary, "A page; its summary when .json follows."))
}

// table returns all routes below the root of a page; the root is "" at a page's own domain.
func (p *Pages) table(root string) []serve.Route {
	routes := []serve.Route{
		p.view(root+"/status.json", "statusSummary", summaryPart, "The current status as JSON."),
		p.view(root+"/history", "statusHistory", historyPart, "Incidents by month."),
		p.view(root+"/incidents/{incident}", "statusIncident", incidentPart, "One incident with all its updates."),
		p.view(root+"/feed.atom", "statusAtom", atomPart, "Incidents as an Atom feed."),
		p.view(root+"/feed.json", "statusJSONFeed", jsonFeedPart, "Incidents as a JSON feed."),
		p.view(root+"/badge.svg", "statusBadge", badgePart, "The overall state as an SVG image."),
		p.line("GET", root+"/s/{file}", "statusStatic", p.serveStatic, "Style and script of a page."),
		p.line("POST", root+"/unlock", "unlockStatusPage", p.unlock, "Send the password of a page."),
	}
	if root == "" {
		routes = append(routes, p.view("/", "statusFront", frontPart, "The page."))
	}
	return slices.Concat(routes, p.subscribeRoutes(root))
}

// line is a route whose errors are shown as pages. Successful requests are not logged: a page may be viewed thousands of times
// a second.
func (p *Pages) line(method, path, name string, handle serve.Handler, doc string) serve.Route {
	return serve.Route{
		Method: method, Path: path, Name: name, Tag: "Status pages", Permission: accounts.Public, Media: "text/html", Doc: doc, Quiet: true,
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			if err := handle(w, r); err != nil {
				p.answerError(w, r, err)
			}
			return nil
		},
	}
}

// view is a route for a document that every visitor of the page may see.
func (p *Pages) view(path, name string, choose part, doc string) serve.Route {
	return p.line("GET", path, name, func(w http.ResponseWriter, r *http.Request) error {
		v, err := p.admit(w, r)
		if err != nil || v.locked {
			return err
		}
		d, err := choose(v, r)
		if err != nil {
			return err
		}
		v.send(w, r, d)
		return nil
	}, doc)
}

// part returns the document of a page for a request.
type part func(v visit, r *http.Request) (*document, error)

// frontPart returns the main page. That in the language of the variant was rendered in advance.
func frontPart(v visit, _ *http.Request) (*document, error) {
	if v.lang == v.variant.lang {
		return v.variant.front, nil
	}
	return v.inLanguage("front", func(f *variant) (*document, error) { return f.page(nil, "front", f.frontPage()) })
}

func summaryPart(v visit, _ *http.Request) (*document, error)  { return v.variant.summary, nil }
func atomPart(v visit, _ *http.Request) (*document, error)     { return v.variant.atom, nil }
func jsonFeedPart(v visit, _ *http.Request) (*document, error) { return v.variant.jsonFeed, nil }
func badgePart(v visit, _ *http.Request) (*document, error)    { return v.variant.badge, nil }

// frontOrSummary distinguishes /status/acme from /status/acme.json, which match the same pattern.
func (p *Pages) frontOrSummary(v visit, r *http.Request) (*document, error) {
	if asksForSummary(r) {
		return v.variant.summary, nil
	}
	return frontPart(v, r)
}
