package statuspage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
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
func caption(view sett.StatusView, o sett.OverallState) string {
	page, own, text := view.Page, "", "No checks have run yet"
	if o == sett.OverallUnknown && allPaused(view) {
		text = pausedWords
	}
	switch o {
	case sett.OverallUp:
		own, text = page.Features.UpCaption, "All systems are working"
	case sett.OverallMixed:
		own, text = page.Features.MixedCaption, "Some systems are experiencing problems"
	case sett.OverallDown:
		own, text = page.Features.DownCaption, "Major outage"
	case sett.OverallMaintenance:
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
func allPaused(view sett.StatusView) bool {
	return len(view.Components) > 0 && !slices.ContainsFunc(view.Components, func(c sett.ComponentView) bool { return c.State != sett.ComponentPaused })
}

func overallMood(o sett.OverallState) mood {
	switch o {
	case sett.OverallUp:
		return good
	case sett.OverallMixed:
		return worse
	case sett.OverallDown:
		return bad
	case sett.OverallMaintenance:
		return planned
	}
	return unclear
}

// stateWord returns the label of a component's state.
func stateWord(c sett.ComponentView) string {
	switch c.State {
	case sett.ComponentUp:
		if c.IsSite() {
			return "Up"
		}
		return "Reporting"
	case sett.ComponentDown:
		if c.IsSite() {
			return "Down"
		}
		return "Missing"
	case sett.ComponentDegraded:
		return "Degraded"
	case sett.ComponentMaintenance:
		return "Maintenance"
	case sett.ComponentPaused:
		return "Paused"
	}
	return "No data yet"
}

func stateMood(s sett.ComponentState) mood {
	switch s {
	case sett.ComponentUp:
		return good
	case sett.ComponentDegraded:
		return worse
	case sett.ComponentDown:
		return bad
	case sett.ComponentMaintenance:
		return planned
	}
	return unclear
}

// statusWord returns the label of an incident's status.
func statusWord(s sett.IncidentStatus) string {
	text := strings.ReplaceAll(string(s), "_", " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func statusMood(i sett.StatusIncident) mood {
	switch {
	case i.Status.Over():
		return good
	case i.Kind == sett.Maintenance:
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

// spell formats a duration in its two largest units: "1 day 4 hours", "38 minutes".
func spell(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	days, hours, rest := minutes/(24*60), minutes/60%24, minutes%60
	switch {
	case minutes == 0:
		return "less than a minute"
	case days > 0:
		return join(count(days, "day"), hours, "hour")
	case hours > 0:
		return join(count(hours, "hour"), rest, "minute")
	}
	return count(minutes, "minute")
}

func join(first string, n int, unit string) string {
	if n == 0 {
		return first
	}
	return first + " " + count(n, unit)
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
