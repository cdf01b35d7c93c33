package store

import (
	"cmp"
	"context"
	"time"

	"sett/internal/sett"
)

// The widths of buckets, in seconds.
const (
	minute = 60
	hour   = 3600
	day    = 86400
)

// widths are those of the buckets that count faults and projects.
var widths = [...]int64{minute, hour, day}

// counts are what lists and series show: the counters of faults, the buckets of faults and projects, and the ledger.
type counts struct {
	owners  map[int64]owner         // by fault
	last    map[int64]sett.NoticeID // by fault
	minutes map[faultMinute]int64
}

// faultMinute is a fault in the minute that begins at at, in seconds.
type faultMinute struct{ fault, at int64 }

func newCounts() sum {
	return &counts{map[int64]owner{}, map[int64]sett.NoticeID{}, map[faultMinute]int64{}}
}

func (c *counts) add(n noted) {
	fault := n.owner.fault
	if last, ok := c.last[fault]; !ok {
		c.owners[fault], c.last[fault] = n.owner, n.id
	} else if n.id > last {
		c.last[fault] = n.id
	}
	c.minutes[faultMinute{fault, n.id.Time().Unix() / minute * minute}]++
}

func (c *counts) write(ctx context.Context, t *tx) error {
	for _, part := range []func(context.Context, *tx) error{c.ledger().write, c.writeProjects, c.writeFaults, c.writeBuckets} {
		if err := part(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// ledger returns the lines of the ledger for what was stored.
func (c *counts) ledger() endings {
	e := endings{}
	for k, n := range c.minutes {
		o := c.owners[k.fault]
		e.add(o.account, o.project, time.Unix(k.at, 0), sett.Stored, n)
	}
	return e
}

const addProjectBuckets = `-- store.addProjectBuckets
INSERT INTO project_buckets (width, at, project_id, environment, count)
SELECT k.width, k.at, k.project_id, k.environment, k.n
FROM {{rows k(width bigint, at bigint, project_id bigint, environment text, n bigint)}} WHERE true
ON CONFLICT (width, at, project_id, environment) DO UPDATE SET count = project_buckets.count + excluded.count`

type projectBucket struct {
	width, at, project int64
	environment        string
}

func (c *counts) writeProjects(ctx context.Context, t *tx) error {
	buckets := map[projectBucket]int64{}
	for k, n := range c.minutes {
		o := c.owners[k.fault]
		for _, width := range widths {
			buckets[projectBucket{width, k.at / width * width, o.project, o.environment}] += n
		}
	}
	var ws, ats, projects, ns []int64
	var environments []string
	for _, k := range sorted(buckets, func(a, b projectBucket) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project),
			cmp.Compare(a.environment, b.environment))
	}) {
		ws, ats, projects = append(ws, k.width), append(ats, k.at), append(projects, k.project)
		environments, ns = append(environments, k.environment), append(ns, buckets[k])
	}
	return t.each(ctx, addProjectBuckets, ws, ats, projects, environments, ns)
}

const addFaultCounts = `-- store.addFaultCounts
UPDATE fault_counts SET notices_count = notices_count + k.n,
    last_notice_at = CASE WHEN last_notice_at > k.at THEN last_notice_at ELSE k.at END
FROM {{rows k(id bigint, n bigint, at bigint)}} WHERE fault_id = k.id RETURNING fault_id`

// writeFaults moves the counters of the faults. What was deleted since its notices were stored is forgotten: who deletes
// a fault deletes its counters first, and so waits for this transaction or is seen here.
func (c *counts) writeFaults(ctx context.Context, t *tx) error {
	sums := map[int64]int64{}
	for k, n := range c.minutes {
		sums[k.fault] += n
	}
	var ids, ns, ats []int64
	for _, id := range sorted(sums, cmp.Compare[int64]) {
		ids, ns, ats = append(ids, id), append(ns, sums[id]), append(ats, micros(c.last[id].Time()))
	}
	if err := t.eachRow(ctx, addFaultCounts, scanID(func(id int64) { delete(sums, id) }), ids, ns, ats); err != nil {
		return err
	}
	if t.s.dialect != sqliteDialect && len(sums) > 0 { // on SQLite whoever deletes folds before it sweeps
		for k := range c.minutes {
			if _, gone := sums[k.fault]; gone {
				delete(c.minutes, k)
			}
		}
	}
	return nil
}

const addFaultBuckets = `-- store.addFaultBuckets
INSERT INTO fault_buckets (width, at, fault_id, count)
SELECT k.width, k.at, k.fault_id, k.n FROM {{rows k(width bigint, at bigint, fault_id bigint, n bigint)}} WHERE true
ON CONFLICT (width, at, fault_id) DO UPDATE SET count = fault_buckets.count + excluded.count`

type faultBucket struct{ width, at, fault int64 }

func (c *counts) writeBuckets(ctx context.Context, t *tx) error {
	buckets := make(map[faultBucket]int64, len(widths)*len(c.minutes))
	for k, n := range c.minutes {
		for _, width := range widths {
			buckets[faultBucket{width, k.at / width * width, k.fault}] += n
		}
	}
	var ws, ats, faults, ns []int64
	for _, k := range sorted(buckets, func(a, b faultBucket) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at), cmp.Compare(a.fault, b.fault))
	}) {
		ws, ats, faults, ns = append(ws, k.width), append(ats, k.at), append(faults, k.fault), append(ns, buckets[k])
	}
	return t.each(ctx, addFaultBuckets, ws, ats, faults, ns)
}
