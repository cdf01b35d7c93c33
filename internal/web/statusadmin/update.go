package statusadmin

import (
	"net/http"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/web"
)

func formatID(id int64) string { return strconv.FormatInt(id, 10) }

// updateFields returns the fields of a new update.
func updateFields(i status.StatusIncident) web.Fields {
	var statuses []string
	for _, s := range i.Kind.Statuses() {
		statuses = append(statuses, string(s), capital(string(s)))
	}
	return web.Fields{
		{Name: "status", Label: "Status", Value: string(i.Status), Choices: web.Choices(statuses...)},
		{Name: "message", Label: "Message", Kind: "area", Hint: "Shown to everyone who views the page and sent to its subscribers. Line breaks are kept."},
	}
}

func (p *pages) createUpdate(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	c := status.IncidentUpdateChange{Status: sett.Some(form.Get("status")), Message: sett.Some(form.Get("message")), CreatedAt: web.TimeIn(form.Get("created_at"), web.ZoneIn(form))}
	_, err = p.Status.AddIncidentUpdate(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), incidentID(r), c)
	if err != nil {
		return p.refuseUpdate(w, r, err, func(page *incidentPage) {
			fill(page.Fields, form)
			page.Fields.Explain(sett.ProblemsOf(err))
		})
	}
	return p.Done(w, to(r, "/incidents/"+formatID(incidentID(r))), "update_made")
}

// refuseUpdate shows the page of the incident with the problem of a form; mark adds it to the fields.
func (p *pages) refuseUpdate(w http.ResponseWriter, r *http.Request, refused error, mark func(*incidentPage)) error {
	page, err := p.newIncidentPage(r)
	if err != nil {
		return err
	}
	mark(page)
	return p.Again(w, r, refused, "status_incident", page)
}

func updateID(r *http.Request) int64 { return web.PathID(r, "update_id") }

func (p *pages) saveUpdate(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	c := status.IncidentUpdateChange{Message: sett.Some(form.Get("message"))}
	err = p.Status.ChangeIncidentUpdate(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), incidentID(r), updateID(r), c)
	if err != nil {
		return p.refuseUpdate(w, r, err, func(page *incidentPage) {
			for i := range page.Updates {
				if u := &page.Updates[i]; u.ID == updateID(r) {
					fields := web.Fields{u.Field}
					fill(fields, form)
					fields.Explain(sett.ProblemsOf(err))
					u.Field, u.Open = fields[0], true
				}
			}
		})
	}
	return p.Done(w, to(r, "/incidents/"+formatID(incidentID(r))), "saved")
}

func (p *pages) removeUpdate(w http.ResponseWriter, r *http.Request) error {
	err := p.Status.DeleteIncidentUpdate(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), incidentID(r), updateID(r))
	if err != nil {
		return p.refuseUpdate(w, r, err, func(*incidentPage) {})
	}
	return p.Done(w, to(r, "/incidents/"+formatID(incidentID(r))), "update_gone")
}
