package rollupdb

import (
	"cmp"
	"context"
	"database/sql"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// additions is what is added to the counters of faults, by fault.
type additions map[int64]addition

type addition struct {
	notices int64
	last    sett.NoticeID
}

func (a additions) add(fault int64, more addition) {
	have := a[fault]
	a[fault] = addition{have.notices + more.notices, max(have.last, more.last)}
}

func (a additions) columns() (ids, ns, ats []int64) {
	for _, id := range db.Sorted(a, cmp.Compare[int64]) {
		ids, ns, ats = append(ids, id), append(ns, a[id].notices), append(ats, db.Micros(a[id].last.Time()))
	}
	return ids, ns, ats
}

func (c *faultCounts) additions() additions {
	all := additions{}
	for k, n := range c.minutes {
		all.add(k.fault, addition{n, c.last[k.fault]})
	}
	return all
}

// looksForParts is how often a fault is looked up among the existing faults and among the merged ones. A fault that was in neither may
// have been merged or split off in between; otherwise it is deleted.
const looksForParts = 3

// write raises the counters, and returns the additions of deleted faults. What is added to a merged fault is also added to the fault that
// it was merged into: that one already includes what was counted under its id before.
func (a additions) write(ctx context.Context, t tx) (gone additions, err error) {
	ended := faultdb.EndedPauses{}
	for look := 0; len(a) > 0 && look < looksForParts; look++ {
		if err := a.writeFaults(ctx, t, ended); err != nil {
			return nil, err
		}
		if len(a) == 0 {
			break
		}
		survivors, err := a.writeMerged(ctx, t)
		if err != nil {
			return nil, err
		}
		if err := survivors.writeFaults(ctx, t, ended); err != nil {
			return nil, err
		}
	}
	return a, ended.Raise(ctx, t.fault())
}

const addFaultCounts = `-- rollupdb.addFaultCounts
UPDATE fault_counts SET notices_count = notices_count + k.n,
    last_notice_at = CASE WHEN last_notice_at > k.at THEN last_notice_at ELSE k.at END
FROM {{rows k(id bigint, n bigint, at bigint)}} WHERE fault_id = k.id RETURNING fault_id, notices_count, paused_count, resumes_at`

// writeFaults raises the counters of existing faults, removes these from a, and notes whose pause ended.
func (a additions) writeFaults(ctx context.Context, t tx, ended faultdb.EndedPauses) error {
	ids, ns, ats := a.columns()
	return t.EachRow(ctx, addFaultCounts, func(rows *sql.Rows) error {
		var id, count, resumes int64
		var end faults.PauseEnd
		err := rows.Scan(&id, &count, &end.Count, &resumes)
		last := a[id].last
		if end.At = db.FromMicros(resumes); end.Passed(count, last.Time()) {
			ended[id] = alerts.AlertFacts{NoticeID: last, NoticesCount: count}
		}
		delete(a, id)
		return err
	}, ids, ns, ats)
}

const addMergedCounts = `-- rollupdb.addMergedCounts
UPDATE merged_faults SET notices_count = notices_count + k.n,
    last_notice_at = CASE WHEN last_notice_at > k.at THEN last_notice_at ELSE k.at END
FROM {{rows k(part bigint, n bigint, at bigint)}} WHERE id = k.part RETURNING id, into_id`

// writeMerged raises the counters of merged faults and removes these from a. It returns the additions for the faults that they were
// merged into.
func (a additions) writeMerged(ctx context.Context, t tx) (survivors additions, err error) {
	survivors = additions{}
	ids, ns, ats := a.columns()
	err = t.EachRow(ctx, addMergedCounts, func(rows *sql.Rows) error {
		var id, into int64
		err := rows.Scan(&id, &into)
		survivors.add(into, a[id])
		delete(a, id)
		return err
	}, ids, ns, ats)
	return survivors, err
}
