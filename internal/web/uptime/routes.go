// Package uptime contains the pages of sites, which are checked from several locations, and of check-ins, with which jobs
// report. It receives forms with their settings and returns lists, histories as strips and charts, and snippets for jobs. It
// does not check sites, but only requests checks.
package uptime

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
type pages struct{ *web.Pages }

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	return web.Area{Routes: slices.Concat(p.siteRoutes(), p.checkInRoutes(), p.maintenanceRoutes()), Templates: templates, Done: doneTexts}
}

const (
	sitesPath = "/projects/{project_id}/sites"
	sitePath  = sitesPath + "/{site_id}"

	checkInsPath = "/projects/{project_id}/check_ins"
	checkInPath  = checkInsPath + "/{check_in_id}"

	maintenancePath = "/projects/{project_id}/maintenance"
	windowPath      = maintenancePath + "/{window_id}"
)

func (p *pages) siteRoutes() []serve.Route {
	return slices.Concat([]serve.Route{
		web.Get(sitesPath, "sitesPage", accounts.ReadProject, p.sitesPage, "The sites of a project."),
		web.Get(sitesPath+"/new", "newSitePage", accounts.WatchProject, p.newSitePage, "The form for a new site."),
		web.Post(sitesPath, "makeSite", accounts.WatchProject, p.makeSite, "Create a site."),
		web.Post(sitesPath+"/preview", "previewNewSite", accounts.WatchProject, p.previewSite, "Preview the rule of a new site."),
		web.Get(sitePath, "sitePage", accounts.ReadProject, p.sitePage, "A site."),
		web.Get(sitePath+"/edit", "editSitePage", accounts.WatchProject, p.editSitePage, "The form of a site."),
		web.Post(sitePath+"/preview", "previewSite", accounts.WatchProject, p.previewSite, "Preview the rule of a site."),
		web.Post(sitePath, "changeSite", accounts.WatchProject, p.changeSite, "Change a site."),
		web.Post(sitePath+"/check", "checkSiteNow", accounts.WatchProject, p.checkSite, "Request a check from every location."),
		web.Post(sitePath+"/pause", "pauseSite", accounts.WatchProject, p.pauseSite, "Stop checking a site."),
		web.Post(sitePath+"/resume", "resumeSite", accounts.WatchProject, p.resumeSite, "Check a site again."),
		web.Post(sitePath+"/delete", "removeSite", accounts.WatchProject, p.removeSite, "Delete a site and its history."),
	},
		p.Exports(sitesPath, "sites", accounts.ReadProject, p.exportSites, "The sites of a project"),
		p.Exports(sitePath+"/outages", "outages", accounts.ReadProject, p.exportOutages, "The outages of a site"),
	)
}

func (p *pages) checkInRoutes() []serve.Route {
	return slices.Concat([]serve.Route{
		web.Get(checkInsPath, "checkInsPage", accounts.ReadProject, p.checkInsPage, "The check-ins of a project."),
		web.Get(checkInsPath+"/new", "newCheckInPage", accounts.WatchProject, p.newCheckInPage, "The form for a new check-in."),
		web.Post(checkInsPath, "makeCheckIn", accounts.WatchProject, p.makeCheckIn, "Create a check-in."),
		web.Get(checkInPath, "checkInPage", accounts.ReadProject, p.checkInPage, "A check-in."),
		web.Get(checkInPath+"/edit", "editCheckInPage", accounts.WatchProject, p.editCheckInPage, "The form of a check-in."),
		web.Post(checkInPath, "changeCheckIn", accounts.WatchProject, p.changeCheckIn, "Change a check-in."),
		web.Post(checkInPath+"/pause", "pauseCheckInFor", accounts.WatchProject, p.pauseCheckIn, "Pause a check-in."),
		web.Post(checkInPath+"/unpause", "endCheckInPause", accounts.WatchProject, p.unpauseCheckIn, "End the pause of a check-in."),
		web.Post(checkInPath+"/delete", "removeCheckIn", accounts.WatchProject, p.removeCheckIn, "Delete a check-in and its history."),
	},
		p.Exports(checkInsPath, "checkIns", accounts.ReadProject, p.exportCheckIns, "The check-ins of a project"),
		p.Exports(checkInPath+"/history", "checkInHistory", accounts.ReadProject, p.exportCheckInEvents, "The history of a check-in"),
	)
}

func (p *pages) maintenanceRoutes() []serve.Route {
	return append(p.Exports(maintenancePath, "maintenance", accounts.ReadProject, p.exportMaintenance, "The maintenance windows of a project"),
		web.Get(maintenancePath, "maintenancePage", accounts.ReadProject, p.maintenancePage, "The maintenance windows of a project."),
		web.Post(maintenancePath, "startMaintenance", accounts.WatchProject, p.createWindow, "Start or plan a maintenance window."),
		web.Get(windowPath+"/edit", "editMaintenancePage", accounts.WatchProject, p.windowPage, "The form of a maintenance window."),
		web.Post(windowPath, "changeMaintenance", accounts.WatchProject, p.changeWindow, "Change a maintenance window."),
		web.Post(windowPath+"/end", "endMaintenance", accounts.WatchProject, p.endWindow, "End a maintenance window."),
		web.Post(windowPath+"/delete", "removeMaintenance", accounts.WatchProject, p.deleteWindow, "Delete a maintenance window."),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"site_made":        "Site created. Checking now.",
	"site_checked":     "Check requested from every location. The results appear here shortly.",
	"site_paused":      "Site paused. Resume it to check it again.",
	"site_resumed":     "Site resumed.",
	"site_deleted":     "Site deleted.",
	"check_in_made":    "Check-in created. Now let your job report to it.",
	"check_in_paused":  "Check-in paused.",
	"check_in_resumed": "Check-in resumed.",
	"check_in_deleted": "Check-in deleted.",

	"maintenance_started": "Maintenance started. Notifications are held.",
	"maintenance_planned": "Maintenance window scheduled.",
	"maintenance_ended":   "Maintenance ended. You are notified of what is still down or missing.",
	"maintenance_deleted": "Maintenance window deleted.",
}
