// Package alerts has the nouns and rules of messages: alerts and their facts, integrations, personal alerts, digests, quiet hours, deliveries
// and mails. It takes alerts and settings, and decides who receives what and when. It is pure: it sends nothing. It does not know what raised
// an alert, so an alert carries all that a message says.
package alerts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
)

// AlertEvent is an event that can send notifications, named as integrations name it (wire.md §5.1).
type AlertEvent string

// The events that integrations can select.
const (
	AlertOccurred         AlertEvent = "occurred" // a new fault, a resolved one that occurs again, or the end of a pause
	AlertRateExceeded     AlertEvent = "rate_exceeded"
	AlertResolved         AlertEvent = "resolved"
	AlertUnresolved       AlertEvent = "unresolved" // by a person
	AlertAssigned         AlertEvent = "assigned"
	AlertCommented        AlertEvent = "commented"
	AlertDeployed         AlertEvent = "deployed"
	AlertVolumeSpike      AlertEvent = "volume_spike"
	AlertDown             AlertEvent = "down"
	AlertUp               AlertEvent = "up"
	AlertSlow             AlertEvent = "slow" // responses of a site take long; it is up
	AlertFast             AlertEvent = "fast" // after it was slow
	AlertCertWillExpire   AlertEvent = "cert_will_expire"
	AlertCheckInMissing   AlertEvent = "check_in_missing"
	AlertCheckInFailed    AlertEvent = "check_in_failed"
	AlertCheckInReporting AlertEvent = "check_in_reporting"
	AlertAlarm            AlertEvent = "alarm_alert" // the condition of an alarm is true
	AlertAlarmOK          AlertEvent = "alarm_ok"    // it no longer is
)

// What sett itself says to one receiver, whatever it wants.
const (
	AlertFlooded     AlertEvent = "flooded"      // how much flood control has held back
	AlertIssueCreate AlertEvent = "issue_create" // a user creates an issue from a fault
	AlertIssueClose  AlertEvent = "issue_close"
	AlertIssueReopen AlertEvent = "issue_reopen"
)

// AlertmanagerLabel is the label that all alerts have which sett sends to an Alertmanager, with what they are about.
const AlertmanagerLabel = "sett"

// AlertEvents lists the events that integrations can select.
func AlertEvents() []AlertEvent {
	return []AlertEvent{
		AlertOccurred, AlertRateExceeded, AlertResolved, AlertUnresolved, AlertAssigned, AlertCommented, AlertDeployed,
		AlertVolumeSpike, AlertDown, AlertUp, AlertSlow, AlertFast, AlertCertWillExpire, AlertCheckInMissing, AlertCheckInFailed, AlertCheckInReporting,
		AlertAlarm, AlertAlarmOK,
	}
}

// DefaultAlertEvents lists the events of a new integration by default (wire.md §5.1).
func DefaultAlertEvents() []AlertEvent {
	return []AlertEvent{
		AlertOccurred, AlertAssigned, AlertUp, AlertDown, AlertSlow, AlertFast, AlertCertWillExpire, AlertCheckInMissing, AlertCheckInFailed, AlertCheckInReporting,
		AlertAlarm, AlertAlarmOK,
	}
}

// Alert is an event that may send notifications. It is stored in the transaction in which it happened,
// and then never changes.
type Alert struct {
	ID            int64
	ProjectID     int64
	Event         AlertEvent
	Subject       AlertSubject
	FaultID       int64  // 0: about no fault, or about many
	Environment   string // of the fault or deploy; "" for none
	IntegrationID int64  // the only receiver; 0: every integration that selects the event
	At            time.Time
	CreatedAt     time.Time
	Facts         AlertFacts
}

// AboutFault reports whether the alert is about one fault.
func (a Alert) AboutFault() bool {
	switch a.Event {
	case AlertOccurred, AlertRateExceeded, AlertVolumeSpike, AlertCommented:
		return true
	case AlertAssigned:
		return len(a.Facts.FaultIDs) == 0
	}
	return a.FaultID != 0
}

// AlertSubject is what an alert is about. A receiver gets the alerts about one subject in the order in which they
// happened.
type AlertSubject string

// FaultSubject is the subject of alerts about a fault.
func FaultSubject(id int64) AlertSubject { return AlertSubject(fmt.Sprint("fault ", id)) }

// SiteSubject is the subject of alerts about a site.
func SiteSubject(id sett.UUID) AlertSubject { return AlertSubject("site " + id.String()) }

// SlowSubject is the subject of alerts about the pace of a site.
func SlowSubject(id sett.UUID) AlertSubject { return AlertSubject("slow_site " + id.String()) }

// CheckInSubject is the subject of alerts about a check-in.
func CheckInSubject(id string) AlertSubject { return AlertSubject("check_in " + id) }

// AlarmSubject is the subject of alerts about an alarm.
func AlarmSubject(id string) AlertSubject { return AlertSubject("alarm " + id) }

// DeploySubject is the subject of alerts about a deploy.
func DeploySubject(id int64) AlertSubject { return AlertSubject(fmt.Sprint("deploy ", id)) }

// ProjectSubject is the subject of alerts about many faults of a project, and of those that sett makes up.
func ProjectSubject(id int64) AlertSubject { return AlertSubject(fmt.Sprint("project ", id)) }

// TestSubject is the subject of an alert that tries an integration out. Each has its own, so that it waits for no other.
func TestSubject(now time.Time) AlertSubject {
	return AlertSubject(fmt.Sprint("test ", now.UnixMicro()))
}

// Test reports whether the subject is that of an alert that tries an integration out.
func (s AlertSubject) Test() bool { return strings.HasPrefix(string(s), "test ") }

// ID returns the id of what the subject is, as text.
func (s AlertSubject) ID() string {
	_, id, _ := strings.Cut(string(s), " ")
	return id
}

// AlertFacts are the data of an alert that may have changed, or been deleted, by the time it is sent. Each event has its
// own.
type AlertFacts struct {
	NoticeID     sett.NoticeID `json:"notice_id,omitempty"`     // of occurred, rate_exceeded, volume_spike: the newest
	NoticesCount int64         `json:"notices_count,omitempty"` // of the fault, that notice included, as far as they were counted
	Reopened     bool          `json:"reopened,omitempty"`      // of occurred: the fault had been resolved
	FaultIDs     []int64       `json:"fault_ids,omitempty"`     // of a change to many faults; of more than 1,000, the first
	FaultsCount  int64         `json:"faults_count,omitempty"`  // of many faults, those that are not named too; 0: all are named
	Environments []string      `json:"environments,omitempty"`  // of many faults, where they are of several

	Actor     *sett.Person  `json:"actor,omitempty"` // who did it
	Assignee  *sett.Person  `json:"assignee,omitempty"`
	Team      []int64       `json:"team,omitempty"`    // of assigned, if the assignee is a team: its members
	ByRule    bool          `json:"by_rule,omitempty"` // of assigned: by the ownership rules of the project, when the fault was new
	Comment   *CommentFacts `json:"comment,omitempty"`
	Mentioned []int64       `json:"mentioned,omitempty"` // users that the comment names

	DeployID   int64            `json:"deploy_id,omitempty"`
	Site       *SiteFacts       `json:"site,omitempty"`
	CheckIn    *CheckInFacts    `json:"check_in,omitempty"`
	Alarm      *AlarmFacts      `json:"alarm,omitempty"`
	Rate       *RateFacts       `json:"rate,omitempty"`
	Spike      *SpikeFacts      `json:"spike,omitempty"`
	Held       *HeldFacts       `json:"held,omitempty"`
	Escalation *EscalationFacts `json:"escalation,omitempty"` // it is sent on, because no person acknowledged it
	Test       bool             `json:"test,omitempty"`       // a test of an integration
	From       int64            `json:"from,omitempty"`       // the integration whose issue tracker said it: it is not sent there
}

// AssignedTo reports whether the facts of an assignment name a user, or a team that they were in.
func (f AlertFacts) AssignedTo(userID int64) bool {
	return f.Assignee != nil && (f.Assignee.ID == userID || slices.Contains(f.Team, userID))
}

// Watched returns the name of the site, check-in or alarm that the alert is about, or its id if it has none; "" for others.
func (f AlertFacts) Watched() string {
	switch {
	case f.Site != nil:
		return cmp.Or(f.Site.Name, f.Site.URL)
	case f.CheckIn != nil:
		return cmp.Or(f.CheckIn.Name, f.CheckIn.ID)
	case f.Alarm != nil:
		return f.Alarm.Name
	}
	return ""
}

// CommentFacts are a comment that was written.
type CommentFacts struct {
	ID        int64     `json:"id"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"created_at"`
}

// SiteFacts are a site when it went down, came up, became slow or fast, or its certificate was seen to end soon.
type SiteFacts struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	URL              string            `json:"url"`
	State            sett.SiteState    `json:"state"`
	LastCheckedAt    time.Time         `json:"last_checked_at"`
	CertWillExpireAt time.Time         `json:"cert_will_expire_at"`
	CertAuthority    string            `json:"cert_authority,omitempty"` // as in Site
	DownAt           time.Time         `json:"down_at"`                  // of the outage; zero when it is about none
	UpAt             time.Time         `json:"up_at"`
	ConfirmedAt      time.Time         `json:"confirmed_at,omitzero"` // when the outage was; zero also for alerts of earlier versions
	Location         string            `json:"location,omitempty"`    // whose check confirmed it
	Status           int               `json:"status,omitempty"`      // of HTTP; 0: there was no response
	Reason           string            `json:"reason,omitempty"`
	Headers          map[string]string `json:"headers,omitempty"`
	Days             int64             `json:"days,omitempty"`  // of cert_will_expire: the threshold
	Again            bool              `json:"again,omitempty"` // of down: receivers know that it was down before a pause
	Slow             *SlowFacts        `json:"slow,omitempty"`  // of slow and fast
}

// SlowFacts say how slow a site was.
type SlowFacts struct {
	SlowAt time.Time `json:"slow_at"` // zero: of fast, if nothing was known in between
	FastAt time.Time `json:"fast_at"`
	Limit  int64     `json:"limit"`          // milliseconds; what takes longer is slow
	Took   int64     `json:"took,omitempty"` // milliseconds, of the check that confirmed it; 0: unknown
	Checks int64     `json:"checks"`         // in a row that confirm it
}

// CheckInFacts are a check-in when it was missed, its job failed, or it reports again.
type CheckInFacts struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	State       sett.CheckInState `json:"state"`
	ReportedAt  time.Time         `json:"reported_at"`
	ExpectedAt  time.Time         `json:"expected_at"`
	DueAt       time.Time         `json:"due_at"` // of check_in_missing: the ping that stayed away was expected then
	MissedCount int64             `json:"missed_count"`
	Reason      string            `json:"reason,omitempty"` // of check_in_missing: why, if it is not that no ping came; of check_in_failed: what the job said
	Again       bool              `json:"again,omitempty"`  // receivers know the problem already
}

// AlarmFacts are an alarm when it was raised, or was no longer.
type AlarmFacts struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	State       string    `json:"state"`     // after the change
	Condition   string    `json:"condition"` // in words
	Count       int64     `json:"count"`     // of rows
	Query       string    `json:"query"`
	From        time.Time `json:"from"` // the time whose events were counted
	To          time.Time `json:"to"`
	CreatedAt   time.Time `json:"created_at"`
	Rows        []string  `json:"rows,omitempty"` // the first rows that were counted, each as a short line
}

// RateFacts say how often a fault occurred in how long.
type RateFacts struct {
	Count     int64     `json:"count"`
	Threshold int64     `json:"threshold"`
	Rate      AlertRate `json:"rate"`
}

// SpikeFacts say by how much a fault occurred more often than usual (wire.md §5.1).
type SpikeFacts struct {
	Observed       int64   `json:"observed" doc:"Occurrences in the window."`
	BaselineMedian float64 `json:"baseline_median" doc:"Usual number of occurrences in such a window."`
	Factor         float64 `json:"factor" doc:"Ratio of the occurrences to the usual number."`
	ZScore         float64 `json:"z_score" doc:"Distance from the usual number in standard deviations."`
	WindowMinutes  int64   `json:"window_minutes" doc:"Length of the window."`
}

// HeldFacts say what flood control has held back from one receiver in one window.
type HeldFacts struct {
	Count   int64 `json:"count" doc:"Messages that were held back."`
	Limit   int64 `json:"limit" doc:"Messages that are sent in one window."`
	Minutes int64 `json:"minutes" doc:"Length of the window."`
	Quiet   bool  `json:"quiet,omitempty" doc:"True if they had waited for the end of quiet hours."`

	Down      []string `json:"down,omitempty" doc:"Names of the sites and check-ins with a problem that they were about; at most 100."`
	Well      []string `json:"well,omitempty" doc:"Names of the sites and check-ins without one any more that they were about; at most 100."`
	Listed    int64    `json:"listed,omitempty" doc:"Number of the messages that were about them."`
	DownCount int64    `json:"down_count,omitempty" doc:"Number of sites and check-ins with a problem."`
	WellCount int64    `json:"well_count,omitempty" doc:"Number of sites and check-ins without one any more."`
}

// AlertRate is the time in which an integration counts for rate_exceeded (wire.md §5.1).
type AlertRate string

// The times in which occurrences are counted.
const (
	RateMinute AlertRate = "min"
	RateHour   AlertRate = "hour"
	RateDay    AlertRate = "wday"
	RateWeek   AlertRate = "week"
)

// AlertRates lists the times in which occurrences can be counted, the shortest first.
func AlertRates() []AlertRate { return []AlertRate{RateMinute, RateHour, RateDay, RateWeek} }

// Span returns the time that the rate counts in; 0 for none.
func (r AlertRate) Span() time.Duration {
	return map[AlertRate]time.Duration{RateMinute: time.Minute, RateHour: time.Hour, RateDay: 24 * time.Hour, RateWeek: 7 * 24 * time.Hour}[r]
}

// Trouble says whether a subject has a problem, such as an outage, and whether a receiver was notified of it. Only receivers that were
// notified of a problem have to be notified of its end.
type Trouble int

// The states of a problem, for one receiver.
const (
	TroubleNone Trouble = iota // there is no problem, or its end was sent
	TroubleHeld                // there is one, and all notifications about it were held
	TroubleSent                // there is one, and a notification about it was sent
)

// OpeningEvents lists the events that report a problem.
func OpeningEvents() []AlertEvent {
	return []AlertEvent{
		AlertOccurred, AlertRateExceeded, AlertVolumeSpike, AlertUnresolved, AlertDown, AlertSlow, AlertCheckInMissing, AlertCheckInFailed, AlertAlarm,
		AlertIssueCreate, AlertIssueReopen,
	}
}

// ClosingEvents lists the events that report its end.
func ClosingEvents() []AlertEvent {
	return []AlertEvent{AlertResolved, AlertUp, AlertFast, AlertCheckInReporting, AlertAlarmOK, AlertIssueClose}
}

// Opened returns the state after an OpeningEvent was sent, or held.
func (t Trouble) Opened(held bool) Trouble {
	if held {
		return max(t, TroubleHeld)
	}
	return TroubleSent
}

// Closed reports whether a ClosingEvent is held, and returns the state after it. Flood control holds the end of a problem only
// if it held all notifications about the problem.
func (t Trouble) Closed() (next Trouble, held bool) {
	if t == TroubleHeld {
		return t, true
	}
	return TroubleNone, false
}

// Written returns the facts with times that can be written.
func (f AlertFacts) Written() AlertFacts {
	if f.Comment != nil {
		c := *f.Comment
		c.CreatedAt = sett.Written(c.CreatedAt)
		f.Comment = &c
	}
	if f.Site != nil {
		s := *f.Site
		s.LastCheckedAt, s.CertWillExpireAt, s.DownAt, s.UpAt = sett.Written(s.LastCheckedAt), sett.Written(s.CertWillExpireAt), sett.Written(s.DownAt), sett.Written(s.UpAt)
		s.ConfirmedAt = sett.Written(s.ConfirmedAt)
		if s.Slow != nil {
			slow := *s.Slow
			slow.SlowAt, slow.FastAt = sett.Written(slow.SlowAt), sett.Written(slow.FastAt)
			s.Slow = &slow
		}
		f.Site = &s
	}
	if f.CheckIn != nil {
		c := *f.CheckIn
		c.ReportedAt, c.ExpectedAt, c.DueAt = sett.Written(c.ReportedAt), sett.Written(c.ExpectedAt), sett.Written(c.DueAt)
		f.CheckIn = &c
	}
	if f.Alarm != nil {
		a := *f.Alarm
		a.From, a.To, a.CreatedAt = sett.Written(a.From), sett.Written(a.To), sett.Written(a.CreatedAt)
		f.Alarm = &a
	}
	return f
}
