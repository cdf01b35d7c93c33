package sett

import "slices"

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
	set(&p, "mentions", c.Mentions, &have.Mentions, fresh.Mentions)
	digest := string(have.Digest)
	set(&p, "digest", c.Digest, &digest, string(fresh.Digest))
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
			p.Add("events", "must be some of %s", noneOf(eventNames(known), name))
			return before
		}
	}
	return slices.DeleteFunc(known, func(e AlertEvent) bool { return !slices.Contains(c.Events.Value, string(e)) })
}
