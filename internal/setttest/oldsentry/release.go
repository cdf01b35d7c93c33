package oldsentry

import (
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Release is a version of some projects.
type Release struct {
	Version, Ref      string
	Created, Released time.Time
	Projects          []string // slugs
	Commits           []string // messages, newest first
	Deploys           []Deploy
	Files             []*File // nil: the server knows none
}

// Deploy is when a release went live.
type Deploy struct {
	ID, Environment string
	At              time.Time
}

func (s *Server) releases(query url.Values, path []string) (any, bool) {
	if len(path) == 2 {
		for _, r := range s.Releases {
			if r.Version == path[0] {
				return r.answer(path[1])
			}
		}
		return nil, false
	}
	id, _ := strconv.Atoi(query.Get("project"))
	if len(path) > 0 || id < 1 || id > len(s.Projects) {
		return nil, false
	}
	rows := []any{}
	for _, r := range s.Releases {
		if !slices.Contains(r.Projects, s.Projects[id-1].Slug) {
			continue
		}
		var projects []any
		for _, slug := range r.Projects {
			projects = append(projects, map[string]any{"slug": slug})
		}
		row := map[string]any{
			"version": r.Version, "ref": r.Ref, "url": nil, "dateCreated": r.Created.Format(time.RFC3339Nano), "dateReleased": nil,
			"commitCount": len(r.Commits), "deployCount": len(r.Deploys), "projects": projects,
		}
		if !r.Released.IsZero() {
			row["dateReleased"] = r.Released.Format(time.RFC3339Nano)
		}
		rows = append(rows, row)
	}
	return rows, true
}

func (r *Release) answer(what string) (any, bool) {
	rows := []any{}
	switch what {
	case "commits":
		for n, message := range r.Commits {
			rows = append(rows, map[string]any{
				"id": "c0ffee" + strconv.Itoa(n), "message": message, "dateCreated": r.Created.Format(time.RFC3339), "author": map[string]any{"name": "Ann", "email": "ann@example.test"},
				"repository": map[string]any{"name": "acme/shop", "url": "https://git.example.test/acme/shop"},
			})
		}
	case "deploys":
		for _, d := range r.Deploys {
			rows = append(rows, map[string]any{"id": d.ID, "environment": d.Environment, "name": nil, "dateStarted": nil, "dateFinished": d.At.Format(time.RFC3339Nano)})
		}
	default:
		return nil, false
	}
	return rows, true
}
