package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sett/internal/api"
)

// Tail follows the events of a project.
type Tail struct {
	Search string        // which errors; "" for all
	Lines  int           // how many errors that were seen before are shown first
	Every  time.Duration // how often the server is asked

	Show    func([]Row) error
	Trouble func(error) // called when answers stop, and it is tried again

	since time.Time       // of the last event that was seen
	known map[int64]int64 // numbers of events, by error
}

// TailColumns are the fields of what is followed: a row for each error that occurred since the server was last asked.
func TailColumns() []Column {
	return []Column{
		{Name: "at", Doc: "time of the newest event"},
		{Name: "error_id", Doc: "number of the error"},
		{Name: "new_events", Doc: "events since the server was last asked; null for the first rows"},
		{Name: "environment", Doc: "environment of the error"},
		{Name: "class", Doc: "class of the error"},
		{Name: "message", Doc: "message of its first event"},
		{Name: "url", Doc: "address of its page", Wide: true},
	}
}

// mostKnown is of how many errors a tail remembers the numbers of events.
const mostKnown = 1000

// longestPatience is how long a tail waits at most before it asks a server again that did not answer.
const longestPatience = time.Minute

// Follow shows what happens until the context ends, or the server refuses.
func (s Server) Follow(ctx context.Context, t Tail) error {
	project, err := s.project(ctx)
	if err != nil {
		return err
	}
	wait := t.Every
	for first := true; ; {
		rows, err := s.since(ctx, project, &t, first)
		switch {
		case err == nil:
			first, wait = false, t.Every
			if err := t.Show(rows); err != nil {
				return err
			}
		case first, final(err):
			return err
		default:
			if wait == t.Every {
				t.Trouble(err)
			}
			wait = min(2*wait, max(longestPatience, t.Every))
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// final reports whether an error will be the same the next time.
func final(err error) bool {
	if _, ok := errors.AsType[NotSignedIn](err); ok {
		return true
	}
	if _, ok := errors.AsType[Unknown](err); ok {
		return true
	}
	refused, ok := errors.AsType[Refused](err)
	return ok && refused.Status < http.StatusInternalServerError && refused.Status != http.StatusTooManyRequests
}

// since reads what happened since the last time, oldest first.
func (s Server) since(ctx context.Context, project string, t *Tail, first bool) (rows []Row, err error) {
	found, err := s.matching(ctx, project, t.Search, "occurred_after", t.since)
	if err != nil {
		return nil, err
	}
	if len(t.known) > mostKnown || t.known == nil {
		t.known = map[int64]int64{}
	}
	for i, f := range found.Results {
		added := f.NoticesCount
		if before, seen := t.known[f.ID]; seen {
			added -= before
		} else if f.NoticesCountInRange != nil {
			added = *f.NoticesCountInRange
		}
		t.known[f.ID] = f.NoticesCount
		if at := timeOf(f.LastNoticeAt); at.After(t.since) {
			t.since = at
		}
		switch {
		case first && i < t.Lines:
			rows = append(rows, happened(f, nil))
		case !first && added > 0:
			rows = append(rows, happened(f, added))
		}
	}
	slices.Reverse(rows)
	return rows, nil
}

func happened(f api.Fault, added any) Row {
	return Row{ID: strconv.FormatInt(f.ID, 10), Page: f.URL, Cells: []any{timeOf(f.LastNoticeAt), f.ID, added, f.Environment, f.Klass, f.Message, f.URL}}
}
