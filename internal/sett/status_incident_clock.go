package sett

import "time"

// DueAt is when the clock moves an incident on; zero: never.
func (i StatusIncident) DueAt() time.Time {
	switch {
	case i.Kind == Maintenance && i.Status == Scheduled:
		return i.StartsAt
	case i.Kind == Maintenance && i.Status == InProgress:
		return i.EndsAt
	}
	return time.Time{}
}

// Move is the rule for time that has passed: maintenance begins when it is to, and ends when it is to, unless people have
// moved it before. It returns the updates that tell so, the oldest first.
func (i StatusIncident) Move(now time.Time) (StatusIncident, []IncidentUpdate) {
	var updates []IncidentUpdate
	for due := i.DueAt(); !due.IsZero() && !due.After(now); due = i.DueAt() {
		u := IncidentUpdate{Status: InProgress, Message: "The maintenance has started.", Automatic: true, At: now}
		if i.Status == InProgress {
			u.Status, u.Message = Completed, "The maintenance is completed."
		}
		i.UpdatedAt = now
		i, updates = i.after(u), append(updates, u)
	}
	return i, updates
}
