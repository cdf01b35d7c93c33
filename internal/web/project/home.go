package project

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/stats"
	"sett/internal/store/account"
	"sett/internal/store/fault"
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

// concern is a card of the home page.
type concern struct {
	ID, Title string
	Items     []happening
	More      bool // there are more
}

// concernsOf returns the cards that have something.
func concernsOf(s web.Shell, c stats.Concerns) (cards []concern) {
	since := "New in 24 hours"
	if c.Visited {
		since = "New since your last visit"
	}
	assigned := happenings(s, c.Assigned, true)
	for i := range assigned {
		assigned[i].State = web.State{Mood: web.Warning, Word: "Open"}
	}
	for _, card := range []concern{
		{"down", "Down now", happenings(s, c.Down, true), c.MoreDown},
		{"assigned", "Assigned to you", assigned, c.MoreAssigned},
		{"since", since, happenings(s, c.New, true), c.MoreNew},
	} {
		if len(card.Items) > 0 {
			cards = append(cards, card)
		}
	}
	return cards
}

func (p *pages) home(w http.ResponseWriter, r *http.Request) error {
	user, now := web.Who(r).User.ID, p.Now()
	var (
		lines    []stats.ProjectLine
		marks    sett.Marks
		happened []sett.TimelineEntry
		concerns stats.Concerns
	)
	err := web.Together(
		func() (err error) {
			lines, marks, err = p.Faults.ProjectPulses(r.Context(), now, user, account.ProjectFilter{Page: sett.Page{Size: homeProjects}})
			return err
		},
		func() (err error) {
			happened, _, err = p.Faults.Timeline(r.Context(), now, fault.TimelineFilter{UserID: user, Limit: homeHappened})
			return err
		},
		func() (err error) { concerns, err = p.Store.Concerns(r.Context(), now, user, homeConcerns); return err },
	)
	if err != nil {
		return err
	}
	page := homePage{Shell: p.Shell(r, "Home").In("projects"), More: marks.Next != ""}
	page.Lines, page.MayMake = rowsOf(page.Shell, lines), mayMake(page.Nav)
	page.Happened, page.Concerns = happenings(page.Shell, happened, true), concernsOf(page.Shell, concerns)
	page.Nothing = p.noProject(page.MayMake)
	return p.Show(w, r, http.StatusOK, "home", page)
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
func mayMake(n sett.Navigation) bool { return len(accountsFor(n)) > 0 }

// accountsFor returns the accounts in which a user may create projects.
func accountsFor(n sett.Navigation) (may []sett.NamedAccount) {
	for _, a := range n.Accounts {
		if (sett.Scope{Role: a.Role}).May(sett.CreateProject) {
			may = append(may, a)
		}
	}
	return may
}
