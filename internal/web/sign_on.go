package web

import (
	"context"
	"net/http"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
)

// withoutSignOn are the routes for sessions that an account refuses because they did not begin with its single sign-on: those with which
// people get one that it does not.
var withoutSignOn = map[string]bool{
	"signOnPage": true, "logout": true, "finishSAML": true, "oidcCallback": true, "oidcConnectPage": true, "connectOIDC": true,
}

// required returns the account that refuses a session; the zero Required if none does. Without a provider that could sign people in, an
// account cannot require it.
func (p *Pages) required(ctx context.Context, who auth.Principal) (none directory.Required, err error) {
	if !who.Session.Asked {
		return none, nil
	}
	r, err := p.Accounts.Required(ctx, who.User.ID, who.User.Email)
	if err != nil || r.Opens(who.Session.Account, who.Session.Factor) {
		return none, err
	}
	if !r.SAML {
		if joins, err := p.IssuerOf(ctx, r.AccountID); err != nil || !joins {
			return none, err
		}
	}
	return r, nil
}

// IssuerOf reports whether the issuer of the server signs people in to an account: its users join that one.
func (p *Pages) IssuerOf(ctx context.Context, accountID string) (bool, error) {
	if p.OIDC == nil {
		return false, nil
	}
	joined, err := p.Accounts.JoinedAccount(ctx, accounts.Joining{AccountID: p.OIDC.AccountID})
	return joined == accountID, err
}

// Required returns the account whose single sign-on the user has to use before anything else; the zero Required for none.
func (p *Pages) Required(r *http.Request) (directory.Required, error) {
	return p.required(r.Context(), Who(r))
}

// toSignOn redirects to the page that leads to the single sign-on of an account.
func (p *Pages) toSignOn(w http.ResponseWriter, r *http.Request, route serve.Route, required directory.Required) error {
	const page = "/login/required"
	switch {
	case route.Media == streamMedia || !forPeople(r):
		return sett.Errorf(sett.Forbidden, "%s requires single sign-on. Sign in with it at %s.", required.Account, page)
	case r.Method != http.MethodGet:
		return p.Redirect(w, page)
	}
	return p.Redirect(w, page+AsNext(r.URL.RequestURI()))
}
