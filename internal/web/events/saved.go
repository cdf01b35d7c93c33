package events

import (
	"fmt"
	"net/http"
	"net/url"

	"sett/internal/sett/faults"
	"sett/internal/web"
)

// saved is a saved query.
type saved struct {
	ID      int64
	Name, Q string
	Path    string // short, of the query
	Period  string // in words
	Shared  bool
	Mine    bool   // the user may change and delete it
	By      string // who made it
	Link    string // absolute
	Rename  web.Field
	period  string
	view    string
}

// saveForm is the form that saves a query.
type saveForm struct{ Name web.Field }

// savedPage lists the saved queries of a project.
type savedPage struct {
	web.Shell
	Saved []saved
	Back  string
}

// showSaved adds the saved queries, and marks the one that is open.
func (p *pages) showSaved(r *http.Request, page *searchPage) (err error) {
	if page.Saved, err = p.listSaved(r, page.Shell); err != nil {
		return err
	}
	page.Save.Name = web.Field{Name: "name", ID: "save-name", Label: "Name", Kind: "text"}
	for i, s := range page.Saved {
		if s.ID == page.Asked.Saved {
			page.Open = &page.Saved[i]
			page.Changed = s.Q != page.Asked.Q || s.period != page.Asked.Period.Value || s.view != page.Asked.View
		}
	}
	if page.Open != nil && !page.Changed && page.Open.Shared {
		page.Link = p.BaseURL + page.Open.Path
	}
	return nil
}

func (p *pages) listSaved(r *http.Request, shell web.Shell) (all []saved, err error) {
	found, err := p.Search.ListSavedQueries(r.Context(), shell.User.ID, web.Project(r))
	for _, s := range found {
		one := saved{
			ID: s.ID, Name: s.Name, Q: s.Q, Path: savedPath(s), Link: p.BaseURL + savedPath(s), Shared: s.Shared, Mine: s.Deletable(shell.User.ID, web.ScopeOf(r)) == nil, period: s.Period, view: s.View,
		}
		if s.MadeBy != nil {
			one.By = s.MadeBy.Name
		}
		if period, err := periodOf(s.Period, shell.Now); err == nil {
			one.Period = period.Label
		}
		one.Rename = web.Field{Name: "name", ID: fmt.Sprintf("name-%d", s.ID), Label: "Name", Kind: "text", Value: s.Name}
		all = append(all, one)
	}
	return all, err
}

// savedPath returns the short path of a saved query.
func savedPath(s faults.SavedSearch) string {
	return fmt.Sprintf("%s/saved/%d", pathIn(s.ProjectID), s.ID)
}

// openQuery leads to what a saved query asks.
func (p *pages) openQuery(w http.ResponseWriter, r *http.Request) error {
	s, err := p.Search.SavedQuery(r.Context(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "search_id"))
	if err != nil {
		return err
	}
	return p.Redirect(w, pathIn(s.ProjectID)+p.addressOf(r, s))
}

// addressOf returns the query string of the page of a saved query.
func (p *pages) addressOf(r *http.Request, s faults.SavedSearch) string {
	period, _ := periodOf(s.Period, p.NowFor(r)) // one that cannot be read is the usual one
	return asked{Q: s.Q, Period: period, View: s.View, Saved: s.ID}.Query()
}

func (p *pages) savedPage(w http.ResponseWriter, r *http.Request) error {
	page := savedPage{Shell: p.Shell(r, "Saved queries").In("insights"), Back: pathIn(web.Project(r))}
	var err error
	if page.Saved, err = p.listSaved(r, page.Shell); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "insights_saved", page)
}

// askedIn returns what the fields of a form ask for.
func (p *pages) askedIn(r *http.Request, form url.Values) asked {
	other := *r
	other.URL = &url.URL{RawQuery: url.Values{"q": form["q"], "period": form["period"], "view": form["view"], "saved": form["saved"]}.Encode()}
	return askedOf(&other, p.NowFor(r))
}

func settingsOf(name string, a asked) faults.SavedSearchSettings {
	return faults.SavedSearchSettings{Name: name, Q: a.Q, Period: a.Period.Value, View: a.View}
}

func (p *pages) saveQuery(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	a := p.askedIn(r, form)
	err = a.problem
	if err == nil {
		var made faults.SavedSearch
		if made, err = p.Search.SaveQuery(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), settingsOf(form.Get("name"), a), form.Get("shared") != ""); err == nil {
			return p.Done(w, pathIn(made.ProjectID)+p.addressOf(r, made), "query_saved")
		}
	}
	page, _, failed := p.view(r, a)
	if failed != nil {
		return failed
	}
	page.Save.Name.Value = form.Get("name")
	if a.problem == nil {
		page.Save.Name.Problem = err.Error()
	}
	return p.Again(w, r, err, "insights", page)
}

// changeQuery renames a saved query, or has it ask what the page asks.
func (p *pages) changeQuery(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	a := p.askedIn(r, form)
	if a.problem != nil {
		return a.problem
	}
	change := func(s *faults.SavedSearchSettings) { *s = settingsOf(s.Name, a) }
	to := pathIn(web.Project(r))
	if form.Has("name") {
		change = func(s *faults.SavedSearchSettings) { s.Name = form.Get("name") }
		to += "/saved"
	}
	made, err := p.Search.ChangeSavedQuery(r.Context(), web.Who(r).User.ID, web.ScopeOf(r), web.Project(r), web.PathID(r, "search_id"), change)
	if err != nil {
		return p.savedAgain(w, r, err)
	}
	if !form.Has("name") {
		to += p.addressOf(r, made)
	}
	return p.Done(w, to, "query_changed")
}

// savedAgain shows the saved queries with the problem of a form.
func (p *pages) savedAgain(w http.ResponseWriter, r *http.Request, wrong error) error {
	page := savedPage{Shell: p.Shell(r, "Saved queries").In("insights"), Back: pathIn(web.Project(r))}
	var err error
	if page.Saved, err = p.listSaved(r, page.Shell); err != nil {
		return err
	}
	return p.Again(w, r, wrong, "insights_saved", &page)
}

func (p *pages) removeQuery(w http.ResponseWriter, r *http.Request) error {
	if err := p.Search.DeleteSavedQuery(r.Context(), web.Who(r).User.ID, web.ScopeOf(r), web.Project(r), web.PathID(r, "search_id")); err != nil {
		return err
	}
	return p.Done(w, pathIn(web.Project(r))+"/saved", "query_deleted")
}

// queryPage leads from where Honeybadger has its page of queries, and where earlier versions had groups, to the page.
func (p *pages) queryPage(w http.ResponseWriter, r *http.Request) error {
	return p.Redirect(w, pathIn(web.Project(r))+askedOf(r, p.NowFor(r)).Query())
}
