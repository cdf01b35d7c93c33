package web

import (
	"net/http"
	"net/url"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// Proof is what users must enter again for actions that a stolen session must not allow: their password and second factor.
// Users who have neither must have signed in recently.
type Proof struct {
	Password bool // the user has a password
	Code     bool // the second factor is on
}

// ProofOf returns what the signed-in user must enter.
func (p *Pages) ProofOf(r *http.Request) (Proof, error) {
	user := Who(r).User
	_, phc, err := p.Accounts.PasswordByEmail(r.Context(), user.Email)
	if err != nil {
		return Proof{}, err
	}
	factor, err := p.Accounts.SecondFactor(r.Context(), user.ID)
	return Proof{phc != "", factor.Confirmed}, err
}

// Fields returns the fields for it. The prefix distinguishes their element IDs from those of other forms on the page.
func (f Proof) Fields(prefix string) (fields Fields) {
	if f.Password {
		fields = Fields{{Name: "password", Label: "Your password", Kind: "password", Complete: "current-password"}}
	}
	if f.Code {
		fields = append(fields, CodeField("code"))
	}
	for i := range fields {
		fields[i].ID = prefix + fields[i].Name
	}
	return fields
}

// CodeField is the field for a code of the second factor.
func CodeField(name string) Field {
	return Field{Name: name, Label: "Code", Kind: "text", Complete: "one-time-code", Hint: "Six digits from your app, or one of your recovery codes."}
}

// ProofFields returns the fields of what the signed-in user must enter.
func (p *Pages) ProofFields(r *http.Request) (Fields, error) {
	f, err := p.ProofOf(r)
	return f.Fields(""), err
}

// CheckProof checks the fields of a proof and uses up the code; a wrong proof is an Invalid error.
func (p *Pages) CheckProof(r *http.Request, form url.Values) error {
	r = r.WithContext(accountdb.WithoutAudit(r.Context())) // an attempt is not the change
	f, err := p.ProofOf(r)
	if err != nil {
		return err
	}
	if !f.Password && !f.Code && !Who(r).Session.Fresh(p.Now()) {
		return sett.Errorf(sett.Invalid, "You signed in more than %d minutes ago. Sign out, sign in again and repeat this. Nothing was changed.", int(signin.FreshSignIn.Minutes()))
	}
	if f.Password {
		err = p.confirmPassword(r, form.Get("password"))
	}
	if err == nil && f.Code { // only then: checking a code uses it up
		err = p.CheckCode(r, Who(r).User, form.Get("code"))
	}
	return err
}

// confirmPassword checks the password of the signed-in user.
func (p *Pages) confirmPassword(r *http.Request, password string) error {
	user := Who(r).User
	target := auth.PasswordOf(user.Email)
	if err := p.Throttle.Try(r, target); err != nil {
		return err
	}
	_, phc, err := p.Accounts.PasswordByEmail(r.Context(), user.Email)
	if err != nil {
		return err
	}
	right, err := p.Passwords.Check(r.Context(), phc, password)
	if err == nil && !right {
		err = sett.Errorf(sett.Invalid, "The password is wrong. Nothing was changed.")
	}
	if err != nil {
		return err
	}
	return p.Throttle.Succeeded(r, target)
}

// CheckCode uses up a code of a user's second factor; a wrong or used code is an Invalid error.
func (p *Pages) CheckCode(r *http.Request, user accounts.User, code string) error {
	target := auth.SecondFactorOf(user.ID)
	if err := p.Throttle.Try(r, target); err != nil {
		return err
	}
	right, err := auth.CheckFactor(r.Context(), p.Accounts, p.Now(), user.ID, code)
	if err != nil {
		return err
	}
	if !right {
		return sett.Errorf(sett.Invalid, "This code is wrong or was used before. Wait for the next one, and check that the clock of your device is correct.")
	}
	return p.Throttle.Succeeded(r, target)
}
