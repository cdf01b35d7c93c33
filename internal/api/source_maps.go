package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/sourcemapdb"
)

const sourceMapsPath = "/v2/projects/{project_id}/source_maps"

func (a *API) sourceMapRoutes() []serve.Route {
	const tag = "Source maps"
	return []serve.Route{
		{
			Method: "GET", Path: sourceMapsPath, Name: "listSourceMaps", Tag: tag, Permission: accounts.ReadProject,
			Query: sourceMapQuery{}, Result: serve.List[SourceMap]{}, Handle: a.listSourceMaps,
			Doc: "List the source maps of a project, newest first. POST /v1/source_maps uploads one.",
		},
		{
			Method: "DELETE", Path: sourceMapsPath, Name: "deleteSourceMaps", Tag: tag, Permission: accounts.ManageProject,
			Query: deleteSourceMapsQuery{}, Status: http.StatusNoContent, Handle: a.deleteSourceMaps,
			Doc: "Delete all source maps of a revision. Faults and notices stay as they are.",
		},
		{
			Method: "DELETE", Path: sourceMapsPath + "/{source_map_id}", Name: "deleteSourceMap", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteSourceMap,
			Doc: "Delete a source map. Faults and notices stay as they are.",
		},
	}
}

// SourceMap is a source map as the interface shows one.
type SourceMap struct {
	ID             int64     `json:"id"`
	Revision       string    `json:"revision" doc:"Empty if the map is found by its debug ID alone."`
	URL            string    `json:"url" doc:"URL of the minified file, or a pattern."`
	DebugID        *string   `json:"debug_id" doc:"Null if the map has none."`
	Bytes          int64     `json:"bytes" doc:"Size of the map."`
	SourcesCount   int64     `json:"sources_count" doc:"Original files that the map names."`
	ContainedCount int64     `json:"contained_count" doc:"Those whose content is in the map."`
	CreatedAt      time.Time `json:"created_at"`
	UsedAt         time.Time `json:"used_at" doc:"When the map was last applied to an event, to the day."`
}

func viewSourceMap(f sourcemapdb.Found) SourceMap {
	return SourceMap{
		ID: f.ID, Revision: f.Revision, URL: f.URL, DebugID: nullText(f.DebugID), Bytes: f.Bytes, SourcesCount: f.Sources, ContainedCount: f.Contained,
		CreatedAt: f.UploadedAt, UsedAt: f.UsedAt,
	}
}

// sourceMapQuery says which source maps of a project are listed.
type sourceMapQuery struct {
	Revision string `query:"revision" doc:"Only source maps of this revision; empty for those that are found by their debug ID alone."`
}

func (a *API) listSourceMaps(w http.ResponseWriter, r *http.Request) error {
	var q sourceMapQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	revision := sett.Optional[string]{Sent: r.URL.Query().Has("revision"), Value: q.Revision}
	found, marks, err := a.SourceMaps.List(r.Context(), pathID(r, "project_id"), revision, page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewSourceMap), marks))
}

// deleteSourceMapsQuery says which source maps of a project are deleted.
type deleteSourceMapsQuery struct {
	Revision string `query:"revision" doc:"The revision; required. Empty for source maps that are found by their debug ID alone."`
}

func (a *API) deleteSourceMaps(w http.ResponseWriter, r *http.Request) error {
	var q deleteSourceMapsQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	if !r.URL.Query().Has("revision") {
		problems.Add("revision", "is missing: name the revision whose source maps are to be deleted, such as ?revision=4f2a9c1")
	}
	if err := problems.Refusal(); err != nil {
		return err
	}
	err := a.SourceMaps.DeleteRevision(r.Context(), pathID(r, "project_id"), q.Revision)
	a.Maps.Forget()
	return done(w, http.StatusNoContent, err)
}

func (a *API) deleteSourceMap(w http.ResponseWriter, r *http.Request) error {
	err := a.SourceMaps.Delete(r.Context(), pathID(r, "project_id"), pathID(r, "source_map_id"))
	a.Maps.Forget()
	return done(w, http.StatusNoContent, err)
}
