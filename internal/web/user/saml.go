package user

import (
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/serve/idp"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// samlResponseRoute is the name of the route to which browsers post the responses of identity providers, from their origins.
const samlResponseRoute = "samlResponse"

// beginsSAML marks a route of a link that does something.
func beginsSAML(rt serve.Route) serve.Route {
	rt.NoHead = true
	return rt
}

// samlTrip is a sign-in with the identity provider of an account. The response comes in a request without cookies, as browsers send none
// with forms of other sites. So the trip is found by its relay state then, and the identity waits for the browser that began. That must be the
// one that brought the response: else who sends a person the address of the provider would be signed in as them. Only this one has the ticket.
type samlTrip struct {
	AccountID string
	Request   string // its id
	Next      string // where to go afterwards
	Identity  *accounts.Identity
	Ticket    []byte // hash of what the browser with the response was given
}

// samlFind is the form that finds the account of an email address.
type samlFind struct {
	web.Shell
	Fields web.Fields
}

func (p *pages) newSAMLFind(r *http.Request, email string) *samlFind {
	return &samlFind{p.Shell(r, "Single sign-on"), web.Fields{{Name: "email", Label: "Email address", Kind: "email", Value: email, Complete: "email"}}}
}

func (p *pages) samlPage(w http.ResponseWriter, r *http.Request) error {
	return p.Show(w, r, http.StatusOK, "saml_find", p.newSAMLFind(r, ""))
}

func (p *pages) findSAML(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Throttle.Begin(r); err != nil {
		return err
	}
	email := emailIn(form)
	account, err := p.Accounts.AccountOfDomain(r.Context(), directory.DomainOf(email))
	if sett.CodeOf(err) == sett.NotFound {
		page := p.newSAMLFind(r, email)
		return p.Again(w, r, sett.Errorf(sett.Invalid, "No account has single sign-on for this address. Sign in another way."), "saml_find", page)
	}
	if err != nil {
		return err
	}
	return p.Redirect(w, idp.Start(account))
}

func (p *pages) beginSAML(w http.ResponseWriter, r *http.Request) error {
	if err := p.Throttle.Begin(r); err != nil {
		return err
	}
	account := r.PathValue("account_id")
	address, request, err := p.SAML.Begin(r.Context(), account)
	if sett.CodeOf(err) == sett.NotFound { // the same for an account that there is not
		page := p.newSAMLFind(r, "")
		page.Refused(err.Error())
		return p.Show(w, r, http.StatusOK, "saml_find", page)
	}
	if err != nil {
		return err
	}
	state, err := json.Marshal(samlTrip{AccountID: account, Request: request, Next: web.LocalPath(r.URL.Query().Get("next"))})
	if err != nil {
		return fmt.Errorf("write trip: %w", err)
	}
	hash, err := p.Sessions.NamedChallenge(w, r, signin.SignInBySAML, 0, state)
	if err != nil {
		return err
	}
	to, err := address(hex.EncodeToString(hash))
	if err != nil {
		return err
	}
	w.Header().Set("Refresh", "0; url="+to)
	const provider = "your identity provider"
	return p.Show(w, r, http.StatusOK, "oidc_leave", oidcLeavePage{p.Shell(r, "Single sign-on"), provider, to})
}

// longestSAMLForm bounds the form with a response, in bytes.
const longestSAMLForm = 512 << 10

// samlResponse takes the response of an identity provider. A response to no request is not believed: anyone could lead a browser to it.
func (p *pages) samlResponse(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, longestSAMLForm)
	if err := r.ParseForm(); err != nil {
		return sett.Errorf(sett.Malformed, "The response of the identity provider could not be read. Sign in again.")
	}
	account := r.PathValue("account_id")
	trip, hash, err := p.samlTrip(r, account)
	if err != nil {
		return err
	}
	identity, err := p.SAML.Finish(r.Context(), account, trip.Request, r.PostForm.Get("SAMLResponse"))
	if err != nil {
		p.Log.Warn("a single sign-on by SAML failed", "account_id", account, "error", err, "hint", "compare the page Directory of the account with the identity provider")
		return err
	}
	ticket := sett.NewWebSecret()
	trip.Identity, trip.Ticket = &identity, auth.HashToken(ticket)
	state, err := json.Marshal(trip)
	if err != nil {
		return fmt.Errorf("write trip: %w", err)
	}
	if err := p.Accounts.AnswerChallenge(r.Context(), p.Now(), signin.SignInBySAML, hash, state); err != nil {
		return err
	}
	return p.Redirect(w, idp.Start(account)+"/done?ticket="+ticket)
}

// samlTrip returns the sign-in that a response belongs to by its relay state.
func (p *pages) samlTrip(r *http.Request, account string) (trip samlTrip, hash []byte, err error) {
	unasked := sett.Errorf(sett.Forbidden, "This sign-in did not start at sett, or too long ago. Open %s to sign in; a tile of the identity provider has to lead there.",
		p.SAML.Addresses(account).EntityID)
	if hash, err = hex.DecodeString(r.PostForm.Get("RelayState")); err != nil {
		return trip, nil, unasked
	}
	state, err := p.Accounts.Challenge(r.Context(), p.Now(), signin.SignInBySAML, 0, hash)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return trip, nil, unasked
	case err != nil:
		return trip, nil, err
	}
	if err := json.Unmarshal(state, &trip); err != nil {
		return trip, nil, fmt.Errorf("read trip: %w", err)
	}
	if trip.AccountID != account {
		return trip, nil, unasked
	}
	return trip, hash, nil
}

// finishSAML signs in the browser that began, and brought the response.
func (p *pages) finishSAML(w http.ResponseWriter, r *http.Request) error {
	state, err := p.answered(w, r, signin.SignInBySAML, 0)
	if err != nil {
		return err
	}
	var trip samlTrip
	if err := json.Unmarshal(state, &trip); err != nil {
		return fmt.Errorf("read trip: %w", err)
	}
	here := subtle.ConstantTimeCompare(trip.Ticket, auth.HashToken(r.URL.Query().Get("ticket"))) == 1
	if trip.Identity == nil || trip.AccountID != r.PathValue("account_id") || !here {
		return sett.Errorf(sett.Forbidden, "The identity provider has not signed you in, in this browser. Open %s to sign in.", p.SAML.Addresses(trip.AccountID).EntityID)
	}
	user, elsewhere, err := p.Accounts.SAMLUser(r.Context(), p.Now(), trip.AccountID, *trip.Identity)
	switch {
	case sett.CodeOf(err) == sett.Conflict:
		return p.toConnect(w, r, *trip.Identity)
	case err != nil:
		p.Log.Warn("a person signed in by SAML was refused", "account_id", trip.AccountID, "error", err, "hint", "the error says what the person or an owner of the account can do")
		return err
	}
	way := signin.Way{How: signin.BySAML, Account: trip.AccountID}
	if !elsewhere {
		return p.signIn(w, r, user, way, "", trip.Next)
	}
	// What the provider of this account asks for is not enough for the others: their second factor counts.
	factor, err := p.Accounts.SecondFactor(r.Context(), user.ID)
	if err != nil {
		return err
	}
	if factor.Confirmed {
		if err := p.Sessions.BeginStep(w, r, user, way, ""); err != nil {
			return err
		}
		return p.Redirect(w, "/login/2fa"+web.AsNext(trip.Next))
	}
	return p.begin(w, r, user, way, "", trip.Next)
}

func (p *pages) samlMetadata(w http.ResponseWriter, r *http.Request) error {
	text, err := p.SAML.Metadata(r.Context(), r.PathValue("account_id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/samlmetadata+xml")
	w.Header().Set("Content-Disposition", `attachment; filename="sett-metadata.xml"`)
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write metadata: %w", err)
	}
	return nil
}

// bySAML reports whether an identity comes from the identity provider of an account.
func bySAML(i accounts.Identity) bool { return strings.HasPrefix(i.Issuer, "saml:") }
