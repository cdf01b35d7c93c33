// Package project contains the pages about projects as a whole: the list of projects, the overview, the timeline, deploys, releases,
// reports, setup instructions and live events, and the first page of a new server. It receives requests of users who may see a
// project and returns pages and streams of events. Its only changes are to create a project and to send a test notice. It does
// not show single faults, sites or check-ins, but links to them.
package project

import (
	"embed"
	"slices"

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
	return slices.Concat([]serve.Route{
		web.Get("/", "home", sett.SignedIn, p.home, "The start page: the user's projects and their activity."),
		web.Get("/concerns/{concern}", "concernPage", sett.SignedIn, p.concern, "All of what a card of the start page shows a few of: down, assigned, or since for new errors."),
		web.Get("/projects", "projectsPage", sett.SignedIn, p.list, "All projects with their state."),
		web.Get("/projects/new", "newProjectPage", sett.SignedIn, p.newForm, "The form for a new project."),
		web.Post("/accounts/{account_id}/projects", "makeProject", sett.CreateProject, p.make, "Create a project."),

		web.Get("/projects/{project_id}", "projectPage", sett.ReadProject, p.overview, "The overview of a project."),
		web.Get("/projects/{project_id}/timeline", "projectTimelinePage", sett.ReadProject, p.projectTimeline, "The timeline of a project."),
		web.Get("/accounts/{account_id}/timeline", "accountTimelinePage", sett.ReadAccount, p.accountTimeline, "The timeline of an account's projects."),
		web.Get("/projects/{project_id}/deploys", "deploysPage", sett.ReadProject, p.deploys, "Deploys with their effects."),
		web.Get("/projects/{project_id}/deploys/{deploy_id}", "deployPage", sett.ReadProject, p.deploy, "One deploy."),
		web.Get("/projects/{project_id}/releases", "releasesPage", sett.ReadProject, p.releases, "Releases with their figures."),
		web.Get("/projects/{project_id}/releases/{revision}", "releasePage", sett.ReadProject, p.release, "One release, compared with the previous one."),
		web.Get("/projects/{project_id}/reports", "reportsPage", sett.ReadProject, p.report, "The default report."),
		web.Get("/projects/{project_id}/reports/{report}", "reportPage", sett.ReadProject, p.report, "A report."),

		web.Get("/projects/{project_id}/setup", "setupPage", sett.ReadProject, p.setup, "How to connect an app."),
		web.Post("/projects/{project_id}/setup/test", "sendTestNotice", sett.WorkFaults, p.sendTest, "Send a test notice."),
		web.Stream("/projects/{project_id}/setup/events", "setupEvents", sett.ReadProject, p.setupEvents, "A stream with the next notice."),
		web.Get("/projects/{project_id}/live", "livePage", sett.ReadProject, p.live, "Events as they arrive."),
		web.Stream("/projects/{project_id}/live/events", "liveEvents", sett.ReadProject, p.liveEvents, "A stream of all notices."),

		web.Get("/setup", "firstRunPage", sett.Public, p.firstRun, "The form for the first account, reached by the link in the log."),
		web.Post("/setup", "firstRun", sett.Public, p.begin, "Create the first account."),
	},
		p.Exports("/projects", "projects", sett.SignedIn, p.exportProjects, "All projects with their state"),
		p.Exports("/projects/{project_id}/timeline", "projectTimeline", sett.ReadProject, p.exportProjectTimeline, "The timeline of a project"),
		p.Exports("/accounts/{account_id}/timeline", "accountTimeline", sett.ReadAccount, p.exportAccountTimeline, "The timeline of an account's projects"),
		p.Exports("/projects/{project_id}/deploys", "deploys", sett.ReadProject, p.exportDeploys, "Deploys with their effects"),
		p.Exports("/projects/{project_id}/releases", "releases", sett.ReadProject, p.exportReleases, "Releases with their figures"),
		p.Exports("/projects/{project_id}/reports/{report}/rows", "report", sett.ReadProject, p.exportReport, "A report"),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"began":        "Account created. You are signed in. Next, connect an app.",
	"test_sent":    "Test event sent. It is stored as an error in the environment “test”.",
	"project_made": "Project created. Next, connect an app.",
}
