package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// source answers like a Sentry server with one project, whose issues and events are made when they are asked for.
type source struct {
	issues, events int // of the project, and of each issue
	now            time.Time
}

// sourcePage is how many rows a page of issues has.
const sourcePage = 100

func (s source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, ok := s.answer(w, r, strings.Split(strings.Trim(strings.TrimPrefix(r.URL.Path, "/api/0/"), "/"), "/"))
	if !ok {
		http.Error(w, `{"detail":"The requested resource does not exist"}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (s source) answer(w http.ResponseWriter, r *http.Request, path []string) (any, bool) {
	switch what := strings.Join(path[:min(len(path), 3)], " "); {
	case what == "organizations acme projects":
		return []any{map[string]any{"id": "1", "slug": "old", "name": "Old", "platform": "python"}}, true
	case what == "organizations acme issues" && len(path) == 3:
		return s.list(w, r), true
	case what == "organizations acme issues":
		n, err := strconv.Atoi(path[3])
		if err != nil || n < 0 || n >= s.issues {
			return nil, false
		}
		return s.issue(n, path[4:])
	case what == "projects acme old" && len(path) == 6 && path[3] == "events":
		var n, e int
		if _, err := fmt.Sscanf(path[4], "%016x%016x", &n, &e); err != nil {
			return nil, false
		}
		return s.event(n, e), true
	}
	return nil, false
}

// list is the page of issues that a cursor names, newest first.
func (s source) list(w http.ResponseWriter, r *http.Request) []any {
	from := 0
	if parts := strings.Split(r.URL.Query().Get("cursor"), ":"); len(parts) == 3 {
		from, _ = strconv.Atoi(parts[1])
	}
	to := min(from+sourcePage, s.issues)
	w.Header().Set("X-Hits", strconv.Itoa(s.issues))
	w.Header().Set("Link", fmt.Sprintf(`<https://elsewhere.example/>; rel="next"; results="%t"; cursor="0:%d:0"`, to < s.issues, to))
	rows := []any{}
	for n := from; n < to; n++ {
		rows = append(rows, s.row(n))
	}
	return rows
}

// last is when an issue was seen last: they are spread over a month.
func (s source) last(n int) time.Time {
	return s.now.Add(-29 * 24 * time.Hour * time.Duration(n) / time.Duration(s.issues))
}

func (s source) row(n int) map[string]any {
	return map[string]any{
		"id": strconv.Itoa(n), "shortId": fmt.Sprint("OLD-", n), "title": "ValueError: no cart", "culprit": "shop.cart in pay", "status": []string{"unresolved", "resolved", "ignored"}[n%3],
		"metadata": map[string]any{"type": "ValueError", "value": fmt.Sprint("no cart for customer ", n)}, "count": strconv.Itoa(10 * s.events), "numComments": n % 2,
		"firstSeen": s.last(n).Add(-48 * time.Hour).Format(time.RFC3339Nano), "lastSeen": s.last(n).Format(time.RFC3339Nano), "statusDetails": map[string]any{},
	}
}

// eventID is the id of an event of an issue.
func eventID(n, e int) string { return fmt.Sprintf("%016x%016x", n, e) }

func (s source) issue(n int, path []string) (any, bool) {
	if len(path) == 0 {
		row := s.row(n)
		if n%2 == 1 {
			row["activity"] = []any{map[string]any{
				"id": strconv.Itoa(n), "type": "note", "dateCreated": s.last(n).Format(time.RFC3339), "user": map[string]any{"name": "Ann"}, "data": map[string]any{"text": "Seen it"},
			}}
		}
		return row, true
	}
	rows := []any{}
	switch path[0] {
	case "hashes":
		rows = append(rows, map[string]any{"id": "h", "latestEvent": map[string]any{"eventID": eventID(n, 0)}})
	case "events":
		for e := range s.events {
			rows = append(rows, map[string]any{"eventID": eventID(n, e)})
		}
	case "tags":
		return map[string]any{"key": "environment", "topValues": []any{map[string]any{"value": "production"}}}, true
	default:
		return nil, false
	}
	return rows, true
}

// event is an event as an SDK sent it. Those of one issue have the same stack.
func (s source) event(n, e int) any {
	var frames []any
	for depth := range 12 {
		frames = append(frames, map[string]any{
			"filename": fmt.Sprintf("shop/part%d.py", depth), "function": fmt.Sprintf("step%d_%d", depth, n), "lineno": 10 + depth, "in_app": depth > 5,
			"context_line": "    total = cart.total(customer)", "pre_context": []string{"def pay(cart, customer):", "    check(cart)"}, "post_context": []string{"    return total"},
		})
	}
	return map[string]any{
		"event_id": eventID(n, e), "platform": "python", "environment": "production", "release": "shop@1.2.3", "timestamp": s.last(n).Add(-time.Duration(e) * time.Minute).Format(time.RFC3339), "level": "error",
		"exception": map[string]any{"values": []any{map[string]any{"type": "ValueError", "value": fmt.Sprint("no cart for customer ", n), "stacktrace": map[string]any{"frames": frames}}}},
		"request":   map[string]any{"url": "https://shop.example.org/pay", "method": "POST", "headers": [][]string{{"User-Agent", "Mozilla/5.0"}}}, "user": map[string]any{"id": strconv.Itoa(e)},
	}
}
