package sett

import (
	"slices"
	"time"
)

// StatusIncident is something that a status page tells about: what went wrong, or work that is planned.
type StatusIncident struct {
	ID     int64
	PageID string
	Kind   IncidentKind
	Name   string
	Status IncidentStatus // that of the newest update
	// Automatic says that outages have opened it and nobody has written to it since: it ends with them.
	Automatic    bool
	ComponentIDs []int64   // of StatusComponent
	Gone         []string  // names of what it was about that the page no longer shows
	StartsAt     time.Time // when it began; of maintenance: is to begin
	EndsAt       time.Time // of maintenance: when it is to end; zero otherwise
	ResolvedAt   time.Time // zero: it lasts, or is still to come
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Updates      []IncidentUpdate // the newest first
}

// WholePage reports whether the incident is about all of the page. What is about components that the page no longer shows
// is about those, and nothing else on it.
func (i StatusIncident) WholePage() bool { return len(i.ComponentIDs)+len(i.Gone) == 0 }

// about reports whether the incident is about a component.
func (i StatusIncident) about(component int64) bool {
	return slices.Contains(i.ComponentIDs, component)
}

// maintains reports whether the incident is work on a component that has begun.
func (i StatusIncident) maintains(component int64) bool {
	return i.Kind == Maintenance && i.Status == InProgress && (i.WholePage() || i.about(component))
}

// ListedAt is the time under which the incident is found among those that are over: when it began, or was called off before.
func (i StatusIncident) ListedAt() time.Time {
	if !i.ResolvedAt.IsZero() && i.ResolvedAt.Before(i.StartsAt) {
		return i.ResolvedAt
	}
	return i.StartsAt
}

// Recorded reports whether the incident is maintenance that was over before anything was told of it: it is a record, and
// nobody is sent word of it.
func (i StatusIncident) Recorded() bool {
	return i.Kind == Maintenance && !i.ResolvedAt.IsZero() && !i.ResolvedAt.After(i.CreatedAt) && !i.EndsAt.After(i.CreatedAt)
}

// calledOff reports whether the incident is maintenance that people ended before it began.
func (i StatusIncident) calledOff() bool {
	return i.Kind == Maintenance && i.Status.Over() && !slices.ContainsFunc(i.Updates, func(u IncidentUpdate) bool { return u.Status == InProgress })
}

// IncidentKind says what an entry of a status page is about.
type IncidentKind string

// The kinds of incidents.
const (
	Disruption  IncidentKind = "incident"
	Maintenance IncidentKind = "maintenance"
)

// IncidentStatus is how far an incident is.
type IncidentStatus string

// The statuses of incidents, and those of maintenance.
const (
	Investigating IncidentStatus = "investigating"
	Identified    IncidentStatus = "identified"
	Monitoring    IncidentStatus = "monitoring"
	Resolved      IncidentStatus = "resolved"

	Scheduled  IncidentStatus = "scheduled"
	InProgress IncidentStatus = "in_progress"
	Completed  IncidentStatus = "completed"
)

// Over reports whether an incident with the status is past.
func (s IncidentStatus) Over() bool { return s == Resolved || s == Completed }

// IncidentUpdate is what people, or the clock, had to say about an incident at one time.
type IncidentUpdate struct {
	ID        int64
	Status    IncidentStatus
	Message   string
	Automatic bool // nobody wrote it
	At        time.Time
}
