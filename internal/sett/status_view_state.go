package sett

import "slices"

// SiteComponentState is how a site looks to the public.
func SiteComponentState(active bool, s SiteState) ComponentState {
	switch {
	case !active:
		return ComponentPaused
	case s == SiteUp:
		return ComponentUp
	case s == SiteDown:
		return ComponentDown
	}
	return ComponentUnknown
}

// CheckInComponentState is how a check-in looks to the public.
func CheckInComponentState(s CheckInState) ComponentState {
	switch s {
	case CheckInReporting:
		return ComponentUp
	case CheckInMissing:
		return ComponentDown
	case CheckInPaused:
		return ComponentPaused
	}
	return ComponentUnknown
}

// Told returns the state of a component in the light of what people say of it: what is being worked on is not down, and
// what has an incident does not work as it should. Work on all of the page is work on each component; an incident of all
// of it says of none that it does not work.
func (s ComponentState) Told(component int64, incidents []StatusIncident) ComponentState {
	degraded := false
	for _, i := range incidents {
		switch {
		case !i.ResolvedAt.IsZero():
		case i.maintains(component):
			return ComponentMaintenance
		case i.Kind == Disruption && i.about(component):
			degraded = true
		}
	}
	if degraded && s != ComponentDown {
		return ComponentDegraded
	}
	return s
}

// OverallState is what stands on top of a status page.
type OverallState string

// The overall states of a page, the best first.
const (
	OverallUnknown     OverallState = "unknown" // nothing was seen yet
	OverallUp          OverallState = "up"
	OverallMaintenance OverallState = "maintenance"
	OverallMixed       OverallState = "mixed" // some things do not work
	OverallDown        OverallState = "down"  // nothing does
)

// Overall sums a page up. What nobody looks at, or was never seen, counts for neither side.
func (v StatusView) Overall() OverallState {
	count := map[ComponentState]int{}
	for _, c := range v.Components {
		count[c.State]++
	}
	working := count[ComponentUp] + count[ComponentDegraded] + count[ComponentMaintenance]
	switch {
	case count[ComponentDown] > 0 && working == 0:
		return OverallDown
	case count[ComponentDown]+count[ComponentDegraded] > 0 || v.disrupted():
		return OverallMixed
	case count[ComponentMaintenance] > 0 || v.maintained():
		return OverallMaintenance
	case working > 0:
		return OverallUp
	}
	return OverallUnknown
}

// disrupted reports whether an incident lasts that is about all of the page.
func (v StatusView) disrupted() bool {
	return slices.ContainsFunc(v.Incidents, func(i StatusIncident) bool {
		return i.Kind == Disruption && i.ResolvedAt.IsZero() && i.WholePage()
	})
}

func (v StatusView) maintained() bool {
	return slices.ContainsFunc(v.Incidents, func(i StatusIncident) bool {
		return i.Kind == Maintenance && i.Status == InProgress && i.WholePage()
	})
}
