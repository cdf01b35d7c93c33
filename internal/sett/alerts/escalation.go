package alerts

import (
	"slices"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// Escalation says to which channel the alerts of another one are sent on when no person acknowledges them in time.
type Escalation struct {
	ChannelID int64 `json:"channel_id" doc:"The channel that they are sent on to."`
	Minutes   int64 `json:"minutes" doc:"How long they wait for an acknowledgement."`
}

// EscalationChange is an escalation as people write it. It is sent as a whole.
type EscalationChange struct {
	ChannelID sett.Optional[int64] `json:"channel_id,omitzero" doc:"The channel that alerts are sent on to: another one of the project." required:"true"`
	Minutes   sett.Optional[int64] `json:"minutes,omitzero" doc:"How long they wait for an acknowledgement." required:"true" range:"1,1440"`
}

// mostEscalationMinutes is a day.
const mostEscalationMinutes = 24 * 60

// After is how long alerts wait for an acknowledgement.
func (e Escalation) After() time.Duration { return time.Duration(e.Minutes) * time.Minute }

// EscalationFacts say why an alert is sent on.
type EscalationFacts struct {
	Minutes int64  `json:"minutes"` // without an acknowledgement
	From    string `json:"from"`    // name of the channel that it was for
}

// Why says in a few words why an alert is sent on.
func (f EscalationFacts) Why() string {
	return "not acknowledged for " + phrase.Count(f.Minutes, "minute")
}

// Escalates reports whether alerts about the event are sent on: what is urgent and opens a problem.
func (e AlertEvent) Escalates() bool {
	return e.Urgent() && e.Acknowledged() && slices.Contains(OpeningEvents(), e)
}

// EscalatingEvents lists the events that Escalates is true for.
func EscalatingEvents() []AlertEvent {
	return slices.DeleteFunc(AlertEvents(), func(e AlertEvent) bool { return !e.Escalates() })
}

// setEscalation takes over the escalation of an integration. Whether there is such a channel is checked by the store.
func (c IntegrationChange) setEscalation(p *sett.Problems, kind IntegrationKind, s *IntegrationSettings) {
	const field = "escalation"
	switch {
	case c.Escalation.Null:
		s.Escalation = nil
	case !sett.Check(p, field, c.Escalation):
	case kind.Tracker:
		p.Add(field, "can't be set for an issue tracker: issues wake no one")
	default:
		e := Escalation{}
		sett.SetField(p, field+".channel_id", c.Escalation.Value.ChannelID, &e.ChannelID, 0)
		if e.ChannelID == 0 && c.Escalation.Value.ChannelID.Bad == "" {
			p.Add(field+".channel_id", "can't be blank: name another channel, or leave out the whole escalation")
		}
		sett.SetField(p, field+".minutes", c.Escalation.Value.Minutes, &e.Minutes, 0)
		if bad := c.Escalation.Value.Minutes.Bad; bad == "" && (e.Minutes < 1 || e.Minutes > mostEscalationMinutes) {
			p.Add(field+".minutes", "must be from 1 to %d", mostEscalationMinutes)
		}
		s.Escalation = &e
	}
}

// EscalationState is what decides about an alert that is due to be sent on.
type EscalationState struct {
	Began       time.Time // of the problem that it was raised for
	Problem     *Problem  // that its subject has now; nil: none
	Target      *Integration
	ProjectOn   bool
	Silent      bool // its error is paused or ignored
	Maintenance bool // a window holds alerts about its subject now
}

// EscalationStep is what becomes of an alert that is due to be sent on.
type EscalationStep int

// The steps.
const (
	EscalationOver  EscalationStep = iota // it is never sent on
	EscalationWaits                       // it may be, later
	EscalationSent                        // it is sent on now
)

// Step decides what becomes of the alert. An acknowledgement may be taken back, and maintenance ends: then it is sent on late.
func (s EscalationState) Step() EscalationStep {
	switch {
	case s.Problem == nil || !s.Problem.Began.Equal(s.Began):
		return EscalationOver
	case !s.ProjectOn || s.Target == nil || !s.Target.Active || s.Silent:
		return EscalationOver
	case s.Problem.Acknowledgement != nil || s.Maintenance:
		return EscalationWaits
	}
	return EscalationSent
}
