package alerts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestEscalationStep(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(*EscalationState)
		want   EscalationStep
	}{
		"it lasts":                 {func(*EscalationState) {}, EscalationSent},
		"it ended":                 {func(s *EscalationState) { s.Problem = nil }, EscalationOver},
		"another one began since":  {func(s *EscalationState) { s.Problem.Began = began.Add(time.Second) }, EscalationOver},
		"it is acknowledged":       {func(s *EscalationState) { s.Problem.Acknowledgement = &Acknowledgement{} }, EscalationWaits},
		"in maintenance":           {func(s *EscalationState) { s.Maintenance = true }, EscalationWaits},
		"the error is paused":      {func(s *EscalationState) { s.Silent = true }, EscalationOver},
		"the project is off":       {func(s *EscalationState) { s.ProjectOn = false }, EscalationOver},
		"the channel is gone":      {func(s *EscalationState) { s.Target = nil }, EscalationOver},
		"the channel is off":       {func(s *EscalationState) { s.Target.Active = false }, EscalationOver},
		"it ended in maintenance":  {func(s *EscalationState) { s.Problem, s.Maintenance = nil, true }, EscalationOver},
		"acknowledged, and paused": {func(s *EscalationState) { s.Problem.Acknowledgement, s.Silent = &Acknowledgement{}, true }, EscalationOver},
	} {
		s := EscalationState{Began: began, Problem: &Problem{Began: began}, ProjectOn: true, Target: &Integration{IntegrationSettings: IntegrationSettings{Active: true}}}
		if c.change(&s); s.Step() != c.want {
			t.Errorf("%s: %d, want %d", name, s.Step(), c.want)
		}
	}
}

func TestEscalatingEvents(t *testing.T) {
	t.Parallel()
	want := []AlertEvent{AlertRateExceeded, AlertVolumeSpike, AlertDown, AlertCheckInMissing, AlertCheckInFailed, AlertAlarm}
	if diff := cmp.Diff(want, EscalatingEvents()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is sent on is sent whatever the channel selects, and so is its end; the silence of an error and a channel that is off count.
func TestRoutesOfEscalations(t *testing.T) {
	t.Parallel()
	on := Integration{ID: 7, IntegrationSettings: IntegrationSettings{Active: true, SiteIDs: []string{"other"}}}
	sent := Alert{Event: AlertDown, IntegrationID: 7, Facts: AlertFacts{Escalation: &EscalationFacts{Minutes: 1}}}
	for name, c := range map[string]struct {
		r    Routing
		want SkipReason
	}{
		"sent on":                {Routing{Alert: sent, Integration: on, ProjectActive: true}, Routed},
		"for another":            {Routing{Alert: sent, Integration: Integration{ID: 8}, ProjectActive: true}, ForAnother},
		"to one that is off":     {Routing{Alert: sent, Integration: Integration{ID: 7}, ProjectActive: true}, NotActive},
		"of a silent error":      {Routing{Alert: sent, Integration: on, ProjectActive: true, Silent: true}, FaultSilent},
		"the end of it":          {Routing{Alert: Alert{Event: AlertUp}, Integration: on, ProjectActive: true, Escalated: true}, Routed},
		"the end of another":     {Routing{Alert: Alert{Event: AlertUp}, Integration: on, ProjectActive: true}, NotWanted},
		"another event about it": {Routing{Alert: Alert{Event: AlertSlow}, Integration: on, ProjectActive: true, Escalated: true}, NotWanted},
	} {
		if got := c.r.Route(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEscalationSettings(t *testing.T) {
	t.Parallel()
	kinds := []IntegrationKind{{Type: "Slack"}, {Type: "Github", Tracker: true}}
	for name, c := range map[string]struct {
		kind string
		sent EscalationChange
		want sett.Problems
	}{
		"right":        {"Slack", EscalationChange{ChannelID: sett.Some(int64(7)), Minutes: sett.Some(int64(15))}, nil},
		"no channel":   {"Slack", EscalationChange{Minutes: sett.Some(int64(15))}, sett.Problems{"escalation.channel_id can't be blank: name another channel, or leave out the whole escalation"}},
		"no time":      {"Slack", EscalationChange{ChannelID: sett.Some(int64(7))}, sett.Problems{"escalation.minutes must be from 1 to 1440"}},
		"too long":     {"Slack", EscalationChange{ChannelID: sett.Some(int64(7)), Minutes: sett.Some(int64(1441))}, sett.Problems{"escalation.minutes must be from 1 to 1440"}},
		"of a tracker": {"Github", EscalationChange{}, sett.Problems{"escalation can't be set for an issue tracker: issues wake no one"}},
	} {
		var p sett.Problems
		IntegrationChange{Escalation: sett.Some(c.sent)}.Update(&p, kinds, IntegrationSettings{Type: c.kind}, time.Now())
		if diff := cmp.Diff(c.want, p); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
