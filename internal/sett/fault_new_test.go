package sett

import (
	"testing"
	"time"
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
