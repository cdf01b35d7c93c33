package triage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
