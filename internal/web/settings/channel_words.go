package settings

import (
	"fmt"
	"slices"
	"strings"

	"sett/internal/base/phrase"
	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// subject is a part of a sentence, for a channel that wants any of its events.
type subject struct {
	words  string
	events []alerts.AlertEvent
}

// subjects are the parts of the sentence of a channel, trackerWork those of an issue tracker.
var (
	subjects = []subject{
		{"new and reopened errors", []alerts.AlertEvent{alerts.AlertOccurred}},
		{"error spikes", []alerts.AlertEvent{alerts.AlertVolumeSpike}},
		{"error rates above a threshold", []alerts.AlertEvent{alerts.AlertRateExceeded}},
		{"resolved errors", []alerts.AlertEvent{alerts.AlertResolved}},
		{"errors marked unresolved", []alerts.AlertEvent{alerts.AlertUnresolved}},
		{"assignments", []alerts.AlertEvent{alerts.AlertAssigned}},
		{"comments", []alerts.AlertEvent{alerts.AlertCommented}},
		{"deploys", []alerts.AlertEvent{alerts.AlertDeployed}},
		{"outages", []alerts.AlertEvent{alerts.AlertDown}},
		{"slow sites", []alerts.AlertEvent{alerts.AlertSlow}},
		{"missed check-ins", []alerts.AlertEvent{alerts.AlertCheckInMissing}},
		{"failed check-ins", []alerts.AlertEvent{alerts.AlertCheckInFailed}},
		{"alarms", []alerts.AlertEvent{alerts.AlertAlarm}},
		{"recoveries", []alerts.AlertEvent{alerts.AlertUp, alerts.AlertFast, alerts.AlertCheckInReporting, alerts.AlertAlarmOK}},
		{"expiring certificates", []alerts.AlertEvent{alerts.AlertCertWillExpire}},
	}
	trackerWork = []subject{
		{"creates issues for new errors", []alerts.AlertEvent{alerts.AlertOccurred}},
		{"closes the issues of resolved errors", []alerts.AlertEvent{alerts.AlertResolved}},
		{"reopens the issues of errors marked unresolved", []alerts.AlertEvent{alerts.AlertUnresolved}},
		{"exchanges comments", []alerts.AlertEvent{alerts.AlertCommented}},
	}
)

// noEvents is what wantsOf says of a channel without events.
const noEvents = "No events."

// wantsOf says in a sentence or two what a channel sends: its events, environments, sites and filters.
func wantsOf(s alerts.IntegrationSettings, tracker bool) string {
	what := chosenWords(s.Events, tracker)
	switch {
	case what == "" && tracker:
		return "Creates issues only on request."
	case what == "":
		return noEvents
	case len(s.Events) == len(alerts.AlertEvents()):
		what = "All events"
	}
	return strings.Join(append([]string{what + ", " + environmentWords(s.ExcludedEnvironments) + "."}, limitsOf(s)...), " ")
}

// chosenWords lists what the events stand for, as the start of a sentence.
func chosenWords(events []alerts.AlertEvent, tracker bool) string {
	known, words := subjects, []string(nil)
	if tracker {
		known = trackerWork
	}
	for _, s := range known {
		if slices.ContainsFunc(s.events, func(e alerts.AlertEvent) bool { return slices.Contains(events, e) }) {
			words = append(words, s.words)
		}
	}
	text := checkInWords.Replace(phrase.And(words))
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// checkInWords shortens what is said of both ways in which a check-in can go wrong.
var checkInWords = strings.NewReplacer("missed check-ins, failed check-ins", "missed and failed check-ins", "missed check-ins and failed check-ins", "missed and failed check-ins")

func environmentWords(excluded []string) string {
	switch n := len(excluded); {
	case n == 0:
		return "from all environments"
	case n > 3:
		return fmt.Sprintf("except from %d environments", n)
	}
	return "except from " + phrase.And(excluded)
}

// limitsOf says which sites, check-ins and filters limit a channel, a sentence each.
func limitsOf(s alerts.IntegrationSettings) (limits []string) {
	var only []string
	if n := len(s.SiteIDs); n > 0 {
		only = append(only, phrase.Count(int64(n), "site"))
	}
	if n := len(s.CheckInIDs); n > 0 {
		only = append(only, phrase.Count(int64(n), "check-in"))
	}
	if len(only) > 0 {
		limits = append(limits, "Only "+phrase.And(only)+".")
	}
	if n := len(s.Filters); n > 0 {
		limits = append(limits, phrase.Count(int64(n), "filter")+".")
	}
	return limits
}

// eventLabel returns the label of an event of a channel, or of what sett sends to it besides.
func eventLabel(e alerts.AlertEvent) string {
	switch e {
	case alerts.AlertFlooded:
		return "Further messages summarized"
	case alerts.AlertIssueCreate:
		return "Create issue"
	case alerts.AlertIssueClose:
		return "Close issue"
	case alerts.AlertIssueReopen:
		return "Reopen issue"
	}
	return web.EventLabel(e)
}
