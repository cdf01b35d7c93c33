package shape

import (
	"encoding/json"
	"time"

	"sett/internal/sett/faults"
)

// Fault is an error.
type Fault struct {
	ID               ID         `json:"id"`
	ProjectID        ID         `json:"project_id"`
	Klass            string     `json:"klass"`
	Message          string     `json:"message"`
	Component        *string    `json:"component"`
	Action           *string    `json:"action"`
	Environment      string     `json:"environment"`
	Resolved         bool       `json:"resolved"`
	Ignored          bool       `json:"ignored"`
	ResolveOnDeploy  bool       `json:"resolve_on_deploy"`
	CreatedAt        time.Time  `json:"created_at"`
	LastNoticeAt     *time.Time `json:"last_notice_at"`
	NoticesCount     int64      `json:"notices_count"`
	InRange          *int64     `json:"notices_count_in_range,omitempty"`
	CommentsCount    int64      `json:"comments_count"`
	Tags             []string   `json:"tags"`
	AssigneeID       *ID        `json:"assignee_id"`
	Assignee         *Person    `json:"assignee"`
	Snoozed          *bool      `json:"snoozed" doc:"Always null: see its page."`
	Tickets          []Ticket   `json:"tickets"`
	LastNoticeDeploy *Deploy    `json:"last_notice_deploy" doc:"Always null: notices name their deploys."`
	PausedUntil      *time.Time `json:"recording_paused_until" doc:"Always null."`
	Links            Links      `json:"links"`
}

// Ticket is an issue that an error is linked with.
type Ticket struct {
	URL       string `json:"url"`
	ChannelID ID     `json:"channel_id"`
}

// UnmarshalJSON reads an error of /v2, which names the id of its assignee in the assignee alone.
func (f *Fault) UnmarshalJSON(data []byte) error {
	type plain Fault
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	f.complete()
	return nil
}

// FaultOf returns an error.
func FaultOf(of faults.Fault, at Place) Fault {
	f := Fault{
		ID: Number(of.ID), ProjectID: Number(of.ProjectID), Klass: of.Class, Message: of.Message, Component: text(of.Component), Action: text(of.Action),
		Environment: of.Environment, Resolved: of.Resolved, Ignored: of.Ignored, ResolveOnDeploy: of.ResolveOnDeploy, CreatedAt: of.CreatedAt,
		LastNoticeAt: moment(of.LastNoticeAt), NoticesCount: of.NoticesCount, InRange: of.InRange, CommentsCount: of.CommentsCount,
		Tags: append([]string{}, of.Tags...), Assignee: PersonOf(of.Assignee),
	}
	f.complete()
	f.Put(at)
	return f
}

// complete sets what follows from the other members.
func (f *Fault) complete() {
	if f.Tickets == nil {
		f.Tickets = []Ticket{}
	}
	if f.Assignee != nil {
		f.AssigneeID = &f.Assignee.ID
	}
}

// Put sets the links.
func (f *Fault) Put(at Place) { f.Links = at.faultPage(f.ProjectID, f.ID) }

func (p Place) faultPage(project, fault ID) Links {
	return p.Page("/projects/%s/faults/%s", project, fault)
}
