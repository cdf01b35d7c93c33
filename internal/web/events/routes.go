// Package events contains the pages about the structured events of a project: a search or a query in one field, its answer as a chart, a list
// or a table, saved queries, alarms, and a live tail. It receives requests of users who may see the project. It never changes an event, and never reads
// more than a query of the API may.
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
	public
}

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{Pages: frame, public: newPublic(frame.Log)}
	return web.Area{Routes: p.routes(), Templates: templates, Done: doneTexts}
}

// routes returns all pages of this package.
func (p *pages) routes() []serve.Route {
	return append([]serve.Route{
		web.Get("/projects/{project_id}/insights", "insightsPage", accounts.ReadProject, p.search, "Structured events: a search or a query, a chart and a table."),
		web.Get("/projects/{project_id}/insights/query", "insightsQueryPage", accounts.ReadProject, p.queryPage, "The same page, where clients of Honeybadger's API link to."),
		web.Get("/projects/{project_id}/insights/suggestions", "insightSuggestions", accounts.ReadProject, p.suggestions, "What completes a search or a query, as JSON."),
		web.Get("/projects/{project_id}/insights/saved", "savedQueriesPage", accounts.ReadProject, p.savedPage, "The saved queries of a project."),
		web.Get("/projects/{project_id}/insights/saved/{search_id}", "savedQueryPage", accounts.ReadProject, p.openQuery, "A saved query: leads to its page."),
		web.Post("/projects/{project_id}/insights/saved", "saveQuery", accounts.ReadProject, p.saveQuery, "Save a search or a query."),
		web.Post("/projects/{project_id}/insights/saved/{search_id}", "changeQuery", accounts.ReadProject, p.changeQuery, "Rename a saved query, or replace what it asks."),
		web.Post("/projects/{project_id}/insights/saved/{search_id}/delete", "removeQuery", accounts.ReadProject, p.removeQuery, "Delete a saved query."),
		web.Get("/projects/{project_id}/insights/dashboards", "dashboardsPage", accounts.ReadProject, p.dashboards, "The dashboards of a project, and templates to begin with."),
		web.Post("/projects/{project_id}/insights/dashboards", "makeDashboard", accounts.WatchProject, p.makeDashboard, "Create a dashboard."),
		web.Get("/projects/{project_id}/insights/dashboards/{dashboard_id}", "dashboardPage", accounts.ReadProject, p.dashboard, "A dashboard: the results of its widgets for one period."),
		web.Post("/projects/{project_id}/insights/dashboards/{dashboard_id}", "changeDashboard", accounts.WatchProject, p.changeDashboard, "Rename a dashboard, or add, change, move or remove a widget."),
		web.Get("/projects/{project_id}/insights/dashboards/{dashboard_id}/wall", "dashboardWallPage", accounts.ReadProject, p.wall, "A dashboard that fills a screen, and updates itself."),
		web.Post("/projects/{project_id}/insights/dashboards/{dashboard_id}/places", "arrangeDashboard", accounts.WatchProject, p.arrangeDashboard, "Store the places of all widgets; answers with JSON."),
		web.Post("/projects/{project_id}/insights/dashboards/{dashboard_id}/share", "shareDashboard", accounts.WatchProject, p.makeShare, "Create a public link to a dashboard."),
		web.Post("/projects/{project_id}/insights/dashboards/{dashboard_id}/unshare", "unshareDashboard", accounts.WatchProject, p.endShare, "Revoke the public link."),
		web.Get("/share/dashboards/{token}", "sharedDashboardPage", accounts.Public, p.sharedDashboard, "What a public link shows of a dashboard."),
		web.Post("/projects/{project_id}/insights/dashboards/{dashboard_id}/delete", "removeDashboard", accounts.WatchProject, p.removeDashboard, "Delete a dashboard."),
		web.Get("/projects/{project_id}/insights/alarms", "alarmsPage", accounts.ReadProject, p.alarmsPage, "The alarms of a project."),
		web.Get("/projects/{project_id}/insights/alarms/new", "newAlarmPage", accounts.WatchProject, p.newAlarmPage, "A form for a new alarm, with a query."),
		web.Post("/projects/{project_id}/insights/alarms", "makeAlarm", accounts.WatchProject, p.makeAlarm, "Create an alarm."),
		web.Get("/projects/{project_id}/insights/alarms/{alarm_id}", "alarmPage", accounts.ReadProject, p.alarmPage, "An alarm: its state, the last day and its history."),
		web.Get("/projects/{project_id}/insights/alarms/{alarm_id}/edit", "editAlarmPage", accounts.WatchProject, p.editAlarmPage, "A form with the settings of an alarm."),
		web.Post("/projects/{project_id}/insights/alarms/{alarm_id}", "changeAlarm", accounts.WatchProject, p.changeAlarm, "Change an alarm."),
		web.Post("/projects/{project_id}/insights/alarms/{alarm_id}/delete", "removeAlarm", accounts.WatchProject, p.removeAlarm, "Delete an alarm."),
		web.Get("/projects/{project_id}/insights/live", "liveInsightsPage", accounts.ReadProject, p.live, "Structured events as they arrive."),
		web.Stream("/projects/{project_id}/insights/live/events", "liveInsights", accounts.ReadProject, p.liveEvents, "A stream of structured events."),
	}, p.Exports("/projects/{project_id}/insights", "insights", accounts.ReadProject, p.export, "The same events, or groups of them")...)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"dashboard_made":    "Dashboard created.",
	"dashboard_changed": "Dashboard updated.",
	"dashboard_deleted": "Dashboard deleted.",
	"unshared":          "Public link revoked.",
	"query_saved":       "Query saved.",
	"query_changed":     "Saved query updated.",
	"query_deleted":     "Saved query deleted.",
	"alarm_made":        "Alarm created. It is evaluated within a minute.",
	"alarm_changed":     "Alarm updated.",
	"alarm_deleted":     "Alarm deleted.",
}
