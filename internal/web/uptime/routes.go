// Package uptime contains the pages of sites, which are checked from several locations, and of check-ins, with which jobs
// report. It receives forms with their settings and returns lists, histories as strips and charts, and snippets for jobs. It
// does not check sites, but only requests checks.
package uptime

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
		web.Get(sitesPath, "sitesPage", sett.ReadProject, p.sitesPage, "The sites of a project."),
		web.Get(sitesPath+"/new", "newSitePage", sett.WatchProject, p.newSitePage, "The form for a new site."),
		web.Post(sitesPath, "makeSite", sett.WatchProject, p.makeSite, "Create a site."),
		web.Post(sitesPath+"/preview", "previewNewSite", sett.WatchProject, p.previewSite, "Preview the rule of a new site."),
		web.Get(sitePath, "sitePage", sett.ReadProject, p.sitePage, "A site."),
		web.Get(sitePath+"/edit", "editSitePage", sett.WatchProject, p.editSitePage, "The form of a site."),
		web.Post(sitePath+"/preview", "previewSite", sett.WatchProject, p.previewSite, "Preview the rule of a site."),
		web.Post(sitePath, "changeSite", sett.WatchProject, p.changeSite, "Change a site."),
		web.Post(sitePath+"/check", "checkSiteNow", sett.WatchProject, p.checkSite, "Request a check from every location."),
		web.Post(sitePath+"/pause", "pauseSite", sett.WatchProject, p.pauseSite, "Stop checking a site."),
		web.Post(sitePath+"/resume", "resumeSite", sett.WatchProject, p.resumeSite, "Check a site again."),
		web.Post(sitePath+"/delete", "removeSite", sett.WatchProject, p.removeSite, "Delete a site and its history."),
	},
		p.Exports(sitesPath, "sites", sett.ReadProject, p.exportSites, "The sites of a project"),
		p.Exports(sitePath+"/outages", "outages", sett.ReadProject, p.exportOutages, "The outages of a site"),
	)
}

func (p *pages) checkInRoutes() []serve.Route {
	return slices.Concat([]serve.Route{
		web.Get(checkInsPath, "checkInsPage", sett.ReadProject, p.checkInsPage, "The check-ins of a project."),
		web.Get(checkInsPath+"/new", "newCheckInPage", sett.WatchProject, p.newCheckInPage, "The form for a new check-in."),
		web.Post(checkInsPath, "makeCheckIn", sett.WatchProject, p.makeCheckIn, "Create a check-in."),
		web.Get(checkInPath, "checkInPage", sett.ReadProject, p.checkInPage, "A check-in."),
		web.Get(checkInPath+"/edit", "editCheckInPage", sett.WatchProject, p.editCheckInPage, "The form of a check-in."),
		web.Post(checkInPath, "changeCheckIn", sett.WatchProject, p.changeCheckIn, "Change a check-in."),
		web.Post(checkInPath+"/pause", "pauseCheckInFor", sett.WatchProject, p.pauseCheckIn, "Pause a check-in."),
		web.Post(checkInPath+"/unpause", "endCheckInPause", sett.WatchProject, p.unpauseCheckIn, "End the pause of a check-in."),
		web.Post(checkInPath+"/delete", "removeCheckIn", sett.WatchProject, p.removeCheckIn, "Delete a check-in and its history."),
	},
		p.Exports(checkInsPath, "checkIns", sett.ReadProject, p.exportCheckIns, "The check-ins of a project"),
		p.Exports(checkInPath+"/history", "checkInHistory", sett.ReadProject, p.exportCheckInEvents, "The history of a check-in"),
	)
}

func (p *pages) maintenanceRoutes() []serve.Route {
	return append(p.Exports(maintenancePath, "maintenance", sett.ReadProject, p.exportMaintenance, "The maintenance windows of a project"),
		web.Get(maintenancePath, "maintenancePage", sett.ReadProject, p.maintenancePage, "The maintenance windows of a project."),
		web.Post(maintenancePath, "startMaintenance", sett.WatchProject, p.createWindow, "Start or plan a maintenance window."),
		web.Get(windowPath+"/edit", "editMaintenancePage", sett.WatchProject, p.windowPage, "The form of a maintenance window."),
		web.Post(windowPath, "changeMaintenance", sett.WatchProject, p.changeWindow, "Change a maintenance window."),
		web.Post(windowPath+"/end", "endMaintenance", sett.WatchProject, p.endWindow, "End a maintenance window."),
		web.Post(windowPath+"/delete", "removeMaintenance", sett.WatchProject, p.deleteWindow, "Delete a maintenance window."),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"site_made":        "Site created. Checking now.",
	"site_checked":     "Check requested from every location. The results appear here shortly.",
	"site_paused":      "Site paused. It is not checked and keeps its state.",
	"site_resumed":     "Site resumed.",
	"site_deleted":     "Site deleted.",
	"check_in_made":    "Check-in created. Now let your job report to it. Nothing is expected before the first ping.",
	"check_in_paused":  "Check-in paused.",
	"check_in_resumed": "Check-in resumed.",
	"check_in_deleted": "Check-in deleted.",

	"maintenance_started": "Maintenance started. Notifications are held.",
	"maintenance_planned": "Maintenance window scheduled.",
	"maintenance_ended":   "Maintenance ended. You are notified of what is still down or missing.",
	"maintenance_deleted": "Maintenance window deleted.",
}
