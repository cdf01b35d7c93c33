package user

import (
	"net/http"
	"net/url"

	"sett/internal/web"
)

// proof is what users show once more before they change by what they sign in: all that signing in with a password takes.
// Who has neither a password nor a second factor has shown what they have.
type proof struct {
	password bool // they have one
	code     bool // their second factor is on
}

// proofOf returns what whoever is signed in has to show.
func (p *pages) proofOf(r *http.Request) (proof, error) {
	user := web.Who(r).User
	_, phc, err := p.Store.PasswordByEmail(r.Context(), user.Email)
	if err != nil {
		return proof{}, err
	}
	factor, err := p.Store.SecondFactor(r.Context(), user.ID)
	return proof{phc != "", factor.Confirmed}, err
}

// fields are those in which it is shown. The prefix tells their elements from those of other forms on the same page.
func (f proof) fields(prefix string) (fields web.Fields) {
	if f.password {
		fields = web.Fields{{Name: "password", Label: "Your password", Kind: "password", Complete: "current-password"}}
	}
	if f.code {
		fields = append(fields, codeField())
	}
	for i := range fields {
		fields[i].ID = prefix + fields[i].Name
	}
	return fields
}

// proofFields are the fields of what whoever is signed in has to show.
func (p *pages) proofFields(r *http.Request) (web.Fields, error) {
	f, err := p.proofOf(r)
	return f.fields(""), err
}

// checkProof checks what stands in the fields of a proof, and uses up the code; what is wrong is an Invalid error.
func (p *pages) checkProof(r *http.Request, form url.Values) error {
	f, err := p.proofOf(r)
	if err == nil && f.password {
		err = p.confirm(r, form.Get("password"))
	}
	if err == nil && f.code { // only then: a code is used up by being looked at
		err = p.checkCode(r, web.Who(r).User, form.Get("code"))
	}
	return err
}
