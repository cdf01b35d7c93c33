package faultdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/store/db"
)

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
