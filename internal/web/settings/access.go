package settings

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// mostTeams is how many teams the page offers.
const mostTeams = 1_000

// accessPage is who may see a project, and who owns its errors.
type accessPage struct {
	page
	AccountID string
	Teams     []teamTick
	MoreTeams bool // there are more
	Users     []sett.Person
	Ownership *ownership // nil for users who may not change it
}

// teamTick is a team that may see the project.
type teamTick struct {
	accounts.TeamName
	On   bool
	Mine bool // the user can see the team
}

// newAccessList returns the page without ownership. It offers the teams that the user can see; other teams with access to the project stay.
func (p *pages) newAccessList(r *http.Request) (*accessPage, error) {
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	list := &accessPage{page: p.newPage(r, "Access", "access"), AccountID: project.AccountID, Users: project.Users}
	for _, t := range project.Teams {
		list.Teams = append(list.Teams, teamTick{TeamName: t, On: true})
	}
	teams, marks, err := p.Accounts.ListTeams(r.Context(), web.Who(r).User.ID, accountdb.TeamFilter{AccountID: project.AccountID, Bare: true, Page: sett.Page{Size: mostTeams}})
	list.MoreTeams = marks.Next != ""
	for _, t := range teams {
		i := slices.IndexFunc(list.Teams, func(have teamTick) bool { return have.ID == t.ID })
		if i < 0 {
			list.Teams, i = append(list.Teams, teamTick{TeamName: accounts.TeamName{ID: t.ID, Name: t.Name}}), len(list.Teams)
		}
		list.Teams[i].Mine = true
	}
	return list, err
}

// newAccessPage returns the page with the stored ownership rules, for users who may change them.
func (p *pages) newAccessPage(r *http.Request) (*accessPage, error) {
	list, err := p.newAccessList(r)
	if err != nil || !list.May(accounts.ManageProject) {
		return list, err
	}
	stored, err := p.Accounts.Ownership(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	list.Ownership, _, err = p.newOwnership(r, stored)
	return list, err
}

func (p *pages) accessPage(w http.ResponseWriter, r *http.Request) error {
	list, err := p.newAccessPage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_access", list)
}

func (p *pages) saveTeams(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	list, err := p.newAccessPage(r)
	if err != nil {
		return err
	}
	change := accounts.ProjectChange{TeamIDs: sett.Some(list.chosen(form))}
	if err := p.Accounts.UpdateProject(r.Context(), web.Project(r), change); err != nil {
		return p.Again(w, r, err, "settings_access", list)
	}
	scope, err := p.Accounts.ProjectScope(r.Context(), web.Who(r).User.ID, web.Project(r))
	if err != nil {
		return err
	}
	if !scope.May(accounts.ReadProject) { // the user removed their own team
		return p.Done(w, "/projects", "project_left")
	}
	return p.Done(w, to(r, "/access"), "saved")
}

// chosen returns the teams in a form, and those of the project that the user cannot see. An invalid ID matches no team.
func (l *accessPage) chosen(form url.Values) (ids []int64) {
	for _, t := range l.Teams {
		if t.On && !t.Mine {
			ids = append(ids, t.ID)
		}
	}
	for _, text := range form["team_ids"] {
		id, _ := strconv.ParseInt(text, 10, 64)
		ids = append(ids, id)
	}
	return ids
}
