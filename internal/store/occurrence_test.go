package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// nonZero leaves out the points without notices.
func nonZero(t *testing.T, points []sett.Point, err error) map[string]int64 {
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
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		project, err := d.CreateProject(t.Context(), noon, d.UserID, d.AccountID, sett.ProjectChange{Name: sett.Some("Other")})
		if err != nil {
			t.Fatal(err)
		}
		other := project.ID
		staging := func(r *sett.Report) { r.Environment = "staging" }
		elsewhere := func(r *sett.Report) { r.ProjectID = other }
		for _, batch := range []struct { // the oldest first, as ids of notices only grow
			ago     time.Duration
			reports []*Packed
		}{
			{30 * 24 * time.Hour, []*Packed{d.report("A")}},
			{29 * 24 * time.Hour, []*Packed{d.report("A")}},
			{24 * time.Hour, []*Packed{d.report("A")}},
			{60 * time.Minute, []*Packed{d.report("A"), d.report("B", staging)}},
			{59 * time.Minute, []*Packed{d.report("A")}},
			{0, []*Packed{d.report("A"), d.report("B"), d.report("A", elsewhere)}},
		} {
			d.record(noon.Add(-batch.ago), sett.Limits{}, batch.reports...)
		}
		ours := d.numbers(replaceID(`SELECT min(id) FROM faults WHERE class = 'A' AND project_id = $`, d.ProjectID), 1)[0]
		for period, want := range map[sett.Period][3]map[string]int64{ // of fault A, of the project, of both projects in production
			sett.PastHour: {
				{"18 12:00": 1, "18 11:01": 1},
				{"18 12:00": 2, "18 11:01": 1},
				{"18 12:00": 3, "18 11:01": 1},
			},
			sett.PastDay: {
				{"18 12:00": 1, "18 11:00": 2},
				{"18 12:00": 2, "18 11:00": 3},
				{"18 12:00": 3, "18 11:00": 2},
			},
			sett.PastWeek: {
				{"18 00:00": 3, "17 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1},
			},
			sett.PastMonth: {
				{"18 00:00": 3, "17 00:00": 1, "20 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1, "20 00:00": 1},
				{"18 00:00": 5, "17 00:00": 1, "20 00:00": 1},
			},
		} {
			fault, err := d.FaultSeries(t.Context(), d.ProjectID, ours, period, noon)
			got := [3]map[string]int64{nonZero(t, fault, err)}
			project, err := d.ProjectSeries(t.Context(), []int64{d.ProjectID}, "", period, noon)
			got[1] = nonZero(t, project, err)
			both, err := d.ProjectSeries(t.Context(), []int64{d.ProjectID, other}, "production", period, noon)
			got[2] = nonZero(t, both, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", period, diff)
			}
			if len(fault) != len(period.Starts(noon)) || len(fault) != len(project) || len(fault) != len(both) {
				t.Errorf("%s: %d, %d and %d points", period, len(fault), len(project), len(both))
			}
		}
		none, err := d.ProjectSeries(t.Context(), nil, "", sett.PastDay, noon)
		if got := nonZero(t, none, err); len(got) > 0 || len(none) != 24 {
			t.Errorf("of no project: %v", none)
		}
	})
}
