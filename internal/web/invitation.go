package web

import (
	"net/http"
	"net/url"
	"strings"

	"sett/internal/auth"
	"sett/internal/sett"
)

// invitationForm is the page where the link of an invitation leads.
type invitationForm struct {
	Shell
	Invitation sett.OpenInvitation
	Path       string
	Next       string // the query that leads back here after signing in
	Fields     Fields // of a new user
}

func (p *Pages) newInvitationForm(r *http.Request, invitation sett.OpenInvitation, form url.Values) *invitationForm {
	page := &invitationForm{Shell: p.shell(r, "Invitation"), Invitation: invitation, Path: r.URL.Path, Next: asNext(r.URL.Path)}
	password := newPasswordField()
	password.Label = "Password"
	page.Fields = Fields{{Name: "name", Label: "Your name", Kind: "text", Value: form.Get("name"), Complete: "name"}, password}
	return page
}

func (p *Pages) invitationPage(w http.ResponseWriter, r *http.Request) error {
	invitation, err := p.Store.InvitationByToken(r.Context(), p.Now(), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "invitation", p.newInvitationForm(r, invitation, nil))
}

func (p *Pages) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	token := r.PathValue("token")
	if user := who(r).User; user.ID != 0 {
		if _, err := p.Store.AcceptInvitation(r.Context(), p.Now(), token, p.accepting(r, sett.Accepting{UserID: user.ID})); err != nil {
			return err
		}
		return p.done(w, "/", "joined")
	}
	invitation, err := p.Store.InvitationByToken(r.Context(), p.Now(), token)
	if err != nil {
		return err
	}
	page := p.newInvitationForm(r, invitation, form)
	user, phc, err := p.join(r, token, invitation, form, page.Fields)
	if err != nil {
		return p.again(w, err, "invitation", page)
	}
	return p.signIn(w, r, user, sett.ByInvitation, phc, "/?done=joined")
}

// join makes a new user of the person invited, and returns the PHC text of their password as well. What is wrong with the form
// is noted with its fields.
func (p *Pages) join(r *http.Request, token string, invitation sett.OpenInvitation, form url.Values, fields Fields) (user sett.User, phc string, err error) {
	user = sett.User{Email: invitation.Email, Name: strings.TrimSpace(form.Get("name"))}
	password := form.Get("new_password")
	var problems sett.Problems
	sett.CheckName(&problems, "name", user.Name)
	sett.CheckNewPassword(&problems, "new_password", password, user.Email, user.Name)
	fields.explain(problems)
	if len(problems) > 0 {
		return user, "", sett.Errorf(sett.Invalid, "Please correct what is marked.")
	}
	phc, err = p.Passwords.Hash(r.Context(), password)
	if err != nil {
		return user, "", err
	}
	user.ID, err = p.Store.AcceptInvitation(r.Context(), p.Now(), token, p.accepting(r, sett.Accepting{Name: user.Name, Password: phc}))
	return user, phc, err
}

// accepting adds where the request comes from, for the audit log.
func (p *Pages) accepting(r *http.Request, who sett.Accepting) sett.Accepting {
	who.Address, who.UserAgent = auth.AddressText(p.Proxies, r), r.UserAgent()
	return who
}
