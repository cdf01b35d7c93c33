package user

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/web"
)

// mostOwnTeams is how many teams a profile lists.
const mostOwnTeams = 100

// profilePage is who a user is here.
type profilePage struct {
	web.Shell
	Accounts []sett.NamedAccount
	Teams    []ownTeam
}

// ownTeam is a team that the user is a member of.
type ownTeam struct {
	ID    int64
	Name  string
	Admin bool
}

func (p *pages) profile(w http.ResponseWriter, r *http.Request) error {
	page := profilePage{Shell: p.Shell(r, "Profile")}
	page.Accounts = page.Nav.Accounts
	teams, _, err := p.Store.ListTeams(store.Uncounted(r.Context()), page.User.ID, store.TeamFilter{Page: sett.Page{Size: mostOwnTeams}})
	if err != nil {
		return err
	}
	for _, t := range teams {
		for _, m := range t.Members {
			if m.ID == page.User.ID {
				page.Teams = append(page.Teams, ownTeam{t.ID, t.Name, m.Admin})
			}
		}
	}
	return p.Show(w, r, http.StatusOK, "profile", page)
}
