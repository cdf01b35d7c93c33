package people

import (
	"fmt"
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// invitedRow is a pending invitation.
type invitedRow struct {
	accounts.Invitation
	State web.State
	As    string // the role after accepting it
	Sent  web.Moment
	Path  string
	Link  string // for the user to send, if the server sends no email; "" if they may not
	Blind string // that the invited person will see no project, and what to do; "" if they see one
}

// blind says what to do about an invitation that shows no project; "" if it shows one.
func blind(i accounts.Invitation) string {
	switch {
	case i.Projects > 0:
		return ""
	case i.TeamID != 0:
		return "They will see no project: give the team access to projects, in the settings of each project."
	case i.Role == accounts.Owner || i.Role == accounts.Admin:
		return "They will see no project: there is none yet."
	default:
		return "They will see no project: withdraw the invitation and choose a team that has projects, or invite them to a team."
	}
}

// invited lists the pending invitations to an account or a team; below is the path prefix of their forms.
func (p *pages) invited(r *http.Request, to accountdb.Inviting, below string) (rows []invitedRow, err error) {
	now := p.NowFor(r)
	found, _, err := p.Accounts.ListInvitations(r.Context(), to, web.ScopeOf(r).Role, sett.Page{Size: mostInvitations})
	for _, i := range found {
		if i.Accepted() {
			continue
		}
		row := invitedRow{Invitation: i, State: web.State{Mood: web.Info, Word: "invited"}, As: string(i.Role), Blind: blind(i), Sent: web.Moment{Now: now, At: i.CreatedAt}, Path: fmt.Sprintf("%s/invitations/%d", below, i.ID)}
		switch {
		case !i.Open(now):
			row.State = web.State{Mood: web.Muted, Word: "expired"}
		case i.Token != "" && !p.Mail:
			row.Link = p.BaseURL + "/invitations/" + i.Token
		}
		if to.TeamID != 0 {
			row.As = map[bool]string{true: "team admin", false: "member"}[i.Admin]
		}
		rows = append(rows, row)
	}
	return rows, err
}

// inviting returns what the invitations of a path are for, and the page that shows them.
func inviting(r *http.Request) (to accountdb.Inviting, shown string) {
	if id := web.PathID(r, "team_id"); id != 0 {
		return accountdb.Inviting{TeamID: id}, teamPath(id)
	}
	return accountdb.Inviting{AccountID: r.PathValue("account_id")}, account(r, "/people")
}

func (p *pages) invite(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	to, shown := inviting(r)
	change := accounts.CreateAccountInvitation{Email: sett.Some(form.Get("email")), AccountInvitationChange: accounts.AccountInvitationChange{
		Role: sett.Some(accounts.Role(form.Get("role"))), TeamIDs: sett.Some(ids(form["team_ids"])),
	}}
	if _, err := p.Accounts.CreateInvitation(r.Context(), p.Now(), to, web.Who(r).User.ID, change); err != nil {
		return p.peopleAgain(w, r, err, form)
	}
	return p.invitedDone(w, shown, "invited")
}

func (p *pages) inviteToTeam(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	to, shown := inviting(r)
	change := accounts.CreateTeamInvitation{Email: sett.Some(form.Get("email")), TeamInvitationChange: accounts.TeamInvitationChange{
		Admin: sett.Some(sett.LenientBool(form.Get("admin") != "")), Message: sett.Some(strings.TrimSpace(form.Get("message"))),
	}}
	if _, err := p.Accounts.CreateInvitation(r.Context(), p.Now(), to, web.Who(r).User.ID, change); err != nil {
		return p.teamAgain(w, r, err, form)
	}
	return p.invitedDone(w, shown, "invited")
}

// invitedDone redirects to the page that shows an invitation. Without email, it says that the inviter sends the link.
func (p *pages) invitedDone(w http.ResponseWriter, shown, done string) error {
	if !p.Mail {
		done += "_by_link"
	}
	return p.Done(w, shown, done)
}

func (p *pages) inviteAgain(w http.ResponseWriter, r *http.Request) error {
	to, shown := inviting(r)
	if err := p.Accounts.ResendInvitation(r.Context(), p.Now(), to, web.Who(r).User.ID, web.PathID(r, "invitation_id")); err != nil {
		return err
	}
	return p.invitedDone(w, shown, "invited_again")
}

func (p *pages) withdraw(w http.ResponseWriter, r *http.Request) error {
	to, shown := inviting(r)
	if err := p.Accounts.DeleteInvitation(r.Context(), to, web.PathID(r, "invitation_id")); err != nil {
		return err
	}
	return p.Done(w, shown, "withdrawn")
}
