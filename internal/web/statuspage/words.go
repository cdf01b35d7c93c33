package statuspage

import (
	"slices"
	"strings"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// mood is a CSS class for a state.
type mood string

const (
	good    mood = "ok"
	worse   mood = "warn"
	bad     mood = "crit"
	planned mood = "plan"
	unclear mood = "none"
)

// Color returns the color of an icon, which has no style: that of bars on a light page.
func (m mood) Color() string {
	switch m {
	case good:
		return "2e8b57"
	case worse:
		return "b2760f"
	case bad:
		return "c8372d"
	case planned:
		return "6b3fa0"
	}
	return "938c80"
}

// caption returns the caption at the top of a page: that of its owner, otherwise one in a language.
func caption(l locale.Language, view status.StatusView, o status.OverallState) string {
	page, own, key := view.Page, "", "no_checks"
	if o == status.OverallUnknown && allPaused(view) {
		key = "paused_checks"
	}
	switch o {
	case status.OverallUp:
		own, key = page.Features.UpCaption, "all_up"
	case status.OverallMixed:
		own, key = page.Features.MixedCaption, "some_down"
	case status.OverallDown:
		own, key = page.Features.DownCaption, "all_down"
	case status.OverallMaintenance:
		key = "in_maintenance"
	}
	if own != "" {
		return own
	}
	return l.Text(key)
}

// allPaused reports whether a page has components and the checks of all of them are paused.
func allPaused(view status.StatusView) bool {
	return len(view.Components) > 0 && !slices.ContainsFunc(view.Components, func(c status.ComponentView) bool { return c.State != status.ComponentPaused })
}

func overallMood(o status.OverallState) mood {
	switch o {
	case status.OverallUp:
		return good
	case status.OverallMixed:
		return worse
	case status.OverallDown:
		return bad
	case status.OverallMaintenance:
		return planned
	}
	return unclear
}

// stateKey returns the key of the label of a component's state.
func stateKey(c status.ComponentView) string {
	switch c.State {
	case status.ComponentUp:
		if c.IsSite() || c.Manual.State == status.ComponentUp {
			return "state_up"
		}
		return "state_reporting"
	case status.ComponentDown:
		return downKey(c)
	case status.ComponentDegraded:
		return "state_degraded"
	case status.ComponentPartial:
		return "state_partial"
	case status.ComponentMaintenance:
		return "state_maintained"
	case status.ComponentPaused:
		return "state_paused"
	}
	return "state_unknown"
}

// downKey returns the key of the label of a component that is down: as its checks say, unless only people say so.
func downKey(c status.ComponentView) string {
	switch {
	case c.Checked != "" && c.Checked != status.ComponentDown:
		return "state_major"
	case c.IsSite():
		return "state_down"
	case c.Failing:
		return "state_failing"
	}
	return "state_missing"
}

// saidKey returns the key of the label of a state that people set, which is the same for sites and check-ins.
func saidKey(s status.ComponentState) string {
	return stateKey(status.ComponentView{State: s, Checked: status.ComponentUnknown, Manual: status.ManualState{State: s}})
}

// groupKey returns the key of the label of a group's state.
func groupKey(g status.ComponentGroup) string {
	switch state := worstState(g); state {
	case status.ComponentUp:
		return "state_up"
	case status.ComponentDegraded:
		return "state_mixed"
	case status.ComponentDown:
		return "state_down"
	default:
		return stateKey(status.ComponentView{State: state})
	}
}

func stateMood(s status.ComponentState) mood {
	switch s {
	case status.ComponentUp:
		return good
	case status.ComponentDegraded, status.ComponentPartial:
		return worse
	case status.ComponentDown:
		return bad
	case status.ComponentMaintenance:
		return planned
	}
	return unclear
}

func statusMood(i status.StatusIncident) mood {
	switch {
	case i.Status.Over():
		return good
	case i.Kind == status.Maintenance:
		return planned
	case i.Effect() == status.ImpactCritical || i.Effect() == status.ImpactMajor:
		return bad
	}
	return worse
}

// beginning shortens a text to a number of characters and adds an ellipsis.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return strings.TrimSpace(string(letters[:most])) + "…"
}
