package statusadmin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
	"sett/internal/web"
)

// incidentList is the incidents of a status page.
type incidentList struct {
	about
	State     statusdb.IncidentState
	Incidents []incidentRow
	Pager     web.Pager
	Empty     web.Empty
}

// incidentRow is one of them.
type incidentRow struct {
	status.StatusIncident
	Is    web.State
	About []string // names of the affected components; none: the whole page
}

// Planned reports whether it is scheduled maintenance.
func (i incidentRow) Planned() bool { return i.Kind == status.Maintenance }

func rowOfIncident(i status.StatusIncident, page status.StatusPage) incidentRow {
	row := incidentRow{StatusIncident: i, Is: incidentWords(i), About: slices.Clone(i.Gone)}
	for _, id := range i.ComponentIDs {
		if c, ok := page.Component(id); ok && c.DisplayName != "" {
			row.About = append(row.About, affectedName(i, id, c.DisplayName))
		}
	}
	return row
}

const incidentsPerPage = 25

func (p *pages) incidents(w http.ResponseWriter, r *http.Request) error {
	filter := statusdb.IncidentFilter{State: incidentState(r), Page: web.PageOf(r, incidentsPerPage)}
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	found, marks, err := p.Status.ListIncidents(r.Context(), one.AccountID, one.ID, filter)
	if err != nil {
		return err
	}
	page := incidentList{about: p.about(r, one.StatusPage, "incidents", "incidents"), State: filter.State, Pager: p.NewPager(r, marks), Empty: web.Empty{
		Title: "No incidents", Text: "An incident informs visitors and subscribers about a problem and your progress. Maintenance is scheduled in advance.",
		Manual: p.At("/docs/status-pages"),
	}}
	if page.May(accounts.ManageStatusPages) {
		page.Empty.Action, page.Empty.Link = "Report an incident", p.At(page.At("/incidents/new"))
	}
	for _, i := range found {
		page.Incidents = append(page.Incidents, rowOfIncident(i.StatusIncident, named(one)))
	}
	return p.Show(w, r, http.StatusOK, "status_incidents", page)
}

// named returns a page with the public names of its components.
func named(one status.WatchedStatusPage) status.StatusPage {
	page := one.StatusPage
	page.Components = slices.Clone(page.Components)
	for i := range page.Components {
		for _, c := range one.Watched {
			if c.ID == page.Components[i].ID {
				page.Components[i].DisplayName = c.Name
			}
		}
	}
	return page
}

// incidentPage is an incident with its updates.
type incidentPage struct {
	about
	Incident incidentRow
	Fields   web.Fields // of the next update
	Updates  []updateRow
	From     chosenTemplate

	PostMortem postMortemForm
}

// updateRow is an update with the field to edit it.
type updateRow struct {
	status.IncidentUpdate
	Status string
	Field  web.Field
	Open   bool
}

func (p *pages) newIncidentPage(r *http.Request) (*incidentPage, error) {
	one, i, err := p.find(r)
	if err != nil {
		return nil, err
	}
	page := &incidentPage{about: p.about(r, one.StatusPage, i.Name, "incidents"), Incident: rowOfIncident(i, named(one))}
	page.Fields = append(updateFields(i), timeField("created_at", "When", time.Time{}, page.Now.Location(), "Defaults to now. If this update resolves the incident, it ended then."))
	if i.Kind == status.Disruption {
		from, t, err := p.choose(r, one.StatusPage, to(r, "/incidents/"+formatID(i.ID)))
		if err != nil {
			return nil, err
		}
		if page.From = from; t.ID != 0 {
			page.Fields[0].Value, page.Fields[1].Value = string(t.Status), t.Message
		}
	}
	page.PostMortem = newPostMortemForm(i)
	for _, u := range i.Updates {
		id := "update-" + formatID(u.ID)
		page.Updates = append(page.Updates, updateRow{u, capital(string(u.Status)), web.Field{Name: "message", ID: id, Label: "Message", Kind: "area", Value: u.Message}, false})
	}
	return page, nil
}

// find returns the status page and the incident of a request.
func (p *pages) find(r *http.Request) (status.WatchedStatusPage, status.StatusIncident, error) {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return one, status.StatusIncident{}, err
	}
	i, err := p.Status.IncidentByID(r.Context(), one.AccountID, one.ID, incidentID(r))
	return one, i.StatusIncident, err
}

func incidentID(r *http.Request) int64 { return web.PathID(r, "incident_id") }

func (p *pages) incident(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newIncidentPage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_incident", page)
}

// incidentForm is the form of a new or existing incident.
type incidentForm struct {
	about
	Kind    status.IncidentKind
	ID      int64 // 0: a new incident
	Name    string
	Fields  web.Fields
	Choices []choice         // components that maintenance may affect
	Effects []affectedChoice // components that an incident may affect
	From    chosenTemplate
}

// Planned reports whether the form is for scheduled maintenance.
func (f incidentForm) Planned() bool { return f.Kind == status.Maintenance }

// incidentFields returns the fields of an incident, with times in a zone; a new incident also has those of its first update.
func incidentFields(i status.StatusIncident, zone *time.Location) web.Fields {
	fields := web.Fields{{Name: "name", Label: "Title", Kind: "text", Value: i.Name}}
	if i.ID == 0 {
		fields = append(fields, updateFields(i)...)
	}
	if i.Kind == status.Disruption {
		fields = append(fields, impactField(i))
	}
	begins := timeField("starts_at", "Started", i.StartsAt, zone, "Defaults to now.")
	switch {
	case i.Kind == status.Maintenance:
		begins = timeField("starts_at", "Starts", i.StartsAt, zone, "Maintenance starts and ends at these times, unless you start or end it earlier.")
		ends := timeField("ends_at", "Ends", i.EndsAt, zone, "At most 30 days after the start.")
		begins.Optional, ends.Optional = false, false
		return append(fields, begins, ends)
	case i.ID == 0:
		return append(fields, begins, timeField("resolved_at", "Ended", i.ResolvedAt, zone, "Fill in only if it is over. It is then resolved, and subscribers are not notified."))
	case !i.ResolvedAt.IsZero():
		ended := timeField("resolved_at", "Ended", i.ResolvedAt, zone, "")
		ended.Optional = false
		return append(fields, begins, ended)
	}
	return append(fields, begins)
}

// timeField returns an optional field for a time, whose label names the zone.
func timeField(name, label string, at time.Time, zone *time.Location, hint string) web.Field {
	return web.Field{Name: name, Label: label + " (" + zone.String() + ")", Kind: "datetime-local", Value: web.FormTime(at, zone), Optional: true, Hint: hint}
}

func (p *pages) incidentForm(r *http.Request, one status.WatchedStatusPage, i status.StatusIncident, form url.Values) *incidentForm {
	title := "Report an incident"
	switch {
	case i.ID != 0:
		title = i.Name
	case i.Kind == status.Maintenance:
		title = "Schedule maintenance"
	}
	page := &incidentForm{about: p.about(r, one.StatusPage, title, "incidents"), Kind: i.Kind, ID: i.ID, Name: title}
	page.Fields = incidentFields(i, page.Now.Location())
	if form != nil {
		fill(page.Fields, form)
	}
	chosen := form["component"]
	if form == nil {
		chosen = effectKeys(i, one.StatusPage)
	}
	if !page.Planned() {
		page.Effects = effectsOf(one, chosen)
	}
	for _, c := range one.Watched {
		if key := keyOf(status.StatusChoice{SiteID: c.SiteID, CheckInID: c.CheckInID}); page.Planned() {
			page.Choices = append(page.Choices, choice{key, c.Name, slices.Contains(chosen, key)})
		}
	}
	page.Secret = true // it contains the IDs of check-ins
	return page
}

func kindOf(text string) status.IncidentKind {
	if text == string(status.Maintenance) {
		return status.Maintenance
	}
	return status.Disruption
}

func (p *pages) newIncident(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	i := status.StatusIncident{Kind: kindOf(r.URL.Query().Get("kind"))}
	i.Status = i.Kind.Statuses()[0]
	if i.Kind == status.Maintenance {
		return p.Show(w, r, http.StatusOK, "status_incident_form", p.incidentForm(r, one, i, nil))
	}
	from, t, err := p.choose(r, one.StatusPage, to(r, "/incidents/new"))
	if err != nil {
		return err
	}
	if t.ID != 0 {
		i = t.Incident()
	}
	page := p.incidentForm(r, one, i, nil)
	page.From = from
	page.Fields[2].Value = t.Message
	return p.Show(w, r, http.StatusOK, "status_incident_form", page)
}

// incidentIn returns the incident in a form.
func incidentIn(form url.Values) status.IncidentChange {
	zone := web.ZoneIn(form)
	c := status.IncidentChange{
		Name: sett.Some(form.Get("name")), SiteIDs: sett.Some([]string{}), CheckInIDs: sett.Some([]string{}), StartsAt: web.TimeIn(form.Get("starts_at"), zone),
	}
	if form.Has("ends_at") {
		c.EndsAt = web.TimeIn(form.Get("ends_at"), zone)
	}
	if form.Has("impact") {
		c.Impact = sett.Some(form.Get("impact"))
	}
	if form.Has("resolved_at") {
		c.ResolvedAt = web.TimeIn(form.Get("resolved_at"), zone)
	}
	c.States = map[string]status.ComponentState{}
	for _, value := range form["component"] {
		key, state, _ := strings.Cut(value, " ")
		if key == "" {
			continue
		}
		shown := shownIn(status.StatusPageChange{}, componentRow{Key: key})
		for _, s := range shown.Sites.Value {
			c.SiteIDs.Value, c.States[s.SiteID.Value] = append(c.SiteIDs.Value, s.SiteID.Value), status.ComponentState(state)
		}
		for _, s := range shown.CheckIns.Value {
			c.CheckInIDs.Value, c.States[s.CheckInID.Value] = append(c.CheckInIDs.Value, s.CheckInID.Value), status.ComponentState(state)
		}
	}
	return c
}

// incidentOf returns the change of an existing incident. Forms have times to the minute, so an unchanged time keeps its seconds.
func incidentOf(i status.StatusIncident, form url.Values) status.IncidentChange {
	c, zone := incidentIn(form), web.ZoneIn(form)
	if form.Get("starts_at") == web.FormTime(i.StartsAt, zone) {
		c.StartsAt = sett.Optional[string]{}
	}
	if form.Get("ends_at") == web.FormTime(i.EndsAt, zone) {
		c.EndsAt = sett.Optional[string]{}
	}
	if form.Get("resolved_at") == web.FormTime(i.ResolvedAt, zone) {
		c.ResolvedAt = sett.Optional[string]{}
	}
	return c
}

func (p *pages) createIncident(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	c := incidentIn(form)
	c.Kind, c.Status, c.Message = sett.Some(form.Get("kind")), sett.Some(form.Get("status")), sett.Some(form.Get("message"))
	if c.ResolvedAt.Filled() { // the end says which status it has
		c.Status = sett.Optional[string]{}
	}
	made, err := p.Status.CreateIncident(r.Context(), p.Now(), one.AccountID, one.ID, c)
	if err != nil {
		i := status.StatusIncident{Kind: kindOf(form.Get("kind"))}
		i.Status = i.Kind.Statuses()[0]
		return p.refuseIncident(w, r, p.incidentForm(r, one, i, form), err)
	}
	return p.Done(w, to(r, "/incidents/"+formatID(made.ID)), "incident_made")
}

func (p *pages) refuseIncident(w http.ResponseWriter, r *http.Request, page *incidentForm, err error) error {
	page.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "status_incident_form", page)
}

func (p *pages) editIncident(w http.ResponseWriter, r *http.Request) error {
	one, i, err := p.find(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_incident_form", p.incidentForm(r, one, i, nil))
}

func (p *pages) saveIncident(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	one, i, err := p.find(r)
	if err != nil {
		return err
	}
	if err := p.Status.UpdateIncident(r.Context(), p.Now(), one.AccountID, one.ID, i.ID, incidentOf(i, form)); err != nil {
		return p.refuseIncident(w, r, p.incidentForm(r, one, i, form), err)
	}
	return p.Done(w, to(r, "/incidents/"+formatID(i.ID)), "saved")
}

func (p *pages) removeIncident(w http.ResponseWriter, r *http.Request) error {
	err := p.Status.DeleteIncident(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), incidentID(r))
	if sett.CodeOf(err) == sett.Invalid {
		return p.refuseUpdate(w, r, err, func(*incidentPage) {})
	}
	if err != nil {
		return err
	}
	return p.Done(w, to(r, "/incidents"), "incident_gone")
}
