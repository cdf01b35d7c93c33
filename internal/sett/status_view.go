package sett

import "time"

// StatusView is all that a status page shows.
type StatusView struct {
	Page       StatusPage
	Components []ComponentView  // in the order of the page
	Incidents  []StatusIncident // those that last or are to come, then those of the last PastIncidents, the newest first
	ReadAt     time.Time
}

// StatusDays is how many days back a status page shows, today included, and PastIncidents for how long it tells of
// incidents that are over; older ones are in its history.
const (
	StatusDays    = 90
	PastIncidents = 14 * 24 * time.Hour
)

// ComponentView is a component as it does at one time.
type ComponentView struct {
	StatusComponent
	Name   string // as the page calls it
	State  ComponentState
	SeenAt time.Time   // when it was last checked, or has last reported; zero: never
	Days   []StatusDay // StatusDays of them in UTC, the oldest first, today last
}

// ComponentState is how a component does, as the public is told.
type ComponentState string

// The states of a component.
const (
	ComponentUp          ComponentState = "up"
	ComponentDown        ComponentState = "down"
	ComponentDegraded    ComponentState = "degraded"    // an incident says that something is wrong with it
	ComponentMaintenance ComponentState = "maintenance" // work on it was announced and has begun
	ComponentPaused      ComponentState = "paused"      // nobody looks
	ComponentUnknown     ComponentState = "unknown"     // nothing was seen of it yet
)
