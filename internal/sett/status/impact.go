package status

import (
	"cmp"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/status/locale"
)

// Impact is how bad an incident is, as statuspage.io names it.
type Impact string

// The impacts of incidents.
const (
	ImpactUnsaid   Impact = ""
	ImpactNone     Impact = "none"
	ImpactMinor    Impact = "minor"
	ImpactMajor    Impact = "major"
	ImpactCritical Impact = "critical"
)

// Impacts are those that people can choose, the least bad first.
func Impacts() []Impact { return []Impact{ImpactNone, ImpactMinor, ImpactMajor, ImpactCritical} }

// impactKeys are the keys of their words.
var impactKeys = map[Impact]string{
	ImpactNone: "impact_none", ImpactMinor: "impact_minor", ImpactMajor: "impact_major", ImpactCritical: "impact_critical",
}

// StateOf is how the incident says that one of its components does while it lasts.
func (i StatusIncident) StateOf(component int64) ComponentState {
	if s := i.States[component]; s != "" {
		return s
	}
	return ComponentDegraded
}

// SetState sets how the incident says that a component does. A new map keeps other copies of the incident as they are.
func (i *StatusIncident) SetState(component int64, s ComponentState) {
	if s == i.StateOf(component) {
		return
	}
	states := map[int64]ComponentState{component: s}
	for id, other := range i.States {
		if id != component {
			states[id] = other
		}
	}
	i.States = states
}

// Effect is the impact that people chose, otherwise the one that follows from what the incident says of its components; "" for
// maintenance, and where nothing is said.
func (i StatusIncident) Effect() Impact {
	switch {
	case i.Kind == Maintenance:
		return ImpactUnsaid
	case i.Impact != ImpactUnsaid:
		return i.Impact
	}
	worst := ComponentUnknown
	for _, id := range i.ComponentIDs {
		worst = worseState(worst, i.StateOf(id))
	}
	automatic := i.Automatic || slices.ContainsFunc(i.Updates, func(u IncidentUpdate) bool { return u.Automatic })
	switch {
	case worst == ComponentDown:
		return ImpactCritical
	case worst == ComponentPartial || automatic:
		return ImpactMajor
	case worst == ComponentDegraded:
		return ImpactMinor
	case worst == ComponentUp:
		return ImpactNone
	}
	return ImpactUnsaid
}

// ImpactIn is the impact in a language; "" where nothing is said of it.
func (i StatusIncident) ImpactIn(l locale.Language) string {
	if i.Effect() == ImpactUnsaid {
		return ""
	}
	return l.Text("impact", l.Text(impactKeys[i.Effect()]))
}

// setImpact applies how bad the incident is, and how its components do. States are by the ids of sites and check-ins; nil leaves them.
func (c IncidentChange) setImpact(p *sett.Problems, i *StatusIncident, page StatusPage) {
	impact := string(i.Impact)
	sett.SetField(p, "impact", c.Impact, &impact, "")
	switch i.Impact = Impact(impact); {
	case i.Impact == ImpactUnsaid:
	case i.Kind == Maintenance:
		p.Add("impact", "is only for incidents")
	case !slices.Contains(Impacts(), i.Impact):
		p.Add("impact", "must be one of none, minor, major, critical")
	}
	if c.States == nil || i.Kind == Maintenance {
		return
	}
	i.States = nil
	for _, id := range i.ComponentIDs {
		component, _ := page.Component(id)
		state := cmp.Or(c.States[component.Key()], ComponentDegraded)
		if !slices.Contains(ManualStates(), state) {
			p.Add("component_states", "must be up, degraded, partial or down")
		}
		i.SetState(id, state)
	}
}

// Key is the id of what the component shows.
func (c StatusComponent) Key() string {
	if c.IsSite() {
		return c.SiteID.String()
	}
	return c.CheckInID
}
