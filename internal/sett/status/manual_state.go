package status

import (
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

const longestStateNote = 255

// MostManualStates is how many states of a component by hand are kept, so that one who sets them by a program fills no disk.
const MostManualStates = 200

// ManualState is the state of a component that people set. The zero one is none: the component follows its checks.
type ManualState struct {
	State  ComponentState
	Note   string    // for visitors; "" for none
	Covers bool      // it is shown also while checks fail
	From   time.Time // when it was set
	Until  time.Time // zero: until people end it
}

// ManualStates are those that people can set, the best first.
func ManualStates() []ComponentState {
	return []ComponentState{ComponentUp, ComponentDegraded, ComponentPartial, ComponentDown}
}

// holds reports whether the state is in force at a time.
func (m ManualState) holds(now time.Time) bool {
	return m.State != "" && !m.From.After(now) && (m.Until.IsZero() || m.Until.After(now))
}

// ManualAt returns the state that is in force at a time, of those that a component has had, or the zero one.
func ManualAt(all []ManualState, now time.Time) ManualState {
	for _, m := range slices.Backward(all) {
		if m.holds(now) {
			return m
		}
	}
	return ManualState{}
}

// Over returns the state that visitors see, of the one that checks and incidents found. A state by hand replaces it where
// nothing was found or where people said so; otherwise the worse of both is shown, so that it hides no failure.
func (m ManualState) Over(found ComponentState) ComponentState {
	switch {
	case m.State == "":
		return found
	case m.Covers, found == ComponentPaused, found == ComponentUnknown:
		return m.State
	}
	return worseState(found, m.State)
}

// badness orders the states of components, the best first.
var badness = []ComponentState{ComponentUnknown, ComponentPaused, ComponentUp, ComponentMaintenance, ComponentDegraded, ComponentPartial, ComponentDown}

func worseState(a, b ComponentState) ComponentState {
	if slices.Index(badness, b) > slices.Index(badness, a) {
		return b
	}
	return a
}

// MajorOutages returns the times of major outages among the states that a component has had. Only these count as downtime.
func MajorOutages(all []ManualState) (outages []checks.SiteOutage) {
	for _, m := range all {
		if m.State == ComponentDown {
			outages = append(outages, checks.SiteOutage{DownAt: m.From, UpAt: m.Until})
		}
	}
	return outages
}

// ManualStateChange is what people say of a component. A blank state is none: the component follows its checks again.
type ManualStateChange struct {
	State  string
	Note   string
	Covers bool
	Until  sett.Optional[string] // RFC 3339
}

// Read returns the state that the change sets from now on, or an Invalid error that names every field that is wrong.
func (c ManualStateChange) Read(now time.Time) (ManualState, error) {
	if c.State == "" {
		return ManualState{}, nil
	}
	var p sett.Problems
	m := ManualState{State: ComponentState(c.State), Note: strings.TrimSpace(c.Note), Covers: c.Covers, From: now}
	if !slices.Contains(ManualStates(), m.State) {
		p.Add("state", "must be one of up, degraded, partial, down, or blank")
	}
	sett.CheckText(&p, "note", m.Note, longestStateNote)
	if setTime(&p, "until", c.Until, &m.Until) && !m.Until.IsZero() && !m.Until.After(now) {
		p.Add("until", "must be in the future")
	}
	return m, p.Refusal()
}
