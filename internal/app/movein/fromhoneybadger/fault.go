package fromhoneybadger

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

type faultJSON struct {
	ID          int64    `json:"id"`
	Klass       string   `json:"klass"`
	Message     string   `json:"message"`
	Component   string   `json:"component"`
	Action      string   `json:"action"`
	Environment string   `json:"environment"`
	Comments    int64    `json:"comments_count"`
	Notices     int64    `json:"notices_count"`
	Resolved    bool     `json:"resolved"`
	Ignored     bool     `json:"ignored"`
	OnDeploy    bool     `json:"resolve_on_deploy"`
	Tags        []string `json:"tags"`
	Created     string   `json:"created_at"`
	Last        string   `json:"last_notice_at"`
	URL         string   `json:"url"`
	Assignee    *struct {
		Email string `json:"email"`
	} `json:"assignee"`
}

// mostTags is how many tags of an error come.
const mostTags = 50

// Faults returns a page of the errors of a project, in every state. The list is in the order of their creation, which does
// not change while notices arrive.
func (s *Source) Faults(ctx context.Context, p move.Project, cursor string) (found move.Page, err error) {
	l, err := page[faultJSON](ctx, s, "faults", ofProject(p, "faults"), url.Values{"limit": {"25"}}, cursor)
	if err != nil {
		return found, err
	}
	found.Next, found.Total = l.next(), max(l.Total, 0)
	for i := range l.Results {
		if f, ok := faultOf(&l.Results[i]); ok {
			found.Faults = append(found.Faults, f)
		}
	}
	return found, nil
}

func faultOf(j *faultJSON) (move.Fault, bool) {
	f := move.Fault{
		ID: strconv.FormatInt(j.ID, 10), Link: move.Link(j.URL), Class: move.Line(cmp.Or(j.Klass, "Error"), move.MostName), Message: move.Text(j.Message, move.MostMessage),
		Component: move.Line(j.Component, move.MostName), Action: move.Line(j.Action, move.MostName), Environment: move.Line(j.Environment, move.MostName), State: move.Open,
		OnDeploy: j.OnDeploy && !j.Resolved, First: timeOf(j.Created), Last: timeOf(j.Last), Count: max(j.Notices, 0), Comments: max(j.Comments, 0),
	}
	switch {
	case j.Ignored:
		f.State = move.Ignored
	case j.Resolved:
		f.State = move.Resolved
	}
	if j.Assignee != nil {
		f.Assignee = move.Line(j.Assignee.Email, move.MostName)
	}
	for _, t := range j.Tags[:min(len(j.Tags), mostTags)] {
		if t = move.Line(t, 100); t != "" {
			f.Tags = append(f.Tags, t)
		}
	}
	if f.Last.IsZero() {
		f.Last = f.First
	}
	if f.First.IsZero() || f.First.After(f.Last) {
		f.First = f.Last
	}
	return f, j.ID > 0 && !f.Last.IsZero()
}

// Detail reads the comments and the newest page of notices of an error. All of these say how new ones are known; those that are asked for are
// events.
func (s *Source) Detail(ctx context.Context, p move.Project, f move.Fault, newest int) (d move.Detail, err error) {
	path := ofProject(p, "faults/"+url.PathEscape(f.ID))
	if f.Comments > 0 {
		if d.Comments, err = s.comments(ctx, path); err != nil {
			return d, err
		}
	}
	cursor := ""
	for range 1 + newest/noticesAtOnce {
		l, err := page[json.RawMessage](ctx, s, "notices", path+"/notices", url.Values{"limit": {strconv.Itoa(noticesAtOnce)}}, cursor)
		if remote.IsMissing(err) || remote.IsOther(err) {
			break
		}
		if err != nil {
			return d, err
		}
		for _, shown := range l.Results {
			e, ok := eventOf(shown, f)
			if !ok {
				d.Left = append(d.Left, move.Left{Noun: "events", Name: cmp.Or(f.Short, f.ID), Why: "A notice cannot be read."})
				continue
			}
			if e.Partial {
				d.Left = append(d.Left, move.Left{
					Noun: "fingerprints of clients", Page: move.MergePage, Why: "This server does not show them: errors whose client sets a fingerprint are made anew.",
				})
			}
			e.KeyOnly = len(d.Events) >= newest
			d.Events = append(d.Events, e)
		}
		if cursor = l.next(); cursor == "" || len(d.Events) >= newest {
			break
		}
	}
	return d, nil
}

// noticesAtOnce is the most that one request gives.
const noticesAtOnce = 25

// mostComments is how many comments of one error come.
const mostComments = 500

// comments returns what people wrote about an error, oldest first. What the server notes itself is none of it.
func (s *Source) comments(ctx context.Context, path string) (comments []move.Comment, err error) {
	type commentJSON struct {
		ID      int64   `json:"id"`
		Event   *string `json:"event"`
		Created string  `json:"created_at"`
		Author  string  `json:"author"`
		Body    string  `json:"body"`
	}
	rows, err := all[commentJSON](ctx, s, "comments", path+"/comments", nil)
	for _, c := range rows {
		body, at := move.Text(c.Body, move.MostComment), timeOf(c.Created)
		if c.ID <= 0 || at.IsZero() || strings.TrimSpace(body) == "" || c.Event != nil && *c.Event != "" || len(comments) == mostComments {
			continue
		}
		comments = append(comments, move.Comment{ID: strconv.FormatInt(c.ID, 10), Author: move.Line(cmp.Or(c.Author, "someone"), move.MostName), Body: body, At: at})
	}
	return comments, err
}
