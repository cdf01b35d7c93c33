package oldsentry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// glitchTip answers as GlitchTip does where it is not as Sentry: it knows other orders, refuses words of a query that it does not know,
// has events below ids of its own, comments and counts at addresses of their own, and much not at all.
func (s *Server) glitchTip(w http.ResponseWriter, r *http.Request, path []string) (done bool) {
	query := r.URL.Query()
	rows, status := s.glitchTipAnswer(query, path)
	switch {
	case status == 0:
		return false
	case status != http.StatusOK:
		w.WriteHeader(status)
		fmt.Fprint(w, `{"detail":"Not found."}`)
		return true
	}
	if list, isList := rows.([]any); isList {
		rows = s.glitchTipPage(w, r, list)
	}
	_ = json.NewEncoder(w).Encode(rows)
	return true
}

// glitchTipPage cuts a list. Its cursor is a position in base64 or the like, and there is none at the end.
func (s *Server) glitchTipPage(w http.ResponseWriter, r *http.Request, rows []any) []any {
	size := s.PerPage
	if size == 0 {
		size = 50
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("cursor"), "cD0"))
	from = min(from, len(rows))
	to := min(from+size, len(rows))
	base := "http://glitchtip.test" + r.URL.Path
	next := fmt.Sprintf(`<%s>; rel="next"; results="false"`, base)
	if to < len(rows) {
		next = fmt.Sprintf(`<%s?cursor=cD0%d>; rel="next"; results="true"; cursor="cD0%d"`, base, to, to)
	}
	w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="previous"; results="false", %s`, base, next))
	w.Header().Set("X-Max-Hits", "1000")
	w.Header().Set("X-Hits", strconv.Itoa(min(len(rows), 1000)))
	return rows[from:to]
}

// glitchTipAnswer returns an answer with its status; 0 if Sentry's is the same.
func (s *Server) glitchTipAnswer(query url.Values, path []string) (any, int) {
	switch {
	case len(path) == 3 && path[0] == "organizations" && path[2] == "issues":
		return s.glitchTipIssues(query)
	case len(path) == 3 && path[0] == "organizations" && path[2] == "issues-stats":
		return s.glitchTipStats(query)
	case len(path) > 3 && path[0] == "organizations" && path[2] == "issues": // hashes are of newer servers alone
		return nil, http.StatusNotFound
	case len(path) >= 2 && path[0] == "issues":
		for _, p := range s.Projects {
			for _, i := range p.Issues {
				if i.ID == path[1] {
					return i.glitchTip(path[2:], query)
				}
			}
		}
		return nil, http.StatusNotFound
	case len(path) > 3 && path[0] == "projects":
		for _, p := range s.Projects {
			if p.Slug == path[2] {
				return p.glitchTip(path[3:])
			}
		}
	}
	return nil, 0
}

var glitchTipOrders = []string{"last_seen", "first_seen", "count", "priority", "-last_seen", "-first_seen", "-count", "-priority"}

// glitchTipIssues lists those of a project in every state, unless a query names one.
func (s *Server) glitchTipIssues(query url.Values) (any, int) {
	if query.Has("sort") && !slices.Contains(glitchTipOrders, query.Get("sort")) {
		return nil, http.StatusUnprocessableEntity
	}
	start, _ := time.Parse("2006-01-02T15:04:05", query.Get("start"))
	rows := []any{}
	for n, p := range s.Projects {
		if query.Get("project") != strconv.Itoa(n+1) {
			continue
		}
		for _, i := range p.Issues {
			status := strings.TrimPrefix(query.Get("query"), "is:")
			if (status == "" || status == i.Status) && !i.First.Before(start) {
				rows = append(rows, i.glitchTipRow())
			}
		}
	}
	return rows, http.StatusOK
}

func (s *Server) glitchTipStats(query url.Values) (any, int) {
	rows := []any{}
	for _, p := range s.Projects {
		for _, i := range p.Issues {
			if period := query.Get("statsPeriod"); slices.Contains(query["groups"], i.ID) {
				rows = append(rows, map[string]any{"id": i.ID, "stats": map[string]any{period: map[string][][2]int64{"14d": i.Days, "24h": i.Hours}[period]}})
			}
		}
	}
	return rows, http.StatusOK
}

func (i *Issue) glitchTipRow() map[string]any {
	row := i.row()
	delete(row, "assignedTo")
	row["permalink"], row["stats"] = "Not implemented", map[string]any{"24h": []any{}}
	return row
}

// innerID is the id that an event has there beside that of its client.
func (e Event) innerID() string { return "0192" + e.ID[4:] }

func (e Event) glitchTip() map[string]any {
	o := Event{Sent: e.Shown()}.copied()
	o["id"], o["eventID"] = e.innerID(), e.ID
	delete(o, "release") // it is a tag
	tags := []any{}
	for _, t := range e.tags() {
		switch name, value := t[0], t[1]; name {
		case "transaction":
			o["culprit"] = value
		case "level", "logger":
		default:
			tags = append(tags, map[string]any{"key": name, "value": value})
		}
	}
	if release, ok := e.Sent["release"].(string); ok {
		tags = append(tags, map[string]any{"key": "release", "value": release})
	}
	o["tags"] = tags
	entries, _ := o["entries"].([]any)
	for _, entry := range entries {
		object, _ := entry.(map[string]any)
		for _, stack := range stacks(map[string]any{"exception": object["data"]}) {
			for _, f := range frames(stack) {
				withoutHost(f)
			}
		}
	}
	return o
}

// withoutHost leaves the host out of the file of a frame of a browser. It stays in its path.
func withoutHost(frame map[string]any) {
	file, _ := frame["filename"].(string)
	if frame["absPath"] == nil && file != "" {
		frame["absPath"] = file
	}
	if u, err := url.Parse(file); err == nil && u.Host != "" {
		frame["filename"] = u.Path
	}
}

func (i *Issue) glitchTip(path []string, query url.Values) (any, int) {
	if len(path) == 0 {
		return i.glitchTipRow(), http.StatusOK
	}
	rows := []any{}
	switch {
	case len(path) > 1:
		return nil, http.StatusNotFound
	case path[0] == "comments":
		for n := len(i.Notes) - 1; n >= 0; n-- {
			var user any
			if n > 0 { // the first author was deleted
				user = map[string]any{"id": "1", "email": "ann@example.test"}
			}
			rows = append(rows, map[string]any{
				"id": 100 + n, "type": "note", "dateCreated": i.First.Add(time.Duration(n+1) * time.Minute).Format(time.RFC3339Nano), "user": user, "data": map[string]any{"text": i.Notes[n]},
			})
		}
	case path[0] == "events":
		for _, e := range i.Events {
			rows = append(rows, map[string]any{"id": e.innerID(), "event_id": e.ID, "title": i.Title})
		}
	case path[0] == "tags":
		seen, values := map[string]bool{}, []any{}
		for _, e := range i.Events {
			if name := e.environment(); !seen[name] && query.Get("key") == "environment" {
				values = append(values, map[string]any{"key": "environment", "name": name, "value": name, "count": 1})
				seen[name] = true
			}
		}
		rows = append(rows, map[string]any{"key": "environment", "name": "environment", "topValues": values, "uniqueValues": len(values)})
	default:
		return nil, http.StatusNotFound
	}
	return rows, http.StatusOK
}

func (p *Project) glitchTip(path []string) (any, int) {
	switch {
	case path[0] == "keys":
		k := strings.ToLower(p.Key)
		dashed := k[:8] + "-" + k[8:12] + "-" + k[12:16] + "-" + k[16:20] + "-" + k[20:]
		return []any{map[string]any{"id": dashed, "public": dashed, "label": nil, "name": nil, "isActive": true, "dsn": map[string]any{"public": "https://" + k + "@glitchtip.test/1"}}}, http.StatusOK
	case path[0] == "alerts":
		return []any{map[string]any{"id": 1, "name": "Many errors", "timespanMinutes": 1, "quantity": 10}}, http.StatusOK
	case path[0] == "events" && len(path) == 2:
		for _, i := range p.Issues {
			for _, e := range i.Events {
				if e.innerID() == path[1] {
					return e.glitchTip(), http.StatusOK
				}
			}
		}
		return nil, http.StatusNotFound
	case path[0] == "environments":
		return nil, 0
	}
	return nil, http.StatusNotFound
}
