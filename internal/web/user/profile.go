package user

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// mostOwnTeams is how many teams a profile lists.
const mostOwnTeams = 100

// profilePage is the profile of a user.
type profilePage struct {
	web.Shell
	Rename   web.Fields
	Accounts []accounts.NamedAccount
	Teams    []accountdb.OwnTeam
}

func (p *pages) profile(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newProfile(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "profile", page)
}

// rename changes the name of the signed-in user.
func (p *pages) rename(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Accounts.RenameUser(r.Context(), web.Who(r).Session, form.Get("name")); err != nil {
		page, broken := p.newProfile(r)
		if broken != nil {
			return broken
		}
		page.Rename[0].Value = form.Get("name")
		page.Rename.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "profile", page)
	}
	return p.Done(w, "/me/profile", "saved")
}

func (p *pages) newProfile(r *http.Request) (*profilePage, error) {
	page := &profilePage{Shell: p.Shell(r, "Profile")}
	page.Rename = web.Fields{{Name: "name", Label: "Name", Kind: "text", Complete: "name", Value: page.User.Name}}
	page.Accounts = page.Nav.Accounts
	var err error
	page.Teams, err = p.Accounts.OwnTeams(r.Context(), page.User.ID, mostOwnTeams)
	return page, err
}
