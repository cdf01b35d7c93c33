package user

import (
	"net/http"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// forgotForm is the form to request a new password.
type forgotForm struct {
	web.Shell
	Email web.Field
}

func (p *pages) newForgotForm(r *http.Request, email string) *forgotForm {
	return &forgotForm{p.Shell(r, "New password"), web.Field{Name: "email", Label: "Email address", Kind: "email", Value: email, Complete: "username"}}
}

func (p *pages) forgotPage(w http.ResponseWriter, r *http.Request) error {
	return p.Show(w, r, http.StatusOK, "forgot", p.newForgotForm(r, ""))
}

// forgot gives the same response, with the same work except the email, whether or not a user has the address.
func (p *pages) forgot(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if !p.Mail { // the page says so
		return p.Redirect(w, "/forgot")
	}
	email := emailIn(form)
	if err := p.Throttle.TryFrom(r, auth.ResetOf(email)); err != nil { // never reset: every email counts
		return p.Again(w, r, err, "forgot", p.newForgotForm(r, email))
	}
	secret := sett.NewWebSecret()
	if err := p.Accounts.RequestReset(r.Context(), p.Now(), email, secret, auth.HashToken(secret)); err != nil {
		return err
	}
	return p.Done(w, "/forgot", "asked")
}

// resetForm is the page of the link in the email.
type resetForm struct {
	web.Shell
	Email string
	New   web.Field
	Path  string
}

func (p *pages) newResetForm(r *http.Request, user accounts.User) *resetForm {
	return &resetForm{p.Shell(r, "New password"), user.Email, newPasswordField(), r.URL.Path}
}

// newPasswordField returns the field for a new password.
func newPasswordField() web.Field {
	return web.Field{
		Name: "new_password", Label: "New password", Kind: "password", Complete: "new-password",
		Hint: "Use at least 10 characters. Four random words work well.",
	}
}

func (p *pages) resetPage(w http.ResponseWriter, r *http.Request) error {
	user, err := p.Accounts.UserOfReset(r.Context(), p.Now(), auth.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "reset", p.newResetForm(r, user))
}

func (p *pages) reset(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	link := auth.HashToken(r.PathValue("token"))
	user, err := p.Accounts.UserOfReset(r.Context(), p.Now(), link)
	if err != nil {
		return err
	}
	chosen, err := p.choosePassword(r, form.Get("new_password"), user)
	if err != nil {
		return p.Again(w, r, err, "reset", p.newResetForm(r, user))
	}
	if err := p.Accounts.ResetPassword(r.Context(), p.Now(), link, chosen); err != nil {
		return err
	}
	if err := p.Throttle.Succeeded(r, auth.PasswordOf(user.Email)); err != nil {
		return err
	}
	return p.Done(w, "/login", "reset")
}

// choosePassword returns a new password as it is stored, or an Invalid error with the reason why it is not allowed.
func (p *pages) choosePassword(r *http.Request, password string, user accounts.User) (accountdb.NewPassword, error) {
	var problems sett.Problems
	signin.CheckNewPassword(&problems, "the new password", password, user.Email, user.Name)
	if err := problems.Refusal(); err != nil {
		return accountdb.NewPassword{}, err
	}
	phc, err := p.Passwords.Hash(r.Context(), password)
	return accountdb.NewPassword{PHC: phc, Address: auth.AddressText(p.Proxies, r), Device: signin.DeviceOf(r.UserAgent())}, err
}
