package web

import (
	"net/http"

	"sett/internal/sett"
)

// unsubscribeRoute is the name of the route that mail programs use by themselves, for people who end such mails by one
// click (RFC 8058): from wherever they are, without a session. The secret in its address is all that it takes.
const unsubscribeRoute = "unsubscribe"

// unsubscribeForm is the page where the link of a mail leads that ends such mails.
type unsubscribeForm struct {
	Shell
	Ending sett.Unsubscribing
	Over   bool // there are no such mails, or no more
	Path   string
}

func (p *Pages) newUnsubscribeForm(r *http.Request, u sett.Unsubscribing) unsubscribeForm {
	return unsubscribeForm{p.shell(r, "Mails about "+u.Project), u, u.Alerts.Silent(), r.URL.Path}
}

func (p *Pages) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	u, err := p.Store.Unsubscribing(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "unsubscribe", p.newUnsubscribeForm(r, u))
}

// unsubscribe answers with a page, and not with a redirect, which mail programs do not follow.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	u, err := p.Store.Unsubscribe(r.Context(), p.Now(), r.PathValue("token"))
	if err != nil {
		return err
	}
	page := p.newUnsubscribeForm(r, u)
	page.Over = true
	return p.show(w, http.StatusOK, "unsubscribe", page)
}
