package project

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/web"
)

// happening is an entry of a timeline for pages.
type happening struct {
	faults.TimelineEntry
	State   web.State
	Path    string // "" for no link
	Message string // of an error; "" for others
	What    string // text after both
	Project string // the name of its project, on lists of several projects
	When    web.Moment
}

// happenings returns timeline entries for a page; named means that they are of several projects.
func happenings(s web.Shell, entries []faults.TimelineEntry, named bool) (found []happening) {
	names := map[int64]string{}
	for _, p := range s.Nav.Projects {
		names[p.ID] = p.Name
	}
	for _, e := range entries {
		h := happening{TimelineEntry: e, State: stateOfKind(e.Kind), Path: pathOf(s, e), What: whatHappened(e), When: s.Moment(e.At)}
		switch e.Kind {
		case faults.TimelineNew, faults.TimelineReopened, faults.TimelineResolved:
			h.Message = e.Detail
		}
		if named {
			h.Project = names[e.ProjectID]
		}
		h.Title = cmp.Or(h.Title, "Unnamed")
		if e.Kind == faults.TimelineDeploy {
			h.Title = cmp.Or(web.ShortRevision(e.Title), "Deploy")
		}
		found = append(found, h)
	}
	return found
}

func stateOfKind(k faults.TimelineKind) web.State {
	switch k {
	case faults.TimelineNew:
		return web.State{Mood: web.Info, Word: "New"}
	case faults.TimelineReopened:
		return web.State{Mood: web.Warning, Word: "Reopened"}
	case faults.TimelineResolved:
		return web.State{Mood: web.Fine, Word: "Resolved"}
	case faults.TimelineDeploy:
		return web.State{Mood: web.Muted, Word: "Deployed"}
	case faults.TimelineDown:
		return web.State{Mood: web.Critical, Word: "Down"}
	case faults.TimelineUp:
		return web.State{Mood: web.Fine, Word: "Up"}
	case faults.TimelineSlow:
		return web.State{Mood: web.Warning, Word: "Slow"}
	case faults.TimelineFast:
		return web.State{Mood: web.Fine, Word: "Fast again"}
	case faults.TimelineMissing:
		return web.State{Mood: web.Critical, Word: "Missing"}
	case faults.TimelineFailing:
		return web.State{Mood: web.Critical, Word: "Failing"}
	case faults.TimelineReporting:
		return web.State{Mood: web.Fine, Word: "Reports again"}
	default:
		return web.State{Mood: web.Warning, Word: "Incident"}
	}
}

// pathOf returns the path of an entry's subject. The account of an incident is unknown here: it is that of the page, or the only
// one of the user.
func pathOf(s web.Shell, e faults.TimelineEntry) string {
	switch e.Kind {
	case faults.TimelineDown, faults.TimelineUp, faults.TimelineSlow, faults.TimelineFast:
		return fmt.Sprintf("/projects/%d/sites/%s", e.ProjectID, e.SubjectID)
	case faults.TimelineMissing, faults.TimelineFailing, faults.TimelineReporting:
		return fmt.Sprintf("/projects/%d/check_ins/%s", e.ProjectID, e.SubjectID)
	case faults.TimelineDeploy:
		return fmt.Sprintf("/projects/%d/deploys/%s", e.ProjectID, e.SubjectID)
	case faults.TimelineIncident:
		if s.Here == "/" && len(s.Nav.Accounts) > 1 {
			return ""
		}
		return fmt.Sprintf("/accounts/%s/status_pages/%s", s.Nav.Account.ID, e.SubjectID)
	default:
		return fmt.Sprintf("/projects/%d/faults/%s", e.ProjectID, e.SubjectID)
	}
}

// whatHappened returns the text after the title.
func whatHappened(e faults.TimelineEntry) string {
	switch e.Kind {
	case faults.TimelineDeploy:
		return strings.TrimSpace(by("", e.By) + to(e.Environment))
	case faults.TimelineDown:
		return e.Detail
	case faults.TimelineSlow:
		return "over " + e.Detail + " ms"
	case faults.TimelineUp, faults.TimelineFast:
		return after(e.Length)
	case faults.TimelineResolved:
		return by("", e.By)
	case faults.TimelineIncident:
		return e.Detail
	default:
		return ""
	}
}

func by(verb, who string) string {
	if who == "" {
		return verb
	}
	if verb != "" {
		verb += " "
	}
	return verb + "by " + who
}

func to(environment string) string {
	if environment == "" {
		return ""
	}
	return " to " + environment
}

func after(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return "after " + web.Span(d)
}
