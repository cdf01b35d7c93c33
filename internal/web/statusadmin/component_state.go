package statusadmin

import (
	"net/http"
	"net/url"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// shownRow is a component as visitors see it.
type shownRow struct {
	status.ComponentView
	Is     web.State
	Checks web.State // as its checks say
}

// ByHand reports whether people set the state.
func (r shownRow) ByHand() bool { return r.Manual.State != "" }

func shownRows(view status.StatusView) (rows []shownRow) {
	for _, c := range view.Components {
		rows = append(rows, shownRow{c, componentWords(c.State), componentWords(c.Checked)})
	}
	return rows
}

func componentWords(s status.ComponentState) web.State {
	switch s {
	case status.ComponentUp:
		return web.State{Mood: web.Fine, Word: "Operational"}
	case status.ComponentDegraded:
		return web.State{Mood: web.Warning, Word: "Degraded"}
	case status.ComponentPartial:
		return web.State{Mood: web.Warning, Word: "Partial outage"}
	case status.ComponentDown:
		return web.State{Mood: web.Critical, Word: "Major outage"}
	case status.ComponentMaintenance:
		return web.State{Mood: web.Info, Word: "Maintenance"}
	case status.ComponentPaused:
		return web.State{Mood: web.Paused, Word: "Paused"}
	}
	return web.State{Mood: web.Muted, Word: "No data yet"}
}

// statePage is the form of the state of a component.
type statePage struct {
	about
	Component shownRow
	Fields    web.Fields
}

func (p *pages) newStatePage(r *http.Request) (*statePage, error) {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return nil, err
	}
	view, err := p.Status.StatusView(r.Context(), p.Now(), one.ID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(view.Components, func(c status.ComponentView) bool { return c.ID == componentID(r) })
	if at < 0 {
		return nil, sett.Errorf(sett.NotFound, "Component not found")
	}
	row := shownRows(view)[at]
	page := &statePage{about: p.about(r, one, row.Name, "overview"), Component: row}
	m := row.Manual
	page.Fields = web.Fields{
		{Name: "state", Label: "State", Value: string(m.State), Choices: stateChoices("Automatic, from its checks"), Hint: "While checks fail, visitors see the worse of both. A major outage counts as downtime."},
		{Name: "note", Label: "Note", Kind: "text", Value: m.Note, Optional: true, Hint: "Shown below the component."},
		timeField("until", "Until", m.Until, page.Now.Location(), "Leave it empty to keep the state until you change it."),
		{Name: "covers", Label: "Show this state even while checks fail", Kind: "tick", On: m.Covers},
	}
	return page, nil
}

// stateChoices are the states that people can choose, below one that is none.
func stateChoices(none string) []web.Choice {
	choices := []string{"", none}
	for _, s := range status.ManualStates() {
		choices = append(choices, string(s), componentWords(s).Word)
	}
	return web.Choices(choices...)
}

func componentID(r *http.Request) int64 { return web.PathID(r, "status_component_id") }

func (p *pages) componentState(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newStatePage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_component", page)
}

func (p *pages) setComponentState(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = p.Status.SetComponentState(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), componentID(r), stateIn(form))
	if sett.CodeOf(err) == sett.Invalid {
		page, failed := p.newStatePage(r)
		if failed != nil {
			return failed
		}
		fill(page.Fields, form)
		page.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "status_component", page)
	}
	if err != nil {
		return err
	}
	return p.Done(w, to(r, ""), "state_set")
}

func stateIn(form url.Values) status.ManualStateChange {
	return status.ManualStateChange{
		State: form.Get("state"), Note: form.Get("note"), Covers: form.Get("covers") != "", Until: web.TimeIn(form.Get("until"), web.ZoneIn(form)),
	}
}
