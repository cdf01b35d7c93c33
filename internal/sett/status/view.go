package status

import (
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status/locale"
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
	Name    string // as the page calls it
	State   ComponentState
	Checked ComponentState     // as its checks say, whatever people say
	Manual  ManualState        // what people set by hand; the zero one for nothing
	Failing bool               // it is down because a job says that it failed
	SeenAt  time.Time          // when it was last checked, or has last reported; zero: never
	Days    []checks.StatusDay // StatusDays of them in UTC, the oldest first, today last
}

// ComponentState is the public state of a component.
type ComponentState string

// The states of a component.
const (
	ComponentUp          ComponentState = "up"
	ComponentDown        ComponentState = "down"
	ComponentDegraded    ComponentState = "degraded"    // people say that something is wrong with it
	ComponentPartial     ComponentState = "partial"     // people say that it works for some only
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
	case sett.CheckInMissing, sett.CheckInFailing:
		return ComponentDown
	case sett.CheckInPaused:
		return ComponentPaused
	}
	return ComponentUnknown
}

// WithIncidents returns the state of a component after its incidents: a component under maintenance is not down, and one
// with an incident is as bad as that says. Work on all of the page is work on each component; an incident of all
// of it says of none that it does not work.
func (s ComponentState) WithIncidents(component int64, incidents []StatusIncident) ComponentState {
	for _, i := range incidents {
		switch {
		case !i.ResolvedAt.IsZero():
		case i.maintains(component):
			return ComponentMaintenance
		case i.Kind == Disruption && i.about(component) && i.StateOf(component) != ComponentUp:
			s = worseState(s, i.StateOf(component))
		}
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
	working := count[ComponentUp] + count[ComponentDegraded] + count[ComponentPartial] + count[ComponentMaintenance]
	switch {
	case count[ComponentDown] > 0 && working == 0:
		return OverallDown
	case count[ComponentDown]+count[ComponentPartial]+count[ComponentDegraded] > 0 || v.disrupted():
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
	return ComponentGroup{Components: []ComponentView{c}}.Percent()
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
func (c ComponentView) Summary(l locale.Language) string {
	days := l.Count("days", int64(len(c.Days)))
	bare := 0
	var bad []checks.StatusDay
	var down time.Duration
	for _, d := range c.Days {
		if d.Level() == checks.DayNone {
			bare++
		}
		if d.Down > 0 {
			bad, down = append(bad, d), down+d.Down
		}
	}
	parts := []string{days}
	switch {
	case bare == len(c.Days):
		return l.Text("bare", days)
	case bare > 0:
		parts = append(parts, l.Text("partly_bare", bare))
	}
	if gaps := c.gaps(); gaps > 0 {
		parts = append(parts, l.Text("with_gaps", gaps))
	}
	return l.List(append(parts, outagesInWords(l, c.Outages(), down, bad)))
}

// shortGap is how much of a day may be without data, as while a server restarts, before words say so.
const shortGap = 30 * time.Minute

// gaps returns how many days have data for a part only. The first with data and today naturally do.
func (c ComponentView) gaps() (n int) {
	first := slices.IndexFunc(c.Days, func(d checks.StatusDay) bool { return d.Measured > 0 })
	for i, d := range c.Days {
		if i > first && i < len(c.Days)-1 && d.Measured > 0 && d.Measured < 24*time.Hour-shortGap {
			n++
		}
	}
	return n
}

// outagesInWords describes n outages on the days bad.
func outagesInWords(l locale.Language, n int, down time.Duration, bad []checks.StatusDay) string {
	if n == 0 || len(bad) == 0 {
		return l.Text("no_outage")
	}
	first, last := l.Day(bad[0].Day), l.Day(bad[len(bad)-1].Day)
	switch span := l.Span(down); {
	case n == 1 && first == last:
		return l.Text("outage_on", span, first)
	case n == 1:
		return l.Text("outage_from", span, first, last)
	case first == last:
		return l.Text("outages_on", n, span, first)
	default:
		return l.Text("outages_between", n, span, first, last)
	}
}
