package fault

import (
	"net/http"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// userFaults is the page of an affected user: their errors in all projects that the viewer may see.
type userFaults struct {
	web.Shell
	Affected string // the ID, email address or name
	Found    searchdb.UserFaults
	Rows     []userFault
	Pager    web.Pager
	Empty    web.Empty
	Left     []leftProject // some of the projects that could not be searched in time
	Of       int64         // projects that were to be searched
}

// userFault is one of the errors.
type userFault struct {
	faults.Fault
	State       web.State
	Path        string
	Project     string
	Count       int64
	List        string // path of the user's errors in the project
	Event       string // path of the user's last event
	First, Last web.Moment
}

// leftProject is a project that could not be searched in time.
type leftProject struct{ Name, List string }

// How long the search for a user may take: in a project, and in all. That leaves time for the rest of the page.
const (
	searchedEach = 5 * time.Second
	searchedAll  = 10 * time.Second
)

const (
	userFaultsOfPage = 50
	mostLeft         = 20 // projects that are named
)

// Label returns the user as the page shows them.
func (v userFaults) Label() string { return cut(v.Affected, 120) }

// Unsearched is how many projects could not be searched in time, and Fewer how many of them are not named.
func (v userFaults) Unsearched() int64 { return int64(len(v.Found.Left)) }

func (v userFaults) Fewer() int64 { return v.Unsearched() - int64(len(v.Left)) }

func (p *pages) userFaultsPage(w http.ResponseWriter, r *http.Request) error {
	page := userFaults{Shell: p.Shell(r, "Affected users"), Affected: web.UserText(r.URL.Query().Get("user"))}
	page.Heading = "-"
	if page.Affected != "" {
		page.Title = page.Label()
		if err := p.readUserFaults(r, &page); err != nil {
			return err
		}
	}
	page.Empty = p.noUserFaults(page)
	return p.Show(w, r, http.StatusOK, "user_faults", page)
}

// readUserFaults searches the projects that the viewer may see, and no others.
func (p *pages) readUserFaults(r *http.Request, v *userFaults) error {
	projects, err := p.Accounts.VisibleProjectIDs(r.Context(), v.User.ID)
	if err != nil {
		return err
	}
	v.Of = int64(len(projects))
	v.Found, err = p.Search.FaultsOfUser(r.Context(), searchdb.UserSearch{
		User: v.Affected, Projects: projects, Each: searchedEach, All: searchedAll, Page: web.PageOf(r, userFaultsOfPage),
	})
	v.Pager = p.NewPager(r, v.Found.Marks)
	v.Rows = userFaultsOf(v.Shell, v.Affected, v.Found.Faults)
	for _, left := range v.Found.Left[:min(len(v.Found.Left), mostLeft)] {
		v.Left = append(v.Left, leftProject{left.Name, listOfUser(left.ID, v.Affected)})
	}
	return err
}

func userFaultsOf(s web.Shell, user string, found []searchdb.UserFault) (rows []userFault) {
	for _, f := range found {
		one := userFault{
			Fault: f.Fault, State: stateOf(f.FaultState, pausedUntil(f.Fault, s.Now) != ""), Path: faultAddress(f.ProjectID, f.ID), Project: f.Project,
			Count: f.Count, List: listOfUser(f.ProjectID, user), First: s.Moment(f.First.Time()), Last: s.Moment(f.Last.Time()),
		}
		one.Event = one.Path + "?notice=" + f.Last.UUID().String()
		one.Class, one.Message = cut(orWord(f.Class, "Error"), 120), cut(f.Message, 240)
		rows = append(rows, one)
	}
	return rows
}

// listOfUser returns the path of the list of a user's errors in a project.
func listOfUser(project int64, user string) string {
	return searchPath(project, query.Write(query.User, user))
}

// noUserFaults is what the page says when it lists no errors.
func (p *pages) noUserFaults(v userFaults) web.Empty {
	empty := web.Empty{Manual: p.At("/docs/search") + "#affected-users"}
	switch {
	case v.Affected == "":
		empty.Title, empty.Text = "Find an affected user", "Enter an ID, email address or name as your apps report it. You see the errors of that user in all your projects."
	case len(v.Found.Left) > 0:
		empty.Title, empty.Text = "No errors in the projects that were searched", "Search the others one by one, or reload the page later."
	default:
		empty.Title = "No errors of this user"
		empty.Text = "No stored event has this user. Enter the whole ID, email address or name as your apps report it."
	}
	return empty
}
