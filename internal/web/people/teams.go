package people

import (
	"net/http"
	"net/url"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// mostTeams is how many teams a page lists.
const mostTeams = 1_000

// teamList is the teams of an account.
type teamList struct {
	page
	Teams []accounts.Team
	More  bool // there are more
	New   web.Fields
}

// teams returns the teams of an account that the user sees, and whether there are more.
func (p *pages) teams(r *http.Request, account string) ([]accounts.Team, bool, error) {
	teams, marks, err := p.Accounts.ListTeams(r.Context(), web.Who(r).User.ID, accountdb.TeamFilter{AccountID: account, Bare: true, Page: sett.Page{Size: mostTeams}})
	return teams, marks.Next != "", err
}

func (p *pages) newTeamList(r *http.Request, form url.Values) (list *teamList, err error) {
	list = &teamList{page: p.newPage(r, "Teams", "teams")}
	list.New = web.Fields{{Name: "name", Label: "Name", Kind: "text", Value: form.Get("name")}}
	list.Teams, list.More, err = p.teams(r, list.AccountID)
	return list, err
}

func (p *pages) teamsPage(w http.ResponseWriter, r *http.Request) error {
	list, err := p.newTeamList(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "teams", list)
}

func (p *pages) addTeam(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := accounts.TeamChange{Name: sett.Some(form.Get("name"))}
	made, err := p.Accounts.StartTeam(r.Context(), p.Now(), web.Who(r).User.ID, r.PathValue("account_id"), change)
	if err != nil {
		again, failed := p.newTeamList(r, form)
		if failed != nil {
			return failed
		}
		again.New.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "teams", again)
	}
	return p.Done(w, teamPath(made.ID), "team_made")
}
