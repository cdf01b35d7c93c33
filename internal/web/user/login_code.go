package user

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// loginCodeForm is the page that asks for the second factor.
type loginCodeForm struct {
	web.Shell
	Email string
	Code  web.Field
	Next  string
}

func (p *pages) newLoginCodeForm(r *http.Request, user accounts.User, next string) *loginCodeForm {
	return &loginCodeForm{p.Shell(r, "Second factor"), user.Email, web.CodeField("code"), next}
}

func (p *pages) loginCodePage(w http.ResponseWriter, r *http.Request) error {
	next := web.LocalPath(r.URL.Query().Get("next"))
	user, _, _, err := p.Sessions.StepOf(r)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return p.Redirect(w, "/login"+web.AsNext(next))
	case err != nil:
		return err
	}
	return p.Show(w, r, http.StatusOK, "login_code", p.newLoginCodeForm(r, user, next))
}

func (p *pages) loginCode(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	next := web.LocalPath(form.Get("next"))
	user, way, phc, err := p.Sessions.StepOf(r)
	switch {
	case sett.CodeOf(err) == sett.NotFound: // it took too long
		return p.Redirect(w, "/login"+web.AsNext(next))
	case err != nil:
		return err
	}
	if err := p.CheckCode(r, user, form.Get("code")); err != nil {
		return p.Again(w, r, err, "login_code", p.newLoginCodeForm(r, user, next))
	}
	if err := p.Sessions.EndStep(w, r); err != nil {
		return err
	}
	way.Factor = true
	if err := p.begin(w, r, user, way, phc, next); err != nil {
		return p.Again(w, r, err, "login", p.newLoginForm(r, user.Email, next))
	}
	return nil
}
