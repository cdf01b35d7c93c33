package status

import (
	"slices"
	"time"

	"sett/internal/sett/checks"
)

// ComponentGroup is some components of a page under one name, or a single component without a group.
type ComponentGroup struct {
	Name       string // "" : one component that is in no group
	Components []ComponentView
}

// Groups returns the components of a page by their groups. A group is where its first component is.
func (v StatusView) Groups() (groups []ComponentGroup) {
	for _, c := range v.Components {
		at := slices.IndexFunc(groups, func(g ComponentGroup) bool { return g.Name != "" && g.Name == c.Group })
		if at < 0 {
			groups = append(groups, ComponentGroup{Name: c.Group})
			at = len(groups) - 1
		}
		groups[at].Components = append(groups[at].Components, c)
	}
	return groups
}

// State sums a group up, as the page sums up all.
func (g ComponentGroup) State() OverallState {
	return StatusView{Components: g.Components}.Overall()
}

// Paused reports whether no component of the group is monitored.
func (g ComponentGroup) Paused() bool {
	return !slices.ContainsFunc(g.Components, func(c ComponentView) bool { return c.State != ComponentPaused })
}

// Worst returns the group as one component: each of its days is the worst of that day, so that no outage is averaged away.
func (g ComponentGroup) Worst() ComponentView {
	worst := ComponentView{Name: g.Name}
	for _, c := range g.Components {
		for at, d := range c.Days {
			if at == len(worst.Days) {
				worst.Days = append(worst.Days, checks.StatusDay{Day: d.Day})
			}
			worst.Days[at] = worseDay(worst.Days[at], d)
		}
	}
	return worst
}

// worseDay joins the same day of two components.
func worseDay(a, b checks.StatusDay) checks.StatusDay {
	a.Measured, a.Down = max(a.Measured, b.Measured), max(a.Down, b.Down)
	a.Outages, a.Began = a.Outages+b.Outages, a.Began+b.Began
	return a
}

// Percent returns for how much of the time that was measured the components of the group were not down, all of them alike.
func (g ComponentGroup) Percent() (percent float64, ok bool) {
	var measured, down time.Duration
	for _, c := range g.Components {
		for _, d := range c.Days {
			measured, down = measured+d.Measured, down+min(d.Down, d.Measured)
		}
	}
	if measured == 0 {
		return 0, false
	}
	return 100 * float64(measured-down) / float64(measured), true
}

// MeasuredDays returns how many days there are since the first that was measured, with that one and today.
func (g ComponentGroup) MeasuredDays() (n int) {
	for _, c := range g.Components {
		if first := slices.IndexFunc(c.Days, func(d checks.StatusDay) bool { return d.Measured > 0 }); first >= 0 {
			n = max(n, len(c.Days)-first)
		}
	}
	return n
}
