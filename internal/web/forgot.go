package web

import (
	"net/http"

	"sett/internal/auth"
	"sett/internal/sett"
	"sett/internal/store"
)

// forgotForm is the page that sends a mail to whoever forgot their password.
type forgotForm struct {
	Shell
	Email Field
}

func (p *Pages) newForgotForm(r *http.Request, email string) *forgotForm {
	return &forgotForm{p.shell(r, "New password"), Field{Name: "email", Label: "Email address", Kind: "email", Value: email, Complete: "username"}}
}

func (p *Pages) forgotPage(w http.ResponseWriter, r *http.Request) error {
	return p.show(w, http.StatusOK, "forgot", p.newForgotForm(r, ""))
}

// forgot answers the same, and does the same but for the mail, whoever has the address.
func (p *Pages) forgot(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	email := emailIn(form)
	if err := p.Throttle.Try(r, auth.ResetOf(email)); err != nil { // never forgiven: every mail costs
		return p.again(w, err, "forgot", p.newForgotForm(r, email))
	}
	secret := sett.NewWebSecret()
	if err := p.Store.RequestReset(r.Context(), p.Now(), email, secret, auth.HashToken(secret)); err != nil {
		return err
	}
	return p.done(w, "/forgot", "asked")
}

// resetForm is the page where the link of the mail leads.
type resetForm struct {
	Shell
	Email string
	New   Field
	Path  string
}

func (p *Pages) newResetForm(r *http.Request, user sett.User) *resetForm {
	return &resetForm{p.shell(r, "New password"), user.Email, newPasswordField(), r.URL.Path}
}

// newPasswordField is the field in which people choose a password.
func newPasswordField() Field {
	return Field{
		Name: "new_password", Label: "New password", Kind: "password", Complete: "new-password",
		Hint: "At least 10 characters. A few words that only you would put together are easy to keep.",
	}
}

func (p *Pages) resetPage(w http.ResponseWriter, r *http.Request) error {
	user, err := p.Store.UserOfReset(r.Context(), p.Now(), auth.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "reset", p.newResetForm(r, user))
}

func (p *Pages) reset(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	link := auth.HashToken(r.PathValue("token"))
	user, err := p.Store.UserOfReset(r.Context(), p.Now(), link)
	if err != nil {
		return err
	}
	chosen, err := p.choosePassword(r, form.Get("new_password"), user)
	if err != nil {
		return p.again(w, err, "reset", p.newResetForm(r, user))
	}
	if err := p.Store.ResetPassword(r.Context(), p.Now(), link, chosen); err != nil {
		return err
	}
	if err := p.Throttle.Succeeded(r, auth.PasswordOf(user.Email)); err != nil {
		return err
	}
	return p.done(w, "/login", "reset")
}

// choosePassword returns a password that a user has chosen as it is stored, or an Invalid error that says why it cannot
// be.
func (p *Pages) choosePassword(r *http.Request, password string, user sett.User) (store.NewPassword, error) {
	var problems sett.Problems
	sett.CheckNewPassword(&problems, "the new password", password, user.Email, user.Name)
	if err := problems.Refusal(); err != nil {
		return store.NewPassword{}, err
	}
	phc, err := p.Passwords.Hash(r.Context(), password)
	return store.NewPassword{PHC: phc, Address: auth.AddressText(p.Proxies, r), Device: sett.DeviceOf(r.UserAgent())}, err
}
