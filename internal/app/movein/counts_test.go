package movein_test

import (
	"strconv"
	"testing"
	"time"

	"sett/internal/setttest"
)

// Charts have what the source counted, once.
func TestCountsOfTheSourceAreInCharts(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		now := s.Clock.Now()
		o := old(t, now, sentEvents(t)[:2])
		day := now.Truncate(24 * time.Hour).Unix()
		issue := o.Projects[0].Issues[0]
		issue.Days = [][2]int64{{day - 2*86400, 48}, {day - 86400, 0}, {day, 7}, {day + 86400, 9}, {-5, 3}}
		issue.Hours = [][2]int64{{now.Truncate(time.Hour).Unix(), 5}}
		run(t, options(t, s, o))
		sums := map[string]int64{
			`SELECT CAST(sum(count) AS bigint) FROM fault_buckets WHERE width = 86400`:                                                                 55,
			`SELECT count(*) FROM fault_buckets WHERE width <> 86400`:                                                                                  0,
			`SELECT CAST(sum(b.count) AS bigint) FROM project_buckets b JOIN projects p ON p.id = b.project_id WHERE width = 86400 AND p.name = 'web'`: 55,
			`SELECT CAST(sum(count) AS bigint) FROM project_buckets WHERE width = 3600`:                                                                55,
			`SELECT max(count) FROM project_buckets WHERE width = 3600`:                                                                                5,
			`SELECT count(*) FROM project_buckets WHERE width = 3600 AND count = 2`:                                                                    24,
		}
		want := func(when string) {
			t.Helper()
			for statement, want := range sums {
				if got := row(t, s, statement); got != want {
					t.Errorf("%s: %s: %d, want %d", when, statement, got, want)
				}
			}
		}
		want("after a run")
		issue.Count++ // it is read again
		run(t, options(t, s, o))
		want("after a second run")
		issue.Count, issue.Days[2][1] = issue.Count+3, 10
		run(t, options(t, s, o))
		delete(sums, `SELECT count(*) FROM project_buckets WHERE width = 3600 AND count = 2`)
		for statement := range sums {
			if sums[statement] == 55 {
				sums[statement] += 3
			}
		}
		want("after three more")
		chart := s.Get("/v2/projects/" + projectID(t, s) + "/occurrences?period=month")
		var rows [][2]int64
		chart.Into(&rows)
		var sum int64
		for _, r := range rows {
			sum += r[1]
		}
		if sum != 58 {
			t.Errorf("the chart has %d", sum)
		}
	})
}

// projectID returns the id of the project that came.
func projectID(t *testing.T, s *setttest.Server) string {
	t.Helper()
	return strconv.FormatInt(row(t, s, `SELECT id FROM projects WHERE name = 'web'`), 10)
}
