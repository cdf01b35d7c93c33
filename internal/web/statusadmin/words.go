package statusadmin

import (
	"strings"

	"sett/internal/sett/status"
	"sett/internal/web"
)

// capital formats a value of the store for people: "in_progress" becomes "In progress".
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + strings.ReplaceAll(word[1:], "_", " ")
}

func overallWords(o status.OverallState) web.State {
	switch o {
	case status.OverallUp:
		return web.State{Mood: web.Fine, Word: "All up"}
	case status.OverallMixed:
		return web.State{Mood: web.Warning, Word: "Degraded"}
	case status.OverallDown:
		return web.State{Mood: web.Critical, Word: "Major outage"}
	case status.OverallMaintenance:
		return web.State{Mood: web.Info, Word: "Maintenance"}
	}
	return web.State{Mood: web.Muted, Word: "No checks yet"}
}

func incidentWords(i status.StatusIncident) web.State {
	state := web.State{Mood: web.Warning, Word: capital(string(i.Status))}
	switch {
	case i.Status.Over():
		state.Mood = web.Fine
	case i.Status == status.Scheduled:
		state.Mood = web.Muted
	case i.Kind == status.Maintenance:
		state.Mood = web.Info
	}
	return state
}

func domainWords(d status.StatusDomain) web.State {
	switch d.State {
	case status.DomainVerified:
		return web.State{Mood: web.Fine, Word: "Verified"}
	case status.DomainFailing:
		return web.State{Mood: web.Warning, Word: "Record missing"}
	case status.DomainFailed:
		return web.State{Mood: web.Critical, Word: "Record not found"}
	}
	return web.State{Mood: web.Muted, Word: "Pending"}
}
