package user

import (
	"net/http"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// securityForms is the page of the ways in which a user signs in.
type securityForms struct {
	web.Shell
	Password web.Fields
	Factor   signin.SecondFactor
	Renew    web.Fields // proof for new recovery codes
	Off      web.Fields // proof to turn off the second factor
	Passkeys []signin.Passkey
	MayAdd   bool              // browsers allow passkeys here
	Issuer   string            // display name of the single sign-on issuer; "" for none
	Identity accounts.Identity // the user's identity at the issuer
}

func (p *pages) newSecurityForms(r *http.Request) (*securityForms, error) {
	has, err := p.ProofOf(r)
	if err != nil {
		return nil, err
	}
	factor, err := p.Accounts.SecondFactor(r.Context(), web.Who(r).User.ID)
	if err != nil {
		return nil, err
	}
	page := &securityForms{Shell: p.Shell(r, "Security"), Factor: factor, Renew: has.Fields("renew-"), Off: has.Fields("off-")}
	if has.Password {
		page.Password = web.Fields{{Name: "password", Label: "Current password", Kind: "password", Complete: "current-password"}}
	}
	if !has.Password && has.Code {
		page.Password = web.Fields{web.CodeField("code")}
		page.Password[0].ID = "password-code"
	}
	page.Password = append(page.Password, newPasswordField())
	return page, p.addOtherMeans(r, page)
}

// addOtherMeans adds the other ways in which a user signs in.
func (p *pages) addOtherMeans(r *http.Request, page *securityForms) (err error) {
	page.MayAdd = p.Passkeys != nil
	if page.Passkeys, err = p.Accounts.ListPasskeys(r.Context(), web.Who(r).User.ID); err != nil || p.OIDC == nil {
		return err
	}
	page.Issuer = p.OIDC.Name
	page.Identity, err = p.Accounts.IdentityOf(r.Context(), web.Who(r).User.ID, p.OIDC.Issuer)
	return err
}

func (p *pages) securityPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newSecurityForms(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "security", page)
}

// securityAgain shows the page with the problem of one of its forms.
func (p *pages) securityAgain(w http.ResponseWriter, r *http.Request, err error) error {
	page, failed := p.newSecurityForms(r)
	if failed != nil {
		return failed
	}
	return p.Again(w, r, err, "security", page)
}

// confirm checks the password of a signed-in user again.
func (p *pages) confirm(r *http.Request, password string) error {
	_, _, err := p.checkLogin(r, web.Who(r).User.Email, password)
	if sett.CodeOf(err) == sett.Invalid {
		return sett.Errorf(sett.Invalid, "The password is wrong. Nothing was changed.")
	}
	return err
}

// changePassword sets a new password. Users without a password, who sign in another way, enter the proof for that instead.
func (p *pages) changePassword(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	_, phc, err := p.Accounts.PasswordByEmail(r.Context(), web.Who(r).User.Email)
	if err != nil {
		return err
	}
	switch {
	case phc != "":
		err = p.confirm(r, form.Get("password"))
	default: // a first password is a new way to sign in
		err = p.CheckProof(r, form)
	}
	if err != nil {
		return p.securityAgain(w, r, err)
	}
	chosen, err := p.choosePassword(r, form.Get("new_password"), web.Who(r).User)
	if err != nil {
		return p.securityAgain(w, r, err)
	}
	if err := p.Accounts.SetPassword(r.Context(), p.Now(), web.Who(r).Session, chosen); err != nil {
		return err
	}
	return p.Done(w, "/me/security", "password")
}

// codesPage shows new recovery codes, once.
type codesPage struct {
	web.Shell
	Codes []string
}

func (p *pages) showCodes(w http.ResponseWriter, r *http.Request, codes []string) error {
	return p.Show(w, r, http.StatusOK, "recovery_codes", codesPage{p.Shell(r, "Recovery codes"), codes})
}

// proven checks the proof in a form about the second factor. ok is false if the response was written: a redirect if the second
// factor is off, or the page with the problem.
func (p *pages) proven(w http.ResponseWriter, r *http.Request) (ok bool, err error) {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return false, err
	}
	factor, err := p.Accounts.SecondFactor(r.Context(), web.Who(r).User.ID)
	switch {
	case err != nil:
		return false, err
	case !factor.Confirmed:
		return false, p.Redirect(w, "/me/security")
	}
	if err := p.CheckProof(r, form); err != nil {
		return false, p.securityAgain(w, r, err)
	}
	return true, nil
}

func (p *pages) renewCodes(w http.ResponseWriter, r *http.Request) error {
	if ok, err := p.proven(w, r); !ok {
		return err
	}
	codes, hashes := auth.NewRecoveryCodes()
	if err := p.Accounts.RenewRecoveryCodes(r.Context(), p.Now(), web.Who(r).Session, hashes); err != nil {
		return err
	}
	return p.showCodes(w, r, codes)
}

func (p *pages) dropFactor(w http.ResponseWriter, r *http.Request) error {
	if ok, err := p.proven(w, r); !ok {
		return err
	}
	if err := p.Accounts.DropSecondFactor(r.Context(), p.Now(), web.Who(r).Session); err != nil {
		return err
	}
	return p.Done(w, "/me/security", "factor_off")
}
