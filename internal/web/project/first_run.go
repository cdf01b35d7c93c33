package project

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// firstRunPage is the form that creates the first account of a server, its owner and a project.
type firstRunPage struct {
	web.Shell
	Token  string
	Fields web.Fields
}

func (p *pages) newFirstRun(r *http.Request, form url.Values) *firstRunPage {
	return &firstRunPage{Shell: p.Shell(r, "Set up sett"), Token: form.Get("token"), Fields: web.Fields{
		{Name: "name", Label: "Your name", Kind: "text", Value: form.Get("name"), Complete: "name"},
		{Name: "email", Label: "Email address", Kind: "email", Value: form.Get("email"), Complete: "username"},
		{Name: "new_password", Label: "Password", Kind: "password", Complete: "new-password", Hint: "Use at least 10 characters. Four random words work well."},
		{Name: "account", Label: "Account", Kind: "text", Value: form.Get("account"), Hint: "The name of your company or team."},
		{Name: "project", Label: "First project", Kind: "text", Value: form.Get("project"), Hint: "The first app or service to monitor."},
	}}
}

// admitFirst requires the token of the link in the log, and that there are no users.
func (p *pages) admitFirst(r *http.Request, token string) error {
	none := sett.Errorf(sett.NotFound, "This link does not work. A server without users logs a new link each time it starts.")
	if p.SetupToken == "" || subtle.ConstantTimeCompare([]byte(token), []byte(p.SetupToken)) != 1 {
		return none
	}
	has, err := p.Accounts.HasUsers(r.Context())
	if err == nil && has {
		err = none
	}
	return err
}

func (p *pages) firstRun(w http.ResponseWriter, r *http.Request) error {
	if err := p.admitFirst(r, r.URL.Query().Get("token")); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "first_run", p.newFirstRun(r, r.URL.Query()))
}

func (p *pages) begin(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.admitFirst(r, form.Get("token")); err != nil {
		return err
	}
	page := p.newFirstRun(r, form)
	first, err := p.firstOf(r, form, page.Fields)
	if err != nil {
		return p.Again(w, r, err, "first_run", page)
	}
	made, err := p.Accounts.SetUp(r.Context(), p.Now(), first)
	if err != nil {
		return err
	}
	user := accounts.User{ID: made.UserID, Email: first.Email, Name: first.Name}
	if err := p.Sessions.Begin(w, r, user, signin.Way{How: signin.ByPassword}, first.Password); err != nil {
		return err
	}
	return p.Done(w, setupPath(made.ProjectID), "began")
}

// firstTeam is the name of the team that has the first project: members see the projects of their teams.
const firstTeam = "First team"

// firstOf reads the form and adds problems to its fields.
func (p *pages) firstOf(r *http.Request, form url.Values, fields web.Fields) (o accountdb.Setup, err error) {
	o = accountdb.Setup{
		Account: strings.TrimSpace(form.Get("account")), Email: strings.ToLower(strings.TrimSpace(form.Get("email"))),
		Name: strings.TrimSpace(form.Get("name")), Project: strings.TrimSpace(form.Get("project")), Team: firstTeam, First: true,
	}
	var problems sett.Problems
	sett.CheckName(&problems, "name", o.Name)
	sett.CheckEmail(&problems, "email", o.Email)
	signin.CheckNewPassword(&problems, "new_password", form.Get("new_password"), o.Email, o.Name)
	sett.CheckName(&problems, "account", o.Account)
	sett.CheckName(&problems, "project", o.Project)
	if fields.Explain(problems); len(problems) > 0 {
		return o, sett.Errorf(sett.Invalid, "Please correct the marked fields.")
	}
	o.Password, err = p.Passwords.Hash(r.Context(), form.Get("new_password"))
	return o, err
}
