package intakedb_test

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Far from a limit counts may follow. Near it what is pending is counted first, so that not one notice too many is stored.
func TestLimitsAreExactThoughCountsFollow(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]accounts.Limits{
		"quota":    {MonthlyQuota: storetest.BusyBatch + 2},
		"throttle": {ProjectThrottle: storetest.BusyBatch + 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				d.RecordBusy(storetest.Noon, accounts.Limits{MonthlyQuota: 10_000_000, ProjectThrottle: 10_000_000}, d.Many()...)
				d.WantCounts("far from the limit", storetest.All(0))
				var got []accounts.Outcome
				for i := range 3 {
					got = append(got, ends(d.RecordBusy(storetest.Noon.Add(time.Duration(i)*time.Second), limits, d.Report("A")))...)
				}
				if want := []accounts.Outcome{accounts.Stored, accounts.Stored, accounts.Limited}; !slices.Equal(got, want) {
					t.Errorf("near it three notices end as %v, want %v", got, want)
				}
				if err := s.Intake.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				d.WantCounts("in the end", storetest.All(storetest.BusyBatch+2))
			})
		})
	}
}
