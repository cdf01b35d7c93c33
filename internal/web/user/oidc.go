package user

import (
	"encoding/json"
	"fmt"
	"net/http"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// oidcLeavePage sends the browser to the issuer. It is a page rather than a redirect, because our content policy forbids forms
// that lead to other hosts, and issuers redirect to hosts that are not known in advance.
type oidcLeavePage struct {
	web.Shell
	Issuer  string
	Address string
}

// oidc returns the single sign-on, or a NotFound error if there is none.
func (p *pages) oidc() (*auth.OIDC, error) {
	if p.OIDC == nil {
		return nil, sett.Errorf(sett.NotFound, "Single sign-on is not set up on this server. Sign in another way.")
	}
	return p.OIDC, nil
}

func (p *pages) beginOIDC(w http.ResponseWriter, r *http.Request) error {
	issuer, err := p.oidc()
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Throttle.Begin(r); err != nil {
		return err
	}
	address, state, err := issuer.Begin(r.Context(), web.LocalPath(form.Get("next")))
	if err != nil {
		return p.logged(err)
	}
	if err := p.Sessions.Challenge(w, r, signin.SignInByOIDC, 0, state); err != nil {
		return err
	}
	w.Header().Set("Refresh", "0; url="+address)
	return p.Show(w, r, http.StatusOK, "oidc_leave", oidcLeavePage{p.Shell(r, "Sign in with "+issuer.Name), issuer.Name, address})
}

// logged logs for the operator why a single sign-on failed: users only see what to do.
func (p *pages) logged(err error) error {
	if err != nil {
		p.Log.Warn("a single sign-on failed", "error", err, "hint", "compare the settings --oidc-… with those at the issuer")
	}
	return err
}

// oidcCallback handles the return from the issuer.
func (p *pages) oidcCallback(w http.ResponseWriter, r *http.Request) error {
	issuer, err := p.oidc()
	if err != nil {
		return err
	}
	state, err := p.answered(w, r, signin.SignInByOIDC, 0)
	if err != nil {
		return err
	}
	identity, next, err := issuer.Finish(r.Context(), state, r.URL.Query())
	if err != nil {
		return p.logged(err)
	}
	joining, err := issuer.Joining(identity)
	if err != nil {
		return p.logged(fmt.Errorf("subject %s: %w", identity.Subject, err))
	}
	user, err := p.userOf(r, identity, joining)
	switch sett.CodeOf(err) {
	case "":
		if err != nil {
			return err
		}
		account, err := p.Accounts.JoinedAccount(r.Context(), joining)
		if err != nil {
			return err
		}
		return p.signIn(w, r, user, signin.Way{How: signin.ByOIDC, Account: account}, "", next)
	case sett.Conflict:
		return p.toConnect(w, r, identity)
	default:
		return p.logged(fmt.Errorf("subject %s: %w", identity.Subject, err))
	}
}

// userOf returns the user of an identity, with the role of their groups, and creates new users. A Conflict means that the identity
// may belong to an existing user who has not connected it yet.
func (p *pages) userOf(r *http.Request, identity accounts.Identity, joining accounts.Joining) (accounts.User, error) {
	user, err := p.Accounts.UserByIdentity(r.Context(), identity)
	switch {
	case err == nil && joining.Follow:
		return user, p.Accounts.FollowGroups(r.Context(), p.Now(), user.ID, joining)
	case sett.CodeOf(err) != sett.NotFound:
		return user, err
	case web.Who(r).User.ID != 0:
		return user, sett.Errorf(sett.Conflict, "A user is already signed in.")
	}
	return p.Accounts.CreateIdentityUser(r.Context(), p.Now(), identity, joining)
}

// toConnect redirects to the page where a user connects an identity, after signing in.
func (p *pages) toConnect(w http.ResponseWriter, r *http.Request, identity accounts.Identity) error {
	state, err := json.Marshal(identity)
	if err != nil {
		return fmt.Errorf("write identity: %w", err)
	}
	if err := p.Sessions.Challenge(w, r, signin.ConnectIdentity, 0, state); err != nil {
		return err
	}
	if web.Who(r).User.ID != 0 {
		return p.Redirect(w, "/auth/oidc/connect")
	}
	return p.Redirect(w, "/login?next=%2Fauth%2Foidc%2Fconnect&done=connect")
}

// oidcConnectForm is the form to connect an identity.
type oidcConnectForm struct {
	web.Shell
	Issuer   string
	Identity accounts.Identity
	Fields   web.Fields // fields of the user's proof
}

func (p *pages) newOIDCConnectForm(r *http.Request, identity accounts.Identity) (*oidcConnectForm, error) {
	fields, err := p.ProofFields(r)
	name := "single sign-on"
	if !bySAML(identity) {
		name = p.OIDC.Name
	}
	return &oidcConnectForm{p.Shell(r, "Connect "+name), name, identity, fields}, err
}

// offered returns the identity that is to be connected.
func (p *pages) offered(r *http.Request) (identity accounts.Identity, err error) {
	state, err := p.Sessions.Asked(r, signin.ConnectIdentity, 0)
	if sett.CodeOf(err) == sett.NotFound {
		return identity, sett.Errorf(sett.NotFound, "There is nothing to connect, or the request expired. Start again on the Security page.")
	}
	if err != nil {
		return identity, err
	}
	if err := json.Unmarshal(state, &identity); err != nil {
		return identity, fmt.Errorf("read identity: %w", err)
	}
	if !bySAML(identity) {
		_, err = p.oidc()
	}
	return identity, err
}

// joining is what connecting an identity changes: the issuer of the operator gives roles by groups, the provider of an account none.
func (p *pages) joining(identity accounts.Identity) (accounts.Joining, error) {
	if bySAML(identity) {
		return accounts.Joining{}, nil
	}
	return p.OIDC.Joining(identity)
}

func (p *pages) oidcConnectPage(w http.ResponseWriter, r *http.Request) error {
	identity, err := p.offered(r)
	if err != nil {
		return err
	}
	page, err := p.newOIDCConnectForm(r, identity)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "oidc_connect", page)
}

// connectOIDC connects the identity to the signed-in user, who must enter their proof. What counts is that they control both, not
// that both have the same email address: see docs/decisions/0016.
func (p *pages) connectOIDC(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	identity, err := p.offered(r)
	if err != nil {
		return err
	}
	joining, err := p.joining(identity)
	if err != nil {
		return err
	}
	if err := p.CheckProof(r, form); err != nil {
		page, failed := p.newOIDCConnectForm(r, identity)
		if failed != nil {
			return failed
		}
		return p.Again(w, r, err, "oidc_connect", page)
	}
	if _, err := p.answered(w, r, signin.ConnectIdentity, 0); err != nil {
		return err
	}
	if err := p.Accounts.ConnectIdentity(r.Context(), p.Now(), web.Who(r).Session, identity, joining); err != nil {
		return err
	}
	p.Log.Info("a user connected their account at the issuer", "subject", identity.Subject, "user_id", web.Who(r).User.ID)
	return p.Done(w, "/me/security", "connected")
}
