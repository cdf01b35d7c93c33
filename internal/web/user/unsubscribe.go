package user

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/web"
)

// unsubscribeRoute is the name of the route that mail programs use by themselves, for people who end such mails by one
// click (RFC 8058): from wherever they are, without a session. The secret in its address is all that it takes.
const unsubscribeRoute = "unsubscribe"

// unsubscribeForm is the page where the link of a mail leads that ends such mails.
type unsubscribeForm struct {
	web.Shell
	Ending sett.Unsubscribing
	Over   bool // there are no such mails, or no more
	Path   string
}

func (p *pages) newUnsubscribeForm(r *http.Request, u sett.Unsubscribing) unsubscribeForm {
	return unsubscribeForm{p.Shell(r, "Emails about "+u.Project), u, u.Alerts.Silent(), r.URL.Path}
}

func (p *pages) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	u, err := p.Store.Unsubscribing(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "unsubscribe", p.newUnsubscribeForm(r, u))
}

// unsubscribe answers with a page, and not with a redirect, which mail programs do not follow.
func (p *pages) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	u, err := p.Store.Unsubscribe(r.Context(), p.Now(), r.PathValue("token"))
	if err != nil {
		return err
	}
	page := p.newUnsubscribeForm(r, u)
	page.Over = true
	return p.Show(w, r, http.StatusOK, "unsubscribe", page)
}
