package fault

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

// saved is a saved search.
type saved struct {
	ID            int64
	Name, Address string
	Shared, Mine  bool // Mine: the user may delete it
}

// saved returns the saved searches of a list.
func (p *pages) saved(r *http.Request, v *list, found []faults.SavedSearch) (all []saved) {
	for _, s := range found {
		there := asked{Q: s.Q, Environment: s.Environment, Order: s.Order, View: v.Asked.View}
		all = append(all, saved{s.ID, s.Name, p.listAddress(v.ProjectID, there), s.Shared, s.Deletable(v.User.ID, web.ScopeOf(r)) == nil})
	}
	return all
}

func (p *pages) saveSearch(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	a := asked{Q: form.Get("q"), Environment: form.Get("environment"), Order: form.Get("order"), Given: true}
	change := faults.SavedSearchChange{
		Name: sett.Some(form.Get("name")), Q: sett.Some(a.Q), Environment: sett.Some(a.Environment), Order: sett.Some(a.savedOrder()), Shared: sett.Some(form.Get("shared") != ""),
	}
	if _, err := p.Search.CreateSavedSearch(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), change); err != nil {
		return p.listAgain(w, r, a, err, func(v *list, why string) { v.Save.Value, v.Save.Problem = form.Get("name"), why })
	}
	return p.Done(w, listPathIn(web.Project(r))+a.Query(), "search_saved")
}

// savedOrder returns the order for a saved search, where "" means the newest first.
func (a asked) savedOrder() string {
	switch a.Order {
	case "newest":
		return ""
	case "":
		return "recent"
	}
	return a.Order
}

// listAgain shows the list with the problem of a form.
func (p *pages) listAgain(w http.ResponseWriter, r *http.Request, a asked, wrong error, mark func(*list, string)) error {
	if sett.CodeOf(wrong) != sett.Invalid {
		return wrong
	}
	view, err := p.viewList(r, a)
	if err != nil {
		return err
	}
	view.Here = listPathIn(view.ProjectID)
	view.Address = view.Here + a.Query()
	if mark != nil {
		mark(view, wrong.Error())
	}
	return p.Again(w, r, wrong, "faults", view)
}

func (p *pages) deleteSearch(w http.ResponseWriter, r *http.Request) error {
	err := p.Search.DeleteSavedSearch(r.Context(), web.Who(r).User.ID, web.ScopeOf(r), web.Project(r), web.PathID(r, "search_id"))
	if err != nil {
		return err
	}
	return p.Done(w, listPathIn(web.Project(r)), "search_deleted")
}
