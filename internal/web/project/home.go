package project

import (
	"net/http"

	"sett/internal/sett"
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
	MayMake  bool
	Nothing  web.Empty
}

// How much the home page shows.
const (
	homeProjects = 50
	homeHappened = 20
)

func (p *pages) home(w http.ResponseWriter, r *http.Request) error {
	user, now := web.Who(r).User.ID, p.Now()
	lines, marks, err := p.Faults.ProjectPulses(r.Context(), now, user, account.ProjectFilter{Page: sett.Page{Size: homeProjects}})
	if err != nil {
		return err
	}
	happened, _, err := p.Faults.Timeline(r.Context(), now, fault.TimelineFilter{UserID: user, Limit: homeHappened})
	if err != nil {
		return err
	}
	page := homePage{Shell: p.Shell(r, "Home").In("projects"), More: marks.Next != ""}
	page.Lines, page.MayMake = rowsOf(page.Shell, lines), mayMake(page.Nav)
	page.Happened = happenings(page.Shell, happened, true)
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
