package web

import (
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// SiteState returns the state of a site for pages.
func SiteState(s checks.Site) State {
	switch {
	case !s.Active:
		return State{Mood: Paused, Word: "Paused"}
	case s.State == sett.SiteDown:
		return State{Mood: Critical, Word: "Down"}
	case s.Slow():
		return State{Mood: Warning, Word: "Slow"}
	case s.State == sett.SiteUp:
		return State{Mood: Fine, Word: "Up"}
	}
	return State{Mood: Muted, Word: "Pending"}
}

// CheckInState returns the state of a check-in for pages. "Late" exists only here; elsewhere a late check-in is reporting.
func CheckInState(c checks.CheckIn, now time.Time) State {
	switch {
	case c.Late(now):
		return State{Mood: Warning, Word: "Late"}
	case c.State == sett.CheckInReporting:
		return State{Mood: Fine, Word: "On time"}
	case c.State == sett.CheckInMissing:
		return State{Mood: Critical, Word: "Missing"}
	case c.State == sett.CheckInFailing:
		return State{Mood: Critical, Word: "Failing"}
	case c.State == sett.CheckInPaused:
		return State{Mood: Paused, Word: "Paused"}
	}
	return State{Mood: Muted, Word: "Pending"}
}
