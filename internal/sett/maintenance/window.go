// Package maintenance decides about maintenance windows: times in which a project holds its alerts while everything is still checked and
// recorded. It checks requests to plan, change and end a window, and decides which alerts of the project are held, and which of them are
// sent at the end. It is pure: it stores nothing, sends nothing and changes no alert.
package maintenance

import (
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// Bounds of windows.
const (
	MostOpen    = 100                 // windows of a project that have not ended
	MostKept    = 1000                // windows of a project
	Longest     = 30 * 24 * time.Hour // from start to end
	LongestOpen = 7 * 24 * time.Hour  // from the start of a window without an end
	Ahead       = 366 * 24 * time.Hour

	longestReason = 500
	mostIDs       = 1000
)

// Window is a maintenance window of a project.
type Window struct {
	ID        int64
	ProjectID int64
	Settings
	MadeBy    *sett.Person // nil: an operator, or a user who is gone
	CreatedAt time.Time
	UpdatedAt time.Time
	Closed    bool      // it is over, and only holds what must follow an alert that it still holds
	SettledAt time.Time // when the last held alert was sent or dropped; zero: not yet
	Held      int64     // alerts that it held so far
	Sent      int64     // of these, those that were sent when it ended
}

// Settings are what users say of a window.
type Settings struct {
	Reason     string
	StartsAt   time.Time
	EndsAt     time.Time
	UntilEnded bool     // no end was planned: EndsAt is the latest
	SiteIDs    []string // with CheckInIDs the only ones whose alerts are held; both empty: all of the project
	CheckInIDs []string
	Errors     bool // alerts about errors are held too
}

// State says where a window is in its life.
type State string

// The states of a window.
const (
	Planned State = "planned"
	Active  State = "active"
	Ended   State = "ended"
)

// State returns the state at a time.
func (w Window) State(now time.Time) State {
	switch {
	case !w.SettledAt.IsZero() || !now.Before(w.EndsAt):
		return Ended
	case now.Before(w.StartsAt):
		return Planned
	}
	return Active
}

// Of reports whether the window holds the alerts of a subject.
func (s Settings) Of(subject alerts.AlertSubject) bool {
	kind, id, _ := strings.Cut(string(subject), " ")
	switch kind {
	case "site", "slow_site":
		return s.OfSite(id)
	case "check_in":
		return s.OfCheckIn(id)
	case "alarm":
		return s.all()
	case "fault":
		return s.Errors
	}
	return false
}

// OfSite reports whether the window holds the alerts of a site.
func (s Settings) OfSite(id string) bool { return s.all() || slices.Contains(s.SiteIDs, id) }

// OfCheckIn reports whether the window holds the alerts of a check-in.
func (s Settings) OfCheckIn(id string) bool { return s.all() || slices.Contains(s.CheckInIDs, id) }

func (s Settings) all() bool { return len(s.SiteIDs)+len(s.CheckInIDs) == 0 }

// Editable returns a Conflict once the window has ended.
func (w Window) Editable(now time.Time) error {
	if w.State(now) == Ended {
		return sett.Errorf(sett.Conflict, "This maintenance window has ended. Create a new one.")
	}
	return nil
}

// End returns the window as it is when a user ends it now.
func (w Window) End(now time.Time) (Window, error) {
	switch w.State(now) {
	case Planned:
		return w, sett.Errorf(sett.Conflict, "This maintenance window has not started. Delete it instead.")
	case Ended:
		return w, sett.Errorf(sett.Conflict, "This maintenance window has ended already.")
	}
	w.EndsAt = now
	return w, nil
}

// Deletable returns a Conflict while the window holds alerts, which would be lost.
func (w Window) Deletable(now time.Time) error {
	switch state := w.State(now); {
	case !w.SettledAt.IsZero() || state == Planned:
		return nil
	case state == Active:
		return sett.Errorf(sett.Conflict, "This maintenance window is active and may hold notifications. End it first.")
	default:
		return sett.Errorf(sett.Conflict, "This maintenance window has just ended, and the notifications that it held are being sent. Delete it in a moment.")
	}
}
