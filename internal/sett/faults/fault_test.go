package faults

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// faultChange reads a FaultChange as it arrives.
func faultChange(t *testing.T, body string) FaultChange {
	t.Helper()
	var c FaultChange
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFaultChangeApplies(t *testing.T) {
	t.Parallel()
	resolved, ignored, pending := FaultState{Resolved: true}, FaultState{Ignored: true}, FaultState{ResolveOnDeploy: true}
	for body, c := range map[string]struct{ have, want FaultState }{
		`{}`:                                    {pending, pending},
		`{"resolved":true}`:                     {pending, resolved},
		`{"resolved":false}`:                    {resolved, FaultState{}},
		`{"resolved":null}`:                     {resolved, FaultState{}},
		`{"ignored":true}`:                      {pending, ignored},
		`{"ignored":null}`:                      {FaultState{Resolved: true, Ignored: true}, resolved},
		`{"resolve_on_deploy":true}`:            {FaultState{}, pending},
		`{"resolve_on_deploy":null}`:            {pending, FaultState{}},
		`{"resolved_in":"2"}`:                   {pending, FaultState{Resolved: true, ResolvedIn: "2"}},
		`{"resolved_in":"3"}`:                   {FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{Resolved: true, ResolvedIn: "3"}},
		`{"resolved_in":null}`:                  {FaultState{Resolved: true, ResolvedIn: "2"}, resolved},
		`{"resolved_in": null}`:                 {pending, pending},
		`{"resolved":false }`:                   {FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{}},
		`{"resolved": true}`:                    {FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{Resolved: true, ResolvedIn: "2"}},
		`{"resolved":true }`:                    {FaultState{ResolvedIn: "2"}, resolved},
		`{"resolved":true,"resolved_in":null}`:  {FaultState{}, resolved},
		`{"resolved":false,"resolved_in":null}`: {FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{}},
		`{"resolved":null,"ignored":null,"resolve_on_deploy":null,"assignee_id":null}`: {FaultState{Resolved: true, Ignored: true, PausedCount: 7}, FaultState{PausedCount: 7}},
		`{"resolved":true,"resolve_on_deploy":true}`:                                   {FaultState{}, resolved},
		`{"resolve_on_deploy":true,"ignored":null}`:                                    {ignored, pending},
	} {
		change := faultChange(t, body)
		if err := change.Validate(); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(c.want, c.have.Change(change)); diff != "" {
			t.Errorf("%s of %+v (-want +got):\n%s", body, c.have, diff)
		}
	}
}

func TestFaultChangeNamesEveryFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	err := faultChange(t, `{"resolved":"yes","ignored":1,"resolve_on_deploy":[],"assignee_id":"me"}`).Validate()
	want := sett.Errorf(sett.Invalid, "Please correct: resolved must be true or false; ignored must be true or false; "+
		"resolve_on_deploy must be true or false; assignee_id must be an integer.")
	if diff := cmp.Diff(error(want), errors.Unwrap(err)); diff != "" {
		t.Error(diff)
	}
}

// The first occurrence that Paused does not silence is the one that is waited for.
func TestTheEndOfAPauseIsWhereItsSilenceEnds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, s := range []FaultState{{PausedCount: 10}, {PausedUntil: now.Add(time.Hour)}} {
		end, ok := FaultState{}.EndOfPause(s, now, 0)
		if !ok {
			t.Errorf("%+v: nothing is waited for", s)
		}
		for _, at := range []time.Time{now, now.Add(time.Hour - 1), now.Add(time.Hour), now.Add(2 * time.Hour)} {
			for before := range int64(20) {
				if got, want := end.Passed(before+1, at), !s.Paused(at, before); got != want {
					t.Errorf("%+v, the notice after %d at %v: %v, want %v", s, before, at, got, want)
				}
			}
		}
	}
	if (PauseEnd{}).Passed(100, now) {
		t.Error("a notification is due without a pause")
	}
}

func TestEndOfPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	open, counted := FaultState{}, FaultState{PausedCount: 12}
	timed, over := FaultState{PausedUntil: now.Add(time.Second)}, FaultState{PausedUntil: now}
	resolved := timed
	resolved.Resolved = true
	for _, c := range []struct {
		name     string
		from, to FaultState
		notices  int64
		want     PauseEnd
		ok       bool
	}{
		{"nothing", open, open, 3, PauseEnd{}, false},
		{"by count", open, counted, 2, PauseEnd{Count: 12}, true},
		{"by time", open, timed, 2, PauseEnd{At: now.Add(time.Second)}, true},
		{"by time in place of count", counted, timed, 2, PauseEnd{At: now.Add(time.Second)}, true},
		{"by count in place of time", timed, counted, 2, PauseEnd{Count: 12}, true},
		{"resolved", timed, resolved, 2, PauseEnd{}, false},
		{"ended by hand", timed, open, 2, PauseEnd{At: now}, true},
		{"ended by hand, by count", counted, open, 11, PauseEnd{At: now}, true},
		{"over before", over, open, 2, PauseEnd{At: now}, false},
		{"over before, by count", counted, open, 12, PauseEnd{At: now}, false},
	} {
		if got, ok := c.from.EndOfPause(c.to, now, c.notices); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestCheckIssue(t *testing.T) {
	t.Parallel()
	const (
		noTracker = "Please correct: channel_id must be the id of an integration that is an issue tracker."
		linked    = "This fault is already linked with an issue of this tracker. Unlink it to create another one."
		asked     = "This tracker was already asked for an issue of this fault, and has not answered yet. See the deliveries of the integration."
		unlinked  = "This fault is not linked with an issue of this tracker. Create one, or link one."
	)
	for _, c := range []struct {
		event                  alerts.AlertEvent
		tracker, linked, asked bool
		want                   string
	}{
		{alerts.AlertIssueCreate, true, false, false, ""},
		{alerts.AlertIssueCreate, false, false, false, noTracker},
		{alerts.AlertIssueCreate, true, true, false, linked},
		{alerts.AlertIssueCreate, true, false, true, asked},
		{alerts.AlertIssueClose, true, true, false, ""},
		{alerts.AlertIssueClose, true, true, true, ""},
		{alerts.AlertIssueClose, true, false, false, unlinked},
		{alerts.AlertIssueClose, false, true, false, noTracker},
		{alerts.AlertIssueReopen, true, true, false, ""},
		{alerts.AlertIssueReopen, true, false, true, unlinked},
	} {
		err := CheckIssue(c.event, alerts.IntegrationKind{Tracker: c.tracker}, c.linked, c.asked)
		if err == nil && c.want != "" || err != nil && (err.Error() != c.want || sett.CodeOf(err) != sett.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
