package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/phrase"
	"sett/internal/sett"
)

// StatusView is all that a status page shows.
type StatusView struct {
	Page       StatusPage
	Components []ComponentView  // in the order of the page
	Incidents  []StatusIncident // those that last or are to come, then those of the last PastIncidents, the newest first
	ReadAt     time.Time
}

// PastIncidents is how long a status page shows incidents that are over. Older incidents are in its history.
const PastIncidents = 14 * 24 * time.Hour

// ComponentView is a component as it does at one time.
type ComponentView struct {
	StatusComponent
	Name   string // as the page calls it
	State  ComponentState
	SeenAt time.Time        // when it was last checked, or has last reported; zero: never
	Days   []sett.StatusDay // StatusDays of them in UTC, the oldest first, today last
}

// ComponentState is the public state of a component.
type ComponentState string

// The states of a component.
const (
	ComponentUp          ComponentState = "up"
	ComponentDown        ComponentState = "down"
	ComponentDegraded    ComponentState = "degraded"    // an incident says that something is wrong with it
	ComponentMaintenance ComponentState = "maintenance" // work on it was announced and has begun
	ComponentPaused      ComponentState = "paused"      // not monitored
	ComponentUnknown     ComponentState = "unknown"     // nothing was seen of it yet
)

// SiteComponentState is how a site looks to the public.
func SiteComponentState(active bool, s sett.SiteState) ComponentState {
	switch {
	case !active:
		return ComponentPaused
	case s == sett.SiteUp:
		return ComponentUp
	case s == sett.SiteDown:
		return ComponentDown
	}
	return ComponentUnknown
}

// CheckInComponentState is how a check-in looks to the public.
func CheckInComponentState(s sett.CheckInState) ComponentState {
	switch s {
	case sett.CheckInReporting:
		return ComponentUp
	case sett.CheckInMissing:
		return ComponentDown
	case sett.CheckInPaused:
		return ComponentPaused
	}
	return ComponentUnknown
}

// WithIncidents returns the state of a component after its incidents: a component under maintenance is not down, and one
// with an incident is degraded. Work on all of the page is work on each component; an incident of all
// of it says of none that it does not work.
func (s ComponentState) WithIncidents(component int64, incidents []StatusIncident) ComponentState {
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

// Overall sums a page up. Components that are not monitored, or have no result yet, do not count.
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

// Percent returns for how much of the time that was measured the component was not down; ok is false when nothing was
// measured.
func (c ComponentView) Percent() (percent float64, ok bool) {
	var measured, down time.Duration
	for _, d := range c.Days {
		measured, down = measured+d.Measured, down+min(d.Down, d.Measured)
	}
	if measured == 0 {
		return 0, false
	}
	return 100 * float64(measured-down) / float64(measured), true
}

// Outages returns how many outages the days of the component have, each once however many days it lasted.
func (c ComponentView) Outages() (n int) {
	some := false
	for _, d := range c.Days {
		if n += d.Began; !some && d.Outages > 0 {
			n += d.Outages - d.Began // one that lasted already when the days began
			some = true
		}
	}
	return n
}

// Summary describes the days of the component, such as "90 days, 1 outage of 38 minutes on 18 Oct".
func (c ComponentView) Summary() string {
	parts := []string{phrase.Count(int64(len(c.Days)), "day")}
	var bare int64
	var bad []sett.StatusDay
	var down time.Duration
	for _, d := range c.Days {
		if d.Level() == sett.DayNone {
			bare++
		}
		if d.Down > 0 {
			bad, down = append(bad, d), down+d.Down
		}
	}
	switch {
	case bare == int64(len(c.Days)):
		return parts[0] + " without data"
	case bare > 0:
		parts = append(parts, fmt.Sprintf("%d without data", bare))
	}
	return strings.Join(append(parts, outagesInWords(c.Outages(), down, bad)), ", ")
}

// outagesInWords describes n outages on the days bad.
func outagesInWords(n int, down time.Duration, bad []sett.StatusDay) string {
	if n == 0 {
		return "no outage"
	}
	const date = "2 Jan"
	first, last := bad[0].Day.Format(date), bad[len(bad)-1].Day.Format(date)
	text := fmt.Sprintf("%s of %s", phrase.Count(int64(n), "outage"), spanInWords(down))
	if n > 1 {
		text += " in all"
	}
	switch {
	case first == last:
		return text + " on " + first
	case n == 1:
		return fmt.Sprintf("%s from %s to %s", text, first, last)
	}
	return fmt.Sprintf("%s between %s and %s", text, first, last)
}

// spanInWords says how long d is, to the second below a minute, then to the minute, and above a day to the hour.
func spanInWords(d time.Duration) string {
	const day = 24 * time.Hour
	seconds := (d + time.Second - 1).Truncate(time.Second) // so that nothing lasted 0 seconds
	minutes, hours := d.Round(time.Minute), d.Round(time.Hour)
	switch {
	case seconds < time.Minute:
		return phrase.Count(int64(seconds/time.Second), "second")
	case minutes < time.Hour:
		return phrase.Count(int64(minutes/time.Minute), "minute")
	case minutes < day:
		return both(phrase.Count(int64(minutes/time.Hour), "hour"), int64(minutes%time.Hour/time.Minute), "minute")
	}
	return both(phrase.Count(int64(hours/day), "day"), int64(hours%day/time.Hour), "hour")
}

// both adds a number of things to a text, unless there are none.
func both(text string, n int64, thing string) string {
	if n == 0 {
		return text
	}
	return text + " " + phrase.Count(n, thing)
}
