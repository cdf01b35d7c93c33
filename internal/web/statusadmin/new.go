package statusadmin

import (
	"net/http"
	"net/url"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// newPage is the form for a new status page.
type newPage struct {
	web.Shell
	Account string
	Fields  web.Fields
	Choices []choiceGroup
}

func (p *pages) newPage(r *http.Request, form url.Values) (*newPage, []status.StatusChoice, error) {
	choices, err := p.Status.StatusChoices(r.Context(), account(r))
	page := &newPage{Shell: p.shell(r, "New status page"), Account: account(r), Fields: nameFields(status.StatusPage{}), Choices: choicesBeside(nil, choices)}
	fill(page.Fields, form)
	for _, group := range page.Choices {
		for i := range group.Choices {
			group.Choices[i].On = slices.Contains(form["component"], group.Choices[i].Value)
		}
	}
	page.Secret = true // it contains the IDs of check-ins
	return page, choices, err
}

func (p *pages) newForm(w http.ResponseWriter, r *http.Request) error {
	page, _, err := p.newPage(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_new", page)
}

func (p *pages) create(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	c := namesIn(form)
	for _, key := range form["component"] {
		c = shownIn(c, componentRow{Key: key})
	}
	made, err := p.Status.CreateStatusPage(r.Context(), p.Now(), account(r), p.rules(), c)
	if err == nil {
		return p.Done(w, "/accounts/"+account(r)+"/status_pages/"+made.ID+"/edit", "page_made")
	}
	page, _, failed := p.newPage(r, form)
	if failed != nil {
		return failed
	}
	page.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "status_new", page)
}
