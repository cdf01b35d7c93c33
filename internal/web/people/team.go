package people

import (
	"fmt"
	"net/http"
	"net/url"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// teamView is the page of one team.
type teamView struct {
	page
	Team        accounts.Team
	Files       web.ExportLinks
	Invitations []invitedRow
	Rename      web.Fields
	Invite      web.Fields
}

func teamPath(id int64) string { return fmt.Sprint("/teams/", id) }

func (p *pages) newTeamView(r *http.Request, form url.Values) (*teamView, error) {
	found, err := p.Accounts.BareTeam(r.Context(), web.Who(r).User.ID, web.PathID(r, "team_id"))
	if err != nil {
		return nil, err
	}
	v := &teamView{page: p.newPage(r, found.Name, "teams"), Team: found}
	v.Heading = found.Name
	v.Files = p.ExportPath(r, teamPath(found.ID)+"/members")
	name := found.Name
	if form.Has("name") {
		name = form.Get("name")
	}
	v.Rename = web.Fields{{Name: "name", Label: "Name", Kind: "text", Value: name}}
	v.Invite = web.Fields{
		{Name: "email", Label: "Email address", Kind: "email", Value: form.Get("email"), Hint: p.howInvited() + " The link is valid for 14 days. People who are not in the account yet join it as members."},
		{Name: "message", Label: "Message", Kind: "area", Value: form.Get("message"), Optional: true},
		{Name: "admin", Label: "Team admin, who can manage the team and its projects", Kind: "tick", On: form.Get("admin") != ""},
	}
	if !v.May(accounts.ManageTeam) {
		return v, nil
	}
	v.Secret = !p.Mail // it has links that let their readers in
	v.Invitations, err = p.invited(r, accountdb.Inviting{TeamID: found.ID}, teamPath(found.ID))
	return v, err
}

func (p *pages) teamPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newTeamView(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "team", v)
}

// teamAgain shows the page with the problems of one of its forms.
func (p *pages) teamAgain(w http.ResponseWriter, r *http.Request, err error, form url.Values) error {
	again, failed := p.newTeamView(r, form)
	if failed != nil {
		return failed
	}
	again.Rename.Explain(sett.ProblemsOf(err))
	again.Invite.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "team", again)
}

func (p *pages) renameTeam(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	id := web.PathID(r, "team_id")
	if err := p.Accounts.UpdateTeam(r.Context(), id, accounts.TeamChange{Name: sett.Some(form.Get("name"))}); err != nil {
		return p.teamAgain(w, r, err, form)
	}
	return p.Done(w, teamPath(id), "saved")
}

func (p *pages) dropTeam(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.DeleteTeam(r.Context(), web.PathID(r, "team_id")); err != nil {
		return err
	}
	return p.Done(w, "/accounts/"+url.PathEscape(web.ScopeOf(r).AccountID)+"/teams", "team_deleted")
}

func (p *pages) setTeamAdmin(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	id := web.PathID(r, "team_id")
	change := accounts.TeamMemberChange{Admin: sett.Some(sett.LenientBool(form.Get("admin") == "true"))}
	if err := p.Accounts.UpdateTeamMember(r.Context(), id, web.PathID(r, "member_id"), change); err != nil {
		return err
	}
	return p.Done(w, teamPath(id), "saved")
}

func (p *pages) removeMember(w http.ResponseWriter, r *http.Request) error {
	id, self, member := web.PathID(r, "team_id"), web.Who(r).User.ID, web.PathID(r, "member_id")
	if err := p.Accounts.RemoveTeamMember(r.Context(), self, id, member); err != nil {
		return err
	}
	if self == member {
		return p.Done(w, "/", "left")
	}
	return p.Done(w, teamPath(id), "member_removed")
}
