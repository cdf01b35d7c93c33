package settings

import (
	"fmt"
	"slices"

	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// place is a page of the settings that a link leads to.
type place struct {
	tab, label string
	needs      accounts.Permission // "" for all who see the project
}

// The tabs, and the views of those that have several. The first view of a tab is the tab's own page.
var (
	tabs     = []place{{"general", "General", ""}, {"keys", "API keys", ""}, {"channels", "Channels", ""}, {"access", "Access", ""}, {"environments", "Environments", ""}, {"repositories", "Repositories", ""}, {"data", "Data", ""}}
	tabViews = map[string][]place{
		"channels": {{"channels", "Channels", ""}, {"notified", "Who is notified", ""}},
		"data": {
			{"data", "Retention", ""},
			{"scrubbing", "Scrubbing", accounts.ManageProject},
			{"grouping", "Grouping", accounts.ManageProject},
			{"source-maps", "Source maps", ""},
			{"forwarding", "Forwarding", ""},
			{"erasures", "Erase users", accounts.ManageProject},
		},
	}
)

// tab returns the tab that a page is below.
func (p page) tab() string {
	for tab, views := range tabViews {
		if slices.ContainsFunc(views, func(v place) bool { return v.tab == p.Tab }) {
			return tab
		}
	}
	return p.Tab
}

// Tabs returns the tabs of the settings.
func (p page) Tabs() []web.View { return p.links(tabs, p.tab()) }

// Views returns the views of the tab; none if it has only one.
func (p page) Views() []web.View { return p.links(tabViews[p.tab()], p.Tab) }

func (p page) links(places []place, on string) (links []web.View) {
	for _, at := range places {
		if at.needs == "" || p.May(at.needs) {
			links = append(links, web.View{Label: at.label, Path: fmt.Sprintf("/projects/%d/settings/%s", p.ProjectID, at.tab), On: at.tab == on})
		}
	}
	return links
}
