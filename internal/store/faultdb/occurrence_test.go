package faultdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// nonZero leaves out the points without notices.
func nonZero(t *testing.T, points []stats.Point, err error) map[string]int64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, p := range points {
		if p.Count != 0 {
			counts[p.At.Format("02 15:04")] = p.Count
		}
	}
	return counts
}

func TestSeries(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		project, err := d.Accounts.CreateProject(t.Context(), storetest.Noon, d.UserID, d.AccountID, accounts.ProjectChange{Name: sett.Some("Other")})
		if err != nil {
			t.Fatal(err)
		}
		other := project.ID
		staging := func(r *faults.Report) { r.Environment = "staging" }
		elsewhere := func(r *faults.Report) { r.ProjectID = other }
		for _, batch := range []struct { // the oldest first, as ids of notices only grow
			ago     time.Duration
			reports []*faultdb.Packed
		}{
			{30 * 24 * time.Hour, []*faultdb.Packed{d.Report("A")}},
			{29 * 24 * time.Hour, []*faultdb.Packed{d.Report("A")}},
			{24 * time.Hour, []*faultdb.Packed{d.Report("A")}},
			{60 * time.Minute, []*faultdb.Packed{d.Report("A"), d.Report("B", staging)}},
			{59 * time.Minute, []*faultdb.Packed{d.Report("A")}},
			{0, []*faultdb.Packed{d.Report("A"), d.Report("B"), d.Report("A", elsewhere)}},
		} {
			d.Record(storetest.Noon.Add(-batch.ago), accounts.Limits{}, batch.reports...)
		}
		ours := d.Numbers(storetest.ReplaceID(`SELECT min(id) FROM faults WHERE class = 'A' AND project_id = $`, d.ProjectID), 1)[0]
		for period, want := range map[stats.Period][3]map[string]int64{ // of fault A, of the project, of both projects in production
			stats.PastHour: {
				{"18 12:00": 1, "18 11:01": 1},
				{"18 12:00": 2, "18 11:01": 1},
				{"18 12:00": 3, "18 11:01": 1},
			},
			stats.PastDay: {
				{"18 12:00": 1, "18 11:00": 2},
				{"18 12:00": 2, "18 11:00": 3},
				{"18 12:00": 3, "18 11:00": 2},
			},
			stats.PastWeek: {
				{"18 00:00": 3, "17 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1},
			},
			stats.PastMonth: {
				{"18 00:00": 3, "17 00:00": 1, "20 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1, "20 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1, "20 00:00": 1},
			},
		} {
			fault, err := d.Faults.FaultSeries(t.Context(), d.ProjectID, ours, period, storetest.Noon)
			got := [3]map[string]int64{nonZero(t, fault, err)}
			project, err := d.Faults.ProjectSeries(t.Context(), []int64{d.ProjectID}, "", period, storetest.Noon)
			got[1] = nonZero(t, project, err)
			both, err := d.Faults.ProjectSeries(t.Context(), []int64{d.ProjectID, other}, "production", period, storetest.Noon)
			got[2] = nonZero(t, both, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", period, diff)
			}
			if len(fault) != len(period.Starts(storetest.Noon)) || len(fault) != len(project) || len(fault) != len(both) {
				t.Errorf("%s: %d, %d and %d points", period, len(fault), len(project), len(both))
			}
		}
		none, err := d.Faults.ProjectSeries(t.Context(), nil, "", stats.PastDay, storetest.Noon)
		if got := nonZero(t, none, err); len(got) > 0 || len(none) != 24 {
			t.Errorf("of no project: %v", none)
		}
	})
}

// The faults of a period come with their notices in it, and with what puts them together in other environments.
func TestSeenFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		staging := func(r *faults.Report) { r.Environment = "staging" }
		d.Record(storetest.Noon.Add(-40*24*time.Hour), accounts.Limits{}, d.Report("Old"))
		d.Record(storetest.Noon.Add(-3*24*time.Hour), accounts.Limits{}, d.Report("A"), d.Report("B", staging))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("A", staging), d.Report("A", staging))
		for period, want := range map[stats.Period]map[string]int64{
			stats.PastDay:   {"A staging": 2, "A production": 1},
			stats.PastWeek:  {"A staging": 2, "A production": 2, "B staging": 1},
			stats.PastMonth: {"A staging": 2, "A production": 2, "B staging": 1},
		} {
			seen, err := d.Faults.SeenFaults(t.Context(), storetest.Noon, d.ProjectID, period)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int64{}
			for _, f := range seen {
				got[f.Class+" "+f.Environment] = f.Count
				if f.Grouping.Environment != f.Environment || f.CreatedAt.IsZero() {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", period, diff)
			}
		}
		if seen, err := d.Faults.SeenFaults(t.Context(), storetest.Noon, d.ProjectID+1, stats.PastMonth); len(seen) > 0 || err != nil {
			t.Errorf("of another project: %v, %v", seen, err)
		}
	})
}
