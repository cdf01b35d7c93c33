package user

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/web"
)

// mostAlertRows is how many projects a page of personal alerts lists.
const mostAlertRows = 100

// alertList is the page of a user's emails about their projects.
type alertList struct {
	web.Shell
	Projects []deliverydb.ProjectAlerts
	Next     int64 // the project after which the next page starts; 0 for none
}

// alertsPage lists the projects after the one in ?after=.
func (p *pages) alertsPage(w http.ResponseWriter, r *http.Request) error {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64) // an invalid number starts at the beginning
	found, err := p.Deliveries.ListPersonalAlerts(r.Context(), web.Who(r).User.ID, after, mostAlertRows+1)
	if err != nil {
		return err
	}
	page := alertList{Shell: p.Shell(r, "Notifications"), Projects: found}
	if len(found) > mostAlertRows {
		page.Projects = found[:mostAlertRows]
		page.Next = found[mostAlertRows-1].ProjectID
	}
	return p.Show(w, r, http.StatusOK, "alerts", page)
}

// alertForm is the form of a user's emails about a project.
type alertForm struct {
	web.Shell
	ProjectID int64
	Events    []tick
	Mentions  tick
	Follows   tick
	Digest    web.Field
}

// tick is a checkbox.
type tick struct {
	Name, Value, Label string
	On                 bool
}

func (p *pages) newAlertForm(r *http.Request, project deliverydb.ProjectAlerts) *alertForm {
	form := &alertForm{
		Shell: p.Shell(r, "Emails about "+project.Project), ProjectID: project.ProjectID,
		Mentions: tick{"mentions", "yes", "Comment mentions you", project.Mentions},
		Follows:  tick{"follows", "yes", "Anything happens to an error that you follow", project.Follows},
		Digest: web.Field{Name: "digest", Label: "Digest", Value: string(project.Digest), Hint: "An email with a summary of recent activity.", Choices: web.Choices(
			string(alerts.DigestOff), "Never", string(alerts.DigestDaily), "Every day at 8:00 UTC", string(alerts.DigestWeekly), "Every Monday at 8:00 UTC",
		)},
	}
	wanted := map[alerts.AlertEvent]bool{}
	for _, e := range project.Events {
		wanted[e] = true
	}
	for _, e := range alerts.PersonalAlertEvents() {
		form.Events = append(form.Events, tick{"events", string(e), alertLabel(e), wanted[e]})
	}
	form.Here = "/me/alerts"
	return form
}

// alertLabel returns the label of an event for a user, who hears only of their own errors when one is assigned.
func alertLabel(e alerts.AlertEvent) string {
	if e == alerts.AlertAssigned {
		return "Error assigned to you"
	}
	return web.EventLabel(e)
}

func (p *pages) alertFormPage(w http.ResponseWriter, r *http.Request) error {
	project, err := p.Deliveries.PersonalAlerts(r.Context(), web.Who(r).User.ID, web.PathID(r, "project_id"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "alert_form", p.newAlertForm(r, project))
}

func (p *pages) changeAlerts(w http.ResponseWriter, r *http.Request) error {
	project, err := p.Deliveries.PersonalAlerts(r.Context(), web.Who(r).User.ID, web.PathID(r, "project_id"))
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Deliveries.ChangeOwnAlerts(r.Context(), p.Now(), web.Who(r).Session, project.ProjectID, chosenAlerts(form)); err != nil {
		return p.Again(w, r, err, "alert_form", p.newAlertForm(r, project))
	}
	return p.Done(w, fmt.Sprint("/me/alerts/", project.ProjectID), "alerts")
}

// chosenAlerts returns the choices of a form; unchecked checkboxes are not sent.
func chosenAlerts(form url.Values) alerts.PersonalAlertsChange {
	return alerts.PersonalAlertsChange{
		Events: sett.Some(form["events"]), Mentions: sett.Some(form.Get("mentions") != ""), Follows: sett.Some(form.Get("follows") != ""),
		Digest: sett.Some(form.Get("digest")),
	}
}
