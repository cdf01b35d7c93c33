package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/maintenance"
)

const (
	maintenancePath       = "/v2/projects/{project_id}/maintenance_windows"
	maintenanceWindowPath = maintenancePath + "/{window_id}"
)

func (a *API) maintenanceRoutes() []serve.Route {
	const tag = "Maintenance windows"
	return []serve.Route{
		{
			Method: "GET", Path: maintenancePath, Name: "listMaintenanceWindows", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[MaintenanceWindow]{}, Handle: a.listMaintenanceWindows,
			Doc: "List the maintenance windows of a project, newest first. Windows that ended more than 400 days ago are deleted.",
		},
		{
			Method: "POST", Path: maintenancePath, Name: "createMaintenanceWindow", Tag: tag, Permission: accounts.WatchProject,
			Body: maintenanceBody{}, Result: MaintenanceWindow{}, Status: http.StatusCreated, Handle: a.createMaintenanceWindow,
			Doc: "Start a maintenance window now, or plan one. While it is active, sites are checked and check-ins are expected as usual, and their alerts are held. When it ends, one alert is sent for everything that is still down or missing; alerts about what has recovered are not sent. A project can have 100 windows that have not ended.",
		},
		{
			Method: "GET", Path: maintenanceWindowPath, Name: "getMaintenanceWindow", Tag: tag, Permission: accounts.ReadProject,
			Result: MaintenanceWindow{}, Handle: a.getMaintenanceWindow,
			Doc: "Get a maintenance window.",
		},
		{
			Method: "PUT", Path: maintenanceWindowPath, Name: "updateMaintenanceWindow", Tag: tag, Permission: accounts.WatchProject,
			Body: maintenanceBody{}, Status: http.StatusNoContent, Handle: a.updateMaintenanceWindow,
			Doc: "Update a maintenance window that has not ended. Only the fields you send change. Once it is active, only its end and its reason can change.",
		},
		{
			Method: "POST", Path: maintenanceWindowPath + "/end", Name: "endMaintenanceWindow", Tag: tag, Permission: accounts.WatchProject, Handle: a.endMaintenanceWindow,
			Doc: "End an active maintenance window now.",
		},
		{
			Method: "DELETE", Path: maintenanceWindowPath, Name: "deleteMaintenanceWindow", Tag: tag, Permission: accounts.WatchProject,
			Status: http.StatusNoContent, Handle: a.deleteMaintenanceWindow,
			Doc: "Delete a maintenance window that is planned or has ended. An active one must be ended first (409), because it may hold alerts.",
		},
	}
}

// MaintenanceWindow is a maintenance window as the interface shows one.
type MaintenanceWindow struct {
	ID          int64        `json:"id"`
	ProjectID   int64        `json:"project_id"`
	State       string       `json:"state" enum:"planned,active,ended"`
	Reason      string       `json:"reason"`
	StartsAt    time.Time    `json:"starts_at"`
	EndsAt      time.Time    `json:"ends_at" doc:"When it ends or has ended; if until_ended is true, at the latest."`
	UntilEnded  bool         `json:"until_ended" doc:"Whether it lasts until you end it."`
	SiteIDs     []string     `json:"site_ids" doc:"The only sites whose alerts are held. If both lists are empty, those of all sites and check-ins are held."`
	CheckInIDs  []string     `json:"check_in_ids"`
	Errors      bool         `json:"errors" doc:"Whether alerts about errors are held too."`
	HeldCount   int64        `json:"held_count" doc:"Alerts that it has held."`
	SentCount   int64        `json:"sent_count" doc:"Of these, alerts that were sent when it ended."`
	CreatedBy   *sett.Person `json:"created_by" doc:"Null if the user no longer exists, or for an operator on the command line."`
	CreatedAt   time.Time    `json:"created_at"`
	CompletedAt *time.Time   `json:"completed_at" doc:"When the last alert that it held was sent or dropped; null until then."`
}

func (a *API) viewMaintenance(w maintenance.Window) MaintenanceWindow {
	return MaintenanceWindow{
		ID: w.ID, ProjectID: w.ProjectID, State: string(w.State(a.Now())), Reason: w.Reason, StartsAt: w.StartsAt, EndsAt: w.EndsAt, UntilEnded: w.UntilEnded,
		SiteIDs: w.SiteIDs, CheckInIDs: w.CheckInIDs, Errors: w.Errors, HeldCount: w.Held, SentCount: w.Sent, CreatedBy: w.MadeBy, CreatedAt: w.CreatedAt,
		CompletedAt: nullTime(w.SettledAt),
	}
}

func (a *API) listMaintenanceWindows(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Deliveries.ListMaintenance(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, a.viewMaintenance), marks))
}

// maintenanceBody is the body that creates or updates a window; none of its fields is required.
type maintenanceBody struct {
	Window sett.Optional[maintenance.WindowChange] `json:"maintenance_window" required:"true"`
}

const maintenanceExample = `{"reason": "Upgrade of the database", "ends_at": "2026-12-01T23:30:00Z"}`

func (a *API) createMaintenanceWindow(w http.ResponseWriter, r *http.Request) error {
	var body maintenanceBody
	change, err := readOwn(w, r, &body, &body.Window, "maintenance_window", maintenanceExample, MaintenanceWindow{})
	if err != nil {
		return err
	}
	made, err := a.Deliveries.CreateMaintenance(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, a.viewMaintenance(made))
}

func (a *API) getMaintenanceWindow(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Deliveries.MaintenanceByID(r.Context(), pathID(r, "project_id"), pathID(r, "window_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, a.viewMaintenance(found))
}

func (a *API) updateMaintenanceWindow(w http.ResponseWriter, r *http.Request) error {
	var body maintenanceBody
	change, err := readOwn(w, r, &body, &body.Window, "maintenance_window", maintenanceExample, MaintenanceWindow{})
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Deliveries.UpdateMaintenance(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "window_id"), change))
}

func (a *API) endMaintenanceWindow(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Deliveries.EndMaintenance(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "window_id")))
}

func (a *API) deleteMaintenanceWindow(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Deliveries.DeleteMaintenance(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "window_id")))
}
