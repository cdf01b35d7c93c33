package admin

import (
	"context"
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/web"
)

// mailPage is whether mails arrive.
type mailPage struct {
	web.Shell
	Tab     string
	Mail    bool // mails are sent
	Figures sett.ServerFigures
	To      string // who gets the test mail
	Tried   bool
	Answer  string // of the mail server that took it
	Failed  string // why it was not taken
}

func (p *pages) mailPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newMailPage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "admin_mail", page)
}

func (p *pages) newMailPage(r *http.Request) (page mailPage, err error) {
	page = mailPage{Shell: p.Shell(r, "Email"), Tab: "mail", Mail: p.TestMail != nil}
	page.To = page.User.Email
	page.Figures, err = p.Store.ServerFigures(r.Context())
	return page, err
}

// testPatience is how long the mail server may take.
const testPatience = 15 * time.Second

// tryMail sends a mail to whoever asks, and shows what the server answers. It changes nothing here.
func (p *pages) tryMail(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newMailPage(r)
	switch {
	case err != nil:
		return err
	case !page.Mail:
		return sett.Errorf(sett.Conflict, "Email is off: --smtp-url is not set. Set it and restart the server.")
	case page.To == "":
		return sett.Errorf(sett.Invalid, "Your user has no email address.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), testPatience)
	defer cancel()
	page.Tried = true
	if page.Answer, err = p.TestMail(ctx, page.To); err != nil {
		page.Failed = err.Error()
	}
	return p.Show(w, r, http.StatusOK, "admin_mail", page)
}
