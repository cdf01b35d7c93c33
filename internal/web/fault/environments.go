package fault

import (
	"net/http"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/stats"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// comparison is the page of the errors of a project with its environments side by side.
type comparison struct {
	web.Shell
	Project      int64
	Asked        comparedBy
	Periods      []web.Choice
	Places       []web.Choice // environments
	Environments []string     // that are side by side
	More         int          // further environments with errors in the period
	Rows         []comparedRow
	Cut          bool // only the errors that occurred last are compared
	Most         int
	Files        web.ExportLinks
}

// comparedBy is the query of the page.
type comparedBy struct {
	Period  stats.Period
	In, Not string
}

// comparedRow is one error.
type comparedRow struct {
	Class, Message, Where, Path string
	Cells                       []comparedCell
	Total                       int64
}

// comparedCell is an error in one environment; its path is "" if it was not seen there in the period.
type comparedCell struct {
	Environment, Path string
	Count             int64
	New               bool // its first event was in the period
	Resolved          bool
}

// askedComparison returns what a request asks for; a period that there is not is a week.
func askedComparison(r *http.Request) comparedBy {
	q := r.URL.Query()
	asked := comparedBy{stats.Period(q.Get("period")), q.Get("in"), q.Get("not")}
	if !slices.Contains([]stats.Period{stats.PastDay, stats.PastWeek, stats.PastMonth}, asked.Period) {
		asked.Period = stats.PastWeek
	}
	return asked
}

func (p *pages) compareEnvironments(r *http.Request, asked comparedBy) (c stats.Comparison, seen int, err error) {
	found, err := p.Faults.SeenFaults(r.Context(), p.Now(), web.Project(r), asked.Period)
	return stats.Compare(found, asked.In, asked.Not).Only(asked.In, asked.Not), len(found), err
}

func (p *pages) comparePage(w http.ResponseWriter, r *http.Request) error {
	asked := askedComparison(r)
	found, seen, err := p.compareEnvironments(r, asked)
	if err != nil {
		return err
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	page := comparison{
		Shell: p.Shell(r, "Environments side by side").In("faults"), Project: project.ID, Asked: asked, Environments: found.Environments, More: found.More,
		Periods: web.Choices("day", "24 hours", "week", "7 days", "month", "30 days"), Places: web.Choices("", "any"), Cut: seen == faultdb.MostCompared,
		Most: faultdb.MostCompared, Files: p.ExportPath(r, r.URL.Path),
	}
	page.Heading = "-"
	for _, name := range project.Environments {
		page.Places = append(page.Places, web.Choice{Value: name, Label: name})
	}
	since := sinceOf(asked, page.Now.Unix())
	for _, f := range found.Faults {
		page.Rows = append(page.Rows, newComparedRow(f, project.ID, found.Environments, since))
	}
	return p.Show(w, r, http.StatusOK, "fault_environments", page)
}

// sinceOf returns when the period of a comparison begins, in seconds since 1970.
func sinceOf(asked comparedBy, now int64) int64 {
	days := map[stats.Period]int64{stats.PastDay: 1, stats.PastWeek: 7, stats.PastMonth: 30}[asked.Period]
	return now - days*24*60*60
}

func newComparedRow(f stats.ComparedFault, project int64, environments []string, since int64) comparedRow {
	row := comparedRow{Class: cut(orWord(f.Class, "Error"), 120), Message: cut(f.Message, 240), Where: cut(f.Where, 100), Path: faultAddress(project, f.ID), Total: f.Total}
	for _, name := range environments {
		cell := comparedCell{Environment: orWord(name, "none")}
		if in, seen := f.In[name]; seen {
			cell.Path, cell.Count, cell.New, cell.Resolved = faultAddress(project, in.ID), in.Count, in.CreatedAt.Unix() >= since, in.Resolved
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// exportComparison returns the errors of the page, a row for each of their environments.
func (p *pages) exportComparison(r *http.Request) (web.Export, error) {
	columns := []string{"class", "message", "component", "environment", "id", "url", "events", "created_at", "resolved"}
	return web.Export{Name: "environments", Columns: columns, Read: func(sett.Page) (rows [][]any, next string, err error) {
		found, _, err := p.compareEnvironments(r, askedComparison(r))
		for _, f := range found.Faults {
			for _, name := range found.Environments {
				if in, seen := f.In[name]; seen {
					rows = append(rows, []any{
						f.Class, cut(f.Message, 2000), f.Where, name, in.ID, p.BaseURL + faultAddress(web.Project(r), in.ID), in.Count, in.CreatedAt, in.Resolved,
					})
				}
			}
		}
		return rows, "", err
	}}, nil
}
