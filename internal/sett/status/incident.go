package status

import (
	"slices"
	"time"
)

// StatusIncident is a problem or planned maintenance on a status page.
type StatusIncident struct {
	ID        int64
	PageID    string
	Kind      IncidentKind
	Name      string
	NameFacts Facts
	Status    IncidentStatus // that of the newest update
	// Automatic: outages opened it and no user has posted an update since. It ends with them.
	Automatic    bool
	Impact       Impact                   // "" : as its components say
	ComponentIDs []int64                  // of StatusComponent
	States       map[int64]ComponentState // of its components while it lasts; without one: degraded
	Gone         []string                 // names of what it was about that the page no longer shows
	StartsAt     time.Time                // when it began; of maintenance: is to begin
	EndsAt       time.Time                // of maintenance: when it is to end; zero otherwise
	ResolvedAt   time.Time                // zero: it lasts, or is still to come
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Updates      []IncidentUpdate // the newest first
	PostMortem   PostMortem
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

// Recorded reports whether the incident was over before it was created: it is only a record, and sends no notices.
func (i StatusIncident) Recorded() bool {
	if i.Kind == Disruption {
		return !i.ResolvedAt.IsZero() && i.ResolvedAt.Before(i.CreatedAt)
	}
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
	Facts     Facts // what Message says
	Automatic bool  // not written by a user
	At        time.Time
}

// ComponentWatch is a component as the rule of automatic incidents looks at it.
type ComponentWatch struct {
	ComponentView           // its State is what was found out, whatever people say of it
	DownAt        time.Time // since when it is down, of one that is
}

// Watch is the rule of automatic incidents. It compares the states of the components of a page with its incidents, and
// returns the change: an incident (with the id 0 a new one) and its newest update. incidents are those of the
// page that are open, and those that users have resolved since a component went down.
//
// An automatic incident names the components that are down, and those of its sites that cannot be checked, also by its own name, except those under maintenance and those whose
// outage is, or was, the subject of an incident that a user created. A page has no more than one that is open, and none when it
// does not want any: then an open one is left to users.
func (page StatusPage) Watch(components []ComponentWatch, incidents []StatusIncident, now time.Time) (i StatusIncident, u IncidentUpdate, changed bool) {
	at := slices.IndexFunc(incidents, func(i StatusIncident) bool { return i.Automatic && i.ResolvedAt.IsZero() })
	down := slices.DeleteFunc(slices.Clone(components), func(c ComponentWatch) bool {
		unseen := c.State == ComponentUnknown && c.IsSite() && at >= 0 && incidents[at].about(c.ID)
		return c.State != ComponentDown && !unseen || maintained(c.ID, incidents) || c.isReported(incidents)
	})
	switch {
	case at >= 0:
		i = incidents[at]
		return i.follow(page, components, down, incidents, now)
	case page.AutoIncidents && len(down) > 0:
		i, u = page.automatic(down, now)
		return i, u, true
	}
	return i, u, false
}

// maintained reports whether work on a component was announced and has begun.
func maintained(component int64, incidents []StatusIncident) bool {
	return slices.ContainsFunc(incidents, func(i StatusIncident) bool { return i.maintains(component) })
}

// isReported reports whether an incident by a user reports the outage of the component, or did since the outage began.
func (c ComponentWatch) isReported(incidents []StatusIncident) bool {
	return slices.ContainsFunc(incidents, func(i StatusIncident) bool {
		return i.Kind == Disruption && !i.Automatic && slices.Contains(i.ComponentIDs, c.ID) &&
			(i.ResolvedAt.IsZero() || i.ResolvedAt.After(c.DownAt))
	})
}

// automatic opens an incident.
func (page StatusPage) automatic(down []ComponentWatch, now time.Time) (StatusIncident, IncidentUpdate) {
	i := StatusIncident{
		PageID: page.ID, Kind: Disruption, Automatic: true, ComponentIDs: idsOf(down),
		StartsAt: now, CreatedAt: now, UpdatedAt: now,
	}
	i.NameFacts, i.Name = factsOf(nameOfOutage(down))
	for _, c := range down {
		if !c.DownAt.IsZero() && c.DownAt.Before(i.StartsAt) {
			i.StartsAt = c.DownAt
		}
	}
	u := IncidentUpdate{Status: Investigating, Automatic: true, At: now}
	u.Facts, u.Message = factsOf(outage(down, now)...)
	return i.after(u), u
}

// follow makes an automatic incident name those that are down now, and ends it with the last of them.
func (i StatusIncident) follow(page StatusPage, components, down []ComponentWatch, incidents []StatusIncident, now time.Time) (StatusIncident, IncidentUpdate, bool) {
	if !page.AutoIncidents {
		i.Automatic, i.UpdatedAt = false, now
		return i, IncidentUpdate{}, true
	}
	isNew := func(c ComponentWatch) bool { return !slices.Contains(i.ComponentIDs, c.ID) }
	stayed, came := slices.DeleteFunc(slices.Clone(down), isNew), slices.DeleteFunc(slices.Clone(down), func(c ComponentWatch) bool { return !isNew(c) })
	is := idsOf(down)
	left := slices.DeleteFunc(slices.Clone(components), func(c ComponentWatch) bool {
		return !slices.Contains(i.ComponentIDs, c.ID) || slices.Contains(is, c.ID)
	})
	if len(came)+len(left) == 0 && len(down) > 0 {
		return i, IncidentUpdate{}, false
	}
	u := IncidentUpdate{Status: i.Status, Automatic: true, At: now}
	lines := slices.Concat(farewells(left, incidents), arrivals(came, now))
	if len(i.ComponentIDs) == 0 {
		lines = append(departures(i.Gone), lines...)
	}
	if len(left) > 0 && len(stayed) > 0 {
		lines = append(lines, persist(stayed))
	}
	if len(down) == 0 {
		u.Status = Resolved
		lines = append(lines, fact{Key: lastedKey, For: now.Sub(i.StartsAt)})
	} else {
		i.ComponentIDs, i.Gone = is, nil // of what is over, those remain that it was about in the end
		i.NameFacts, i.Name = factsOf(nameOfOutage(down))
	}
	u.Facts, u.Message = factsOf(brief(lines)...)
	i.UpdatedAt = now
	return i.after(u), u, true
}

func idsOf(components []ComponentWatch) (ids []int64) {
	for _, c := range components {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return ids
}

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
		u, says := IncidentUpdate{Status: InProgress, Automatic: true, At: now}, fact{Key: "work_began"}
		if i.Status == InProgress {
			u.Status, says.Key = Completed, "work_ended"
		}
		u.Facts, u.Message = factsOf(says)
		i.UpdatedAt = now
		i, updates = i.after(u), append(updates, u)
	}
	return i, updates
}
