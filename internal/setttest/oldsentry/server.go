// Package oldsentry is for tests only: the API of a Sentry server that someone moves away from, as far as an
// importer asks it. It takes issues with events as SDKs sent them, and answers with pages, limits and both forms that
// the API has of an event. It never accepts anything but reading.
package oldsentry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Token is what the server accepts.
const Token = "sntryu_0123456789abcdef"

// Server is a server with one organization, acme.
type Server struct {
	URL      string
	Projects []*Project

	Releases []*Release       // newest first
	Lists    map[string][]any // of what it watches: monitors, uptime, detectors
	Members  []*Member
	Teams    []*Team

	NoRaw     bool // events are shown, and not given as they were stored
	GlitchTip bool // it answers as GlitchTip does
	PerPage   int  // rows of a page; 0: 100

	Before func(w http.ResponseWriter, r *http.Request) (answered bool) // looks at each request first

	mu    sync.Mutex
	asked []string
}

// Project has issues. Its id is its place, from 1.
type Project struct {
	Slug, Platform, Key string
	Owners              string // ownership rules
	Issues              []*Issue
	Environments        []string
	Bundles             []*Bundle // newest first; nil: the server knows no bundles
}

// Issue is an error.
type Issue struct {
	ID, Short, Title, Type, Value, Status string
	First, Last                           time.Time
	Count                                 int64
	Days, Hours                           [][2]int64 // seconds since 1970 and a count
	Assignee                              string
	Notes                                 []string
	Annotations                           []any   // objects with displayName and url, or HTML of old versions
	Events                                []Event // newest first
}

// Event is an event as an SDK sent it.
type Event struct {
	ID   string
	Sent map[string]any
	Hash string // events of one hash are of one shape
}

// Start starts the server until the test ends.
func (s *Server) Start(t testing.TB) *Server {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Hold lets requests with a token wait until a channel is closed.
func (s *Server) Hold(token string, until <-chan struct{}) {
	s.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer "+token {
			return false
		}
		select {
		case <-until:
		case <-r.Context().Done():
		}
		return false
	}
}

// Asked returns the paths of all requests so far.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	if s.Before != nil && s.Before(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token || r.Method != http.MethodGet {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	path := strings.Split(strings.Trim(strings.TrimPrefix(r.URL.Path, "/api/0/"), "/"), "/")
	if s.GlitchTip && s.glitchTip(w, r, path) {
		return
	}
	if s.files(w, r, path) {
		return
	}
	if rows, ok := s.answer(r, path); ok {
		w.Header().Set("Content-Type", "application/json")
		if list, isList := rows.([]any); isList {
			rows = s.page(w, r, list)
		}
		_ = json.NewEncoder(w).Encode(rows)
		return
	}
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprint(w, `{"detail":"The requested resource does not exist"}`)
}

// page cuts a list, and says where the next page is, as Sentry does: there is always a next one, which may be empty.
func (s *Server) page(w http.ResponseWriter, r *http.Request, rows []any) []any {
	size := s.PerPage
	if size == 0 {
		size = 100
	}
	from := 0
	if parts := strings.Split(r.URL.Query().Get("cursor"), ":"); len(parts) == 3 {
		from, _ = strconv.Atoi(parts[1])
	}
	from = min(from, len(rows))
	to := min(from+size, len(rows))
	w.Header().Set("X-Hits", strconv.Itoa(len(rows)))
	w.Header().Set("Link", fmt.Sprintf(`<https://elsewhere.test/?&cursor=0:0:1>; rel="previous"; results="%t"; cursor="0:0:1", <https://elsewhere.test/?&cursor=0:%d:0>; rel="next"; results="%t"; cursor="0:%d:0"`,
		from > 0, to, to < len(rows), to))
	return rows[from:to]
}

func (s *Server) answer(r *http.Request, path []string) (any, bool) {
	if len(path) < 3 || path[1] != "acme" {
		return nil, false
	}
	if rows, ok := s.Lists[strings.Join(path[2:], "/")]; ok {
		return rows, true
	}
	switch what := path[0] + " " + path[2]; {
	case len(path) == 3 && what == "organizations projects":
		rows := []any{}
		for i, p := range s.Projects {
			rows = append(rows, map[string]any{"id": strconv.Itoa(i + 1), "slug": p.Slug, "name": p.Slug, "platform": p.Platform})
		}
		return rows, true
	case what == "organizations releases":
		return s.releases(r.URL.Query(), path[3:])
	case path[0] == "teams" || what == "organizations members" || what == "organizations teams":
		return s.people(path)
	case len(path) == 3 && what == "organizations issues":
		return s.issues(r.URL.Query())
	case what == "organizations issues":
		return s.issue(path[3], path[4:])
	case len(path) > 3 && path[0] == "projects":
		for _, p := range s.Projects {
			if p.Slug == path[2] {
				return s.project(p, path[3:])
			}
		}
	}
	return nil, false
}

// people answers about members and teams.
func (s *Server) people(path []string) (any, bool) {
	switch {
	case len(path) == 4 && path[0] == "teams" && path[3] == "members":
		return s.membersOf(path[2])
	case len(path) == 3 && path[2] == "members":
		return s.members(), true
	case len(path) == 3 && path[2] == "teams":
		return s.teams(), true
	}
	return nil, false
}

// issues lists those of a project: the unresolved ones, unless a query is sent.
func (s *Server) issues(query url.Values) (any, bool) {
	id, _ := strconv.Atoi(query.Get("project"))
	if id < 1 || id > len(s.Projects) {
		return nil, false
	}
	rows := []any{}
	for _, i := range s.Projects[id-1].Issues {
		if query.Has("query") || i.Status == "unresolved" {
			rows = append(rows, i.row())
		}
	}
	return rows, true
}

func (s *Server) project(p *Project, path []string) (any, bool) {
	switch path[0] {
	case "keys":
		return []any{map[string]any{"id": p.Key, "public": p.Key, "label": "Default", "isActive": true}}, true
	case "environments":
		rows := []any{}
		for _, e := range p.Environments {
			rows = append(rows, map[string]any{"name": e})
		}
		return rows, true
	case "ownership":
		return map[string]any{"raw": p.Owners, "fallthrough": true}, p.Owners != ""
	case "events":
		for _, i := range p.Issues {
			for _, e := range i.Events {
				if e.ID != path[1] {
					continue
				}
				if len(path) == 3 {
					return e.Stored(), !s.NoRaw
				}
				return e.Shown(), true
			}
		}
	}
	return nil, false
}

func (s *Server) issue(id string, path []string) (any, bool) {
	for _, p := range s.Projects {
		for _, i := range p.Issues {
			if i.ID == id {
				return i.answer(path)
			}
		}
	}
	return nil, false
}

func (i *Issue) row() map[string]any {
	row := map[string]any{
		"id": i.ID, "shortId": i.Short, "title": i.Title, "culprit": "shop in pay", "status": i.Status, "statusDetails": map[string]any{},
		"metadata": map[string]any{"type": i.Type, "value": i.Value}, "count": strconv.FormatInt(i.Count, 10), "permalink": "https://sentry.test/organizations/acme/issues/" + i.ID + "/",
		"firstSeen": i.First.Format(time.RFC3339Nano), "lastSeen": i.Last.Format(time.RFC3339Nano), "numComments": len(i.Notes), "assignedTo": nil, "annotations": i.Annotations,
	}
	if i.Assignee != "" {
		row["assignedTo"] = map[string]any{"type": "user", "email": i.Assignee, "name": "Ann"}
	}
	return row
}

func (i *Issue) answer(path []string) (any, bool) {
	if len(path) == 0 {
		row, notes := i.row(), []any{map[string]any{"id": "1", "type": "first_seen", "dateCreated": i.First.Format(time.RFC3339), "data": map[string]any{}}}
		for n := len(i.Notes) - 1; n >= 0; n-- {
			notes = append(notes, map[string]any{
				"id": i.ID + strconv.Itoa(100+n), "type": "note", "dateCreated": i.First.Add(time.Duration(n+1) * time.Minute).Format(time.RFC3339),
				"user": map[string]any{"name": "Ann", "email": "ann@example.test"}, "data": map[string]any{"text": i.Notes[n]},
			})
		}
		row["activity"], row["stats"] = notes, map[string]any{"30d": i.Days, "24h": i.Hours}
		return row, true
	}
	rows, seen := []any{}, map[string]bool{}
	switch path[0] {
	case "hashes":
		for _, e := range i.Events {
			if !seen[e.Hash] {
				rows = append(rows, map[string]any{"id": e.Hash, "latestEvent": map[string]any{"id": e.ID, "eventID": e.ID}})
			}
			seen[e.Hash] = true
		}
	case "events":
		for _, e := range i.Events {
			rows = append(rows, map[string]any{"id": e.ID, "eventID": e.ID})
		}
	case "tags":
		for _, e := range i.Events {
			if name := e.environment(); !seen[name] {
				rows = append(rows, map[string]any{"value": name})
				seen[name] = true
			}
		}
		return map[string]any{"key": "environment", "topValues": rows}, true
	default:
		return nil, false
	}
	return rows, true
}
