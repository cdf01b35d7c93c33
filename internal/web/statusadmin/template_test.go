package statusadmin

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	shell := web.Shell{Title: "Title", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Now: at}
	fields := web.Fields{{Name: "n", Label: "Label", Kind: "text", Value: "v", Hint: "Hint.", Problem: "Problem."}, {Name: "t", Label: "Tick", Kind: "tick", On: true}}
	groups := []choiceGroup{{"Sites of Shop", []choice{{"site:1", "Shop", true}}}}
	page := status.StatusPage{ID: "p", AccountID: "a", PasswordHash: "x", Domain: status.StatusDomain{Name: "a.test", Problem: "Missing.", CheckedAt: at}}
	page.Name, page.Slug, page.Unlisted = "Shop", "shop", true
	full := about{shell, page, "https://a.test/", "overview"}
	pager := web.Pager{Newer: "/a", Older: "/b", Swap: "#list"}
	incident := status.StatusIncident{ID: 1, Kind: status.Maintenance, Name: "Work", Status: status.InProgress, Automatic: true, StartsAt: at, EndsAt: at, ResolvedAt: at}
	row := rowOfIncident(incident, page)
	row.About = []string{"Shop", "Blog"}
	update := updateRow{status.IncidentUpdate{ID: 2, Message: "Hm.", Automatic: true, At: at}, "Resolved", web.Field{Name: "message", ID: "u", Label: "Says", Kind: "area"}, true}
	failing := subscriberRow{status.StatusSubscriber{ID: 1, Kind: status.EmailSubscriber, Address: "a@b.test", Problem: "Refused."}, web.State{Mood: web.Fine, Word: "Fine"}, "Shop, Blog"}
	records := []status.DNSRecord{{Type: "TXT", Name: "_sett.a.test", Value: "x"}}
	components := []componentRow{{Key: "site:1", Kind: "Site", Name: "Shop", Project: "Shop", First: true}, {Key: "check_in:1", Last: true}}
	shown := shownRow{ComponentView: status.ComponentView{Name: "Shop", Manual: status.ManualState{State: status.ComponentPartial, Note: "Disk.", Until: at}}, Is: overallWords(status.OverallMixed)}
	from := chosenTemplate{"/a", web.Choices("1", "Payments"), "1"}
	saved := status.IncidentTemplate{ID: 1, Name: "Payments", Title: "Payments fail"}
	return map[string][]web.Page{
		"status_component": {statePage{}, statePage{full, shown, fields}},
		"status_pages":     {pageList{}, pageList{shell, "a", []pageRow{{page, "https://a.test/", overallWords(status.OverallUp), 1, domainWords(page.Domain)}, {Components: 2}}, pager, web.Empty{}}},
		"status_page":      {overviewPage{}, overviewPage{full, overallWords(status.OverallDown), []shownRow{shown, {}}, []incidentRow{row, {}}, domainWords(page.Domain)}},
		"status_new":       {newPage{}, newPage{shell, "a", fields, groups}},
		"status_edit": {
			editPage{Domain: fields[0], Password: web.Field{Name: "p", Kind: "password"}},
			editPage{full, fields, components, groups, domainWords(page.Domain), web.Field{Name: "d", Kind: "text"}, records, web.Field{Name: "p", Kind: "password"}, true, logoForm{status.StatusLogo{Name: "logo.1.png", Width: 9, Height: 9}, "Too large."}, true},
		},
		"status_incidents":     {incidentList{}, incidentList{full, "open", []incidentRow{row, {}}, pager, web.Empty{}}},
		"status_incident":      {incidentPage{}, incidentPage{full, row, fields, []updateRow{update, {Field: web.Field{Name: "m", Kind: "area"}}}, from, postMortemForm{status.PostMortem{Message: "It was a disk.", PublishedAt: at}, true, web.State{}, fields}}},
		"status_incident_form": {incidentForm{}, incidentForm{full, status.Maintenance, 1, "Work", fields, groups[0].Choices, []affectedChoice{{"c", "Shop", groups[0].Choices}}, from}},
		"status_templates":     {templateList{Form: templateForm{Fields: fields}}, templateList{full, []templateRow{{saved, []string{"Shop"}}, {}}, templateForm{full, saved, fields, []affectedChoice{{"c", "Shop", groups[0].Choices}}}}},
		"status_template":      {templateForm{}, templateForm{full, saved, fields, []affectedChoice{{"c", "Shop", groups[0].Choices}}}},
		"status_subscribers":   {subscriberList{}, subscriberList{full, []subscriberRow{failing, {}}, pager, web.Empty{}}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}
