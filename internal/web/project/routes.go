// Package project is the pages of what a project does as a whole: the list of all, the overview, the timeline, deploys,
// reports, how to begin and what comes in right now; and the first page of a new server. In come requests of people who may
// see a project; out go pages, streams of events and one kind of change each: a project that is made, a test notice. It
// shows no fault, site or check-in by itself, but leads to them.
package project

import (
	"embed"

	"sett/internal/serve"
	"sett/internal/sett"
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
	p := &pages{Pages: frame}
	return web.Area{Routes: p.routes(), Templates: templates, Done: doneTexts}
}

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return []serve.Route{
		web.Get("/", "home", sett.SignedIn, p.home, "Where people begin: their projects and what happened in them."),
		web.Get("/projects", "projectsPage", sett.SignedIn, p.list, "All projects, with how each does."),
		web.Get("/projects/new", "newProjectPage", sett.SignedIn, p.newForm, "Make a project."),
		web.Post("/accounts/{account_id}/projects", "makeProject", sett.CreateProject, p.make, "Make the project."),

		web.Get("/projects/{project_id}", "projectPage", sett.ReadProject, p.overview, "How a project does."),
		web.Get("/projects/{project_id}/timeline", "projectTimelinePage", sett.ReadProject, p.projectTimeline, "What happened in a project."),
		web.Get("/accounts/{account_id}/timeline", "accountTimelinePage", sett.ReadAccount, p.accountTimeline, "What happened in the projects of an account."),
		web.Get("/projects/{project_id}/deploys", "deploysPage", sett.ReadProject, p.deploys, "Deploys, and what came of each."),
		web.Get("/projects/{project_id}/deploys/{deploy_id}", "deployPage", sett.ReadProject, p.deploy, "One deploy."),
		web.Get("/projects/{project_id}/reports", "reportsPage", sett.ReadProject, p.report, "The first of the reports."),
		web.Get("/projects/{project_id}/reports/{report}", "reportPage", sett.ReadProject, p.report, "A report."),
		web.Get("/projects/{project_id}/reports/{report}/rows.csv", "reportRows", sett.ReadProject, p.reportRows, "The same as comma-separated values."),

		web.Get("/projects/{project_id}/setup", "setupPage", sett.ReadProject, p.setup, "How to connect an app."),
		web.Post("/projects/{project_id}/setup/test", "sendTestNotice", sett.WorkFaults, p.sendTest, "Send a test notice."),
		web.Stream("/projects/{project_id}/setup/events", "setupEvents", sett.ReadProject, p.setupEvents, "The first notice that comes in."),
		web.Get("/projects/{project_id}/live", "livePage", sett.ReadProject, p.live, "What comes in right now."),
		web.Stream("/projects/{project_id}/live/events", "liveEvents", sett.ReadProject, p.liveEvents, "Each notice that comes in."),

		web.Get("/setup", "firstRunPage", sett.Public, p.firstRun, "Make the first account, with the link from the log."),
		web.Post("/setup", "firstRun", sett.Public, p.begin, "Make it."),
	}
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"began":        "Account created. You are signed in. Next, connect an app.",
	"test_sent":    "Test event sent. It is stored as an error in the environment “test”.",
	"project_made": "Project created. Next, connect an app.",
}
