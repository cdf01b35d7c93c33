package settings

import (
	"context"
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// dangerForm is the form that deletes a project.
type dangerForm struct {
	page
	Project accounts.Project
	Fields  web.Fields
}

func (p *pages) newDangerForm(r *http.Request) (*dangerForm, error) {
	project, err := p.Accounts.ProjectByID(r.Context(), web.Project(r))
	return &dangerForm{p.newPage(r, "Delete", "general"), project, web.Fields{
		{Name: "name", Label: "Project name", Kind: "text", Hint: "Enter the name to confirm."},
	}}, err
}

func (p *pages) dangerPage(w http.ResponseWriter, r *http.Request) error {
	form, err := p.newDangerForm(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_danger", form)
}

// dropProject completes the deletion even if the browser disconnects: a large project takes minutes.
func (p *pages) dropProject(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	again, err := p.newDangerForm(r)
	if err != nil {
		return err
	}
	if strings.TrimSpace(form.Get("name")) != again.Project.Name {
		err := sett.Refuse("name", "must be %q", again.Project.Name)
		again.Fields[0].Value = form.Get("name")
		again.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_danger", again)
	}
	if err := p.Store.DeleteProject(context.WithoutCancel(r.Context()), again.Project.ID, p.Keys.Forget); err != nil {
		return err
	}
	return p.Done(w, "/projects", "project_deleted")
}
