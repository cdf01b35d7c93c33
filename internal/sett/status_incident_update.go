package sett

import (
	"slices"
	"strings"
	"time"
)

// IncidentUpdateChange is the body of an update of an incident, new or changed.
type IncidentUpdateChange struct {
	Status  Optional[string] `json:"status,omitzero" doc:"The new status of the incident; unchanged if it is not sent. Cannot be changed later." enum:"investigating,identified,monitoring,resolved,scheduled,in_progress,completed"`
	Message Optional[string] `json:"message,omitzero" doc:"Text of the update, as visitors and subscribers see it. Line breaks are kept." required:"true" range:"1,5000" example:"A change of yesterday is the cause. We are taking it back."`
}

// Statuses are those that an incident of the kind can have, in the order in which it mostly does.
func (k IncidentKind) Statuses() []IncidentStatus {
	if k == Maintenance {
		return []IncidentStatus{Scheduled, InProgress, Completed}
	}
	return []IncidentStatus{Investigating, Identified, Monitoring, Resolved}
}

// Create returns the incident with an update by people, which it is the newest of then, or an Invalid error that names
// every field that is wrong. What is over is opened again by a status that is not the last.
func (c IncidentUpdateChange) Create(i StatusIncident, now time.Time) (StatusIncident, IncidentUpdate, error) {
	var p Problems
	u := IncidentUpdate{Status: c.status(&p, i), Message: c.message(&p), At: now}
	if u.Status != i.Status && i.Kind == Maintenance {
		i.checkTime(&p, u.Status, now)
	}
	return i.after(u).Written(now), u, p.Refusal()
}

// checkTime notes a status that the clock would change at once.
func (i StatusIncident) checkTime(p *Problems, s IncidentStatus, now time.Time) {
	switch {
	case s == Scheduled && !i.StartsAt.After(now):
		p.Add("status", "cannot be scheduled: starts_at has passed. Change starts_at and ends_at of the incident first")
	case s == InProgress && !i.EndsAt.After(now):
		p.Add("status", "cannot be in_progress: ends_at has passed. Change ends_at of the incident first")
	}
}

// Update returns the update with another message, or an Invalid error that names every field that is wrong.
func (c IncidentUpdateChange) Update(u IncidentUpdate) (IncidentUpdate, error) {
	var p Problems
	if Check(&p, "status", c.Status) && c.Status.Value != string(u.Status) {
		p.Add("status", "of an update stays; post another update to change that of the incident")
	}
	u.Message, u.Automatic = c.message(&p), false
	return u, p.Refusal()
}

func (c IncidentUpdateChange) status(p *Problems, i StatusIncident) IncidentStatus {
	status := string(i.Status)
	set(p, "status", c.Status, &status, status)
	if all := i.Kind.Statuses(); !slices.Contains(all, IncidentStatus(status)) {
		var names []string
		for _, s := range all {
			names = append(names, string(s))
		}
		p.Add("status", "must be one of %s", strings.Join(names, ", "))
	}
	return IncidentStatus(status)
}

func (c IncidentUpdateChange) message(p *Problems) string {
	text := strings.TrimSpace(strings.ReplaceAll(c.Message.Value, "\r\n", "\n"))
	switch {
	case c.Message.Bad != "":
		p.Add("message", "%s", c.Message.Bad)
	case !strings.ContainsFunc(text, isSeen):
		p.Add("message", "can't be blank")
	}
	checkText(p, "message", strings.NewReplacer("\n", " ", "\t", " ").Replace(text), longestIncidentMessage)
	return text
}

// after is the incident once an update was added.
func (i StatusIncident) after(u IncidentUpdate) StatusIncident {
	i.Status = u.Status
	switch {
	case !u.Status.Over():
		i.ResolvedAt = time.Time{}
	case i.ResolvedAt.IsZero() && i.Kind == Maintenance: // also before it begins: it is called off then
		i.ResolvedAt = u.At
	case i.ResolvedAt.IsZero():
		i.ResolvedAt = later(u.At, i.StartsAt)
	}
	return i
}

// Without returns the incident as people leave it when they delete one of its updates, the newest first: it is as far as
// those say that are left. The error is NotFound when it has no such update, and Invalid when it has no other.
func (i StatusIncident) Without(update int64, now time.Time) (StatusIncident, error) {
	if _, err := i.UpdateByID(update); err != nil {
		return i, err
	}
	if len(i.Updates) == 1 {
		return i, Errorf(Invalid, "An incident has at least one update. Change its message, or delete the incident.")
	}
	i.Updates = slices.DeleteFunc(slices.Clone(i.Updates), func(u IncidentUpdate) bool { return u.ID == update })
	i.ResolvedAt = time.Time{}
	for _, u := range slices.Backward(i.Updates) {
		i = i.after(u)
	}
	return i.Written(now), nil
}

// UpdateByID returns an update of the incident, or a NotFound error.
func (i StatusIncident) UpdateByID(id int64) (IncidentUpdate, error) {
	for _, u := range i.Updates {
		if u.ID == id {
			return u, nil
		}
	}
	return IncidentUpdate{}, Errorf(NotFound, "Update not found")
}

// Written is the incident once people have written to it, who have it to themselves from then on.
func (i StatusIncident) Written(now time.Time) StatusIncident {
	i.Automatic, i.UpdatedAt = false, now
	return i
}

// CheckDelete returns an Invalid error when the incident cannot be deleted.
func (i StatusIncident) CheckDelete() error {
	if i.Automatic && i.ResolvedAt.IsZero() {
		return Errorf(Invalid, "This incident is automatic and its outage lasts, so that it would be opened again at once. End it by an update whose status is resolved.")
	}
	return nil
}
