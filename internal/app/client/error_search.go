package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/api"
	"sett/internal/event/query"
)

// Match is the errors that match a search and are not resolved.
type Match struct {
	Count int64
	More  bool   // there are more than Count
	Page  string // where people see them

	search string
	at     time.Time // when the server counted them, by its clock; zero if it did not say
}

// Unresolved counts the errors that match a search and are not resolved.
func (s Server) Unresolved(ctx context.Context, search string) (m Match, err error) {
	project, err := s.project(ctx)
	if err != nil {
		return m, err
	}
	m.search = "-" + query.Write(query.Is, "resolved") + " " + strings.TrimSpace(search) // in front, as a quote may be open at the end
	counting, do := s, s.Do
	counting.Do = func(r *http.Request) (*http.Response, error) {
		response, err := do(r)
		if err == nil {
			m.at, _ = http.ParseTime(response.Header.Get("Date")) // without one, none is new
		}
		return response, err
	}
	var found api.FaultList
	err = counting.call(ctx, http.MethodGet, project+"/faults?"+url.Values{"q": {m.search}, "limit": {"1"}}.Encode(), nil, &found)
	m.Count, m.More = found.Total, found.TotalCapped
	m.Page = s.PageOf(Errors()) + "?" + url.Values{"q": {m.search}}.Encode()
	return m, err
}

// ResolveAll resolves the errors of a match, in a release if one is named. Those that are newer than the match stay as they are.
func (s Server) ResolveAll(ctx context.Context, m Match, in string) (done api.BulkResult, err error) {
	project, err := s.project(ctx)
	if err != nil {
		return done, err
	}
	asked, change := url.Values{"q": {m.search}}, map[string]any{"action": "resolve"}
	if !m.at.IsZero() {
		asked.Set("as_of", m.at.Add(time.Second).Format(time.RFC3339)) // the server has cut off the fraction of a second
	}
	if in != "" {
		change["resolved_in"] = in
	}
	return done, s.call(ctx, http.MethodPost, project+"/faults/bulk?"+asked.Encode(), change, &done)
}
