// Package statusadmin contains the pages that manage the status pages of an account: components, settings, incidents, scheduled
// maintenance and subscribers. It receives forms, changes the store and redirects. The public pages are in package statuspage.
// The IDs of check-ins and the proofs of domains are shown only to users who may manage status pages.
package statusadmin

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
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
	const reads, manages = accounts.ReadAccount, accounts.ManageStatusPages
	return slices.Concat([]serve.Route{
		web.Get(listPath, "statusPagesPage", reads, p.list, "The status pages of an account."),
		web.Get(listPath+"/new", "newStatusPagePage", manages, p.newForm, "The form for a new status page."),
		web.Post(listPath, "makeStatusPage", manages, p.create, "Create a status page."),
		web.Get(pagePath, "statusPagePage", reads, p.overview, "A status page."),
		web.Get(pagePath+"/preview", "statusPagePreview", reads, p.preview, "The public page, for the frame in its overview."),
		web.Get(pagePath+"/preview.css", "statusPagePreviewStyle", reads, p.previewStyle, "The CSS that the public page adds, for the same frame."),
		web.Get(pagePath+"/preview.logo", "statusPagePreviewLogo", reads, p.previewLogo, "The logo of the public page, for the same frame."),
		web.Get(pagePath+"/edit", "statusPageFormPage", manages, p.editForm, "The settings of a status page."),
		web.Post(pagePath+"/edit", "saveStatusPage", manages, p.save, "Save its settings."),
		web.Post(pagePath+"/logo", "saveLogo", manages, p.saveLogo, "Set the logo."),
		web.Post(pagePath+"/logo/remove", "removeLogo", manages, p.removeLogo, "Remove the logo."),
		web.Post(pagePath+"/components", "saveComponents", manages, p.saveComponents, "Save, move, add or remove components."),
		web.Get(pagePath+"/components/{status_component_id}", "componentStatePage", manages, p.componentState, "The form for the state of a component."),
		web.Post(pagePath+"/components/{status_component_id}", "setComponentState", manages, p.setComponentState, "Set the state of a component."),
		web.Post(pagePath+"/domain", "saveDomain", manages, p.saveDomain, "Set the domain."),
		web.Post(pagePath+"/domain/verify", "lookForDomain", manages, p.lookForDomain, "Request a check of the domain."),
		web.Post(pagePath+"/password", "savePagePassword", manages, p.savePassword, "Set the password."),
		web.Post(pagePath+"/password/remove", "removePagePassword", manages, p.removePassword, "Remove the password."),
		web.Post(pagePath+"/delete", "removeStatusPage", manages, p.remove, "Delete a page."),

		web.Get(pagePath+"/incidents", "incidentsPage", reads, p.incidents, "The incidents of a page."),
		web.Get(pagePath+"/incidents/new", "newIncidentPage", manages, p.newIncident, "The form for an incident or scheduled maintenance."),
		web.Post(pagePath+"/incidents", "makeIncident", manages, p.createIncident, "Create an incident."),
		web.Get(incidentPath, "incidentPage", reads, p.incident, "An incident with its updates."),
		web.Get(incidentPath+"/edit", "incidentFormPage", manages, p.editIncident, "The form of an incident."),
		web.Post(incidentPath+"/edit", "saveIncident", manages, p.saveIncident, "Save an incident."),
		web.Post(incidentPath+"/delete", "removeIncident", manages, p.removeIncident, "Delete an incident."),
		web.Post(incidentPath+"/postmortem", "savePostMortem", manages, p.savePostMortem, "Save, publish or withdraw the post-mortem."),
		web.Post(incidentPath+"/updates", "makeUpdate", manages, p.createUpdate, "Add an update."),
		web.Post(incidentPath+"/updates/{update_id}", "saveUpdate", manages, p.saveUpdate, "Edit an update."),
		web.Post(incidentPath+"/updates/{update_id}/delete", "removeUpdate", manages, p.removeUpdate, "Delete an update."),

		web.Get(pagePath+"/templates", "statusTemplatesPage", manages, p.templates, "The templates of incidents."),
		web.Post(pagePath+"/templates", "makeTemplate", manages, p.createTemplate, "Create a template."),
		web.Get(pagePath+"/templates/{template_id}", "statusTemplatePage", manages, p.template, "The form of a template."),
		web.Post(pagePath+"/templates/{template_id}", "saveTemplate", manages, p.saveTemplate, "Save a template."),
		web.Post(pagePath+"/templates/{template_id}/delete", "removeTemplate", manages, p.removeTemplate, "Delete a template."),

		web.Get(pagePath+"/subscribers", "subscribersPage", manages, p.subscribers, "The subscribers of a page."),
		web.Post(pagePath+"/subscribers/{subscriber_id}/remove", "removeSubscriber", manages, p.removeSubscriber, "Remove a subscriber."),
	},
		p.Exports(listPath, "statusPages", reads, p.exportPages, "The status pages of an account"),
		p.Exports(pagePath+"/incidents", "incidents", reads, p.exportIncidents, "The incidents of a page"),
		p.Exports(pagePath+"/subscribers", "subscribers", manages, p.exportSubscribers, "The subscribers of a page"),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"looking":         "Checking the domain. Reload this page in a moment.",
	"page_made":       "Status page created. Anyone can view it at its URL.",
	"template_made":   "Template created.",
	"template_gone":   "Template deleted.",
	"state_set":       "State saved.",
	"page_deleted":    "Status page deleted.",
	"logo_gone":       "Logo removed.",
	"page_locked":     "Password set. Visitors who entered another password are asked again.",
	"page_unlocked":   "Password removed. Anyone can view the page.",
	"incident_made":   "Published on the status page.",
	"incident_gone":   "Incident deleted.",
	"update_made":     "Update posted.",
	"update_gone":     "Update deleted.",
	"draft_saved":     "Draft saved.",
	"published":       "Post-mortem published.",
	"withdrawn":       "Post-mortem withdrawn. It is a draft now.",
	"postmortem_gone": "Post-mortem removed.",
	"subscriber_gone": "Subscriber removed.",
}

// account returns the ID of the account in the path.
func account(r *http.Request) string { return r.PathValue("account_id") }

// shell returns the shell of the pages of this package.
func (p *pages) shell(r *http.Request, title string) web.Shell {
	return p.Shell(r, title).In("status_pages")
}

// rules returns what this server allows for status pages.
func (p *pages) rules() status.StatusPageRules {
	return status.StatusPageRules{Plan: p.Plan, Hosts: []string{hostOf(p.BaseURL), hostOf(p.ReportURL), p.StatusHost}}
}

// hostOf returns the host of a URL, in lowercase and without a port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
