package fromsentry

import (
	"cmp"
	"context"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// leaving is something that is made by hand in sett. Its things are listed by name where the server says them.
type leaving struct {
	noun, path string // below the organization, or below each project
	each       bool   // of each project
	why, page  string
}

// leavings are what a source has and sett makes otherwise.
var leavings = []leaving{
	{"alert rules", "workflows", false, "Alerts work differently here: say in a channel which events it gets.", move.ChannelsPage + ", Alarms"},
	{"alert rules", "rules", true, "Alerts work differently here: say in a channel which events it gets.", move.ChannelsPage},
	{"alert rules", "alerts", true, "Alerts work differently here: say in a channel which events it gets.", move.ChannelsPage}, // of GlitchTip
	{"metric alerts", "alert-rules", false, "An alarm evaluates a query of events.", "Alarms"},
	{"dashboards", "dashboards", false, "Queries differ.", "Dashboards"},
	{"saved searches", "searches", false, "Searches differ; the manual has both.", "Errors → Save search"},
}

// always are what no server lists, and never comes.
var always = []move.Left{
	{Noun: "other events", Why: "Only the newest of each error come, and one of each of its shapes. Counts are those of the source, by day for the last 30 days."},
	{Noun: "attachments, replays, profiles, traces", Why: "They do not come."},
	{Noun: "integrations", Why: "Their secrets cannot be read.", Page: move.ChannelsPage},
}

// mostNamed is how many things of one noun are named.
const mostNamed = 50

// Left returns what of an organization does not come, by name.
func (s *Source) Left(ctx context.Context, projects []move.Project) (left []move.Left, err error) {
	for _, l := range leavings {
		paths := map[string]string{"": s.ofOrg(l.path)}
		if l.each {
			paths = map[string]string{}
			for _, p := range projects[:min(len(projects), mostNamed)] {
				paths[p.Slug+": "] = ofProject(s.org, p.Slug, l.path)
			}
		}
		for prefix, path := range paths {
			names, err := s.names(ctx, l.noun, path)
			if remote.IsForbidden(err) {
				left = append(left, move.Left{Noun: l.noun, Name: strings.TrimSuffix(prefix, ": "), Why: notShown, Page: l.page})
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				left = append(left, move.Left{Noun: l.noun, Name: prefix + name, Why: l.why, Page: l.page})
			}
		}
	}
	return append(left, always...), nil
}

// notShown says of a list that the token may not read that there may be something in it.
const notShown = "The token may not list them (alerts:read and org:read): look at the source."

// names returns what the things of a list are called. One that a server does not have is empty; the error is Forbidden for one that it does not show.
func (s *Source) names(ctx context.Context, endpoint, path string) (names []string, err error) {
	var rows []struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Slug    string `json:"slug"`
		Email   string `json:"email"`
		Version string `json:"version"`
	}
	_, err = s.c.get(ctx, endpoint, path, nil, &rows)
	if remote.IsForbidden(err) {
		return nil, err
	}
	if remote.IsMissing(err) || remote.IsOther(err) {
		return nil, nil
	}
	for _, r := range rows[:min(len(rows), mostNamed+1)] {
		name := cmp.Or(r.Email, r.Name, r.Title, r.Slug, r.Version)
		if name = strings.TrimSpace(move.Line(name, move.MostName)); name != "" {
			names = append(names, name)
		}
	}
	return names, err
}
