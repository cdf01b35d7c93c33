package user

import (
	"net/http"

	"sett/internal/serve/idp"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/web"
)

// signOnPage leads people to the single sign-on that their account requires.
type signOnPage struct {
	web.Shell
	directory.Required
	Start  string // the path at which they sign in by SAML; "" for the issuer of the server
	Issuer string // its name
	Next   string
}

func (p *pages) signOnPage(w http.ResponseWriter, r *http.Request) error {
	next := web.LocalPath(r.URL.Query().Get("next"))
	required, err := p.Pages.Required(r)
	switch {
	case err != nil:
		return err
	case required.AccountID == "":
		return p.Redirect(w, next)
	}
	page := signOnPage{Shell: p.Shell(r, "Single sign-on required"), Required: required, Next: next}
	if required.SAML {
		page.Start = idp.Start(required.AccountID) + web.AsNext(next)
	} else {
		page.Issuer = p.OIDC.Name
	}
	page.User, page.Nav = accounts.User{}, accounts.Navigation{} // the session opens nothing
	return p.Show(w, r, http.StatusForbidden, "sign_on", page)
}
