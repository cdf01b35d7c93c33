package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
)

func (a *API) streamRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: "/v2/projects/{project_id}/streams", Name: "listStreams", Tag: "Structured events", Permission: accounts.ReadProject,
		Result: serve.List[Stream]{}, Handle: a.listStreams,
		Doc: "List the streams of a project: default has the events that clients send, and internal what sett records: errors, deploys, checks and check-ins. Queries and alarms name them by their ids.",
	}}
}

// Stream is a stream as the contract's clients read one.
type Stream struct {
	ID        string         `json:"id" doc:"For stream_ids of queries and alarms. It never changes."`
	Name      string         `json:"name"`
	Slug      insight.Stream `json:"slug" doc:"default or internal."`
	Internal  bool           `json:"internal" doc:"Whether sett records its events itself."`
	ProjectID int64          `json:"project_id"`
	CreatedAt time.Time      `json:"created_at" doc:"When the project was created."`
}

func (a *API) listStreams(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	p, err := a.Accounts.ProjectByID(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	streams, marks := pageOf(page.Page, insight.Streams(), func(s insight.Stream) string { return string(s) })
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(streams, func(s insight.Stream) Stream {
		return Stream{s.ID(p.ID), s.Name(), s, s == insight.Recorded, p.ID, p.CreatedAt}
	}), marks))
}
