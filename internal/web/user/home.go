package user

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/web"
)

// homePage is where people begin.
type homePage struct {
	web.Shell
	Accounts []sett.Account
}

// mostAccounts is how many accounts are listed at the beginning.
const mostAccounts = 100

func (p *pages) home(w http.ResponseWriter, r *http.Request) error {
	accounts, _, err := p.Store.ListAccounts(r.Context(), web.Who(r).User.ID, sett.Page{Size: mostAccounts})
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "home", homePage{p.Shell(r, "Home"), accounts})
}
