package faultdb

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

// collectCounts adds up the environments with the fewest faults, if there are more environments than are shown.
func collectCounts(counts []FaultCount) []FaultCount {
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
	sums := map[FaultCount]int64{}
	for _, n := range counts {
		if !shown[n.Environment] {
			n.Environment = faults.OtherEnvironment
		}
		sums[FaultCount{n.Environment, n.Resolved, n.Ignored, 0}] += n.Count
	}
	collected := make([]FaultCount, 0, len(sums))
	for n, sum := range sums {
		n.Count = sum
		collected = append(collected, n)
	}
	slices.SortFunc(collected, func(a, b FaultCount) int {
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

const sumBuckets = `-- faultdb.digest buckets
SELECT fault_id, CAST(sum(count) AS bigint) FROM fault_buckets WHERE width = $1 AND at IN `

// wholeBuckets splits a time of full hours into the fewest buckets, and returns their starts by width.
func wholeBuckets(from, to time.Time) map[int64][]int64 {
	starts := map[int64][]int64{}
	for at, end := from.Unix()/Hour*Hour, to.Unix(); at < end; {
		width := int64(Hour)
		if at%Day == 0 && at+Day <= end {
			width = Day
		}
		starts[width] = append(starts[width], at)
		at += width
	}
	return starts
}

// NoticesBetween returns how many notices faults had in a time of full hours; faults without any are omitted.
func (s *Store) NoticesBetween(ctx context.Context, q db.Querier, from, to time.Time, faults []int64) (map[int64]int64, error) {
	counts := map[int64]int64{}
	parts, of, err := s.withParts(ctx, q, faults)
	if err != nil {
		return nil, err
	}
	for width, starts := range wholeBuckets(from, to) {
		list, ats := db.In(s.db, 2, starts)
		for some := range slices.Chunk(parts, max(1, mostLookups/max(1, len(starts)))) {
			these, ids := db.In(s.db, 2+len(ats), some)
			args := append(append([]any{width}, ats...), ids...)
			rows, err := q.QueryContext(ctx, sumBuckets+list+" AND fault_id IN "+these+" GROUP BY fault_id", args...)
			err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
				var id, n int64
				err := rows.Scan(&id, &n)
				counts[of[id]] += n
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return counts, nil
}
