package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"sett/internal/api"
	"sett/internal/event/query"
	"sett/internal/serve"
)

// Gate says which errors keep a release from passing.
type Gate struct {
	Revision    string
	Environment string        // "" for all
	Window      time.Duration // for how long is asked
}

// How often a gate asks: often enough to stop a bad release soon, and so rarely that one takes a small part of the requests that a user may send.
const (
	asksOfGate   = 30
	leastBetween = 5 * time.Second
)

// GateColumns are the fields of errors that follow a release.
func GateColumns() []Column {
	return append([]Column{{Name: "cause", Doc: "new or reopened"}}, Errors().Columns...)
}

// Pass asks until errors follow the release, which it returns, or the window has passed. Answers that do not come do not matter while others do; choose
// finds the project.
func (s Server) Pass(ctx context.Context, g Gate, choose func(context.Context, Server) (Server, error)) ([]Row, error) {
	begun, between := time.Now(), max(leastBetween, g.Window/asksOfGate)
	chosen, looked := false, int64(0)
	for {
		var err error
		if !chosen {
			if s, err = choose(ctx, s); err == nil {
				chosen = true
			}
		}
		if time.Since(begun) >= g.Window {
			looked = 0 // the counts may be ahead of the lists, and this is the last look
		}
		var found []Row
		if err == nil {
			found, err = s.regressions(ctx, g, &looked)
		}
		left := g.Window - time.Since(begun)
		switch {
		case err == nil && (len(found) > 0 || left <= 0):
			return found, nil
		case err != nil && (left <= 0 || final(err)):
			return nil, err
		}
		if err := sleep(ctx, min(between, left)); err != nil {
			return nil, err
		}
	}
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// regressions returns the errors that are new in a release or were reopened by it. It looks for them when the release counts more than those that were
// looked at before, which keeps the requests few while errors of other environments follow.
func (s Server) regressions(ctx context.Context, g Gate, looked *int64) ([]Row, error) {
	project, err := s.project(ctx)
	if err != nil {
		return nil, err
	}
	var r api.Release
	switch err := s.call(ctx, http.MethodGet, project+"/releases/"+url.PathEscape(g.Revision), nil, &r); {
	case absent(err):
		return nil, fmt.Errorf("no deploy and no event names the revision %q; record it with sett deploy --revision", g.Revision)
	case err != nil:
		return nil, err
	}
	counted := r.NewFaultsCount + r.ReopenedFaultsCount
	if counted <= *looked {
		return nil, nil
	}
	since := r.CreatedAt // which is no later than its first event
	search := In(g.Environment, query.Write(query.Revision, g.Revision)+" -is:ignored")
	all, unread, err := s.following(ctx, project, search, "created_after", since)
	if err != nil {
		return nil, err
	}
	var reopened []api.Fault
	if r.ReopenedFaultsCount > 0 {
		var more string
		if reopened, more, err = s.reopened(ctx, project, g.Revision, search, since); err != nil {
			return nil, err
		}
		unread = cmp.Or(unread, more)
	}
	if unread != "" && len(all)+len(reopened) == 0 {
		return nil, errors.New(unread + "; the release counts new or reopened errors")
	}
	*looked = counted
	return append(caused("new", all), caused("reopened", reopened)...), nil
}

// mostFollowing is how many errors are looked at after a release, for the ones that it reopened.
const mostFollowing = 100

// following reads the errors that match a search since a time, last seen first, and says what was not read of them.
func (s Server) following(ctx context.Context, project, search, bound string, since time.Time) (found []api.Fault, unread string, err error) {
	page, err := s.matching(ctx, project, search, bound, since)
	for err == nil {
		found, unread = append(found, page.Results...), cmp.Or(unread, unreadOf(page))
		path := next(page.Links)
		if path == "" {
			return found, unread, nil
		}
		if len(found) >= mostFollowing {
			return found, cmp.Or(unread, fmt.Sprintf("only the %d errors that occurred last were looked at", len(found))), nil
		}
		page = api.FaultList{}
		err = s.call(ctx, http.MethodGet, path, nil, &page)
	}
	return nil, "", err
}

// reopened returns errors that are older than a release, and that it reopened. It says what was not read of them.
func (s Server) reopened(ctx context.Context, project, revision, search string, since time.Time) (found []api.Fault, unread string, err error) {
	all, unread, err := s.following(ctx, project, search+" -is:resolved", "occurred_after", since)
	if err != nil {
		return nil, "", err
	}
	for _, f := range all {
		if !f.CreatedAt.Before(since) {
			continue
		}
		var comments serve.List[api.Comment]
		if err := s.call(ctx, http.MethodGet, fmt.Sprintf("%s/faults/%d/comments", project, f.ID), nil, &comments); err != nil {
			return nil, "", err
		}
		if slices.ContainsFunc(comments.Results, func(c api.Comment) bool { return textOf(c.Event) == "reopened" && c.Revision == revision }) {
			found = append(found, f)
		}
	}
	return found, unread, nil
}

func caused(cause string, all []api.Fault) (rows []Row) {
	for _, f := range all {
		row := viewError(f)
		row.Cells = append([]any{cause}, row.Cells...)
		rows = append(rows, row)
	}
	return rows
}
