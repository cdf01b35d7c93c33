package project

import (
	"fmt"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/web"
)

const (
	acknowledgePath     = "/acknowledge/{alert_id}"
	acknowledgeMailPath = acknowledgePath + "/{token}"
	acknowledgedPath    = "/projects/{project_id}/acknowledgements"
)

// acknowledgeRoutes are the forms of the pages of things with problems, and the pages that links in messages lead to. The link in a personal
// mail has a secret and needs no session. None of them changes anything by GET: mail programs and chats open links by themselves.
func (p *pages) acknowledgeRoutes() []serve.Route {
	return []serve.Route{
		web.Post(acknowledgedPath, "acknowledge", accounts.WorkFaults, p.acknowledge, "Acknowledge a problem."),
		web.Post(acknowledgedPath+"/{acknowledgement_id}/delete", "takeBackAcknowledgement", accounts.WorkFaults, p.takeBack, "Take an acknowledgement back."),
		web.Get(acknowledgePath, "acknowledgePage", accounts.SignedIn, p.acknowledgePage, "What the link in a message of a channel acknowledges."),
		web.Get(acknowledgeMailPath, "acknowledgeMailPage", accounts.Public, p.acknowledgeMailPage, "What the link in a mail acknowledges."),
		web.Post(acknowledgeMailPath, "acknowledgeByMail", accounts.Public, p.acknowledgeByMail, "Acknowledge by the link in a mail."),
	}
}

func (p *pages) acknowledge(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	subject, ok := alerts.SubjectOf(form.Get("kind"), form.Get("thing_id"))
	if !ok {
		return sett.Errorf(sett.NotFound, "There is no such thing in this project.")
	}
	way := alerts.ByPage
	if form.Get("way") == string(alerts.ByMessage) {
		way = alerts.ByMessage
	}
	if _, err := p.Deliveries.Acknowledge(r.Context(), p.Now(), web.Project(r), web.Who(r).User.ID, subject, way); err != nil {
		return err
	}
	return p.Done(w, web.PathOf(web.Project(r), subject), "acknowledged")
}

// takeBack returns to the page that the form was on.
func (p *pages) takeBack(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	subject, err := p.Deliveries.Unacknowledge(r.Context(), web.Project(r), web.PathID(r, "acknowledgement_id"))
	if err != nil {
		return err
	}
	return p.Done(w, web.PathOf(web.Project(r), subject), "acknowledgement_taken_back")
}

// acknowledgeForm is the page of the link in a message: one button.
type acknowledgeForm struct {
	web.Shell
	Of    deliverydb.Acknowledging
	Going string // that the problem goes on, in a sentence
	Path  string // that the form is sent to
	Page  string // of what is wrong
	Mail  bool   // the link names the user
}

// Button is the text of the button; who acknowledges by a link in their mail is named.
func (f *acknowledgeForm) Button() string {
	if f.Mail {
		return "Acknowledge as " + f.Of.User.Called()
	}
	return "Acknowledge"
}

func (p *pages) newAcknowledgeForm(r *http.Request, a deliverydb.Acknowledging) *acknowledgeForm {
	form := &acknowledgeForm{
		Shell: p.Shell(r, "Acknowledge"), Of: a, Mail: a.User.ID != 0, Page: web.PathOf(a.Alert.ProjectID, a.Alert.Subject), Path: r.URL.Path,
	}
	if form.Secret = form.Mail; a.Problem != nil {
		form.Going = web.NewOngoing(*a.Problem, form.Shell, a.Alert.ProjectID).Going
	}
	return form
}

func (p *pages) acknowledgePage(w http.ResponseWriter, r *http.Request) error {
	a, err := p.Deliveries.Acknowledging(r.Context(), web.PathID(r, "alert_id"))
	if err != nil {
		return err
	}
	if _, err := p.InProject(r, a.Alert.ProjectID, accounts.WorkFaults, "acknowledge"); err != nil {
		return err
	}
	form := p.newAcknowledgeForm(r, a)
	form.Path = fmt.Sprintf("/projects/%d/acknowledgements", a.Alert.ProjectID)
	return p.Show(w, r, http.StatusOK, "acknowledge", form)
}

func (p *pages) acknowledgeMailPage(w http.ResponseWriter, r *http.Request) error {
	a, err := p.Deliveries.AcknowledgingBy(r.Context(), web.PathID(r, "alert_id"), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "acknowledge", p.newAcknowledgeForm(r, a))
}

func (p *pages) acknowledgeByMail(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	a, err := p.Deliveries.AcknowledgeBy(r.Context(), p.Now(), web.PathID(r, "alert_id"), r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "acknowledge", p.newAcknowledgeForm(r, a))
}
