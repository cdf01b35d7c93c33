package sett

import (
	"slices"
)

// Hearing is an alert, an integration that might be told of it, and what else decides whether it is.
type Hearing struct {
	Alert         Alert
	Integration   Integration
	ProjectActive bool
	Muted         []string          // environments of the project that nobody wants to hear of
	Fault         FaultState        // of an alert about one fault
	FaultNotices  int64             // that were counted of it
	Matches       func(string) bool // whether any fault of the alert is found by a query; true for what is no query
}

// Unheard is why an integration is not told of an alert; Heard, the zero value, when it is.
type Unheard string

// The reasons, in the order in which they are looked for.
const (
	Heard           Unheard = ""
	ForAnother      Unheard = "for another integration"
	OwnDoing        Unheard = "the user did it themselves"
	NotActive       Unheard = "the integration or its project is not active"
	NotWanted       Unheard = "the event is not wanted"
	EnvironmentMute Unheard = "the environment is excluded or muted"
	NoFilterMatches Unheard = "no filter of the event matches"
	NotSelected     Unheard = "the site or check-in is not selected"
	FaultSilent     Unheard = "the fault is paused or ignored"
)

// Hear says whether the integration is told of the alert, or why not. What sett itself says to one integration, and what
// somebody tries it out with, is told in any case.
func (h Hearing) Hear() Unheard {
	switch {
	case !h.addressed():
		return ForAnother
	case h.Alert.Direct():
		return Heard
	case !h.ProjectActive || !h.Integration.Active:
		return NotActive
	case !h.Integration.Wants(h.Alert.Event):
		return NotWanted
	case !h.audible():
		return EnvironmentMute
	case !h.passesFilters():
		return NoFilterMatches
	case !h.selected():
		return NotSelected
	case h.silent():
		return FaultSilent
	}
	return Heard
}

// Wants reports whether the integration is to be told of an event at all.
func (i Integration) Wants(e AlertEvent) bool { return slices.Contains(i.Events, e) }

// Direct reports whether the alert is for one receiver whatever that wants: sett itself speaks, or somebody tries an
// integration out.
func (a Alert) Direct() bool {
	switch a.Event {
	case AlertFlooded, AlertIssueCreate, AlertIssueClose, AlertIssueReopen:
		return true
	}
	return a.Facts.Test
}

// audible reports whether the alert is about no environment, or about one that is neither excluded nor muted. Of several,
// one such will do.
func (h Hearing) audible() bool {
	several := h.Alert.Facts.Environments
	if len(several) == 0 {
		several = []string{h.Alert.Environment}
	}
	return slices.ContainsFunc(several, func(e string) bool {
		return e == "" || !slices.Contains(h.Integration.ExcludedEnvironments, e) && !slices.Contains(h.Muted, e)
	})
}

// EveryEvent is what a filter names as its event to be a filter of all.
const EveryEvent = "all"

// Queries returns the queries of the integration's filters of an event. One of them must find the fault; without any,
// every fault will do.
func (i Integration) Queries(e AlertEvent) (queries []string) {
	for _, f := range i.Filters {
		if f.Event == string(e) || f.Event == EveryEvent {
			queries = append(queries, f.Query)
		}
	}
	return queries
}

// AboutFaults returns the ids of the faults that the alert is about, if any.
func (a Alert) AboutFaults() []int64 {
	if a.FaultID > 0 {
		return []int64{a.FaultID}
	}
	return a.Facts.FaultIDs
}

// passesFilters reports whether any filter of the event matches any fault of the alert. Searches are about faults: they
// say nothing of what is about none.
func (h Hearing) passesFilters() bool {
	queries := h.Integration.Queries(h.Alert.Event)
	return len(queries) == 0 || len(h.Alert.AboutFaults()) == 0 || slices.ContainsFunc(queries, h.Matches)
}

// HearPersonally says whether a user who can see the project is told of the alert by their personal alerts, or why not.
// The hearing has no integration. Nobody is told of what they did themselves.
func (h Hearing) HearPersonally(userID int64, p PersonalAlerts) Unheard {
	switch {
	case h.Alert.IntegrationID > 0 || h.Alert.Direct():
		return ForAnother
	case h.Alert.Facts.Actor != nil && h.Alert.Facts.Actor.ID == userID:
		return OwnDoing
	case !h.ProjectActive:
		return NotActive
	case !p.wants(userID, h.Alert):
		return NotWanted
	case !h.audible():
		return EnvironmentMute
	case h.silent():
		return FaultSilent
	}
	return Heard
}

// addressed reports whether the alert is for this integration, as far as that is said. A rate is exceeded for the
// integration that counts it alone: others have other thresholds.
func (h Hearing) addressed() bool {
	toOne := h.Alert.IntegrationID > 0 || h.Alert.Event == AlertRateExceeded || h.Alert.Direct()
	return !toOne || h.Alert.IntegrationID == h.Integration.ID
}

// selected reports whether the site or check-in that the alert is about is among those that the integration has; without
// any, it has all.
func (h Hearing) selected() bool {
	var chosen []string
	switch h.Alert.Event {
	case AlertDown, AlertUp, AlertCertWillExpire:
		chosen = h.Integration.SiteIDs
	case AlertCheckInMissing, AlertCheckInReporting:
		chosen = h.Integration.CheckInIDs
	}
	return len(chosen) == 0 || slices.Contains(chosen, h.Alert.Subject.ID())
}

// Recurs reports whether the event is that a fault occurred: what pausing or ignoring the fault silences. What people do
// to a silent fault is told.
func (e AlertEvent) Recurs() bool {
	return e == AlertOccurred || e == AlertRateExceeded || e == AlertVolumeSpike
}

// silent reports whether the alert is an occurrence of a fault that was paused then, or is ignored. The counts of a fault
// may be behind the alert, which counts its own notice too.
func (h Hearing) silent() bool {
	before := max(h.FaultNotices, h.Alert.Facts.NoticesCount-1)
	return h.Alert.Event.Recurs() && (h.Fault.Ignored || h.Fault.Paused(h.Alert.At, before))
}

// PersonalAlerts are what a user wants to be told of a project by mail.
type PersonalAlerts struct {
	Events   []AlertEvent
	Mentions bool // told when a comment names them, whether or not commented is among Events
	Digest   DigestInterval
}

// NewPersonalAlerts returns what a user has in a project when nothing is said.
func NewPersonalAlerts() PersonalAlerts {
	return PersonalAlerts{Events: DefaultAlertEvents(), Mentions: true, Digest: DigestOff}
}

// Unsubscribed are the personal alerts of a user who wants no mail about a project.
func Unsubscribed() PersonalAlerts { return PersonalAlerts{Events: []AlertEvent{}, Digest: DigestOff} }

// Silent reports whether there is no mail at all.
func (p PersonalAlerts) Silent() bool {
	return len(p.Events) == 0 && !p.Mentions && p.Digest == DigestOff
}

// PersonalAlertEvents lists what users can want to be told of. Which rate is too much, integrations alone say.
func PersonalAlertEvents() []AlertEvent {
	return slices.DeleteFunc(AlertEvents(), func(e AlertEvent) bool { return e == AlertRateExceeded })
}

// wants reports whether the user is to be told of an alert, as far as it depends on them. That a fault is assigned concerns
// who is to mend it.
func (p PersonalAlerts) wants(userID int64, a Alert) bool {
	switch {
	case a.Event == AlertAssigned && (a.Facts.Assignee == nil || a.Facts.Assignee.ID != userID):
		return false
	case a.Event == AlertCommented && p.Mentions && slices.Contains(a.Facts.Mentioned, userID):
		return true
	}
	return slices.Contains(p.Events, a.Event)
}

// PersonalAlertsChange is the body of an update of personal alerts: only the fields that were sent change; null resets one
// to its default.
type PersonalAlertsChange struct {
	Events   Optional[[]string] `json:"events,omitzero" doc:"The events that the user is notified of. By default occurred, assigned, up, down, cert_will_expire, check_in_missing and check_in_reporting. They are notified of assigned when a fault is assigned to them." enum:"occurred,resolved,unresolved,assigned,commented,deployed,volume_spike,down,up,cert_will_expire,check_in_missing,check_in_reporting"`
	Mentions Optional[bool]     `json:"mentions,omitzero" doc:"Whether they are notified of comments that mention them, even without the event commented; true by default."`
	Digest   Optional[string]   `json:"digest,omitzero" doc:"A mail with a summary: every day or every Monday at 8:00 UTC. Off by default." enum:"off,daily,weekly"`
}

// Apply returns the personal alerts with the change made, or an Invalid error that names every field that is wrong.
func (c PersonalAlertsChange) Apply(have PersonalAlerts) (PersonalAlerts, error) {
	var p Problems
	fresh := NewPersonalAlerts()
	have.Events = c.events(&p, have.Events)
	SetField(&p, "mentions", c.Mentions, &have.Mentions, fresh.Mentions)
	digest := string(have.Digest)
	SetField(&p, "digest", c.Digest, &digest, string(fresh.Digest))
	if have.Digest = DigestInterval(digest); c.Digest.Sent && c.Digest.Bad == "" && !slices.Contains(DigestIntervals(), have.Digest) {
		p.Add("digest", "is not included in the list: off, daily, weekly")
	}
	return have, p.Refusal()
}

// events returns the events that were sent, each once and in the order in which they are listed, or those from before.
func (c PersonalAlertsChange) events(p *Problems, before []AlertEvent) []AlertEvent {
	switch {
	case c.Events.Null:
		return DefaultAlertEvents()
	case !Check(p, "events", c.Events):
		return before
	}
	known := PersonalAlertEvents()
	for _, name := range c.Events.Value {
		if !slices.Contains(known, AlertEvent(name)) {
			p.Add("events", "must be some of %s", NotOneOf(eventNames(known), name))
			return before
		}
	}
	return slices.DeleteFunc(known, func(e AlertEvent) bool { return !slices.Contains(c.Events.Value, string(e)) })
}
