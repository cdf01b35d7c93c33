package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// frequent looks up the buckets of those faults alone that had a notice since, whatever other projects have, and names
// only the most frequent. One statement for all of it would look at every bucket of the time.
func (r digestReader) frequent(ctx context.Context, d *sett.PersonalDigest) error {
	faults, err := r.audible(ctx)
	if err != nil {
		return err
	}
	counts, err := r.counts(ctx, faults)
	if err != nil {
		return err
	}
	most := db.Sorted(counts, func(a, b int64) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	d.Frequent.Count = int64(len(most))
	for _, id := range most[:min(len(most), sett.DigestLines)] {
		f := sett.DigestFault{ID: id, Notices: counts[id]}
		err := r.q.QueryRowContext(ctx, r.s.Text(digestFault), r.project, id).Scan(&f.Class, &f.Message, &f.Environment)
		if err != nil {
			return err
		}
		d.Frequent.Rows = append(d.Frequent.Rows, f)
	}
	return nil
}

const digestFault = `-- store.digest fault
SELECT class, message, environment FROM faults WHERE project_id = $1 AND id = $2`

var audibleSince = `-- store.digest audible faults
SELECT f.id FROM fault_counts c JOIN faults f ON f.id = c.fault_id
WHERE c.project_id = $1 AND c.last_notice_at >= $2 AND f.created_at < $3 AND NOT f.ignored AND` + audibleIn("f.environment")

// audible returns the faults that had a notice since the time began, and that a digest may tell of.
func (r digestReader) audible(ctx context.Context) (ids []int64, err error) {
	rows, err := r.q.QueryContext(ctx, r.s.Text(audibleSince), r.project, db.Micros(r.from), db.Micros(r.to))
	return ids, db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) }))
}

const sumBuckets = `-- store.digest buckets
SELECT fault_id, CAST(sum(count) AS bigint) FROM fault_buckets WHERE width = $1 AND at IN `

// counts returns how many notices faults had in the time, of those that had any.
func (r digestReader) counts(ctx context.Context, faults []int64) (map[int64]int64, error) {
	counts := map[int64]int64{}
	parts, of, err := r.s.withParts(ctx, r.q, faults)
	if err != nil {
		return nil, err
	}
	for width, starts := range wholeBuckets(r.from, r.to) {
		list, ats := db.In(r.s.DB, 2, starts)
		for some := range slices.Chunk(parts, max(1, mostLookups/max(1, len(starts)))) {
			these, ids := db.In(r.s.DB, 2+len(ats), some)
			args := append(append([]any{width}, ats...), ids...)
			rows, err := r.q.QueryContext(ctx, sumBuckets+list+" AND fault_id IN "+these+" GROUP BY fault_id", args...)
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

// wholeBuckets returns by width where the buckets start that a time of full hours is made of: the fewest that there are.
func wholeBuckets(from, to time.Time) map[int64][]int64 {
	starts := map[int64][]int64{}
	for at, end := from.Unix()/hour*hour, to.Unix(); at < end; {
		width := int64(hour)
		if at%day == 0 && at+day <= end {
			width = day
		}
		starts[width] = append(starts[width], at)
		at += width
	}
	return starts
}
