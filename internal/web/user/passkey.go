package user

import (
	"net/http"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// passkeyForm is the form to create a passkey.
type passkeyForm struct {
	web.Shell
	Fields web.Fields
}

// passkeys returns the passkey service, or a NotFound error if browsers allow no passkeys.
func (p *pages) passkeys() (*auth.Passkeys, error) {
	if p.Passkeys == nil {
		return nil, sett.Errorf(sett.NotFound, "Passkeys require a base URL that begins with https and has a host name. Ask the operator of this server to set one.")
	}
	return p.Passkeys, nil
}

func (p *pages) newPasskeyForm(r *http.Request, name string) (*passkeyForm, error) {
	page := &passkeyForm{p.scripted(r, "Add a passkey"), web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: name, Complete: "off", Hint: "The device it is on, for example “blue notebook”."},
	}}
	toShow, err := p.ProofFields(r)
	page.Fields = append(page.Fields, toShow...)
	return page, err
}

func (p *pages) passkeyPage(w http.ResponseWriter, r *http.Request) error {
	if _, err := p.passkeys(); err != nil {
		return err
	}
	page, err := p.newPasskeyForm(r, "")
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "passkey", page)
}

// proposePasskey returns the options for the page's script. It checks the proof here, so that no device creates a passkey that is
// then rejected.
func (p *pages) proposePasskey(w http.ResponseWriter, r *http.Request) error {
	passkeys, err := p.passkeys()
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	var problems sett.Problems
	sett.CheckName(&problems, "name", name)
	if err := problems.Refusal(); err != nil {
		return err
	}
	if err := p.CheckProof(r, form); err != nil {
		return err
	}
	user := web.Who(r).User
	has, err := p.Accounts.ListPasskeys(r.Context(), user.ID)
	if err != nil {
		return err
	}
	options, state, err := passkeys.Propose(user, has, name)
	if err != nil {
		return err
	}
	if err := p.Sessions.Challenge(w, r, signin.AddPasskey, user.ID, state); err != nil {
		return err
	}
	return writeOptions(w, options)
}

func writeOptions(w http.ResponseWriter, options []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(options)
	return nil
}

func (p *pages) addPasskey(w http.ResponseWriter, r *http.Request) error {
	passkeys, err := p.passkeys()
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	user := web.Who(r).User
	state, err := p.answered(w, r, signin.AddPasskey, user.ID)
	if err == nil {
		var key signin.Passkey
		if key, err = passkeys.Accept(user, state, []byte(form.Get("answer"))); err == nil {
			err = p.Accounts.CreatePasskey(r.Context(), p.Now(), web.Who(r).Session, key)
		}
	}
	if err != nil {
		page, failed := p.newPasskeyForm(r, form.Get("name"))
		if failed != nil {
			return failed
		}
		return p.Again(w, r, err, "passkey", page)
	}
	return p.Done(w, "/me/security", "passkey_added")
}

// answered returns the state of a challenge and deletes it; an Invalid error if it has expired.
func (p *pages) answered(w http.ResponseWriter, r *http.Request, purpose signin.Purpose, userID int64) ([]byte, error) {
	state, err := p.Sessions.Answered(w, r, purpose, userID)
	if sett.CodeOf(err) == sett.NotFound {
		return nil, sett.Errorf(sett.Invalid, "This request expired or was already used. Start again.")
	}
	return state, err
}

func (p *pages) removePasskey(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.RemovePasskey(r.Context(), web.Who(r).Session, web.PathID(r, "passkey_id")); err != nil {
		return err
	}
	return p.Done(w, "/me/security", "passkey_removed")
}

// passkeyLoginForm is the page for signing in with a passkey.
type passkeyLoginForm struct {
	web.Shell
	Next string
	Back string // the query that keeps Next on the sign-in page
}

func (p *pages) newPasskeyLoginForm(r *http.Request, next string) *passkeyLoginForm {
	return &passkeyLoginForm{p.scripted(r, "Sign in with a passkey"), next, web.AsNext(next)}
}

func (p *pages) passkeyLoginPage(w http.ResponseWriter, r *http.Request) error {
	if _, err := p.passkeys(); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "passkey_login", p.newPasskeyLoginForm(r, web.LocalPath(r.URL.Query().Get("next"))))
}

// askForPasskey returns the options for the page's script.
func (p *pages) askForPasskey(w http.ResponseWriter, r *http.Request) error {
	passkeys, err := p.passkeys()
	if err != nil {
		return err
	}
	if err := p.Throttle.Begin(r); err != nil {
		return err
	}
	options, state, err := passkeys.Ask()
	if err != nil {
		return err
	}
	if err := p.Sessions.Challenge(w, r, signin.UsePasskey, 0, state); err != nil {
		return err
	}
	return writeOptions(w, options)
}

func (p *pages) passkeyLogin(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	next := web.LocalPath(form.Get("next"))
	user, err := p.checkPasskey(w, r, []byte(form.Get("answer")))
	if err != nil {
		return p.Again(w, r, err, "passkey_login", p.newPasskeyLoginForm(r, next))
	}
	return p.signIn(w, r, user, signin.Way{How: signin.ByPasskey, Factor: true}, "", next)
}

// checkPasskey returns the user of the passkey that a browser has sent.
func (p *pages) checkPasskey(w http.ResponseWriter, r *http.Request, answer []byte) (accounts.User, error) {
	passkeys, err := p.passkeys()
	if err != nil {
		return accounts.User{}, err
	}
	state, err := p.answered(w, r, signin.UsePasskey, 0)
	if err != nil {
		return accounts.User{}, err
	}
	find := func(credentialID []byte) (signin.Passkey, accounts.User, error) {
		return p.Accounts.PasskeyByCredential(r.Context(), credentialID)
	}
	key, user, count, err := passkeys.Check(find, state, answer)
	if err != nil {
		return accounts.User{}, err
	}
	switch good, err := p.Accounts.UsePasskey(r.Context(), p.Now(), user.ID, key.ID, count); {
	case err != nil:
		return accounts.User{}, err
	case !good:
		return accounts.User{}, signin.CopiedPasskey()
	}
	return user, nil
}

// scripted returns the shell of a page with the script for passkeys.
func (p *pages) scripted(r *http.Request, title string) web.Shell {
	s := p.Shell(r, title)
	s.Scripts = []string{"passkey.js"}
	return s
}
