package user

import (
	"net/http"
	"net/url"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// invitationForm is the page of the link of an invitation.
type invitationForm struct {
	web.Shell
	Invitation accounts.OpenInvitation
	Path       string
	Next       string     // the query that returns here after signing in
	Fields     web.Fields // of a new user
}

func (p *pages) newInvitationForm(r *http.Request, invitation accounts.OpenInvitation, form url.Values) *invitationForm {
	page := &invitationForm{Shell: p.Shell(r, "Invitation"), Invitation: invitation, Path: r.URL.Path, Next: web.AsNext(r.URL.Path)}
	password := newPasswordField()
	password.Label = "Password"
	page.Fields = web.Fields{{Name: "name", Label: "Your name", Kind: "text", Value: form.Get("name"), Complete: "name"}, password}
	return page
}

func (p *pages) invitationPage(w http.ResponseWriter, r *http.Request) error {
	invitation, err := p.Accounts.InvitationByToken(r.Context(), p.Now(), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "invitation", p.newInvitationForm(r, invitation, nil))
}

func (p *pages) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	token := r.PathValue("token")
	if user := web.Who(r).User; user.ID != 0 {
		if _, err := p.Accounts.AcceptInvitation(r.Context(), p.Now(), token, p.accepting(r, accounts.Accepting{UserID: user.ID})); err != nil {
			return err
		}
		return p.Done(w, "/", "joined")
	}
	invitation, err := p.Accounts.InvitationByToken(r.Context(), p.Now(), token)
	if err != nil {
		return err
	}
	page := p.newInvitationForm(r, invitation, form)
	user, phc, err := p.join(r, token, invitation, form, page.Fields)
	if err != nil {
		return p.Again(w, r, err, "invitation", page)
	}
	return p.signIn(w, r, user, signin.Way{How: signin.ByInvitation}, phc, "/?done=joined")
}

// join creates a user for the invited person, and also returns the PHC text of their password. Problems of the form are added to
// its fields.
func (p *pages) join(r *http.Request, token string, invitation accounts.OpenInvitation, form url.Values, fields web.Fields) (user accounts.User, phc string, err error) {
	user = accounts.User{Email: invitation.Email, Name: strings.TrimSpace(form.Get("name"))}
	password := form.Get("new_password")
	var problems sett.Problems
	sett.CheckName(&problems, "name", user.Name)
	signin.CheckNewPassword(&problems, "new_password", password, user.Email, user.Name)
	fields.Explain(problems)
	if len(problems) > 0 {
		return user, "", sett.Errorf(sett.Invalid, "Please correct the marked fields.")
	}
	phc, err = p.Passwords.Hash(r.Context(), password)
	if err != nil {
		return user, "", err
	}
	user.ID, err = p.Accounts.AcceptInvitation(r.Context(), p.Now(), token, p.accepting(r, accounts.Accepting{Name: user.Name, Password: phc}))
	return user, phc, err
}

// accepting adds the client of the request, for the audit log.
func (p *pages) accepting(r *http.Request, who accounts.Accepting) accounts.Accepting {
	who.Address, who.UserAgent = auth.AddressText(p.Proxies, r), r.UserAgent()
	return who
}
