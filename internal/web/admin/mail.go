package admin

import (
	"context"
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// mailPage is the state of email, and the form for a test.
type mailPage struct {
	web.Shell
	Tab     string
	Mail    bool // email is on
	Figures accounts.ServerFigures
	To      string // recipient of the test email
	Tried   bool
	Answer  string // response of the mail server after a success
	Failed  string // why sending failed
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

// testTimeout is how long the mail server may take.
const testTimeout = 15 * time.Second

// tryMail sends an email to the current user, and shows the response of the mail server.
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
	ctx, cancel := context.WithTimeout(r.Context(), testTimeout)
	defer cancel()
	page.Tried = true
	if page.Answer, err = p.TestMail(ctx, page.To); err != nil {
		page.Failed = err.Error()
	}
	return p.Show(w, r, http.StatusOK, "admin_mail", page)
}
