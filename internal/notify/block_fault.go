package notify

import (
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

// faultBlock is a fault as payloads show one (wire.md §5.4). Of one that was deleted since, the texts are empty.
type faultBlock struct {
	ID            int64        `json:"id"`
	ProjectID     int64        `json:"project_id"`
	Klass         string       `json:"klass" doc:"Class of the error."`
	Component     *string      `json:"component"`
	Action        *string      `json:"action"`
	Environment   string       `json:"environment"`
	Resolved      bool         `json:"resolved"`
	Ignored       bool         `json:"ignored"`
	CreatedAt     time.Time    `json:"created_at"`
	CommentsCount int64        `json:"comments_count"`
	Message       string       `json:"message"`
	NoticesCount  int64        `json:"notices_count"`
	LastNoticeAt  *time.Time   `json:"last_notice_at"`
	Tags          []string     `json:"tags"`
	Assignee      *string      `json:"assignee" doc:"Their email address; null for none."`
	URL           string       `json:"url" doc:"Its page."`
	Deploy        *deployBlock `json:"deploy" doc:"The deploy that was running; null when unknown."`
}

func (s *alertContext) faultBlock() faultBlock {
	f := s.fault
	b := faultBlock{
		ID: f.ID, ProjectID: f.ProjectID, Klass: f.Class, Component: nullText(f.Component), Action: nullText(f.Action),
		Environment: f.Environment, Resolved: f.Resolved, Ignored: f.Ignored, CreatedAt: f.CreatedAt, CommentsCount: f.CommentsCount,
		Message: f.Message, NoticesCount: f.NoticesCount, LastNoticeAt: nullTime(f.LastNoticeAt), Tags: append([]string{}, f.Tags...),
		URL: s.faultURL(f.ID),
	}
	if f.Assignee != nil && !f.Assignee.IsTeam() {
		b.Assignee = &f.Assignee.Email
	}
	if s.notice != nil {
		b.Deploy = blockOfDeploy(s.notice.Deploy)
	}
	return b
}

// noticeBlock is a notice as payloads show one (wire.md §5.4).
type noticeBlock struct {
	ID               int64                     `json:"id"`
	Token            string                    `json:"token" doc:"Id of the notice in the API: the one that the client sent, if any."`
	FaultID          int64                     `json:"fault_id"`
	CreatedAt        time.Time                 `json:"created_at"`
	Message          string                    `json:"message"`
	Environment      payload.NoticeEnvironment `json:"environment"`
	Request          requestBlock              `json:"request"`
	Backtrace        []payload.Frame           `json:"backtrace" doc:"Innermost frame first."`
	ApplicationTrace []payload.Frame           `json:"application_trace" doc:"The frames of the application's own code."`
	WebEnvironment   map[string]string         `json:"web_environment" doc:"CGI variables of the request."`
	Deploy           *deployBlock              `json:"deploy" doc:"The deploy that was running; null when unknown."`
	URL              string                    `json:"url" doc:"Its page."`
}

// requestBlock is the request that failed.
type requestBlock struct {
	URL       *string        `json:"url"`
	Component *string        `json:"component"`
	Action    *string        `json:"action"`
	Params    map[string]any `json:"params"`
	Session   map[string]any `json:"session"`
	Context   map[string]any `json:"context"`
	User      *payload.User  `json:"user" doc:"The affected user; null when unknown."`
}

// noticeBlock returns nil when the alert names no notice.
func (s *alertContext) noticeBlock() *noticeBlock {
	n := s.notice
	if n == nil {
		return nil
	}
	r := n.Request
	b := &noticeBlock{
		ID: int64(n.Key), Token: n.ID.String(), FaultID: n.FaultID, CreatedAt: n.CreatedAt(), Message: n.Message, Environment: n.Environment,
		Request: requestBlock{
			URL: nullText(r.URL), Component: nullText(r.Component), Action: nullText(r.Action), Params: orEmpty(r.Params),
			Session: orEmpty(r.Session), Context: orEmpty(r.Context), User: r.User,
		},
		Backtrace: append([]payload.Frame{}, n.Backtrace...), ApplicationTrace: append([]payload.Frame{}, n.ApplicationTrace...),
		WebEnvironment: orEmpty(n.WebEnvironment), Deploy: blockOfDeploy(n.Deploy), URL: s.noticeURL(),
	}
	b.Environment.Stats = orEmpty(b.Environment.Stats)
	return b
}

// orEmpty returns m, or an empty object for none.
func orEmpty[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// commentBlock is a comment as payloads show one (wire.md §5.4).
type commentBlock struct {
	ID        int64     `json:"id"`
	FaultID   int64     `json:"fault_id"`
	Event     *string   `json:"event" doc:"Always null: a user wrote it."`
	Source    string    `json:"source" enum:"web"`
	CreatedAt time.Time `json:"created_at"`
	Email     *string   `json:"email" doc:"Always null: comments cannot be written by email."`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
}

func (s *alertContext) commentBlock() commentBlock {
	c := s.Facts.Comment
	return commentBlock{ID: c.ID, FaultID: s.FaultID, Source: string(faults.FromWeb), CreatedAt: c.CreatedAt, Author: nameOf(s.Facts.Actor), Body: c.Body}
}
