package project

import (
	"fmt"
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// exportProjects returns the projects of the viewer with their state.
func (p *pages) exportProjects(r *http.Request) (web.Export, error) {
	columns := []string{"id", "name", "active", "unresolved", "new", "assigned_to_me", "events_24_hours", "deployed_at"}
	named := strings.TrimSpace(r.URL.Query().Get("named"))
	return web.Export{Name: "projects", Columns: columns, Size: listed, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		lines, marks, err := p.Faults.ProjectPulses(r.Context(), p.Now(), web.Who(r).User.ID, accountdb.ProjectFilter{Named: named, Page: page})
		for _, l := range lines {
			var deployed any
			if l.LastDeploy != nil {
				deployed = l.LastDeploy.CreatedAt
			}
			rows = append(rows, []any{l.ID, l.Name, l.Active, l.Unresolved, l.New, l.Mine, l.Events(), deployed})
		}
		return rows, marks.Next, err
	}}, nil
}

// exportDeploys returns the deploys of a project, or of one of its environments, with their effects.
func (p *pages) exportDeploys(r *http.Request) (web.Export, error) {
	columns := []string{"id", "at", "environment", "revision", "repository", "user", "resolved", "new", "reopened", "events_hour_before", "events_hour_after"}
	id, environment := web.Project(r), r.URL.Query().Get("environment")
	return web.Export{Name: "deploys", Columns: columns, Size: deploysListed, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Faults.ListDeploys(r.Context(), id, faultdb.DeployFilter{Environment: environment, Page: page})
		if err != nil {
			return nil, "", err
		}
		effects, err := p.Faults.DeployEffects(r.Context(), id, found)
		for _, d := range found {
			e := effects[d.ID]
			rows = append(rows, []any{d.ID, d.CreatedAt, d.Environment, d.Revision, d.Repository, d.LocalUsername, e.Resolved, e.New, e.Reopened, e.HourBefore, e.HourAfter})
		}
		return rows, marks.Next, err
	}}, nil
}

// exportReleases returns the releases of a project with their figures.
func (p *pages) exportReleases(r *http.Request) (web.Export, error) {
	columns := []string{"version", "created_at", "released_at", "first_seen_at", "last_seen_at", "events", "new", "reopened", "resolved", "crash_free_sessions", "previous", "verdict"}
	return web.Export{Name: "releases", Columns: columns, Size: releasesListed, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Releases.List(r.Context(), web.Project(r), page)
		if err != nil {
			return nil, "", err
		}
		reports, err := p.Releases.Reports(r.Context(), p.Now(), web.Project(r), found)
		for _, one := range reports {
			var free any
			if share, ok := one.Sessions.CrashFree(); ok {
				free = share
			}
			rows = append(rows, []any{
				one.Version, one.CreatedAt, one.ReleasedAt, one.FirstSeenAt, one.LastSeenAt, one.Events, one.New, one.Reopened, one.Resolved, free,
				one.Previous, string(one.Verdict.State),
			})
		}
		return rows, marks.Next, err
	}}, nil
}

func (p *pages) exportProjectTimeline(r *http.Request) (web.Export, error) {
	return p.exportTimeline(r, faultdb.TimelineFilter{ProjectIDs: []int64{web.Project(r)}}), nil
}

func (p *pages) exportAccountTimeline(r *http.Request) (web.Export, error) {
	return p.exportTimeline(r, faultdb.TimelineFilter{UserID: web.Who(r).User.ID, AccountID: r.PathValue("account_id")}), nil
}

// exportTimeline returns the entries of a timeline, the newest first.
func (p *pages) exportTimeline(r *http.Request, f faultdb.TimelineFilter) web.Export {
	f.Kinds = kindsOf(r.URL.Query().Get("kind"))
	columns := []string{"at", "kind", "project_id", "title", "detail", "environment", "by", "seconds"}
	return web.Export{Name: "timeline", Columns: columns, Size: timelined, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		f.Before, f.Limit = page.Mark, page.Size
		entries, marks, err := p.Faults.Timeline(r.Context(), p.Now(), f)
		for _, e := range entries {
			var seconds any
			if e.Length > 0 {
				seconds = int64(e.Length.Seconds())
			}
			rows = append(rows, []any{e.At, string(e.Kind), e.ProjectID, e.Title, e.Detail, e.Environment, e.By, seconds})
		}
		return rows, marks.Next, err
	}}
}

// kindsOf returns the kinds of entries of a filter; nil for all.
func kindsOf(word string) []faults.TimelineKind {
	for _, g := range kindGroups {
		if g.word == word {
			return g.kinds
		}
	}
	return nil
}

// exportReport returns the rows of a report.
func (p *pages) exportReport(r *http.Request) (web.Export, error) {
	a, err := p.askedReport(r)
	if err == nil && a.problem != "" {
		err = sett.Errorf(sett.Invalid, "%s", a.problem)
	}
	return web.Export{
		Name: fmt.Sprintf("%s-%d", a.kind, web.Project(r)), Columns: []string{a.column(), "events"},
		Read: func(sett.Page) (lines [][]any, next string, err error) {
			rows, err := p.Faults.ProjectReport(r.Context(), p.Now(), web.Project(r), a.kind, a.environment, a.span)
			for _, row := range rows {
				lines = append(lines, []any{row.Label, row.Count})
			}
			return lines, "", err
		},
	}, err
}
