package uptime

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/maintenance"
	"sett/internal/web"
)

// windowForm is the form of a new or existing maintenance window.
type windowForm struct {
	Action  string
	Button  string
	Zone    string
	Fields  web.Fields
	Choices []windowChoice // sites and check-ins; none for a window that is active
}

// windowChoice is the checkbox of a site or a check-in.
type windowChoice struct {
	Name, Value, Label string
	On                 bool
}

// windowSheet is the page on which a window is edited.
type windowSheet struct {
	web.Shell
	Project int64
	Form    windowForm
}

// newWindowForm returns the form of a window; of a new one, if it has no ID. A form that was sent is filled in again.
func (p *pages) newWindowForm(r *http.Request, w maintenance.Window, now time.Time, form url.Values) (windowForm, error) {
	f := windowForm{Action: maintenanceAt(r), Button: "Start or schedule", Zone: now.Location().String(), Fields: windowFields(w, now, form)}
	if w.ID != 0 {
		f.Action, f.Button = windowAt(r), "Save"
	}
	if started(w, now) {
		return f, nil
	}
	sites, _, err := p.Uptime.ListSites(r.Context(), web.Project(r), sett.Page{Size: mostChoices})
	if err != nil {
		return f, err
	}
	checkIns, _, err := p.Uptime.ListCheckIns(r.Context(), web.Project(r), sett.Page{Size: mostChoices})
	siteIDs, checkInIDs := w.SiteIDs, w.CheckInIDs
	if form != nil {
		siteIDs, checkInIDs = form["site"], form["check_in"]
	}
	var known [2][]windowChoice
	for _, s := range sites {
		known[0] = append(known[0], windowChoice{Name: "site", Value: s.ID.String(), Label: s.Name})
	}
	for _, c := range checkIns {
		known[1] = append(known[1], windowChoice{Name: "check_in", Value: c.ID, Label: called(c)})
	}
	f.Choices = append(chosen(known[0], "site", siteIDs), chosen(known[1], "check_in", checkInIDs)...)
	return f, err
}

// chosen checks the chosen choices. One that is not known, such as a deleted site, is offered too: without it, a form that is sent as it is
// would make a window of that site one of everything.
func chosen(known []windowChoice, name string, ids []string) []windowChoice {
	for _, id := range ids {
		i := slices.IndexFunc(known, func(c windowChoice) bool { return c.Value == id })
		if i < 0 {
			known, i = append(known, windowChoice{Name: name, Value: id, Label: id}), len(known)
		}
		known[i].On = true
	}
	return known
}

func windowAt(r *http.Request) string { return maintenanceAt(r) + "/" + r.PathValue("window_id") }

// started reports whether a window is active, so that only its end and its reason can change.
func started(w maintenance.Window, now time.Time) bool { return w.ID != 0 && !now.Before(w.StartsAt) }

func windowFields(w maintenance.Window, now time.Time, form url.Values) web.Fields {
	zone := now.Location()
	end := w.EndsAt
	if w.UntilEnded {
		end = time.Time{}
	}
	fields := web.Fields{{Name: "reason", Label: "Reason", Kind: "text", Value: w.Reason, Optional: true, Hint: "Shown to your team."}}
	ends := web.Field{Name: "ends_at", Label: "Ends (" + zone.String() + ")", Kind: "datetime-local", Value: web.FormTime(end, zone), Optional: true, Hint: "At most 30 days after the start. Leave empty to end it yourself, within 7 days."}
	if started(w, now) {
		fields = append(fields, ends)
	} else {
		fields = append(fields,
			web.Field{Name: "starts_at", Label: "Starts (" + zone.String() + ")", Kind: "datetime-local", Value: web.FormTime(w.StartsAt, zone), Optional: true, Hint: "Defaults to now."}, ends,
			web.Field{Name: "errors", Label: "Also hold notifications about errors", Kind: "tick", On: w.Errors, Hint: "Holds new, reopened and frequent errors of the whole project."})
	}
	if form == nil {
		return fields
	}
	for i := range fields {
		fields[i].Value, fields[i].On = form.Get(fields[i].Name), form.Get(fields[i].Name) == "true"
	}
	return fields
}

// windowIn returns the change of a window in a form. Forms have times to the minute, so an unchanged time keeps its seconds.
func windowIn(form url.Values, w maintenance.Window) maintenance.WindowChange {
	zone := web.ZoneIn(form)
	c := maintenance.WindowChange{Reason: sett.Some(form.Get("reason"))}
	switch ends := form.Get("ends_at"); {
	case ends == "":
		c.EndsAt = sett.Optional[string]{Sent: true, Null: true}
	case ends != web.FormTime(w.EndsAt, zone) || w.UntilEnded:
		c.EndsAt = web.TimeIn(ends, zone)
	}
	if !form.Has("starts_at") { // a window that is active
		return c
	}
	switch starts := form.Get("starts_at"); {
	case starts == "":
		c.StartsAt = sett.Optional[string]{Sent: true, Null: true}
	case starts != web.FormTime(w.StartsAt, zone):
		c.StartsAt = web.TimeIn(starts, zone)
	}
	c.SiteIDs, c.CheckInIDs, c.Errors = sett.Some(form["site"]), sett.Some(form["check_in"]), sett.Some(form.Get("errors") == "true")
	return c
}

func (p *pages) windowPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newWindowSheet(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "maintenance_form", page)
}

func (p *pages) newWindowSheet(r *http.Request, form url.Values) (*windowSheet, error) {
	found, err := p.Deliveries.MaintenanceByID(r.Context(), web.Project(r), web.PathID(r, "window_id"))
	if err != nil {
		return nil, err
	}
	page := &windowSheet{Shell: p.Shell(r, "Edit maintenance window").In("sites"), Project: web.Project(r)}
	page.Secret = true // it contains the IDs of check-ins
	if err := found.Editable(page.Now); err != nil {
		return nil, err
	}
	page.Form, err = p.newWindowForm(r, found, page.Now, form)
	return page, err
}

func (p *pages) changeWindow(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	have, err := p.Deliveries.MaintenanceByID(r.Context(), web.Project(r), web.PathID(r, "window_id"))
	if err != nil {
		return err
	}
	if err := p.Deliveries.UpdateMaintenance(r.Context(), p.Now(), have.ProjectID, have.ID, windowIn(form, have)); err != nil {
		page, failed := p.newWindowSheet(r, form)
		if failed != nil {
			return failed
		}
		page.Form.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "maintenance_form", page)
	}
	return p.Done(w, maintenanceAt(r), "saved")
}
