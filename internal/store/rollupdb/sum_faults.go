package rollupdb

import (
	"cmp"
	"context"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// faultSums is what lists show of faults. Counts and index are written together: a list that continues from an earlier page subtracts the
// newer notices, which are in the index, from the counts.
type faultSums struct {
	counts *faultCounts
	index  *index
}

func newFaultSums() sum {
	return faultSums{&faultCounts{map[int64]sett.NoticeID{}, map[faultMinute]int64{}}, &index{}}
}

func (s faultSums) add(n *Notice) {
	s.counts.add(n)
	s.index.add(n)
}

func (s faultSums) write(ctx context.Context, t tx) error {
	if err := s.counts.write(ctx, t); err != nil {
		return err
	}
	return s.index.write(ctx, t)
}

// faultCounts holds the counters of faults and their buckets.
type faultCounts struct {
	last    map[int64]sett.NoticeID // by fault
	minutes map[faultMinute]int64
}

// faultMinute is a fault in the minute that starts at at, in seconds.
type faultMinute struct{ fault, at int64 }

func (c *faultCounts) add(n *Notice) {
	c.last[n.Fault] = max(c.last[n.Fault], n.ID)
	c.minutes[faultMinute{n.Fault, n.ID.Time().Unix() / faultdb.Minute * faultdb.Minute}]++
}

func (c *faultCounts) write(ctx context.Context, t tx) error {
	if err := c.writeCounts(ctx, t); err != nil {
		return err
	}
	return c.writeBuckets(ctx, t)
}

// writeCounts raises the counters of the faults, and drops the counts of faults that were deleted since their notices were stored. A
// deletion deletes the counters first, so it either waits for this transaction or is visible here.
func (c *faultCounts) writeCounts(ctx context.Context, t tx) error {
	gone, err := c.additions().write(ctx, t)
	if err != nil || t.s.db.SQLite() { // on SQLite a deletion flushes before it sweeps
		return err
	}
	if len(gone) > 0 {
		for k := range c.minutes {
			if _, ok := gone[k.fault]; ok {
				delete(c.minutes, k)
			}
		}
	}
	return nil
}

const addFaultBuckets = `-- rollupdb.addFaultBuckets
INSERT INTO fault_buckets (width, at, fault_id, count)
SELECT k.width, k.at, k.fault_id, k.n FROM {{rows k(width bigint, at bigint, fault_id bigint, n bigint)}} WHERE true
ON CONFLICT (width, at, fault_id) DO UPDATE SET count = fault_buckets.count + excluded.count`

type faultBucket struct{ width, at, fault int64 }

func (c *faultCounts) writeBuckets(ctx context.Context, t tx) error {
	buckets := make(map[faultBucket]int64, len(faultdb.Widths)*len(c.minutes))
	for k, n := range c.minutes {
		for _, width := range faultdb.Widths {
			buckets[faultBucket{width, k.at / width * width, k.fault}] += n
		}
	}
	var ws, ats, faults, ns []int64
	for _, k := range db.Sorted(buckets, func(a, b faultBucket) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at), cmp.Compare(a.fault, b.fault))
	}) {
		ws, ats, faults, ns = append(ws, k.width), append(ats, k.at), append(faults, k.fault), append(ns, buckets[k])
	}
	return t.Each(ctx, addFaultBuckets, ws, ats, faults, ns)
}
