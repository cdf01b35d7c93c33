package searchdb

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// Count is how many faults of an environment are in a state.
type Count struct {
	Environment string
	Resolved    bool
	Ignored     bool
	Count       int64
}

// CountFaults returns how many faults the filter matches, by environment and state; zero counts are omitted. Only the
// faults.MostEnvironmentsShown environments with the most faults are listed; the others count as faults.OtherEnvironment.
func (s *Store) CountFaults(ctx context.Context, now time.Time, projectID int64, f Filter) (counts []Count, err error) {
	err = s.db.Snapshot(ctx, "count faults", func(q db.Querier) error {
		f, err := f.Prepare(ctx, s, q, projectID, now)
		if err != nil {
			return err
		}
		var a Assembly
		a.Add(`-- searchdb.CountFaults
SELECT f.environment, f.resolved, f.ignored, count(*)`)
		a.FoundFaults(projectID, now, f)
		a.Add(" GROUP BY f.environment, f.resolved, f.ignored ORDER BY f.environment, f.resolved, f.ignored")
		counts = nil
		rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var n Count
			err := rows.Scan(&n.Environment, &n.Resolved, &n.Ignored, &n.Count)
			counts = append(counts, n)
			return err
		})
	})
	return collectCounts(counts), err
}

// collectCounts adds up the environments with the fewest faults, if there are more environments than are shown.
func collectCounts(counts []Count) []Count {
	found := map[string]int64{}
	for _, n := range counts {
		found[n.Environment] += n.Count
	}
	if len(found) <= faults.MostEnvironmentsShown {
		return counts
	}
	delete(found, faults.OtherEnvironment)
	names := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b], found[a]), cmp.Compare(a, b))
	})
	shown := map[string]bool{}
	for _, name := range names[:faults.MostEnvironmentsShown-1] {
		shown[name] = true
	}
	sums := map[Count]int64{}
	for _, n := range counts {
		if !shown[n.Environment] {
			n.Environment = faults.OtherEnvironment
		}
		sums[Count{n.Environment, n.Resolved, n.Ignored, 0}] += n.Count
	}
	collected := make([]Count, 0, len(sums))
	for n, sum := range sums {
		n.Count = sum
		collected = append(collected, n)
	}
	slices.SortFunc(collected, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), compareBools(a.Resolved, b.Resolved), compareBools(a.Ignored, b.Ignored))
	})
	return collected
}

// compareBools puts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
