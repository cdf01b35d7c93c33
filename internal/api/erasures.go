package api

import (
	"context"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
)

const (
	erasuresPath = "/v2/projects/{project_id}/erasures"
	erasurePath  = erasuresPath + "/{erasure_id}"
)

// erasurePatience is how long the answer to a new erasure waits until everything is deleted.
const erasurePatience = 5 * time.Second

func (a *API) erasureRoutes() []serve.Route {
	const tag = "Erasures"
	return []serve.Route{
		{
			Method: "GET", Path: erasuresPath, Name: "listErasures", Tag: tag, Permission: accounts.ManageProject,
			Result: serve.List[Erasure]{}, Handle: a.listErasures,
			Doc: "List the erasures of a project, newest first.",
		},
		{
			Method: "POST", Path: erasuresPath, Name: "createErasure", Tag: tag, Permission: accounts.ManageProject,
			Body: createErasureBody{}, Result: Erasure{}, Status: http.StatusCreated, Also: []int{http.StatusAccepted}, Handle: a.createErasure,
			Doc: "Delete everything that a project has about one affected user: all notices and structured events, and the user in lists of affected users and in reports. After 201, they cannot be read any more. After 202, the deletion takes longer and continues: get the erasure to see when it is done. Counts of faults stay.",
		},
		{
			Method: "GET", Path: erasurePath, Name: "getErasure", Tag: tag, Permission: accounts.ManageProject,
			Result: Erasure{}, Handle: a.getErasure,
			Doc: "Get an erasure.",
		},
	}
}

// Erasure is an erasure as the interface shows one.
type Erasure struct {
	ID           int64        `json:"id"`
	ProjectID    int64        `json:"project_id"`
	User         string       `json:"user" doc:"What names the user, masked, such as i…@example.org. sett does not keep more of it."`
	State        string       `json:"state" enum:"running,deleted,finished" doc:"running: some notices can still be read. deleted: they cannot be read any more, but the database still contains some. finished: the database does not contain them."`
	NoticesCount int64        `json:"notices_count" doc:"Notices that were deleted so far."`
	FaultsCount  int64        `json:"faults_count" doc:"Faults that these notices belong to."`
	NoticesLeft  int64        `json:"notices_left" doc:"Notices that were found and are not deleted yet."`
	EventsCount  int64        `json:"structured_events_count" doc:"Structured events that were deleted so far."`
	CreatedBy    *sett.Person `json:"created_by" doc:"Null if the user no longer exists, or for an operator on the command line."`
	CreatedAt    time.Time    `json:"created_at"`
	DeletedAt    *time.Time   `json:"deleted_at" doc:"When the last notice was deleted; null while running."`
	FinishedAt   *time.Time   `json:"finished_at" doc:"When the notices were removed from the database; null until then."`
}

func viewErasure(e scrub.Erasure) Erasure {
	return Erasure{
		ID: e.ID, ProjectID: e.ProjectID, User: e.User, State: string(e.State()), NoticesCount: e.Notices, FaultsCount: e.Faults, NoticesLeft: e.Left, EventsCount: e.Events,
		CreatedBy: e.MadeBy, CreatedAt: e.CreatedAt, DeletedAt: nullTime(e.DeletedAt), FinishedAt: nullTime(e.FinishedAt),
	}
}

func (a *API) listErasures(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Erasures.ListErasures(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewErasure), marks))
}

// createErasureBody is the body that creates an erasure.
type createErasureBody struct {
	Erasure sett.Optional[scrub.ErasureChange] `json:"erasure" required:"true" needs:"user"`
}

func (a *API) createErasure(w http.ResponseWriter, r *http.Request) error {
	var body createErasureBody
	change, err := readOwn(w, r, &body, &body.Erasure, "erasure", `{"user": "ines@example.org"}`, Erasure{})
	if err != nil {
		return err
	}
	e, err := a.Erasures.CreateErasure(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), erasurePatience)
	defer cancel()
	if e, err = a.Erasures.AwaitErasure(ctx, e.ProjectID, e.ID); err != nil {
		return err
	}
	status := http.StatusCreated
	if e.State() == scrub.ErasureRunning {
		status = http.StatusAccepted
	}
	return serve.WriteJSON(w, status, viewErasure(e))
}

func (a *API) getErasure(w http.ResponseWriter, r *http.Request) error {
	e, err := a.Erasures.ErasureByID(r.Context(), pathID(r, "project_id"), pathID(r, "erasure_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewErasure(e))
}
