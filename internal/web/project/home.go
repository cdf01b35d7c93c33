package project

import (
	"net/http"
	"slices"

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

// mostConcerns is how much the page of one kind lists.
const mostConcerns = 500

// concern is a card of the home page, which has a page of its own with all of its kind.
type concern struct {
	ID, Title string
	None      string // instead of items
	Items     []happening
	More      bool // there are more
}

// Path is where all of the kind are.
func (c concern) Path() string { return "/concerns/" + c.ID }

// concernPage lists all that one card of the home page shows a few of.
type concernPage struct {
	web.Shell
	Concern concern
}

// concernsOf returns the cards, of which some may have nothing.
func concernsOf(s web.Shell, c stats.Concerns) []concern {
	since := "New in 24 hours"
	if c.Visited {
		since = "New since your last visit"
	}
	assigned := happenings(s, c.Assigned, true)
	for i := range assigned {
		assigned[i].State = web.State{Mood: web.Warning, Word: "Open"}
	}
	return []concern{
		{"down", "Down now", "No site is down and no check-in is missing.", happenings(s, c.Down, true), c.MoreDown},
		{"assigned", "Assigned to you", "No open error is assigned to you.", assigned, c.MoreAssigned},
		{"since", since, "No open error is new.", happenings(s, c.New, true), c.MoreNew},
	}
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

// concern shows all of a kind that concerns the user, in all of their projects.
func (p *pages) concern(w http.ResponseWriter, r *http.Request) error {
	concerns, err := p.Store.Concerns(r.Context(), p.Now(), web.Who(r).User.ID, mostConcerns)
	if err != nil {
		return err
	}
	shell := p.Shell(r, "").In("projects")
	for _, card := range concernsOf(shell, concerns) {
		if card.ID == r.PathValue("concern") {
			shell.Title = card.Title
			return p.Show(w, r, http.StatusOK, "concern", concernPage{shell, card})
		}
	}
	return sett.Errorf(sett.NotFound, "Page not found")
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
