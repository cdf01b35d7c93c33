package move_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/move"
)

// The hours of each day make the day, however often and when an import runs, and nothing is added twice.
func TestCountsAreAddedOnce(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	hourly := func(from, hours, n int) (all []move.Count) {
		for i := range hours {
			all = append(all, move.Count{At: start.Add(time.Duration(from+i) * time.Hour), N: int64(n)})
		}
		return all
	}
	days := func(n ...int64) (all []move.Count) {
		for i, n := range n {
			all = append(all, move.Count{At: start.AddDate(0, 0, i), N: n})
		}
		return all
	}
	var known move.Known
	sums := map[int64]int64{}
	for i, run := range []struct {
		now    time.Time
		counts move.Counts
		add    int64
	}{
		{start.Add(30 * time.Hour), move.Counts{Days: days(100, 14), Hours: hourly(7, 24, 2)}, 114},
		{start.Add(30 * time.Hour), move.Counts{Days: days(100, 14), Hours: hourly(7, 24, 2)}, 0},
		{start.Add(50 * time.Hour), move.Counts{Days: days(100, 60, 7), Hours: hourly(27, 24, 3)}, 60 - 14 + 7},
		{start.Add(60 * time.Hour), move.Counts{Days: days(90, 60, 7)}, 0},
		{start.Add(60 * time.Hour), move.Counts{Hours: []move.Count{{At: start.Add(-100 * 24 * time.Hour), N: 5}, {At: start.Add(99 * time.Hour), N: 5}, {At: start, N: -5}}}, 0},
	} {
		var add move.Known
		add, known = run.counts.Added(run.now, known)
		var ofDays, ofHours int64
		for _, n := range add.Days {
			ofDays += n
		}
		for at, n := range add.Hours {
			ofHours += n
			sums[at-at%86400] += n
		}
		if ofDays < run.add || ofHours != ofDays {
			t.Errorf("run %d adds %d by days and %d by hours, want %d", i, ofDays, ofHours, run.add)
		}
		if i < 2 && ofDays != run.add {
			t.Errorf("run %d adds %d", i, ofDays)
		}
	}
	if !maps.Equal(sums, known.Days) {
		t.Errorf("the hours do not make the days: %s", cmp.Diff(known.Days, sums))
	}
}
