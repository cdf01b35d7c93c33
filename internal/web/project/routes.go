// Package project contains the pages about projects as a whole: the list of projects, the overview, the timeline, deploys, releases,
// reports, setup instructions and live events, and the first page of a new server. It receives requests of users who may see a
// project and returns pages and streams of events. Its only changes are to create a project and to send a test notice. It does
// not show single faults, sites or check-ins, but links to them.
package project

import (
	"embed"
	"slices"

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
	p := &pages{Pages: frame}
	return web.Area{Routes: p.routes(), Templates: templates, Done: doneTexts}
}

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return slices.Concat(p.acknowledgeRoutes(), []serve.Route{
		web.Get("/", "home", accounts.SignedIn, p.home, "The start page: the user's projects and their activity."),
		web.Get("/concerns/{concern}", "concernPage", accounts.SignedIn, p.concern, "All that is down. Assigned and since redirect to the list of the errors of all projects."),
		web.Get("/projects", "projectsPage", accounts.SignedIn, p.list, "All projects with their state."),
		web.Get("/projects/new", "newProjectPage", accounts.SignedIn, p.newForm, "The form for a new project."),
		web.Post("/accounts/{account_id}/projects", "makeProject", accounts.CreateProject, p.make, "Create a project."),

		web.Get("/projects/{project_id}", "projectPage", accounts.ReadProject, p.overview, "The overview of a project."),
		web.Post("/projects/{project_id}/guide/close", "closeGuide", accounts.ManageProject, p.closeGuide, "Dismiss the next steps of a project."),
		web.Get("/projects/{project_id}/timeline", "projectTimelinePage", accounts.ReadProject, p.projectTimeline, "The activity of a project."),
		web.Get("/accounts/{account_id}/timeline", "accountTimelinePage", accounts.ReadAccount, p.accountTimeline, "The activity of an account's projects."),
		web.Get("/projects/{project_id}/deploys", "deploysPage", accounts.ReadProject, p.deploys, "Deploys with their effects."),
		web.Get("/projects/{project_id}/deploys/{deploy_id}", "deployPage", accounts.ReadProject, p.deploy, "One deploy."),
		web.Get("/projects/{project_id}/releases", "releasesPage", accounts.ReadProject, p.releases, "Releases with their figures."),
		web.Get("/projects/{project_id}/releases/{revision}", "releasePage", accounts.ReadProject, p.release, "One release, compared with the previous one."),
		web.Get("/projects/{project_id}/reports", "reportsPage", accounts.ReadProject, p.defaultReport, "The way to the default report."),
		web.Get("/projects/{project_id}/reports/{report}", "reportPage", accounts.ReadProject, p.report, "A report."),

		web.Get("/projects/{project_id}/setup", "setupPage", accounts.ReadProject, p.setup, "How to connect an app."),
		web.Post("/projects/{project_id}/setup/test", "sendTestNotice", accounts.WorkFaults, p.sendTest, "Send a test notice."),
		web.Stream("/projects/{project_id}/setup/events", "setupEvents", accounts.ReadProject, p.setupEvents, "A stream with the next notice."),
		web.Get("/projects/{project_id}/live", "livePage", accounts.ReadProject, p.live, "Events as they arrive."),
		web.Stream("/projects/{project_id}/live/events", "liveEvents", accounts.ReadProject, p.liveEvents, "A stream of all notices."),

		web.Get("/setup", "firstRunPage", accounts.Public, p.firstRun, "The form for the first account, reached by the link in the log."),
		web.Post("/setup", "firstRun", accounts.Public, p.begin, "Create the first account."),
	},
		p.Exports("/projects", "projects", accounts.SignedIn, p.exportProjects, "All projects with their state"),
		p.Exports("/projects/{project_id}/timeline", "projectTimeline", accounts.ReadProject, p.exportProjectTimeline, "The timeline of a project"),
		p.Exports("/accounts/{account_id}/timeline", "accountTimeline", accounts.ReadAccount, p.exportAccountTimeline, "The timeline of an account's projects"),
		p.Exports("/projects/{project_id}/deploys", "deploys", accounts.ReadProject, p.exportDeploys, "Deploys with their effects"),
		p.Exports("/projects/{project_id}/releases", "releases", accounts.ReadProject, p.exportReleases, "Releases with their figures"),
		p.Exports("/projects/{project_id}/reports/{report}/rows", "report", accounts.ReadProject, p.exportReport, "A report"),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"acknowledged":               "Acknowledged. Others see that you look at this.",
	"acknowledgement_taken_back": "Taken back.",
	"began":                      "Account created. You are signed in. Next, connect an app.",
	"guide_closed":               "Next steps dismissed.",
	"test_sent":                  "Test event received. It is in the environment “test”.",
	"project_made":               "Project created. Next, connect an app.",
}
