// Package status is the pages on which an account's people look after its status pages: what each shows and where, its
// incidents and planned work, and who is told. In come forms; out go changes of the store and redirects. It never draws what
// the public sees, which is package statuspage, and shows the ids of check-ins and the proofs of domains only to those who
// manage the pages.
package status

import (
	"embed"
	"net/http"
	"net/url"
	"strings"

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
	return web.Area{Routes: p.routes(), Templates: templates, Done: doneTexts}
}

const (
	listPath     = "/accounts/{account_id}/status_pages"
	pagePath     = listPath + "/{status_page_id}"
	incidentPath = pagePath + "/incidents/{incident_id}"
)

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	const reads, manages = sett.ReadAccount, sett.ManageStatusPages
	return []serve.Route{
		web.Get(listPath, "statusPagesPage", reads, p.list, "The status pages of an account."),
		web.Get(listPath+"/new", "newStatusPagePage", manages, p.newForm, "Make a status page."),
		web.Post(listPath, "makeStatusPage", manages, p.create, "Make the page."),
		web.Get(pagePath, "statusPagePage", reads, p.overview, "How a status page looks now."),
		web.Get(pagePath+"/edit", "statusPageFormPage", manages, p.editForm, "What a page shows, and where."),
		web.Post(pagePath+"/edit", "saveStatusPage", manages, p.save, "Save its settings."),
		web.Post(pagePath+"/components", "saveComponents", manages, p.saveComponents, "Save, move, add or remove what it shows."),
		web.Post(pagePath+"/domain", "saveDomain", manages, p.saveDomain, "Give it a domain."),
		web.Post(pagePath+"/domain/verify", "lookForDomain", manages, p.lookForDomain, "Have the domain looked for now."),
		web.Post(pagePath+"/password", "savePagePassword", manages, p.savePassword, "Give it a password."),
		web.Post(pagePath+"/password/remove", "removePagePassword", manages, p.removePassword, "Let everybody see it."),
		web.Post(pagePath+"/delete", "removeStatusPage", manages, p.remove, "Delete a page."),

		web.Get(pagePath+"/incidents", "incidentsPage", reads, p.incidents, "The incidents of a page."),
		web.Get(pagePath+"/incidents/new", "newIncidentPage", manages, p.newIncident, "Tell of an incident, or of planned work."),
		web.Post(pagePath+"/incidents", "makeIncident", manages, p.createIncident, "Tell it."),
		web.Get(incidentPath, "incidentPage", reads, p.incident, "An incident with its updates."),
		web.Get(incidentPath+"/edit", "incidentFormPage", manages, p.editIncident, "Change an incident."),
		web.Post(incidentPath+"/edit", "saveIncident", manages, p.saveIncident, "Save it."),
		web.Post(incidentPath+"/delete", "removeIncident", manages, p.removeIncident, "Delete an incident."),
		web.Post(incidentPath+"/updates", "makeUpdate", manages, p.createUpdate, "Add an update."),
		web.Post(incidentPath+"/updates/{update_id}", "saveUpdate", manages, p.saveUpdate, "Change what an update says."),
		web.Post(incidentPath+"/updates/{update_id}/delete", "removeUpdate", manages, p.removeUpdate, "Delete an update."),

		web.Get(pagePath+"/subscribers", "subscribersPage", manages, p.subscribers, "Who is told what a page tells."),
		web.Post(pagePath+"/subscribers/{subscriber_id}/remove", "removeSubscriber", manages, p.removeSubscriber, "Forget somebody."),
	}
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"looking":         "Checking the domain. Reload this page in a moment.",
	"page_made":       "Status page created. Anyone can view it at its URL.",
	"page_deleted":    "Status page deleted.",
	"page_locked":     "Password set. Visitors who entered another password are asked again.",
	"page_unlocked":   "Password removed. Anyone can view the page.",
	"incident_made":   "Published on the status page.",
	"incident_gone":   "Incident deleted.",
	"update_made":     "Update posted.",
	"update_gone":     "Update deleted.",
	"subscriber_gone": "Subscriber removed.",
}

// account returns the id of the account that the path names.
func account(r *http.Request) string { return r.PathValue("account_id") }

// shell is that of the pages of this room.
func (p *pages) shell(r *http.Request, title string) web.Shell {
	return p.Shell(r, title).In("status_pages")
}

// rules are what this server lets status pages have.
func (p *pages) rules() sett.StatusPageRules {
	return sett.StatusPageRules{Plan: p.Plan, Hosts: []string{hostOf(p.BaseURL), hostOf(p.ReportURL), p.StatusHost}}
}

// hostOf returns the host of an address, in lower case and without a port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
