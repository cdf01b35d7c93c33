package statusadmin

import (
	"net/http"
	"net/url"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// templateList is the templates of a status page, with the form of a new one.
type templateList struct {
	about
	Templates []templateRow
	Form      templateForm
}

type templateRow struct {
	status.IncidentTemplate
	About []string
}

// templateForm is the form of a template.
type templateForm struct {
	about
	Template status.IncidentTemplate
	Fields   web.Fields
	Effects  []affectedChoice
}

func (p *pages) newTemplateForm(r *http.Request, one status.WatchedStatusPage, t status.IncidentTemplate, form url.Values) templateForm {
	i := t.Incident()
	if i.Status == "" {
		i.Status = status.Investigating
	}
	page := templateForm{about: p.about(r, one.StatusPage, "templates", "templates"), Template: t}
	page.Fields = append(web.Fields{
		{Name: "template", Label: "Name of the template", Kind: "text", Value: t.Name},
		{Name: "name", Label: "Title of the incident", Kind: "text", Value: t.Title, Optional: true, Hint: "Leave it empty for a template of updates."},
	}, updateFields(i)...)
	page.Fields = append(page.Fields, impactField(i))
	page.Fields[3].Value = t.Message
	chosen := form["component"]
	if form == nil {
		chosen = effectKeys(i, one.StatusPage)
	} else {
		fill(page.Fields, form)
	}
	page.Effects = effectsOf(one, chosen)
	page.Secret = true // it contains the IDs of check-ins
	return page
}

func (p *pages) templateList(r *http.Request, form url.Values) (*templateList, error) {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return nil, err
	}
	all, err := p.Status.ListTemplates(r.Context(), one.AccountID, one.ID)
	if err != nil {
		return nil, err
	}
	page := &templateList{about: p.about(r, one.StatusPage, "templates", "templates"), Form: p.newTemplateForm(r, one, status.IncidentTemplate{}, form)}
	page.Secret = true // as the form
	for _, t := range all {
		page.Templates = append(page.Templates, templateRow{t, rowOfIncident(t.Incident(), named(one)).About})
	}
	return page, nil
}

func (p *pages) templates(w http.ResponseWriter, r *http.Request) error {
	page, err := p.templateList(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_templates", page)
}

func (p *pages) template(w http.ResponseWriter, r *http.Request) error {
	page, err := p.templateOf(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_template", page)
}

func (p *pages) templateOf(r *http.Request, form url.Values) (*templateForm, error) {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return nil, err
	}
	t, err := p.Status.TemplateByID(r.Context(), one.AccountID, one.ID, templateID(r))
	if err != nil {
		return nil, err
	}
	page := p.newTemplateForm(r, one, t, form)
	return &page, nil
}

func templateID(r *http.Request) int64 { return web.PathID(r, "template_id") }

func (p *pages) writeTemplate(r *http.Request, id int64, form url.Values) error {
	c := incidentIn(form)
	c.Status, c.Message = sett.Some(form.Get("status")), sett.Some(form.Get("message"))
	_, err := p.Status.WriteTemplate(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), id, form.Get("template"), c)
	return err
}

func (p *pages) createTemplate(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	refused := p.writeTemplate(r, 0, form)
	if sett.CodeOf(refused) != sett.Invalid {
		return p.doneOr(w, r, refused, "template_made")
	}
	page, err := p.templateList(r, form)
	if err != nil {
		return err
	}
	explainTemplate(page.Form.Fields, refused)
	return p.Again(w, r, refused, "status_templates", page)
}

// explainTemplate adds the problems of a template to its fields: the name that the rules refuse is that of the template.
func explainTemplate(fields web.Fields, refused error) {
	fields[0].Name, fields[1].Name = "name", "title"
	fields.Explain(sett.ProblemsOf(refused))
	fields[0].Name, fields[1].Name = "template", "name"
}

func (p *pages) doneOr(w http.ResponseWriter, r *http.Request, err error, done string) error {
	if err != nil {
		return err
	}
	return p.Done(w, to(r, "/templates"), done)
}

func (p *pages) saveTemplate(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	refused := p.writeTemplate(r, templateID(r), form)
	if sett.CodeOf(refused) != sett.Invalid {
		return p.doneOr(w, r, refused, "saved")
	}
	page, err := p.templateOf(r, form)
	if err != nil {
		return err
	}
	explainTemplate(page.Fields, refused)
	return p.Again(w, r, refused, "status_template", page)
}

func (p *pages) removeTemplate(w http.ResponseWriter, r *http.Request) error {
	err := p.Status.DeleteTemplate(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), templateID(r))
	return p.doneOr(w, r, err, "template_gone")
}

// chosenTemplate is the choice of a template above a form.
type chosenTemplate struct {
	Action  string
	Choices []web.Choice
	Chosen  string
}

// choose returns the choice of a template, and the template that the request names; the zero one for none.
func (p *pages) choose(r *http.Request, one status.StatusPage, action string) (c chosenTemplate, chosen status.IncidentTemplate, err error) {
	all, err := p.Status.ListTemplates(r.Context(), one.AccountID, one.ID)
	c = chosenTemplate{Action: action, Chosen: r.URL.Query().Get("template")}
	for _, t := range all {
		id := strconv.FormatInt(t.ID, 10)
		if c.Choices = append(c.Choices, web.Choice{Value: id, Label: t.Name}); id == c.Chosen {
			chosen = t
		}
	}
	return c, chosen, err
}
