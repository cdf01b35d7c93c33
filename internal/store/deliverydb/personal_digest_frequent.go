package deliverydb

import (
	"cmp"
	"context"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// frequent looks up only the buckets of faults that had a notice in the time, regardless of other projects, and reads the names of only
// the most frequent. A single statement would read every bucket of the time.
func (r digestReader) frequent(ctx context.Context, d *alerts.PersonalDigest) error {
	faults, err := r.audible(ctx)
	if err != nil {
		return err
	}
	counts, err := r.s.fault.NoticesBetween(ctx, r.q, r.from, r.to, faults)
	if err != nil {
		return err
	}
	most := db.Sorted(counts, func(a, b int64) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	d.Frequent.Count = int64(len(most))
	for _, id := range most[:min(len(most), alerts.DigestLines)] {
		f := alerts.DigestFault{ID: id, Notices: counts[id]}
		err := r.q.QueryRowContext(ctx, r.s.db.Text(digestFault), r.project, id).Scan(&f.Class, &f.Message, &f.Environment)
		if err != nil {
			return err
		}
		d.Frequent.Rows = append(d.Frequent.Rows, f)
	}
	return nil
}

const digestFault = `-- deliverydb.digest fault
SELECT class, message, environment FROM faults WHERE project_id = $1 AND id = $2`

var audibleSince = `-- deliverydb.digest audible faults
SELECT f.id FROM fault_counts c JOIN faults f ON f.id = c.fault_id
WHERE c.project_id = $1 AND c.last_notice_at >= $2 AND f.created_at < $3 AND NOT f.ignored AND` + audibleIn("f.environment")

// audible returns the faults that had a notice since the start of the interval and that a digest may include.
func (r digestReader) audible(ctx context.Context) (ids []int64, err error) {
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(audibleSince), r.project, db.Micros(r.from), db.Micros(r.to))
	return ids, db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) }))
}
