package alerts

import (
	"slices"

	"sett/internal/sett"
)

// Routing is an alert, an integration that may receive it, and everything else that decides whether it does.
type Routing struct {
	Alert         Alert
	Integration   Integration
	ProjectActive bool
	Muted         []string          // environments of the project that are muted
	Escalated     bool              // an alert about the same problem was sent on to the integration
	Silent        bool              // the alert is an occurrence of a fault that is paused or ignored
	Owners        []int64           // the only users who receive the alert personally, besides followers; empty: all
	Followers     map[int64]bool    // users who follow any fault of the alert; false: they unfollowed all of them
	Matches       func(string) bool // whether any fault of the alert is found by a query; true for what is no query
}

// SkipReason is why a receiver does not get an alert; Routed, the zero value, when it does.
type SkipReason string

// The reasons, in the order in which they are looked for.
const (
	Routed          SkipReason = ""
	ForAnother      SkipReason = "for another integration"
	OwnDoing        SkipReason = "the user did it themselves"
	FromThere       SkipReason = "the issue tracker itself said it"
	NotActive       SkipReason = "the integration or its project is not active"
	NotWanted       SkipReason = "the event is not wanted"
	EnvironmentMute SkipReason = "the environment is excluded or muted"
	NoFilterMatches SkipReason = "no filter of the event matches"
	NotSelected     SkipReason = "the site or check-in is not selected"
	NotTheirs       SkipReason = "the fault belongs to others"
	Unfollowed      SkipReason = "the user unfollowed the fault"
	FaultSilent     SkipReason = "the fault is paused or ignored"
)

// Route decides whether the integration receives the alert, or why not. Messages of sett itself to one integration and tests
// are always sent.
func (r Routing) Route() SkipReason {
	switch {
	case !r.addressed():
		return ForAnother
	case r.Alert.Direct():
		return Routed
	case r.Alert.Facts.From > 0 && r.Alert.Facts.From == r.Integration.ID:
		return FromThere
	case !r.ProjectActive || !r.Integration.Active:
		return NotActive
	case r.Alert.Facts.Escalation != nil:
		return r.unlessSilent()
	case r.Escalated && r.Alert.ends():
		return Routed
	case !r.Integration.Wants(r.Alert.Event):
		return NotWanted
	case !r.audible():
		return EnvironmentMute
	case !r.passesFilters():
		return NoFilterMatches
	case !r.selected():
		return NotSelected
	}
	return r.unlessSilent()
}

func (r Routing) unlessSilent() SkipReason {
	if r.Silent {
		return FaultSilent
	}
	return Routed
}

// ends reports whether the alert says that a problem ended.
func (a Alert) ends() bool { return slices.Contains(ClosingEvents(), a.Event) }

// Wants reports whether the integration selects an event.
func (i Integration) Wants(e AlertEvent) bool { return slices.Contains(i.Events, e) }

// Direct reports whether the alert goes to one receiver regardless of its events: a message of sett itself, or a test of an
// integration.
func (a Alert) Direct() bool {
	switch a.Event {
	case AlertFlooded, AlertIssueCreate, AlertIssueClose, AlertIssueReopen:
		return true
	}
	return a.Facts.Test
}

// audible reports whether the alert is about no environment, or about one that is neither excluded nor muted. Of several,
// one such will do.
func (r Routing) audible() bool {
	several := r.Alert.Facts.Environments
	if len(several) == 0 {
		several = []string{r.Alert.Environment}
	}
	return slices.ContainsFunc(several, func(e string) bool {
		return e == "" || !slices.Contains(r.Integration.ExcludedEnvironments, e) && !slices.Contains(r.Muted, e)
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
func (r Routing) passesFilters() bool {
	queries := r.Integration.Queries(r.Alert.Event)
	return len(queries) == 0 || len(r.Alert.AboutFaults()) == 0 || slices.ContainsFunc(queries, r.Matches)
}

// RoutePersonal decides whether a user who can see the project receives the alert by their personal alerts, or why not.
// The routing has no integration. Users receive no alerts about their own actions.
func (r Routing) RoutePersonal(userID int64, p PersonalAlerts) SkipReason {
	switch {
	case r.Alert.IntegrationID > 0 || r.Alert.Direct():
		return ForAnother
	case r.Alert.Facts.Actor != nil && r.Alert.Facts.Actor.ID == userID:
		return OwnDoing
	case !r.ProjectActive:
		return NotActive
	case r.unfollowed(userID, p):
		return Unfollowed
	case !p.wants(userID, r.Alert) && !r.followed(userID, p):
		return NotWanted
	case len(r.Owners) > 0 && !slices.Contains(r.Owners, userID) && !r.followed(userID, p):
		return NotTheirs
	case !r.audible():
		return EnvironmentMute
	case r.Silent:
		return FaultSilent
	}
	return Routed
}

// followed reports whether the alert is news of a fault that the user follows, and they want such news. An
// assignment by a rule comes with the alert that the fault occurred.
func (r Routing) followed(userID int64, p PersonalAlerts) bool {
	return p.Follows && r.Followers[userID] && r.Alert.Event.AboutFaults() && !(r.Alert.Event == AlertAssigned && r.Alert.Facts.ByRule)
}

// ForFollowing reports whether the user receives the alert only because they follow a fault.
func (r Routing) ForFollowing(userID int64, p PersonalAlerts) bool {
	return r.followed(userID, p) && (!p.wants(userID, r.Alert) || len(r.Owners) > 0 && !slices.Contains(r.Owners, userID))
}

// unfollowed reports whether the user wants no news of the fault of the alert. What is addressed to them, an assignment or a mention, is none.
func (r Routing) unfollowed(userID int64, p PersonalAlerts) bool {
	follows, known := r.Followers[userID]
	return known && !follows && !p.addressed(userID, r.Alert)
}

// AboutFaults reports whether the event is about faults.
func (e AlertEvent) AboutFaults() bool {
	switch e {
	case AlertOccurred, AlertRateExceeded, AlertVolumeSpike, AlertResolved, AlertUnresolved, AlertAssigned, AlertCommented:
		return true
	}
	return false
}

// addressed reports whether the alert is for this integration, as far as that is said. A rate is exceeded for the
// integration that counts it alone: others have other thresholds.
func (r Routing) addressed() bool {
	toOne := r.Alert.IntegrationID > 0 || r.Alert.Event == AlertRateExceeded || r.Alert.Direct()
	return !toOne || r.Alert.IntegrationID == r.Integration.ID
}

// selected reports whether the site or check-in that the alert is about is among those that the integration has; without
// any, it has all.
func (r Routing) selected() bool {
	var chosen []string
	switch r.Alert.Event {
	case AlertDown, AlertUp, AlertSlow, AlertFast, AlertCertWillExpire:
		chosen = r.Integration.SiteIDs
	case AlertCheckInMissing, AlertCheckInFailed, AlertCheckInReporting:
		chosen = r.Integration.CheckInIDs
	}
	return len(chosen) == 0 || slices.Contains(chosen, r.Alert.Subject.ID())
}

// Recurs reports whether the event is that a fault occurred: what pausing or ignoring the fault silences. Changes by users
// of a silent fault still send notifications.
func (e AlertEvent) Recurs() bool {
	return e == AlertOccurred || e == AlertRateExceeded || e == AlertVolumeSpike
}

// PersonalAlerts are the events of a project about which a user receives mails.
type PersonalAlerts struct {
	Events   []AlertEvent
	Mentions bool // a mail when a comment mentions the user, whether or not commented is among Events
	Follows  bool // mails about all that happens to errors that the user follows, whatever the Events
	Digest   DigestInterval
}

// NewPersonalAlerts returns what a user has in a project when nothing is said.
func NewPersonalAlerts() PersonalAlerts {
	return PersonalAlerts{Events: DefaultAlertEvents(), Mentions: true, Follows: true, Digest: DigestOff}
}

// Unsubscribed are the personal alerts of a user who wants no mail about a project.
func Unsubscribed() PersonalAlerts { return PersonalAlerts{Events: []AlertEvent{}, Digest: DigestOff} }

// Silent reports whether there is no mail at all.
func (p PersonalAlerts) Silent() bool {
	return len(p.Events) == 0 && !p.Mentions && !p.Follows && p.Digest == DigestOff
}

// PersonalAlertEvents lists the events that users can select. Only integrations define rates.
func PersonalAlertEvents() []AlertEvent {
	return slices.DeleteFunc(AlertEvents(), func(e AlertEvent) bool { return e == AlertRateExceeded })
}

// wants reports whether the personal alerts of the user include an alert. An assignment concerns only the assignee, or the members of the team; one by a rule comes
// with the alert that the fault occurred, which is enough.
func (p PersonalAlerts) wants(userID int64, a Alert) bool {
	switch {
	case a.Event == AlertAssigned && !a.Facts.AssignedTo(userID):
		return false
	case a.Event == AlertAssigned && a.Facts.ByRule && slices.Contains(p.Events, AlertOccurred):
		return false
	case p.addressed(userID, a):
		return true
	}
	return slices.Contains(p.Events, a.Event)
}

// addressed reports whether an alert is addressed to the user: they are mentioned, or an error was assigned to them, and they want to know.
func (p PersonalAlerts) addressed(userID int64, a Alert) bool {
	return a.Event == AlertCommented && p.Mentions && slices.Contains(a.Facts.Mentioned, userID) ||
		a.Event == AlertAssigned && slices.Contains(p.Events, AlertAssigned) && a.Facts.AssignedTo(userID)
}

// PersonalAlertsChange is the body of an update of personal alerts: only the fields that were sent change; null resets one
// to its default.
type PersonalAlertsChange struct {
	Events   sett.Optional[[]string] `json:"events,omitzero" doc:"The events that the user is notified of. By default occurred, assigned, up, down, slow, fast, cert_will_expire, check_in_missing, check_in_failed and check_in_reporting. They are notified of assigned when a fault is assigned to them." enum:"occurred,resolved,unresolved,assigned,commented,deployed,volume_spike,down,up,slow,fast,cert_will_expire,check_in_missing,check_in_reporting"`
	Mentions sett.Optional[bool]     `json:"mentions,omitzero" doc:"Whether they are notified of comments that mention them, even without the event commented; true by default."`
	Follows  sett.Optional[bool]     `json:"follows,omitzero" doc:"Whether they are notified of all that happens to faults that they follow, whatever the events; true by default."`
	Digest   sett.Optional[string]   `json:"digest,omitzero" doc:"A mail with a summary: every day or every Monday at 8:00, in the time zone of the user. Off by default." enum:"off,daily,weekly"`
}

// Apply returns the personal alerts with the change made, or an Invalid error that names every field that is wrong.
func (c PersonalAlertsChange) Apply(have PersonalAlerts) (PersonalAlerts, error) {
	var p sett.Problems
	fresh := NewPersonalAlerts()
	have.Events = c.events(&p, have.Events)
	sett.SetField(&p, "mentions", c.Mentions, &have.Mentions, fresh.Mentions)
	sett.SetField(&p, "follows", c.Follows, &have.Follows, fresh.Follows)
	digest := string(have.Digest)
	sett.SetField(&p, "digest", c.Digest, &digest, string(fresh.Digest))
	if have.Digest = DigestInterval(digest); c.Digest.Sent && c.Digest.Bad == "" && !slices.Contains(DigestIntervals(), have.Digest) {
		p.Add("digest", "is not included in the list: off, daily, weekly")
	}
	return have, p.Refusal()
}

// events returns the events that were sent, each once and in the order in which they are listed, or those from before.
func (c PersonalAlertsChange) events(p *sett.Problems, before []AlertEvent) []AlertEvent {
	switch {
	case c.Events.Null:
		return DefaultAlertEvents()
	case !sett.Check(p, "events", c.Events):
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
