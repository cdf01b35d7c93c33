package settings

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

// mostEnvironments is how many environments a page lists.
const mostEnvironments = 50

// environmentList is the page of a project's environments.
type environmentList struct {
	page
	Environments []accounts.Environment
	Pager        web.Pager
	Fields       web.Fields // of a new environment
	On, Off      web.State
	Full         bool // reports create no more environments
}

// Most is how many environments reports create, and Other the name that collects further ones.
func (environmentList) Most() int     { return faults.MostEnvironments }
func (environmentList) Other() string { return faults.OtherEnvironment }

func (p *pages) newEnvironmentList(r *http.Request, name string) (*environmentList, error) {
	list := &environmentList{page: p.newPage(r, "Environments", "environments"), Fields: web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: name, Hint: "The name that events and deploys use, for example production."},
	}, On: web.State{Mood: web.Fine, Word: "on"}, Off: web.State{Mood: web.Paused, Word: "muted"}}
	found, marks, err := p.Accounts.ListEnvironments(r.Context(), list.ProjectID, web.PageOf(r, mostEnvironments))
	if err != nil {
		return nil, err
	}
	list.Environments, list.Pager = found, p.NewPager(r, marks)
	list.Full, err = p.Accounts.EnvironmentsFull(r.Context(), list.ProjectID)
	return list, err
}

func (p *pages) environmentsPage(w http.ResponseWriter, r *http.Request) error {
	list, err := p.newEnvironmentList(r, "")
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_environments", list)
}

func (p *pages) addEnvironment(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := accounts.EnvironmentChange{Name: sett.Some(form.Get("name"))}
	if _, err := p.Accounts.CreateEnvironment(r.Context(), p.Now(), web.Project(r), change); err != nil {
		again, failed := p.newEnvironmentList(r, form.Get("name"))
		if failed != nil {
			return failed
		}
		again.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_environments", again)
	}
	return p.Done(w, to(r, "/environments"), "environment_added")
}

// environmentForm is the page of one environment.
type environmentForm struct {
	page
	Environment accounts.Environment
	Fields      web.Fields
}

func (p *pages) newEnvironmentForm(r *http.Request) (*environmentForm, error) {
	e, err := p.Accounts.EnvironmentByID(r.Context(), web.Project(r), web.PathID(r, "environment_id"))
	if err != nil {
		return nil, err
	}
	return &environmentForm{p.newPage(r, e.Name, "environments"), e, web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: e.Name, Hint: "Existing events keep the old name. The next event with the old name creates that environment again."},
		{Name: "notifications", Label: "Send notifications for this environment", Kind: "tick", On: e.Notifications},
	}}, nil
}

func (p *pages) environmentPage(w http.ResponseWriter, r *http.Request) error {
	form, err := p.newEnvironmentForm(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_environment", form)
}

// saveEnvironment handles the form of its page, and that of the list, which has no name.
func (p *pages) saveEnvironment(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := accounts.EnvironmentChange{Notifications: sett.Some(form.Get("notifications") == "true")}
	if form.Has("name") {
		change.Name = sett.Some(form.Get("name"))
	}
	if err := p.Accounts.UpdateEnvironment(r.Context(), p.Now(), web.Project(r), web.PathID(r, "environment_id"), change); err != nil {
		again, failed := p.newEnvironmentForm(r)
		if failed != nil {
			return failed
		}
		again.Fields[0].Value, again.Fields[1].On = form.Get("name"), change.Notifications.Value
		again.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_environment", again)
	}
	return p.Done(w, to(r, "/environments"), "saved")
}

func (p *pages) dropEnvironment(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.DeleteEnvironment(r.Context(), web.Project(r), web.PathID(r, "environment_id")); err != nil {
		return err
	}
	return p.Done(w, to(r, "/environments"), "environment_deleted")
}
