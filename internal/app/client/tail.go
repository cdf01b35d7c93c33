package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"sett/internal/api"
	"sett/internal/serve"
)

// Tail follows the events of a project, or those of one error.
type Tail struct {
	Search string        // which errors; "" for all
	Error  string        // the only error, by its number or the address of its page; "" for those of the search
	Lines  int           // how many errors, or events of the one, that were there before are shown first
	Every  time.Duration // how often the server is asked

	Show func([]Row) error
	Note func(string) // called when answers stop and it is tried again, and with what is not shown

	since time.Time       // of the last event that was seen
	known map[int64]int64 // numbers of events, by error
	seen  map[string]bool // events of the one error that the last answer had
}

// Columns are the fields of what is followed: a row for each event of the one error, or for each error that occurred since the server was last
// asked.
func (t Tail) Columns() []Column {
	if t.Error != "" {
		return []Column{
			{Name: "at", Doc: "time of the event"},
			{Name: "event_id", Doc: "id of the event"},
			{Name: "environment", Doc: "environment of the event"},
			{Name: "hostname", Doc: "machine that reported it"},
			{Name: "revision", Doc: "revision that ran"},
			{Name: "message", Doc: "message of the event"},
			{Name: "url", Doc: "address of its page", Wide: true},
		}
	}
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
	look, err := s.looks(ctx, &t)
	if err != nil {
		return err
	}
	wait := t.Every
	for first := true; ; {
		rows, err := look(first)
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
				t.Note(err.Error() + "; trying again")
			}
			wait = min(2*wait, max(longestPatience, t.Every))
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// looks returns what reads the rows that are new.
func (s Server) looks(ctx context.Context, t *Tail) (func(first bool) ([]Row, error), error) {
	if t.Error != "" {
		path, _, err := s.findError(ctx, t.Error)
		return func(first bool) ([]Row, error) { return s.eventsSince(ctx, path, t, first) }, err
	}
	project, err := s.project(ctx)
	return func(first bool) ([]Row, error) { return s.since(ctx, project, t, first) }, err
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

// mostEvents is how many events of one error are read at a time.
const mostEvents = 100

// overlap is how far events are read again: one that arrived a little earlier than another may be stored after it.
const overlap = 5 * time.Second

// eventsSince reads the events of one error that were not seen before, oldest first.
func (s Server) eventsSince(ctx context.Context, path string, t *Tail, first bool) (rows []Row, err error) {
	path += "/notices"
	if !t.since.IsZero() {
		path += "?" + url.Values{"created_after": {t.since.Add(-overlap).Format(time.RFC3339Nano)}}.Encode()
	}
	seen, newest := map[string]bool{}, t.since
	for path != "" && len(seen) < mostEvents {
		var page serve.List[api.Notice]
		if err := s.call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return nil, err
		}
		for _, n := range page.Results {
			if seen[n.ID] = true; !t.seen[n.ID] {
				rows = append(rows, Row{ID: n.ID, Page: n.URL, Cells: []any{n.OccurredAt, n.ID, n.EnvironmentName, n.Environment.Hostname, n.Environment.Revision, n.Message, n.URL}})
			}
			if n.CreatedAt.After(newest) {
				newest = n.CreatedAt
			}
		}
		if path = next(page.Links); first && len(rows) >= t.Lines {
			break
		}
	}
	t.seen, t.since = seen, newest // only once all is read
	switch {
	case first:
		rows = rows[:min(len(rows), t.Lines)]
	case path != "" && len(rows) == len(seen):
		t.Note(fmt.Sprintf("more events arrived than are shown; the newest %d follow", len(rows)))
	}
	slices.Reverse(rows)
	return rows, nil
}
