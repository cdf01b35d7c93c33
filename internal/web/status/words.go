package status

import (
	"strings"

	"sett/internal/sett"
	"sett/internal/web"
)

// capital formats a value of the store for people: "in_progress" becomes "In progress".
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + strings.ReplaceAll(word[1:], "_", " ")
}

func overallWords(o sett.OverallState) web.State {
	switch o {
	case sett.OverallUp:
		return web.State{Mood: web.Fine, Word: "All up"}
	case sett.OverallMixed:
		return web.State{Mood: web.Warning, Word: "Degraded"}
	case sett.OverallDown:
		return web.State{Mood: web.Critical, Word: "Major outage"}
	case sett.OverallMaintenance:
		return web.State{Mood: web.Info, Word: "Maintenance"}
	}
	return web.State{Mood: web.Muted, Word: "No checks yet"}
}

func componentWords(s sett.ComponentState) web.State {
	switch s {
	case sett.ComponentUp:
		return web.State{Mood: web.Fine, Word: "Up"}
	case sett.ComponentDown:
		return web.State{Mood: web.Critical, Word: "Down"}
	case sett.ComponentDegraded:
		return web.State{Mood: web.Warning, Word: "Degraded"}
	case sett.ComponentMaintenance:
		return web.State{Mood: web.Info, Word: "Maintenance"}
	case sett.ComponentPaused:
		return web.State{Mood: web.Paused, Word: "Paused"}
	}
	return web.State{Mood: web.Muted, Word: "No data yet"}
}

func incidentWords(i sett.StatusIncident) web.State {
	state := web.State{Mood: web.Warning, Word: capital(string(i.Status))}
	switch {
	case i.Status.Over():
		state.Mood = web.Fine
	case i.Status == sett.Scheduled:
		state.Mood = web.Muted
	case i.Kind == sett.Maintenance:
		state.Mood = web.Info
	}
	return state
}

func domainWords(d sett.StatusDomain) web.State {
	switch d.State {
	case sett.DomainVerified:
		return web.State{Mood: web.Fine, Word: "Verified"}
	case sett.DomainFailing:
		return web.State{Mood: web.Warning, Word: "Record missing"}
	case sett.DomainFailed:
		return web.State{Mood: web.Critical, Word: "Record not found"}
	}
	return web.State{Mood: web.Muted, Word: "Pending"}
}
