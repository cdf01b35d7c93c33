// Package events contains the page about the structured events of a project: a search over them, their number over time, a table of
// events or of groups, and a live tail. It receives requests of users who may see the project. It never changes an event, and never reads more
// than a search may.
package events

import (
	"embed"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

//go:embed page/*.html part/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct {
	*web.Pages
}

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	return web.Area{Routes: p.routes(), Templates: templates}
}

// routes returns all pages of this package.
func (p *pages) routes() []serve.Route {
	return append([]serve.Route{
		web.Get("/projects/{project_id}/insights", "insightsPage", accounts.ReadProject, p.search, "Structured events: a search, a chart and a table."),
		web.Get("/projects/{project_id}/insights/live", "liveInsightsPage", accounts.ReadProject, p.live, "Structured events as they arrive."),
		web.Stream("/projects/{project_id}/insights/live/events", "liveInsights", accounts.ReadProject, p.liveEvents, "A stream of structured events."),
	}, p.Exports("/projects/{project_id}/insights", "insights", accounts.ReadProject, p.export, "The same events, or groups of them")...)
}
