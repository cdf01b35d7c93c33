package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

func TestBulkAlerts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	actor := alerts.AlertFacts{Actor: &sett.Person{ID: 5}}
	faults := func(n int) (many []Fault) {
		for i := range n {
			many = append(many, Fault{ID: int64(n - i), ProjectID: 7, Environment: "production"})
		}
		return many
	}
	numbers := func(from, to int64) (ids []int64) {
		for id := from; id <= to; id++ {
			ids = append(ids, id)
		}
		return ids
	}
	bulk := func(ids []int64) alerts.Alert {
		return alerts.Alert{
			ProjectID: 7, Event: alerts.AlertResolved, Subject: "project 7", Environment: "production", At: at,
			Facts: alerts.AlertFacts{Actor: actor.Actor, FaultIDs: ids},
		}
	}
	single := func(id int64) alerts.Alert {
		return alerts.Alert{ProjectID: 7, Event: alerts.AlertResolved, Subject: alerts.FaultSubject(id), FaultID: id, Environment: "production", At: at, Facts: actor}
	}
	for n, want := range map[int][]alerts.Alert{
		0: nil, 1: {single(1)}, 2: {bulk(numbers(1, 2))}, 1000: {bulk(numbers(1, 1000))},
		1001: {bulk(numbers(1, 1000)), single(1001)}, 2500: {bulk(numbers(1, 1000)), bulk(numbers(1001, 2000)), bulk(numbers(2001, 2500))},
	} {
		if diff := cmp.Diff(want, BulkAlerts(alerts.AlertResolved, at, faults(n), actor)); diff != "" {
			t.Errorf("%d faults (-want +got):\n%s", n, diff)
		}
	}
	mixed := faults(3)
	mixed[0].Environment = "staging"
	staging := single(3)
	staging.Environment = "staging"
	if diff := cmp.Diff([]alerts.Alert{bulk(numbers(1, 2)), staging}, BulkAlerts(alerts.AlertResolved, at, mixed, actor)); diff != "" {
		t.Errorf("of two environments (-want +got):\n%s", diff)
	}
}

func TestWhoIsAssignedManyFaultsHearsOnce(t *testing.T) {
	t.Parallel()
	at, bob := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), &sett.Person{ID: 5}
	var faults []Fault
	for i := range 1500 {
		faults = append(faults, Fault{ID: int64(i + 1), ProjectID: 7, Environment: "production"})
	}
	want := alerts.Alert{ProjectID: 7, Event: alerts.AlertAssigned, Subject: alerts.FaultSubject(1), FaultID: 1, Environment: "production", At: at, Facts: alerts.AlertFacts{Assignee: bob}}
	if diff := cmp.Diff(want, AssignedAlert(at, faults[:1], bob)); diff != "" {
		t.Errorf("one (-want +got):\n%s", diff)
	}
	want.Subject, want.FaultID, want.Facts.FaultIDs, want.Facts.FaultsCount = "project 7", 0, []int64{1, 2}, 2
	if diff := cmp.Diff(want, AssignedAlert(at, faults[:2], bob)); diff != "" {
		t.Errorf("two (-want +got):\n%s", diff)
	}
	faults[1400].Environment = "staging"
	got := AssignedAlert(at, faults, bob)
	if f := got.Facts; f.FaultsCount != 1500 || len(f.FaultIDs) != 1000 || got.Environment != "" || !slices.Equal(f.Environments, []string{"production", "staging"}) {
		t.Errorf("of %d named are %d, in %q or %q", f.FaultsCount, len(f.FaultIDs), got.Environment, f.Environments)
	}
}

func TestRaises(t *testing.T) {
	t.Parallel()
	open, resolved := FaultState{}, FaultState{Resolved: true}
	ignored, both := FaultState{Ignored: true}, FaultState{Ignored: true, Resolved: true}
	for _, c := range []struct {
		from, to FaultState
		want     []alerts.AlertEvent
	}{
		{open, open, nil},
		{open, resolved, []alerts.AlertEvent{alerts.AlertResolved}},
		{resolved, open, []alerts.AlertEvent{alerts.AlertUnresolved}},
		{resolved, resolved, nil},
		{open, ignored, nil},
		{ignored, open, nil},
		{ignored, both, []alerts.AlertEvent{alerts.AlertResolved}},
		{open, FaultState{ResolveOnDeploy: true, PausedCount: 5}, nil},
	} {
		if got := c.from.Raises(c.to); !slices.Equal(got, c.want) {
			t.Errorf("%+v to %+v raises %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestCommentFacts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for n, want := range map[int]int{0: 0, 999: 999, 1000: 1000, 1001: 1000} {
		c := Comment{ID: 3, CreatedAt: at, Body: string(slices.Repeat([]rune{'ö'}, n))}
		if got := c.Facts(); got.ID != 3 || got.CreatedAt != at || len([]rune(got.Body)) != want {
			t.Errorf("%d characters: %d, %+v", n, len([]rune(got.Body)), got)
		}
	}
}

// What people do with a silent fault is heard; occurrences are not.
func TestSilences(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name            string
		state           FaultState
		notices, raised int64 // that are counted now, and that the alert counts
		want            bool
	}{
		{"open", FaultState{}, 1, 1, false},
		{"resolved", FaultState{Resolved: true}, 1, 1, false},
		{"ignored", FaultState{Ignored: true}, 1, 1, true},
		{"paused by time", FaultState{PausedUntil: noon.Add(time.Second)}, 1, 1, true},
		{"paused by count", FaultState{PausedCount: 10}, 9, 10, true},
		{"the pause has ended", FaultState{PausedUntil: noon}, 1, 1, false},
		{"the first notice after a pause", FaultState{PausedCount: 10}, 0, 11, false},
		{"its counts came later", FaultState{PausedCount: 10}, 10, 1, false},
	} {
		for _, e := range alerts.AlertEvents() {
			want := c.want && (e == alerts.AlertOccurred || e == alerts.AlertRateExceeded || e == alerts.AlertVolumeSpike)
			alert := alerts.Alert{Event: e, FaultID: 7, At: noon, Facts: alerts.AlertFacts{NoticesCount: c.raised}}
			if got := c.state.Silences(alert, c.notices); got != want {
				t.Errorf("%s, %s: %v", c.name, e, got)
			}
		}
	}
}
