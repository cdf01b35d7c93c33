package user

import (
	"net/http"

	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// unsubscribeRoute is the name of the route for one-click unsubscribing by mail programs (RFC 8058): from any origin and without
// a session. It only needs the secret in its URL.
const unsubscribeRoute = "unsubscribe"

// unsubscribeForm is the page of the unsubscribe link of an email.
type unsubscribeForm struct {
	web.Shell
	Ending alerts.Unsubscribing
	Over   bool // such emails are off
	Path   string
}

func (p *pages) newUnsubscribeForm(r *http.Request, u alerts.Unsubscribing) unsubscribeForm {
	return unsubscribeForm{p.Shell(r, "Emails about "+u.Project), u, u.Alerts.Silent(), r.URL.Path}
}

func (p *pages) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	u, err := p.Deliveries.Unsubscribing(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "unsubscribe", p.newUnsubscribeForm(r, u))
}

// unsubscribe answers with a page instead of a redirect, which mail programs do not follow.
func (p *pages) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	u, err := p.Deliveries.Unsubscribe(r.Context(), p.Now(), r.PathValue("token"))
	if err != nil {
		return err
	}
	page := p.newUnsubscribeForm(r, u)
	page.Over = true
	return p.Show(w, r, http.StatusOK, "unsubscribe", page)
}
