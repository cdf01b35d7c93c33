package fault

import (
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// faultColumns are the columns of exported errors.
func faultColumns() []string {
	return []string{"id", "url", "class", "message", "environment", "component", "action", "state", "tags", "assignee", "events", "created_at", "last_seen_at"}
}

// exportFaults returns the errors that match the search of a request.
func (p *pages) exportFaults(r *http.Request) (web.Export, error) {
	var problems sett.Problems
	a := askedOf(r)
	filter := a.filter(&problems, web.Who(r).User.ID, p.Now())
	if err := problems.Refusal(); err != nil {
		return web.Export{}, err
	}
	projects, err := p.projectsOf(r, a)
	return web.Export{Name: "errors", Columns: faultColumns(), Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Search.ListFaultsOf(r.Context(), p.Now(), projects, filter, searchdb.Page{Order: a.order(), Page: page})
		for _, f := range found {
			rows = append(rows, p.line(f))
		}
		return rows, marks.Next, err
	}}, err
}

func (p *pages) line(f faults.Fault) []any {
	state := strings.ToLower(stateOf(f.FaultState, pausedUntil(f, p.Now()) != "").Word)
	return []any{
		f.ID, p.BaseURL + faultAddress(f.ProjectID, f.ID), f.Class, cut(f.Message, 2000), f.Environment, f.Component, f.Action, state,
		f.Tags, f.Assignee.Called(), f.NoticesCount, f.CreatedAt, f.LastNoticeAt,
	}
}

// exportNotices returns the events of an error. They are large, so few are read at a time.
func (p *pages) exportNotices(r *http.Request) (web.Export, error) {
	found, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id"))
	columns := []string{"id", "at", "class", "message", "user", "url", "component", "action", "host", "environment", "revision"}
	return web.Export{Name: "events", Columns: columns, Size: noticesOfPage, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		notices, marks, err := p.Faults.ListNotices(r.Context(), found.ProjectID, found.ID, faultdb.NoticePage{Page: page})
		for _, n := range notices {
			rows = append(rows, []any{
				n.ID.String(), n.CreatedAt(), n.Class, cut(n.Message, 2000), userOf(n), cut(n.Request.URL, 2000), n.Request.Component, n.Request.Action,
				n.Environment.Hostname, n.Payload.Environment.EnvironmentName, n.Payload.Environment.Revision,
			})
		}
		return rows, marks.Next, err
	}}, err
}

// exportUsers returns the affected users of an error, with the search of the page.
func (p *pages) exportUsers(r *http.Request) (web.Export, error) {
	found, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id"))
	return web.Export{Name: "users", Columns: []string{"user", "events"}, Read: func(sett.Page) (rows [][]any, next string, err error) {
		users, _, err := p.Faults.AffectedUsers(r.Context(), found.ProjectID, found.ID, cut(r.URL.Query().Get("find"), 200), faultdb.MostAffectedUsers)
		for _, u := range users {
			rows = append(rows, []any{u.User, u.Count})
		}
		return rows, "", err
	}}, err
}

// exportUserFaults returns the errors of an affected user in all projects that the viewer may see.
func (p *pages) exportUserFaults(r *http.Request) (web.Export, error) {
	user := web.UserText(r.URL.Query().Get("user"))
	projects, err := p.Accounts.VisibleProjectIDs(r.Context(), web.Who(r).User.ID)
	columns := append([]string{"project", "events_of_user", "first_at", "last_at"}, faultColumns()...)
	return web.Export{Name: "errors-of-user", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		if user == "" {
			return nil, "", nil
		}
		found, err := p.Search.FaultsOfUser(r.Context(), searchdb.UserSearch{User: user, Projects: projects, Each: searchedEach, All: searchedAll, Page: page})
		for _, f := range found.Faults {
			rows = append(rows, append([]any{f.Project, f.Count, f.First.Time(), f.Last.Time()}, p.line(f.Fault)...))
		}
		return rows, found.Marks.Next, err
	}}, err
}

// exportLinks returns the addresses of a list as a file: with the search that its page shows, also if its address has none.
func (p *pages) exportLinks(v *list) web.ExportLinks {
	at := p.At(listPathIn(v.ProjectID))
	return web.ExportLinks{CSV: at + ".csv" + v.Asked.Query(), JSON: at + ".json" + v.Asked.Query()}
}
