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
	ResolvedIn       *string    `json:"resolved_in" doc:"Version of the release in which it is resolved: notices of releases named before it do not reopen it. Null if it is resolved in none, or open. An addition of sett."`
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
	Snoozed          bool       `json:"snoozed" doc:"Recurrences send no notifications for a time."`
	Tickets          []Ticket   `json:"tickets" doc:"The linked issues whose address is known; empty in lists and messages."`
	LastNoticeDeploy *Deploy    `json:"last_notice_deploy" doc:"What the newest notice ran on; null in lists, and when it is not known."`
	PausedUntil      *time.Time `json:"recording_paused_until" doc:"Always null."`
	Links            Links      `json:"links"`
}

// Ticket is an issue that an error is linked with.
type Ticket struct {
	URL       string `json:"url"`
	ChannelID ID     `json:"channel_id"`
}

// UnmarshalJSON reads an error of /v2, which has other names for some members.
func (f *Fault) UnmarshalJSON(data []byte) error {
	type plain Fault
	read := struct {
		*plain
		Paused bool     `json:"paused"`
		Issues []Ticket `json:"issues"`
	}{plain: (*plain)(f)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	f.Snoozed, f.Tickets = read.Paused, read.Issues
	f.complete()
	return nil
}

// FaultOf returns an error as it is at a time.
func FaultOf(of faults.Fault, now time.Time, at Place) Fault {
	f := Fault{
		ID: Number(of.ID), ProjectID: Number(of.ProjectID), Klass: of.Class, Message: of.Message, Component: text(of.Component), Action: text(of.Action),
		Environment: of.Environment, Resolved: of.Resolved, ResolvedIn: text(of.ResolvedIn), Ignored: of.Ignored, ResolveOnDeploy: of.ResolveOnDeploy,
		Snoozed: of.Paused(now, of.NoticesCount), CreatedAt: of.CreatedAt,
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
