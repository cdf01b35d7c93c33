package deliverydb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// BenchmarkReadDigest reads the digests of 20 projects, which have 20,000 faults with 500,000 notices in a week.
func BenchmarkReadDigest(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, storetest.BenchStore(b, engine))
			to := alerts.DigestWeekly.End(storetest.Noon)
			projects := d.busyProjects(20, to)
			for name, days := range map[string]int{"day": 1, "week": 7} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						for _, id := range projects {
							digest, err := d.Deliveries.ReadDigest(b.Context(), id, to.AddDate(0, 0, -days), to)
							if err != nil || digest.Frequent.Count == 0 {
								b.Fatal(digest, err)
							}
						}
					}
				})
			}
		})
	}
}

const (
	fillFaults = `WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 1000)
INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at, resolved, ignored, resolve_on_deploy, paused_until, paused_count, comments_count)
SELECT $1, CAST(CAST(k.i AS text) AS %s), 'production', 'E', '', '', 'm', '', '', CAST($2 AS bigint) - k.i * CAST(1200000000 AS bigint), k.i %% 5 = 0, k.i %% 50 = 0, false, 0, 0, 0 FROM k`
	fillCounts = `INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at)
SELECT id, project_id, 25, CAST($1 AS bigint) - id % 168 * 3600000000 FROM faults`
	fillBuckets = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 24)
INSERT INTO fault_buckets (width, at, fault_id, count)
SELECT w.n, (CAST($1 AS bigint) - 1 - (k.i * 7919 + f.id * 104729) % 604800) / w.n * w.n, f.id, count(*)
FROM faults f CROSS JOIN k CROSS JOIN (SELECT 60 AS n UNION ALL SELECT 3600 UNION ALL SELECT 86400) w GROUP BY 1, 2, 3`
	fillResolved = `INSERT INTO comments (fault_id, event, source, author, body, notices_count, created_at)
SELECT id, 'resolved', 'web', '', '', 1, CAST($1 AS bigint) - id % 168 * 3600000000 FROM faults WHERE resolved`
)

// busyProjects makes projects that had as many notices in the week before.
func (d *desk) busyProjects(n int, to time.Time) (ids []int64) {
	bytes := map[bool]string{true: "blob", false: "bytea"}[d.SQLite()]
	for i := range n {
		ids = append(ids, d.Project(fmt.Sprint("Project ", i)).ID)
		d.Run(fmt.Sprintf(fillFaults, bytes), ids[i], db.Micros(to))
	}
	d.Run(fillCounts, db.Micros(to)-1)
	d.Run(fillBuckets, to.Unix())
	d.Run(fillResolved, db.Micros(to)-1)
	if !d.SQLite() {
		d.Run(`ANALYZE`) // as it does by itself, but not at once
	}
	return ids
}
