package api

import (
	"net/http"
	"slices"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
)

const (
	incidentsPath       = "/v2/accounts/{account_id}/status_pages/{status_page_id}/incidents"
	incidentPath        = incidentsPath + "/{incident_id}"
	incidentUpdatesPath = incidentPath + "/updates"
	incidentUpdatePath  = incidentUpdatesPath + "/{update_id}"
)

func (a *API) statusIncidentRoutes() []serve.Route {
	const tag = "Status pages"
	return []serve.Route{
		{
			Method: "GET", Path: incidentsPath, Name: "listIncidents", Tag: tag, Permission: accounts.ReadAccount,
			Query: incidentQuery{}, Result: serve.List[Incident]{}, Handle: a.listIncidents,
			Doc: "List the incidents and scheduled maintenance of a status page. The latest start comes first.",
		},
		{
			Method: "POST", Path: incidentsPath, Name: "createIncident", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: createIncidentBody{}, Result: Incident{}, Status: http.StatusCreated, Handle: a.createIncident,
			Doc: "Create an incident, or schedule maintenance, which starts and ends automatically.",
		},
		{
			Method: "GET", Path: incidentPath, Name: "getIncident", Tag: tag, Permission: accounts.ReadAccount,
			Result: Incident{}, Handle: a.getIncident,
			Doc: "Get an incident with its updates.",
		},
		{
			Method: "PUT", Path: incidentPath, Name: "updateIncident", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: incidentBody{}, Status: http.StatusNoContent, Handle: a.updateIncident,
			Doc: "Update the name, affected components or times of an incident. Change its status with an update. An automatic incident is no longer automatic after this.",
		},
		{
			Method: "DELETE", Path: incidentPath, Name: "deleteIncident", Tag: tag, Permission: accounts.ManageStatusPages,
			Status: http.StatusNoContent, Handle: a.deleteIncident,
			Doc: "Delete an incident with its updates. An automatic incident cannot be deleted during its outage; end it with an update.",
		},
		{
			Method: "POST", Path: incidentUpdatesPath, Name: "createIncidentUpdate", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: incidentUpdateBody{}, Result: IncidentUpdate{}, Status: http.StatusCreated, Handle: a.createIncidentUpdate,
			Doc: "Post an update of an incident with its status. A past incident is reopened by any status that is not final. An automatic incident is no longer automatic after this.",
		},
		{
			Method: "PUT", Path: incidentUpdatePath, Name: "updateIncidentUpdate", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: incidentUpdateBody{}, Status: http.StatusNoContent, Handle: a.updateIncidentUpdate,
			Doc: "Change the message of an update. Subscribers are not notified again.",
		},
		{
			Method: "DELETE", Path: incidentUpdatePath, Name: "deleteIncidentUpdate", Tag: tag, Permission: accounts.ManageStatusPages,
			Status: http.StatusNoContent, Handle: a.deleteIncidentUpdate,
			Doc: "Delete an update. The status of the incident then follows from its other updates. The only update of an incident cannot be deleted.",
		},
	}
}

// Incident is an incident or maintenance of a status page.
type Incident struct {
	ID         int64                 `json:"id"`
	Kind       status.IncidentKind   `json:"kind" enum:"incident,maintenance"`
	Name       string                `json:"name"`
	Status     status.IncidentStatus `json:"status" enum:"investigating,identified,monitoring,resolved,scheduled,in_progress,completed" doc:"Status of the newest update; the last three are for maintenance."`
	Automatic  bool                  `json:"automatic" doc:"True for an incident that outages opened and no user has updated; it ends with the outages."`
	Impact     status.Impact         `json:"impact" enum:"none,minor,major,critical," doc:"How bad it is, as chosen; empty where it follows from the affected components."`
	SiteIDs    []UUID                `json:"site_ids" doc:"The affected sites. Without any sites and check-ins, including no_longer_shown, the incident affects the whole page."`
	CheckInIDs []string              `json:"check_in_ids" doc:"The affected check-ins. Their ids are secret, and empty for users who cannot see the project."`
	Gone       []string              `json:"no_longer_shown" doc:"Names of affected sites and check-ins that the page no longer shows. With any of them, the incident does not affect the whole page."`
	StartsAt   time.Time             `json:"starts_at" doc:"Start of the incident, or scheduled start of maintenance."`
	EndsAt     *time.Time            `json:"ends_at" doc:"Scheduled end of maintenance; null for incidents."`
	ResolvedAt *time.Time            `json:"resolved_at" doc:"Null while it is active or scheduled."`
	CreatedAt  time.Time             `json:"created_at"`
	UpdatedAt  time.Time             `json:"updated_at"`
	Updates    []IncidentUpdate      `json:"updates" doc:"Newest first."`

	PostMortem            *string    `json:"postmortem" doc:"What happened, and what was done about it, in Markdown; null for none, and for a draft that the user may not change."`
	PostMortemPublished   bool       `json:"postmortem_published" doc:"Whether visitors see the post-mortem; otherwise it is a draft."`
	PostMortemPublishedAt *time.Time `json:"postmortem_published_at" doc:"Null for a draft, and without a post-mortem."`
}

// IncidentUpdate is what was said about an incident at one time.
type IncidentUpdate struct {
	ID        int64                 `json:"id"`
	Status    status.IncidentStatus `json:"status" enum:"investigating,identified,monitoring,resolved,scheduled,in_progress,completed"`
	Message   string                `json:"message"`
	Automatic bool                  `json:"automatic" doc:"True if sett wrote it."`
	CreatedAt time.Time             `json:"created_at"`
}

// viewIncidents returns the view of incidents of the status page in the path: ids of check-ins only for users who can see
// them anyway, and drafts of post-mortems only for those who may write them.
func (a *API) viewIncidents(r *http.Request) (func(statusdb.ShownIncident) Incident, error) {
	account, id, _ := incidentPlace(r)
	projects, err := a.Accounts.VisibleProjectIDs(r.Context(), userID(r))
	if err != nil {
		return nil, err
	}
	page, err := a.Status.WatchedStatusPage(r.Context(), account, id)
	if err != nil {
		return nil, err
	}
	shown := map[int64]string{} // ids of check-ins, by component
	for _, c := range page.Watched {
		if slices.Contains(projects, c.ProjectID) {
			shown[c.ID] = c.CheckInID
		}
	}
	manages, err := a.managesStatusPages(r)
	return func(i statusdb.ShownIncident) Incident {
		if !manages {
			i.StatusIncident = i.Shown()
		}
		return viewIncident(i, shown)
	}, err
}

func viewIncident(i statusdb.ShownIncident, checkIns map[int64]string) Incident {
	v := Incident{
		ID: i.ID, Kind: i.Kind, Name: i.Name, Status: i.Status, Automatic: i.Automatic, Impact: i.Impact, SiteIDs: []UUID{}, CheckInIDs: []string{},
		Gone:     append([]string{}, i.Gone...),
		StartsAt: i.StartsAt, EndsAt: nullTime(i.EndsAt), ResolvedAt: nullTime(i.ResolvedAt), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
		Updates: viewAll(i.Updates, viewIncidentUpdate), PostMortem: nullText(i.PostMortem.Message), PostMortemPublished: i.PostMortem.Public(),
		PostMortemPublishedAt: nullTime(i.PostMortem.PublishedAt),
	}
	for _, id := range i.ComponentIDs {
		if c, ok := i.Page.Component(id); ok && c.IsSite() {
			v.SiteIDs = append(v.SiteIDs, viewUUID(c.SiteID))
		} else if ok {
			v.CheckInIDs = append(v.CheckInIDs, checkIns[id])
		}
	}
	return v
}

func viewIncidentUpdate(u status.IncidentUpdate) IncidentUpdate {
	return IncidentUpdate{ID: u.ID, Status: u.Status, Message: u.Message, Automatic: u.Automatic, CreatedAt: u.At}
}

// incidentQuery says which incidents are listed.
type incidentQuery struct {
	State string `query:"state" enum:"open,past" doc:"Only active and scheduled ones (open), or past ones (past)."`
}

// incidentPlace is where the path of a request says that an incident is.
func incidentPlace(r *http.Request) (account, page string, incident int64) {
	return r.PathValue("account_id"), r.PathValue("status_page_id"), pathID(r, "incident_id")
}

// checkIncident returns a NotFound error when the status page, or the incident, in the path is not there: that is said
// before anything of the body.
func (a *API) checkIncident(r *http.Request) (err error) {
	account, page, id := incidentPlace(r)
	if r.PathValue("incident_id") == "" {
		_, err = a.Status.StatusPageByID(r.Context(), account, page)
	} else {
		_, err = a.Status.IncidentByID(r.Context(), account, page, id)
	}
	return err
}

func (a *API) listIncidents(w http.ResponseWriter, r *http.Request) error {
	if err := a.checkIncident(r); err != nil {
		return err
	}
	var q incidentQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	account, status, _ := incidentPlace(r)
	found, marks, err := a.Status.ListIncidents(r.Context(), account, status, statusdb.IncidentFilter{State: statusdb.IncidentState(q.State), Page: page.Page})
	if err != nil {
		return err
	}
	view, err := a.viewIncidents(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, view), marks))
}

func (a *API) getIncident(w http.ResponseWriter, r *http.Request) error {
	account, page, id := incidentPlace(r)
	i, err := a.Status.IncidentByID(r.Context(), account, page, id)
	if err != nil {
		return err
	}
	return a.writeIncident(w, r, http.StatusOK, i)
}

// incidentBody is the body of an incident's update.
type incidentBody struct {
	Incident sett.Optional[status.IncidentChange] `json:"incident" required:"true"`
}

// createIncidentBody is the body that makes an incident.
type createIncidentBody struct {
	Incident sett.Optional[status.IncidentChange] `json:"incident" required:"true" needs:"name,message"`
}

func (a *API) readIncident(w http.ResponseWriter, r *http.Request) (change status.IncidentChange, err error) {
	if err := a.checkIncident(r); err != nil {
		return change, err
	}
	var body incidentBody
	return readOwn(w, r, &body, &body.Incident, "incident", `{"name": "Slow checkout", "message": "We are investigating."}`, Incident{})
}

func (a *API) createIncident(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readIncident(w, r)
	if err != nil {
		return err
	}
	account, page, _ := incidentPlace(r)
	made, err := a.Status.CreateIncident(r.Context(), a.Now(), account, page, change)
	if err != nil {
		return err
	}
	return a.writeIncident(w, r, http.StatusCreated, made)
}

func (a *API) writeIncident(w http.ResponseWriter, r *http.Request, status int, i statusdb.ShownIncident) error {
	view, err := a.viewIncidents(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, status, view(i))
}

func (a *API) updateIncident(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readIncident(w, r)
	if err != nil {
		return err
	}
	account, page, id := incidentPlace(r)
	return done(w, http.StatusNoContent, a.Status.UpdateIncident(r.Context(), a.Now(), account, page, id, change))
}

func (a *API) deleteIncident(w http.ResponseWriter, r *http.Request) error {
	account, page, id := incidentPlace(r)
	return done(w, http.StatusNoContent, a.Status.DeleteIncident(r.Context(), a.Now(), account, page, id))
}

// incidentUpdateBody is the body of an update of an incident.
type incidentUpdateBody struct {
	Update sett.Optional[status.IncidentUpdateChange] `json:"update" required:"true"`
}

func (a *API) readIncidentUpdate(w http.ResponseWriter, r *http.Request) (change status.IncidentUpdateChange, err error) {
	if err := a.checkIncidentUpdate(r); err != nil {
		return change, err
	}
	var body incidentUpdateBody
	return readOwn(w, r, &body, &body.Update, "update", `{"status": "resolved", "message": "It works again."}`, IncidentUpdate{})
}

// checkIncidentUpdate is checkIncident for what an update of it is asked for.
func (a *API) checkIncidentUpdate(r *http.Request) error {
	account, page, id := incidentPlace(r)
	i, err := a.Status.IncidentByID(r.Context(), account, page, id)
	if err == nil && r.PathValue("update_id") != "" {
		_, err = i.UpdateByID(pathID(r, "update_id"))
	}
	return err
}

func (a *API) createIncidentUpdate(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readIncidentUpdate(w, r)
	if err != nil {
		return err
	}
	account, page, id := incidentPlace(r)
	u, err := a.Status.AddIncidentUpdate(r.Context(), a.Now(), account, page, id, change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewIncidentUpdate(u))
}

func (a *API) updateIncidentUpdate(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readIncidentUpdate(w, r)
	if err != nil {
		return err
	}
	account, page, id := incidentPlace(r)
	return done(w, http.StatusNoContent, a.Status.ChangeIncidentUpdate(r.Context(), a.Now(), account, page, id, pathID(r, "update_id"), change))
}

func (a *API) deleteIncidentUpdate(w http.ResponseWriter, r *http.Request) error {
	account, page, id := incidentPlace(r)
	return done(w, http.StatusNoContent, a.Status.DeleteIncidentUpdate(r.Context(), a.Now(), account, page, id, pathID(r, "update_id")))
}
