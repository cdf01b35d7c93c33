package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/api"
	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/serve"
)

// Event is what is shown of the newest event of an error.
type Event struct {
	ID          string    `json:"id"`
	OccurredAt  time.Time `json:"occurred_at"`
	Message     string    `json:"message"`
	Revision    string    `json:"revision"`
	Hostname    string    `json:"hostname"`
	Request     string    `json:"request_url"`
	User        string    `json:"user"`
	Tags        []string  `json:"tags"`
	DeployedAt  time.Time `json:"deployed_at,omitzero"` // when the deploy that ran was recorded
	Application bool      `json:"application"`          // whether the frames are those of the application alone
	Frames      []Frame   `json:"frames"`               // innermost first
	URL         string    `json:"url"`
}

// Frame is a place in the program.
type Frame struct {
	File   string       `json:"file"`
	Line   int          `json:"line,omitempty"`
	Method string       `json:"method"`
	Source []SourceLine `json:"source"`
}

// SourceLine is a line of source.
type SourceLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Place is where a frame is, in one line.
func (f Frame) Place() string {
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	if f.Method != "" {
		place += " in " + f.Method
	}
	return place
}

// mostFrames is how many frames of an event are shown at most.
const mostFrames = 20

// Report is an error with its newest event.
type Report struct {
	Columns []Column // of errors, and place and event
	Row     Row
	Event   *Event // nil if none is left
}

// Error reads the error that a word names, by its id or the address of its page, with its newest event.
func (s Server) Error(ctx context.Context, word string) (r Report, err error) {
	path, row, err := s.findError(ctx, word)
	if err != nil {
		return r, err
	}
	var newest serve.List[api.Notice]
	if err := s.call(ctx, http.MethodGet, path+"/notices?limit=1", nil, &newest); err != nil {
		return r, err
	}
	r.Columns, r.Row = Errors().Columns, row
	var place any
	var event any
	if len(newest.Results) > 0 {
		r.Event = viewEvent(newest.Results[0])
		if event = r.Event; len(r.Event.Frames) > 0 {
			place = r.Event.Frames[0].Place()
		}
	}
	r.Columns = append(r.Columns, Column{Name: "place", Doc: "line of the application that failed"}, Column{Name: "event", Doc: "newest event, not in CSV"})
	r.Row.Cells = append(r.Row.Cells, place, event)
	return r, nil
}

// findError reads an error, and returns its path in the API.
func (s Server) findError(ctx context.Context, word string) (path string, row Row, err error) {
	address, pasted := ParseAddress(word)
	if pasted {
		if address.Part != "faults" || address.ID == "" {
			return "", row, fmt.Errorf("%s is no address of an error; copy that of its page", word)
		}
		s.Project, word = address.Project, address.ID
	}
	if id, err := strconv.ParseInt(word, 10, 64); err != nil || id < 1 {
		return "", row, fmt.Errorf("%q is neither the number of an error nor the address of its page; sett errors lists errors, and sett search %q searches them", word, word)
	}
	project, err := s.project(ctx)
	if err != nil {
		return "", row, err
	}
	path = project + "/faults/" + word
	var raw json.RawMessage
	switch err := s.call(ctx, http.MethodGet, path, nil, &raw); {
	case absent(err):
		return "", row, fmt.Errorf("there is no error %s in this project; name another with --project, or paste the address of the error", word)
	case err != nil:
		return "", row, err
	}
	if row, err = Errors().read(raw); err != nil {
		return "", row, s.strange(http.StatusOK)
	}
	if pasted {
		err = address.sameServer(row.Page)
	}
	return path, row, err
}

func viewEvent(n api.Notice) *Event {
	e := &Event{
		ID: n.ID, OccurredAt: n.OccurredAt, Message: n.Message, Revision: n.Environment.Revision, Hostname: n.Environment.Hostname, URL: n.URL,
		Request: textOf(n.Request.URL), Tags: append([]string{}, n.Tags...), Application: len(n.ApplicationTrace) > 0, Frames: []Frame{},
	}
	if u := n.Request.User; u != nil {
		if e.User = textOf(u.Email); e.User == "" && u.ID != nil {
			e.User = fmt.Sprint(u.ID)
		}
	}
	if n.Deploy != nil {
		e.Revision, e.DeployedAt = cmp.Or(e.Revision, n.Deploy.Revision), n.Deploy.CreatedAt
	}
	frames := n.ApplicationTrace
	if len(frames) == 0 {
		frames = n.Backtrace
	}
	for _, f := range frames[:min(len(frames), mostFrames)] {
		e.Frames = append(e.Frames, viewFrame(f))
	}
	return e
}

func viewFrame(f payload.Frame) Frame {
	v := Frame{File: cmp.Or(f.ApplicationFile, f.File), Method: f.Method, Source: []SourceLine{}}
	if f.Number != nil {
		v.Line = *f.Number
	}
	for number, text := range f.Source {
		if line, err := strconv.Atoi(number); err == nil {
			v.Source = append(v.Source, SourceLine{line, text})
		}
	}
	slices.SortFunc(v.Source, func(a, b SourceLine) int { return cmp.Compare(a.Line, b.Line) })
	return v
}

// ErrorChange is what a command changes of errors: the fields of the API, or a comment.
type ErrorChange struct {
	Fields  map[string]any
	Comment string
}

// ChangeError changes the error that a word names, and returns its number.
func (s Server) ChangeError(ctx context.Context, word string, change ErrorChange) (id string, err error) {
	path, row, err := s.findError(ctx, word)
	if err != nil {
		return "", err
	}
	if change.Comment != "" {
		return row.ID, s.call(ctx, http.MethodPost, path+"/comments", map[string]any{"comment": map[string]any{"body": change.Comment}}, nil)
	}
	return row.ID, s.call(ctx, http.MethodPut, path, map[string]any{"fault": change.Fields}, nil)
}

// Assignee returns the id of the user that a word names: by an email address, a name or "me". For "none" it is nil.
func (s Server) Assignee(ctx context.Context, word string) (any, error) {
	if word == "none" {
		return nil, nil // null for the API
	}
	if word == "me" {
		who, err := s.WhoAmI(ctx)
		if err != nil {
			return nil, err
		}
		if word = who.Email; word == "" {
			return nil, fmt.Errorf("the server does not say who you are; write your email address after --to")
		}
	}
	path, err := s.project(ctx)
	if err != nil {
		return nil, err
	}
	var p api.Project
	if err := s.call(ctx, http.MethodGet, path, nil, &p); err != nil {
		return nil, err
	}
	unknown := Unknown{One: "user", Word: word, List: "the page of the project"}
	for _, u := range p.Users {
		row := Row{Names: []string{u.Email, u.Name}}
		if row.called(word) {
			return u.ID, nil
		}
		unknown.Known = append(unknown.Known, u.Email)
	}
	return nil, unknown
}

// Matching returns the query of the API for errors that match a search, last seen first.
func Matching(search string) url.Values { return url.Values{"q": {search}, "order": {"recent"}} }

// matching reads the first page of the errors that match a search, since a time as the API has it; zero for all.
func (s Server) matching(ctx context.Context, project, search, bound string, since time.Time) (found api.FaultList, err error) {
	asked := Matching(search)
	if !since.IsZero() {
		asked.Set(bound, since.Format(time.RFC3339Nano))
	}
	err = s.call(ctx, http.MethodGet, project+"/faults?"+asked.Encode(), nil, &found)
	return found, err
}

// In returns a search for errors of an environment; for "" it is the search.
func In(environment, search string) string {
	if environment == "" {
		return search
	}
	return strings.TrimSpace(query.Write(query.Environment, environment) + " " + search)
}

// Open is the search for errors that someone may want to look at.
const Open = "-is:resolved -is:ignored"
