package bench

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
)

// screen is a page that is measured; where it has several paths, they take turns.
type screen struct {
	name  string
	paths []string
}

// mostPaths is how many of the pages of one kind take turns.
const mostPaths = 20

// screens are the main pages of a demo.
func (b *browser) screens(ctx context.Context, d demo) (all []screen, err error) {
	project, account := fmt.Sprintf("/projects/%d", d.Made.ProjectID), "/accounts/"+d.Made.AccountID
	fault, status := fmt.Sprintf("%s/faults/%d", project, d.Made.FaultID), fmt.Sprintf("%s/status_pages/%s", account, d.Made.StatusPageID)
	site, channel := fmt.Sprintf("%s/sites/%s", project, d.Made.SiteID), fmt.Sprintf("%s/settings/channels/%d", project, d.Made.IntegrationID)
	all = []screen{
		{"home", []string{"/"}},
		{"palette", []string{"/search"}},
		{"palette, searched", []string{"/search?q=pay", "/search?q=timeout", "/search?q=ada"}},
		{"projects", []string{"/projects"}},
		{"overview", []string{project}},
		{"overview, a month", []string{project + "?period=month"}},
		{"errors, unresolved", []string{project + "/faults"}},
		{"errors, new", []string{project + "/faults?q=" + url.QueryEscape("-is:resolved -is:ignored is:new")}},
		{"errors, resolved", []string{project + "/faults?q=" + url.QueryEscape("is:resolved")}},
		{"errors, mine", []string{project + "/faults?q=" + url.QueryEscape("-is:resolved -is:ignored assignee:me")}},
		{"errors, ignored", []string{project + "/faults?q=" + url.QueryEscape("is:ignored")}},
		{"errors, most frequent", []string{project + "/faults?order=frequent"}},
		{"errors, searched by words", []string{project + "/faults?q=" + url.QueryEscape("timeout -is:resolved")}},
		{"errors, searched by environment", []string{project + "/faults?environment=staging"}},
		{"error with most events", []string{fault}},
		{"errors, environments side by side", []string{project + "/faults/environments"}},
		{"errors to merge an error into", []string{fault + "/merge"}},
		{"users of an error", []string{fault + "/users"}},
		{"events of an error", []string{fault + "/notices"}},
		{"events as they arrive", []string{project + "/live"}},
		{"structured events", []string{project + "/insights"}},
		{"a query of structured events", []string{project + "/insights?q=stats+count()+by+bin(15m)"}},
		{"saved queries", []string{project + "/insights/saved"}},
		{"dashboards", []string{project + "/insights/dashboards"}},
		{"alarms", []string{project + "/insights/alarms"}},
		{"new alarm", []string{project + "/insights/alarms/new"}},
		{"releases", []string{project + "/releases"}},
		{"deploys", []string{project + "/deploys"}},
		{"timeline of a project", []string{project + "/timeline"}},
		{"timeline of an account", []string{account + "/timeline"}},
		{"sites", []string{project + "/sites"}},
		{"site", []string{site}},
		{"site, a week", []string{site + "?span=week"}},
		{"check-ins", []string{project + "/check_ins"}},
		{"check-in", []string{project + "/check_ins/" + d.Made.CheckInID}},
		{"account tokens", []string{account + "/tokens"}},
		{"directory", []string{account + "/directory"}},
		{"personal tokens", []string{"/me/tokens"}},
		{"sign-in of a command line", []string{"/oauth/device"}},
		{"settings", []string{project + "/settings/general"}},
		{"keys", []string{project + "/settings/keys"}},
		{"channels", []string{project + "/settings/channels"}},
		{"channel", []string{channel}},
		{"deliveries of a channel", []string{channel + "/deliveries"}},
		{"access", []string{project + "/settings/access"}},
		{"repositories", []string{project + "/settings/repositories"}},
		{"who is notified", []string{project + "/settings/notified"}},
		{"errors of all projects", []string{"/faults"}},
		{"status pages", []string{account + "/status_pages"}},
		{"status page", []string{status}},
		{"incidents", []string{status + "/incidents"}},
		{"templates of incidents", []string{status + "/templates"}},
		{"subscribers", []string{status + "/subscribers"}},
		{"people", []string{account + "/people"}},
		{"imports", []string{account + "/imports"}},
		{"audit log", []string{account + "/audit"}},
		{"usage", []string{account + "/stats"}},
		{"profile", []string{"/me/profile"}},
		{"sessions", []string{"/me/sessions"}},
		{"users of the server", []string{"/admin/users"}},
		{"state of the server", []string{"/admin/system"}},
		{"agents", []string{"/admin/agents"}},
	}
	if d.Made.AlertID != 0 { // 0: an earlier version made the demo
		all = append(all, screen{"acknowledge", []string{fmt.Sprintf("/acknowledge/%d", d.Made.AlertID)}})
	}
	for _, report := range []string{"notices_per_day", "notices_by_class", "notices_by_location", "notices_by_user"} {
		all = append(all, screen{"report " + report, []string{project + "/reports/" + report}})
	}
	for _, more := range []struct{ name, from, link string }{
		{"errors, page 2", project + "/faults", `/projects/\d+/faults\?page=[^"]*`},
		{"error", project + "/faults", `/projects/\d+/faults/\d+[^"/]*`},
		{"alarm", project + "/insights/alarms", `/projects/\d+/insights/alarms/[A-Za-z0-9]{12}`},
		{"affected user", fault + "/users", `/affected_users\?user=[^"]*`},
		{"release", project + "/releases", `/projects/\d+/releases/[^"/?]+`},
		{"deploy", project + "/deploys", `/projects/\d+/deploys/\d+`},
		{"state of a component", status, `/accounts/[A-Za-z0-9]+/status_pages/[A-Za-z0-9]+/components/\d+`},
		{"incident", status + "/incidents", `/accounts/[A-Za-z0-9]+/status_pages/[A-Za-z0-9]+/incidents/\d+`},
		{"delivery", channel + "/deliveries", `/projects/\d+/settings/channels/\d+/deliveries/\d+`},
	} {
		found, err := b.links(ctx, more.from, more.link)
		if err != nil {
			return nil, err
		}
		all = append(all, screen{more.name, found[:min(len(found), mostPaths)]})
	}
	return all, nil
}

// links returns the addresses on a page that a pattern describes, of which there must be one.
func (b *browser) links(ctx context.Context, page, pattern string) (found []string, err error) {
	body, err := b.read(ctx, page)
	if err != nil {
		return nil, err
	}
	for _, m := range regexp.MustCompile(`href="(`+pattern+`)"`).FindAllStringSubmatch(body, -1) {
		if address := html.UnescapeString(m[1]); !slices.Contains(found, address) {
			found = append(found, address)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("the page %s has no link such as %s", page, pattern)
	}
	return found, nil
}
