package web

import (
	"net/http"

	"sett/internal/sett"
)

// homePage is where people begin.
type homePage struct {
	Shell
	Accounts []sett.Account
}

// mostAccounts is how many accounts are listed at the beginning.
const mostAccounts = 100

func (p *Pages) home(w http.ResponseWriter, r *http.Request) error {
	accounts, _, err := p.Store.ListAccounts(r.Context(), who(r).User.ID, sett.Page{Size: mostAccounts})
	if err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "home", homePage{p.shell(r, "Home"), accounts})
}
