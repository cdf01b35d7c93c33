package sett

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBulkAlerts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	actor := AlertFacts{Actor: &Person{ID: 5}}
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
	bulk := func(ids []int64) Alert {
		return Alert{
			ProjectID: 7, Event: AlertResolved, Subject: "project 7", Environment: "production", At: at,
			Facts: AlertFacts{Actor: actor.Actor, FaultIDs: ids},
		}
	}
	single := func(id int64) Alert {
		return Alert{ProjectID: 7, Event: AlertResolved, Subject: FaultSubject(id), FaultID: id, Environment: "production", At: at, Facts: actor}
	}
	for n, want := range map[int][]Alert{
		0: nil, 1: {single(1)}, 2: {bulk(numbers(1, 2))}, 1000: {bulk(numbers(1, 1000))},
		1001: {bulk(numbers(1, 1000)), single(1001)}, 2500: {bulk(numbers(1, 1000)), bulk(numbers(1001, 2000)), bulk(numbers(2001, 2500))},
	} {
		if diff := cmp.Diff(want, BulkAlerts(AlertResolved, at, faults(n), actor)); diff != "" {
			t.Errorf("%d faults (-want +got):\n%s", n, diff)
		}
	}
	mixed := faults(3)
	mixed[0].Environment = "staging"
	staging := single(3)
	staging.Environment = "staging"
	if diff := cmp.Diff([]Alert{bulk(numbers(1, 2)), staging}, BulkAlerts(AlertResolved, at, mixed, actor)); diff != "" {
		t.Errorf("of two environments (-want +got):\n%s", diff)
	}
}

func TestWhoIsAssignedManyFaultsHearsOnce(t *testing.T) {
	t.Parallel()
	at, bob := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), &Person{ID: 5}
	var faults []Fault
	for i := range 1500 {
		faults = append(faults, Fault{ID: int64(i + 1), ProjectID: 7, Environment: "production"})
	}
	want := Alert{ProjectID: 7, Event: AlertAssigned, Subject: FaultSubject(1), FaultID: 1, Environment: "production", At: at, Facts: AlertFacts{Assignee: bob}}
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
		want     []AlertEvent
	}{
		{open, open, nil},
		{open, resolved, []AlertEvent{AlertResolved}},
		{resolved, open, []AlertEvent{AlertUnresolved}},
		{resolved, resolved, nil},
		{open, ignored, nil},
		{ignored, open, nil},
		{ignored, both, []AlertEvent{AlertResolved}},
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

func TestSinceWhenFaultsAreNew(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
	for name, c := range map[string]struct {
		deployed                map[string]time.Time
		production, staging     time.Time
		earliest                time.Time
		any, toProduction, toQA time.Time
	}{
		"never":              {nil, ago(24), ago(24), ago(24), time.Time{}, time.Time{}, time.Time{}},
		"of old":             {map[string]time.Time{"": ago(168), "production": ago(200)}, ago(24), ago(24), ago(24), time.Time{}, time.Time{}, time.Time{}},
		"to one":             {map[string]time.Time{"production": ago(2)}, ago(2), ago(24), ago(24), ago(2), ago(2), time.Time{}},
		"to both":            {map[string]time.Time{"production": ago(100), "staging": ago(1)}, ago(100), ago(1), ago(100), ago(1), ago(100), time.Time{}},
		"to all":             {map[string]time.Time{"": ago(30)}, ago(30), ago(30), ago(30), ago(30), ago(30), ago(30)},
		"to all before one":  {map[string]time.Time{"": ago(30), "production": ago(5)}, ago(5), ago(30), ago(30), ago(5), ago(5), ago(30)},
		"to all after one":   {map[string]time.Time{"": ago(3), "production": ago(5)}, ago(3), ago(3), ago(3), ago(3), ago(3), ago(3)},
		"just within a week": {map[string]time.Time{"production": ago(168).Add(1)}, ago(168).Add(1), ago(24), ago(168).Add(1), ago(168).Add(1), ago(168).Add(1), time.Time{}},
	} {
		n := NewFaultsSince(c.deployed, now)
		got := []time.Time{n.Of("production"), n.Of("staging"), n.Earliest(), n.Deployed("", now), n.Deployed("production", now), n.Deployed("qa", now)}
		for i, want := range []time.Time{c.production, c.staging, c.earliest, c.any, c.toProduction, c.toQA} {
			if !got[i].Equal(want) {
				t.Errorf("%s: %d is %v, want %v", name, i, got[i], want)
			}
		}
	}
}

func TestReasonsOfFaults(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 30, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day = 24 * time.Hour
	old := ago(30 * day)
	for name, c := range map[string]struct {
		signs FaultSigns
		want  []FaultReason
	}{
		"nothing":                     {FaultSigns{CreatedAt: old}, nil},
		"of today":                    {FaultSigns{CreatedAt: ago(day)}, []FaultReason{NewFault}},
		"of yesterday":                {FaultSigns{CreatedAt: ago(day + 1)}, nil},
		"with the deploy":             {FaultSigns{CreatedAt: ago(2 * day), NewSince: ago(2 * day)}, []FaultReason{NewFault}},
		"before the deploy":           {FaultSigns{CreatedAt: ago(2 * time.Hour), NewSince: ago(time.Hour)}, nil},
		"reopened":                    {FaultSigns{CreatedAt: old, ReopenedAt: ago(day - 1)}, []FaultReason{ReopenedFault}},
		"reopened long ago":           {FaultSigns{CreatedAt: old, ReopenedAt: ago(day)}, nil},
		"rising":                      {FaultSigns{CreatedAt: old, LastHour: 10, Week: 559}, []FaultReason{RisingFault}},
		"three times as often":        {FaultSigns{CreatedAt: old, LastHour: 10, Week: 560}, nil},
		"from nothing":                {FaultSigns{CreatedAt: old, LastHour: 10}, []FaultReason{RisingFault}},
		"too few":                     {FaultSigns{CreatedAt: old, LastHour: 9}, nil},
		"known for three hours":       {FaultSigns{CreatedAt: ago(5 * time.Hour), NewSince: now, LastHour: 31, Week: 30}, []FaultReason{RisingFault}},
		"as often since it is known":  {FaultSigns{CreatedAt: ago(5 * time.Hour), NewSince: now, LastHour: 30, Week: 30}, nil},
		"too young to be compared":    {FaultSigns{CreatedAt: ago(4 * time.Hour), NewSince: now, LastHour: 99}, nil},
		"assigned":                    {FaultSigns{CreatedAt: old, Assigned: true}, []FaultReason{AssignedFault}},
		"resolved, ignored or paused": {FaultSigns{CreatedAt: now, ReopenedAt: now, LastHour: 99, Assigned: true, Done: true}, nil},
		"all": {
			FaultSigns{CreatedAt: ago(6 * day), NewSince: ago(6 * day), ReopenedAt: now, LastHour: 99, Assigned: true},
			[]FaultReason{NewFault, ReopenedFault, RisingFault, AssignedFault},
		},
	} {
		if c.signs.NewSince.IsZero() {
			c.signs.NewSince = ago(day)
		}
		got := c.signs.Reasons(now)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, r := range got {
			if r.Word() == "" {
				t.Errorf("%s has no word", r)
			}
		}
	}
	from, to := RisingWeek(now)
	if to != now.Add(-90*time.Minute) || to.Sub(from) != 7*day {
		t.Errorf("the week is from %v to %v", from, to)
	}
}
