package api

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

const acknowledgementsPath = "/v2/projects/{project_id}/acknowledgements"

func (a *API) acknowledgementRoutes() []serve.Route {
	const tag = "Acknowledgements"
	return []serve.Route{
		{
			Method: "GET", Path: acknowledgementsPath, Name: "listAcknowledgements", Tag: tag, Permission: accounts.ReadProject,
			Result: []Acknowledgement{}, Handle: a.listAcknowledgements,
			Doc: "List who looks at which problems of a project, newest first. Problems that have ended are not listed.",
		},
		{
			Method: "POST", Path: acknowledgementsPath, Name: "createAcknowledgement", Tag: tag, Permission: accounts.WorkFaults,
			Body: acknowledgementBody{}, Result: Acknowledgement{}, Status: http.StatusCreated, Handle: a.createAcknowledgement,
			Doc: "Say that you look at a problem: a site that is down, a check-in that is missing or failing, an alarm that is raised, or an unresolved fault. Its alerts are not sent on to other channels then. The problem stays as it is. The acknowledgement ends with the problem. If there is no problem, the answer is 409.",
		},
		{
			Method: "DELETE", Path: acknowledgementsPath + "/{acknowledgement_id}", Name: "deleteAcknowledgement", Tag: tag, Permission: accounts.WorkFaults,
			Status: http.StatusNoContent, Handle: a.deleteAcknowledgement,
			Doc: "Take an acknowledgement back.",
		},
	}
}

// Acknowledgement says that a user looks at a problem.
type Acknowledgement struct {
	ID        int64        `json:"id"`
	ProjectID int64        `json:"project_id"`
	Kind      string       `json:"kind" enum:"site,check_in,alarm,fault" doc:"What has the problem."`
	ThingID   string       `json:"thing_id" doc:"Its id, as text."`
	Name      string       `json:"name" doc:"What it was called then."`
	Since     time.Time    `json:"since" doc:"When the problem began."`
	By        *sett.Person `json:"by" doc:"Null if the user no longer exists."`
	Way       string       `json:"way" enum:"page,mail,message,api,command" doc:"How they acknowledged it: on a page, by the link in a personal mail or in the message of a channel, through the API or on the command line."`
	At        time.Time    `json:"at"`
}

func viewAcknowledgement(a alerts.Acknowledgement) Acknowledgement {
	return Acknowledgement{
		ID: a.ID, ProjectID: a.ProjectID, Kind: a.Subject.Kind(), ThingID: a.Subject.ID(), Name: a.Name, Since: a.Began, By: a.By, Way: string(a.Way), At: a.At,
	}
}

func (a *API) listAcknowledgements(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Deliveries.Acknowledgements(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(found, viewAcknowledgement))
}

// acknowledgementBody is the body that creates an acknowledgement.
type acknowledgementBody struct {
	Acknowledgement sett.Optional[acknowledged] `json:"acknowledgement" required:"true"`
}

// acknowledged names what has the problem.
type acknowledged struct {
	Kind    sett.Optional[string] `json:"kind" required:"true" enum:"site,check_in,alarm,fault" doc:"What has the problem."`
	ThingID sett.Optional[string] `json:"thing_id" required:"true" doc:"Its id, as text." example:"1042"`
	Way     sett.Optional[string] `json:"way,omitzero" enum:"api,command" doc:"api by default."`
}

const acknowledgementExample = `{"kind": "fault", "thing_id": "1042"}`

func (a *API) createAcknowledgement(w http.ResponseWriter, r *http.Request) error {
	var body acknowledgementBody
	of, err := readOwn(w, r, &body, &body.Acknowledgement, "acknowledgement", acknowledgementExample, Acknowledgement{})
	if err != nil {
		return err
	}
	subject, err := of.subject()
	if err != nil {
		return err
	}
	way := cmp.Or(of.Way.Value, string(alerts.ByAPI))
	made, err := a.Deliveries.Acknowledge(r.Context(), a.Now(), pathID(r, "project_id"), userID(r), subject, alerts.AcknowledgedBy(way))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewAcknowledgement(made))
}

// subject returns what alerts call the thing, or an Invalid error.
func (of acknowledged) subject() (alerts.AlertSubject, error) {
	var p sett.Problems
	sett.Check(&p, "kind", of.Kind)
	sett.Check(&p, "thing_id", of.ThingID)
	if way := alerts.AcknowledgedBy(of.Way.Value); sett.Check(&p, "way", of.Way) && way != alerts.ByAPI && way != alerts.ByCommand {
		p.Add("way", "must be api or command")
	}
	if err := p.Refusal(); err != nil {
		return "", err
	}
	subject, ok := alerts.SubjectOf(of.Kind.Value, of.ThingID.Value)
	if !ok {
		p.Add("thing_id", "must be the id of a thing of one of these kinds: %s", strings.Join(alerts.AcknowledgedKinds(), ", "))
	}
	return subject, p.Refusal()
}

func (a *API) deleteAcknowledgement(w http.ResponseWriter, r *http.Request) error {
	_, err := a.Deliveries.Unacknowledge(r.Context(), pathID(r, "project_id"), pathID(r, "acknowledgement_id"))
	return done(w, http.StatusNoContent, err)
}
