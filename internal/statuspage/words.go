package statuspage

import (
	"slices"
	"strings"
	"time"

	"sett/internal/status"
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

// caption returns the caption at the top of a page.
func caption(view status.StatusView, o status.OverallState) string {
	page, own, text := view.Page, "", "No checks have run yet"
	if o == status.OverallUnknown && allPaused(view) {
		text = pausedWords
	}
	switch o {
	case status.OverallUp:
		own, text = page.Features.UpCaption, "All systems are working"
	case status.OverallMixed:
		own, text = page.Features.MixedCaption, "Some systems are experiencing problems"
	case status.OverallDown:
		own, text = page.Features.DownCaption, "Major outage"
	case status.OverallMaintenance:
		text = "Scheduled maintenance in progress"
	}
	if own != "" {
		return own
	}
	return text
}

// pausedWords is the caption while all checks are paused.
const pausedWords = "Checks are paused"

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

// stateWord returns the label of a component's state.
func stateWord(c status.ComponentView) string {
	switch c.State {
	case status.ComponentUp:
		if c.IsSite() {
			return "Up"
		}
		return "Reporting"
	case status.ComponentDown:
		if c.IsSite() {
			return "Down"
		}
		return "Missing"
	case status.ComponentDegraded:
		return "Degraded"
	case status.ComponentMaintenance:
		return "Maintenance"
	case status.ComponentPaused:
		return "Paused"
	}
	return "No data yet"
}

func stateMood(s status.ComponentState) mood {
	switch s {
	case status.ComponentUp:
		return good
	case status.ComponentDegraded:
		return worse
	case status.ComponentDown:
		return bad
	case status.ComponentMaintenance:
		return planned
	}
	return unclear
}

// statusWord returns the label of an incident's status.
func statusWord(s status.IncidentStatus) string {
	text := strings.ReplaceAll(string(s), "_", " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func statusMood(i status.StatusIncident) mood {
	switch {
	case i.Status.Over():
		return good
	case i.Kind == status.Maintenance:
		return planned
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

// when formats a time in UTC.
func when(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }
