package project

import (
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// listPage is all projects of a user.
type listPage struct {
	web.Shell
	Named   string // the search
	Lines   []projectRow
	Pager   web.Pager
	MayMake bool
	Nothing web.Empty
}

// listed is how many projects a page lists.
const listed = 50

func (p *pages) list(w http.ResponseWriter, r *http.Request) error {
	named := strings.TrimSpace(r.URL.Query().Get("named"))
	lines, marks, err := p.Faults.ProjectPulses(r.Context(), p.Now(), web.Who(r).User.ID, accountdb.ProjectFilter{Named: named, Page: web.PageOf(r, listed)})
	if err != nil {
		return err
	}
	page := listPage{Shell: p.Shell(r, "Projects").In("projects"), Named: named, Pager: p.NewPager(r, marks)}
	page.Heading = "-"
	page.Lines, page.MayMake = rowsOf(page.Shell, lines), mayMake(page.Nav)
	page.Nothing = p.noProject(page.MayMake)
	return p.Show(w, r, http.StatusOK, "projects", page)
}

// newPage is the form of a new project.
type newPage struct {
	web.Shell
	Account  accounts.NamedAccount
	Accounts []accounts.NamedAccount // in which the user may create projects
	Fields   web.Fields
}

func (p *pages) newPage(r *http.Request, account string) (*newPage, error) {
	page := &newPage{Shell: p.Shell(r, "New project").In("projects")}
	page.Accounts = accountsFor(page.Nav)
	for i, a := range page.Accounts {
		if i == 0 || a.ID == account {
			page.Account = a
		}
	}
	if page.Account.ID == "" {
		return nil, sett.Errorf(sett.Forbidden, "Your role does not allow this. Ask an admin or owner of the account to do it.")
	}
	page.Fields = web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Hint: "The name of the app or service, for example Shop."},
		{Name: "language", Label: "Language", Value: "other", Hint: "Selects which setup instructions you see first.", Choices: web.LanguageChoices()},
	}
	return page, nil
}

func (p *pages) newForm(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newPage(r, r.URL.Query().Get("account"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "project_new", page)
}

func (p *pages) make(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	sett.CheckName(&problems, "name", strings.TrimSpace(form.Get("name")))
	change := accounts.ProjectChange{Name: sett.Some(form.Get("name")), Language: sett.Some(form.Get("language"))}
	made, err := p.Accounts.CreateProject(r.Context(), p.Now(), web.Who(r).User.ID, r.PathValue("account_id"), change)
	if err != nil {
		page, failed := p.newPage(r, r.PathValue("account_id"))
		if failed != nil {
			return failed
		}
		page.Fields[0].Value, page.Fields[1].Value = form.Get("name"), form.Get("language")
		page.Fields.Explain(problems)
		return p.Again(w, r, err, "project_new", page)
	}
	return p.Done(w, setupPath(made.ID), "project_made")
}
