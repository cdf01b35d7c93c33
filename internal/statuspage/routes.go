package statuspage

import (
	"net/http"
	"slices"

	"sett/internal/serve"
	"sett/internal/sett"
)

// Routes are the pages at the server's own address.
func (p *Pages) Routes() []serve.Route {
	return append(p.table("/status/{slug}"), p.domainRoute(), p.view("/status/{slug}", "statusPageOrSummary", p.frontOrSummary, "A page; its summary when .json follows."))
}

// table is everything that is served below a page's root: "" where the page has a domain of its own.
func (p *Pages) table(root string) []serve.Route {
	routes := []serve.Route{
		p.view(root+"/status.json", "statusSummary", summaryPart, "The state of everything, for programs."),
		p.view(root+"/history", "statusHistory", historyPart, "Incidents by month."),
		p.view(root+"/incidents/{incident}", "statusIncident", incidentPart, "One incident with all its updates."),
		p.view(root+"/feed.atom", "statusAtom", atomPart, "Incidents as an Atom feed."),
		p.view(root+"/feed.json", "statusJSONFeed", jsonFeedPart, "Incidents as a JSON feed."),
		p.view(root+"/badge.svg", "statusBadge", badgePart, "The overall state as a picture."),
		p.line("GET", root+"/s/{file}", "statusStatic", p.serveStatic, "Style and script of a page."),
		p.line("POST", root+"/unlock", "unlockStatusPage", p.unlock, "Show the password of a page."),
	}
	if root == "" {
		routes = append(routes, p.view("/", "statusFront", frontPart, "The page."))
	}
	return slices.Concat(routes, p.subscribeRoutes(root))
}

// line is a route whose errors are told in the look of a page. Successes are quiet: a page may be viewed thousands of times
// a second.
func (p *Pages) line(method, path, name string, handle serve.Handler, doc string) serve.Route {
	return serve.Route{
		Method: method, Path: path, Name: name, Tag: "Status pages", Permission: sett.Public, Media: "text/html", Doc: doc, Quiet: true,
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			if err := handle(w, r); err != nil {
				p.answerError(w, r, err)
			}
			return nil
		},
	}
}

// view is a line for a part of a page that everybody may see who may see the page.
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

// part finds the document of a page that a request is for.
type part func(v visit, r *http.Request) (*document, error)

func frontPart(v visit, _ *http.Request) (*document, error)    { return v.face.front, nil }
func summaryPart(v visit, _ *http.Request) (*document, error)  { return v.face.summary, nil }
func atomPart(v visit, _ *http.Request) (*document, error)     { return v.face.atom, nil }
func jsonFeedPart(v visit, _ *http.Request) (*document, error) { return v.face.jsonFeed, nil }
func badgePart(v visit, _ *http.Request) (*document, error)    { return v.face.badge, nil }

// frontOrSummary tells /status/acme from /status/acme.json, which one pattern matches.
func (p *Pages) frontOrSummary(v visit, r *http.Request) (*document, error) {
	if asksForSummary(r) {
		return v.face.summary, nil
	}
	return v.face.front, nil
}
