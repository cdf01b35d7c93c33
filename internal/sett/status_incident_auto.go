package sett

import (
	"slices"
	"time"
)

// ComponentWatch is a component as the rule of automatic incidents looks at it.
type ComponentWatch struct {
	ComponentView           // its State is what was found out, whatever people say of it
	DownAt        time.Time // since when it is down, of one that is
}

// Watch is the rule of automatic incidents. It compares how the components of a page do with what the page tells of that,
// and returns what is to be told: an incident (with the id 0 a new one) and its newest update. incidents are those of the
// page that are not over, and those that people have ended since a component went down.
//
// An automatic incident names the components that are down, also by its own name, but for those that are being worked on and those whose outage
// people tell of, or have told of, in an incident of their own. A page has no more than one that is open, and none when it
// does not want any: then what is open is left to people.
func (page StatusPage) Watch(components []ComponentWatch, incidents []StatusIncident, now time.Time) (i StatusIncident, u IncidentUpdate, changed bool) {
	down := slices.DeleteFunc(slices.Clone(components), func(c ComponentWatch) bool {
		return c.State != ComponentDown || maintained(c.ID, incidents) || c.isTold(incidents)
	})
	at := slices.IndexFunc(incidents, func(i StatusIncident) bool { return i.Automatic && i.ResolvedAt.IsZero() })
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

// isTold reports whether people tell of the component's outage, or have since it began.
func (c ComponentWatch) isTold(incidents []StatusIncident) bool {
	return slices.ContainsFunc(incidents, func(i StatusIncident) bool {
		return i.Kind == Disruption && !i.Automatic && slices.Contains(i.ComponentIDs, c.ID) &&
			(i.ResolvedAt.IsZero() || i.ResolvedAt.After(c.DownAt))
	})
}

// automatic opens an incident.
func (page StatusPage) automatic(down []ComponentWatch, now time.Time) (StatusIncident, IncidentUpdate) {
	i := StatusIncident{
		PageID: page.ID, Kind: Disruption, Name: nameOfOutage(down), Automatic: true, ComponentIDs: idsOf(down),
		StartsAt: now, CreatedAt: now, UpdatedAt: now,
	}
	for _, c := range down {
		if !c.DownAt.IsZero() && c.DownAt.Before(i.StartsAt) {
			i.StartsAt = c.DownAt
		}
	}
	u := IncidentUpdate{Status: Investigating, Message: tellOutage(down, now), Automatic: true, At: now}
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
		lines = append(lines, "This lasted "+lasted(now.Sub(i.StartsAt))+".")
	} else {
		i.ComponentIDs, i.Gone, i.Name = is, nil, nameOfOutage(down) // of what is over, those remain that it was about in the end
	}
	u.Message, i.UpdatedAt = brief(lines), now
	return i.after(u), u, true
}

func idsOf(components []ComponentWatch) (ids []int64) {
	for _, c := range components {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return ids
}
