package user

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// loginForm is the sign-in page.
type loginForm struct {
	web.Shell
	Fields   web.Fields
	Next     string
	Back     string // the query that keeps Next on other pages
	Passkeys bool   // passkeys are possible
	Fresh    bool   // the server has no users yet
	Issuer   string // display name of the single sign-on issuer; "" for none
	SAML     bool   // an account has a single sign-on of its own
}

func (p *pages) newLoginForm(r *http.Request, email, next string) *loginForm {
	page := &loginForm{Shell: p.Shell(r, "Sign in"), Fields: web.Fields{
		{Name: "email", Label: "Email address", Kind: "email", Value: email, Complete: "username"},
		{Name: "password", Label: "Password", Kind: "password", Complete: "current-password"},
	}, Next: next, Back: web.AsNext(next), Passkeys: p.Passkeys != nil}
	page.Fields[0].Focus, page.Fields[1].Focus = email == "", email != ""
	if p.OIDC != nil {
		page.Issuer = p.OIDC.Name
	}
	return page
}

func (p *pages) loginPage(w http.ResponseWriter, r *http.Request) error {
	next := web.LocalPath(r.URL.Query().Get("next"))
	if web.Who(r).User.ID != 0 {
		return p.Redirect(w, next)
	}
	page := p.newLoginForm(r, "", next)
	// The proxy does not sign in users who have just signed out, or who must sign in another way.
	if email := p.ProxyHeader.Email(r); email != "" && page.Done == "" {
		return p.proxyLogin(w, r, email, page)
	}
	if p.SetupToken != "" { // there were no users when the server started
		has, err := p.Accounts.HasUsers(r.Context())
		if err != nil {
			return err
		}
		page.Fresh = !has
	}
	var err error
	if page.SAML, err = p.Accounts.HasSAML(r.Context()); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "login", page)
}

// proxyLogin signs in a user that a trusted proxy has authenticated.
func (p *pages) proxyLogin(w http.ResponseWriter, r *http.Request, email string, page *loginForm) error {
	user, _, err := p.Accounts.PasswordByEmail(r.Context(), email)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		page.Refused("You are signed in as " + email + ", but this server has no user with that address. Ask an admin of your account to invite you.")
		return p.Show(w, r, http.StatusForbidden, "login", page)
	case err != nil:
		return err
	}
	return p.signIn(w, r, user, signin.Way{How: signin.ByProxy}, "", page.Next)
}

func (p *pages) login(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	email, next := emailIn(form), web.LocalPath(form.Get("next"))
	user, phc, err := p.checkLogin(r, email, form.Get("password"))
	if err == nil {
		err = p.signIn(w, r, user, signin.Way{How: signin.ByPassword}, phc, next)
	}
	if err != nil {
		return p.Again(w, r, err, "login", p.newLoginForm(r, email, next))
	}
	return nil
}

// checkLogin returns the user with an email address and password, and the PHC text of the password. The error and its timing are
// the same whether there is no such user, the user has no password, or the password is wrong.
func (p *pages) checkLogin(r *http.Request, email, password string) (user accounts.User, phc string, err error) {
	target := auth.PasswordOf(email)
	if err := p.Throttle.Try(r, target); err != nil {
		return user, "", err
	}
	user, phc, err = p.Accounts.PasswordByEmail(r.Context(), email)
	if err != nil && sett.CodeOf(err) != sett.NotFound {
		return user, "", err
	}
	switch right, err := p.Passwords.Check(r.Context(), phc, password); {
	case err != nil:
		return user, "", err
	case !right:
		return user, "", signin.WrongPassword()
	}
	if err := p.Throttle.Succeeded(r, target); err != nil {
		return user, "", err
	}
	phc, err = p.refreshHash(r.Context(), user.ID, phc, password)
	return user, phc, err
}

// refreshHash hashes a password again if the cost has changed since it was set, and returns its current PHC text.
func (p *pages) refreshHash(ctx context.Context, userID int64, phc, password string) (string, error) {
	if !p.Passwords.OutOfDate(phc) {
		return phc, nil
	}
	fresh, err := p.Passwords.Hash(ctx, password)
	if err != nil {
		return "", err
	}
	return fresh, p.Accounts.ReplacePassword(ctx, userID, phc, fresh)
}

// signIn creates a session for an authenticated user and redirects to next, or first to the page for the second factor if the
// method requires one. Every way to sign in ends here. phc is the password that was checked, or ""; if it has been changed in the
// meantime, the error is sett.WrongPassword.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request, user accounts.User, way signin.Way, phc, next string) error {
	factor, err := p.Accounts.SecondFactor(r.Context(), user.ID)
	if err != nil {
		return err
	}
	if way.How.SecondFactorNeeded(factor.Confirmed) {
		if err := p.Sessions.BeginStep(w, r, user, way, phc); err != nil {
			return err
		}
		return p.Redirect(w, "/login/2fa"+web.AsNext(next))
	}
	return p.begin(w, r, user, way, phc, next)
}

// begin creates the session without further checks.
func (p *pages) begin(w http.ResponseWriter, r *http.Request, user accounts.User, way signin.Way, phc, next string) error {
	if err := p.Sessions.Begin(w, r, user, way, phc); err != nil {
		return err
	}
	return p.Redirect(w, next)
}

func (p *pages) logout(w http.ResponseWriter, r *http.Request) error {
	if err := p.Sessions.End(w, r); err != nil {
		return err
	}
	return p.Done(w, "/login", "signed_out")
}

// emailIn returns the email address in a form, normalized.
func emailIn(form url.Values) string { return strings.ToLower(strings.TrimSpace(form.Get("email"))) }
