package project

import (
	"net/http"
	"net/url"
	"slices"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/accountdb"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// homePage is the start page.
type homePage struct {
	web.Shell
	Lines    []projectRow
	More     bool // there are more projects
	Happened []happening
	Concerns []concern
	MayMake  bool
	Nothing  web.Empty
}

// How much the home page shows.
const (
	homeProjects = 50
	homeHappened = 10
	homeConcerns = 6 // of each kind
)

// mostConcerns is how much the page of what is down lists.
const mostConcerns = 500

// concern is a card of the home page.
type concern struct {
	ID, Title string
	Path      string // of the page with all of the kind
	Items     []happening
}

// downPage lists all that is down.
type downPage struct {
	web.Shell
	Items []happening
	More  bool
}

// faultsPath returns the path of the list of the errors of all projects.
func faultsPath(q, order string) string {
	query := url.Values{"q": {q}}
	if order != "" {
		query.Set("order", order)
	}
	return "/faults?" + query.Encode()
}

// freshPath is that of the unresolved errors since a time, as a search names it.
func freshPath(since string) string {
	return faultsPath(faults.UnresolvedTab.Query()+" "+query.Write("created.after", since), "newest")
}

// concernsOf returns the cards, of which some may have nothing.
func concernsOf(s web.Shell, c stats.Concerns) []concern {
	since := "New in 24 hours"
	if c.Visited {
		since = "New since your last visit"
	}
	return []concern{
		{"down", "Down now", "/concerns/down", happenings(s, c.Down, true)},
		{"assigned", "Assigned to you", faultsPath(faults.MineTab.Query(), ""), stateless(s, c.Assigned)},
		{"since", since, freshPath(c.Since.UTC().Format("2006-01-02 15:04")), stateless(s, c.New)},
	}
}

// stateless returns entries without their states, for a card whose title says them.
func stateless(s web.Shell, entries []faults.TimelineEntry) []happening {
	found := happenings(s, entries, true)
	for i := range found {
		found[i].State = web.State{}
	}
	return found
}

func (p *pages) home(w http.ResponseWriter, r *http.Request) error {
	user, now := web.Who(r).User.ID, p.Now()
	var (
		lines    []stats.ProjectLine
		marks    sett.Marks
		happened []faults.TimelineEntry
		concerns stats.Concerns
	)
	err := web.Together(
		func() (err error) {
			lines, marks, err = p.Faults.ProjectPulses(r.Context(), now, user, accountdb.ProjectFilter{Page: sett.Page{Size: homeProjects}})
			return err
		},
		func() (err error) {
			happened, _, err = p.Faults.Timeline(r.Context(), now, faultdb.TimelineFilter{UserID: user, Limit: homeHappened})
			return err
		},
		func() (err error) { concerns, err = p.Store.Concerns(r.Context(), now, user, homeConcerns); return err },
	)
	if err != nil {
		return err
	}
	page := homePage{Shell: p.Shell(r, "Home").In("projects"), More: marks.Next != ""}
	page.Lines, page.MayMake = rowsOf(page.Shell, lines), mayMake(page.Nav)
	page.Happened = happenings(page.Shell, happened, true)
	page.Concerns = slices.DeleteFunc(concernsOf(page.Shell, concerns), func(c concern) bool { return len(c.Items) == 0 })
	page.Nothing = p.noProject(page.MayMake)
	return p.Show(w, r, http.StatusOK, "home", page)
}

// concern shows all that is down in the projects of the user. The addresses of errors lead to the list of the errors of all projects.
func (p *pages) concern(w http.ResponseWriter, r *http.Request) error {
	switch r.PathValue("concern") {
	case "assigned":
		return p.Redirect(w, faultsPath(faults.MineTab.Query(), ""))
	case "since":
		return p.Redirect(w, freshPath("24 hours ago"))
	case "down":
	default:
		return sett.Errorf(sett.NotFound, "Page not found")
	}
	concerns, err := p.Store.Concerns(r.Context(), p.Now(), web.Who(r).User.ID, mostConcerns)
	if err != nil {
		return err
	}
	page := downPage{Shell: p.Shell(r, "Down now").In("projects"), More: concerns.MoreDown}
	page.Items = happenings(page.Shell, concerns.Down, true)
	return p.Show(w, r, http.StatusOK, "concern", page)
}

// noProject is shown to users without projects.
func (p *pages) noProject(mayMake bool) web.Empty {
	if mayMake {
		return web.Empty{
			Title: "Create your first project", Action: "Create a project", Link: p.At("/projects/new"), Manual: p.At("/docs"),
			Text: "A project is one app or service. Its errors, uptime, check-ins and deploys are in one place.",
		}
	}
	return web.Empty{
		Title: "No projects yet", Manual: p.At("/docs"),
		Text: "A project is one app or service. Ask an admin of your account to add you to a team with a project.",
	}
}

// mayMake reports whether a user may create a project in any of their accounts.
func mayMake(n accounts.Navigation) bool { return len(accountsFor(n)) > 0 }

// accountsFor returns the accounts in which a user may create projects.
func accountsFor(n accounts.Navigation) (may []accounts.NamedAccount) {
	for _, a := range n.Accounts {
		if (accounts.Scope{Role: a.Role}).May(accounts.CreateProject) {
			may = append(may, a)
		}
	}
	return may
}
