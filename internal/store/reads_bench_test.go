package store_test

import (
	"context"
	"fmt"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// BenchmarkReads measures what pages read, in a store with a million notices and 20,000 faults, of which one project has
// most.
func BenchmarkReads(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, storetest.BenchStore(b, engine))
			ids := d.fillForReads()
			for _, r := range d.reads(ids) {
				b.Run(r.name, func(b *testing.B) {
					for b.Loop() {
						if err := r.read(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// listOf asks for the page of the open faults of an environment.
func listOf(d *desk, environment string) searchdb.ListQuery {
	open, _ := sett.ParseSearch(faults.UnresolvedTab.Query(), storetest.Noon)
	return searchdb.ListQuery{Projects: []int64{d.ProjectID}, UserID: d.UserID, Environment: environment, Filter: &searchdb.Filter{Search: open}, Page: searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: 25}}}
}

type benchRead struct {
	name string
	read func(context.Context) error
}

// reads are the methods that are measured; ids are faults of the desk's project.
func (d *desk) reads(ids []int64) []benchRead {
	return []benchRead{
		{"FaultSparks", func(ctx context.Context) error {
			_, err := d.Faults.FaultSparks(ctx, storetest.Noon, d.ProjectID, ids[:25])
			return err
		}},
		{"List", func(ctx context.Context) error {
			_, err := d.Search.ReadList(ctx, storetest.Noon, listOf(d, ""))
			return err
		}},
		{"ListOfEnvironment", func(ctx context.Context) error {
			_, err := d.Search.ReadList(ctx, storetest.Noon, listOf(d, "production"))
			return err
		}},
		{"ProjectPulse", func(ctx context.Context) error {
			_, err := d.Faults.ProjectPulse(ctx, storetest.Noon, d.ProjectID)
			return err
		}},
		{"ProjectPulses", func(ctx context.Context) error {
			_, _, err := d.Faults.ProjectPulses(ctx, storetest.Noon, d.UserID, accountdb.ProjectFilter{Page: sett.Page{Size: 20}})
			return err
		}},
		{"MarksOf", func(ctx context.Context) error {
			_, err := d.Faults.MarksOf(ctx, []int64{d.ProjectID}, storetest.Noon.AddDate(0, 0, -30), storetest.Noon)
			return err
		}},
		{"NeedsAttention", func(ctx context.Context) error {
			_, err := d.Faults.NeedsAttention(ctx, storetest.Noon, d.ProjectID, d.UserID, 10)
			return err
		}},
		{"FaultReasons", func(ctx context.Context) error {
			_, err := d.Faults.FaultReasons(ctx, storetest.Noon, d.ProjectID, d.UserID, ids[:25])
			return err
		}},
		{"Timeline", func(ctx context.Context) error {
			_, _, err := d.Faults.Timeline(ctx, storetest.Noon, faultdb.TimelineFilter{ProjectIDs: []int64{d.ProjectID}, Limit: 20})
			return err
		}},
		{"TimelineOfUser", func(ctx context.Context) error {
			_, _, err := d.Faults.Timeline(ctx, storetest.Noon, faultdb.TimelineFilter{UserID: d.UserID, Limit: 20})
			return err
		}},
	}
}

const (
	fillReadFaults = `WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < %d)
INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at, resolved, ignored, resolve_on_deploy, assignee_id, paused_until, paused_count, comments_count)
SELECT $1, CAST(CAST(k.i AS text) AS %s), CASE WHEN k.i %% 10 = 0 THEN 'staging' ELSE 'production' END, 'Error' || (k.i %% 300), 'orders', 'create', 'it did not work', '', '',
    CAST($2 AS bigint) - k.i * CAST(300000000 AS bigint), k.i %% 3 = 0, k.i %% 20 = 0, false, CASE WHEN k.i %% 50 = 0 THEN CAST($3 AS bigint) END, 0, 0, 0 FROM k`
	fillReadCounts = `INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at)
SELECT id, project_id, 50, CAST($1 AS bigint) - (id * 7919 % 20000) * CAST(30000000 AS bigint) FROM faults`
	fillReadBuckets = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 49)
INSERT INTO fault_buckets (width, at, fault_id, count)
SELECT w.n, (CAST($1 AS bigint) - 1 - (k.i * 7919 + f.id * 104729) % 604800) / w.n * w.n, f.id, count(*)
FROM faults f CROSS JOIN k CROSS JOIN (SELECT 60 AS n UNION ALL SELECT 3600 UNION ALL SELECT 86400) w GROUP BY 1, 2, 3`
	fillReadProjectBuckets = `INSERT INTO project_buckets (width, at, project_id, environment, count)
SELECT b.width, b.at, f.project_id, f.environment, CAST(sum(b.count) AS bigint) FROM fault_buckets b JOIN faults f ON f.id = b.fault_id GROUP BY 1, 2, 3, 4`
	fillReadNotices = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 999999)
INSERT INTO notices (id, fault_id, backtrace_id, token, bundle_id, slot, facets)
SELECT (CAST($1 AS bigint) - CAST(1000000 - k.i AS bigint) * 600000) * CAST($2 AS bigint), CASE WHEN k.i % 10 = 0 THEN 1 ELSE 1 + k.i * CAST(7919 AS bigint) % 20000 END, 0, NULL, 0, 0,
    CAST($3 AS text) || 'hostname=web-' || (k.i % 8) || CAST($3 AS text) || 'revision=r' || (k.i / 100000) || CAST($3 AS text) || 'user=u' || (k.i % 500) || CAST($3 AS text) || 'url=https://shop.test/orders/' || (k.i % 40) || CAST($3 AS text) FROM k`
	fillReadFaultNotices = `INSERT INTO fault_notices (fault_id, id) SELECT fault_id, id FROM notices ORDER BY fault_id, id`
	fillReadComments     = `INSERT INTO comments (fault_id, project_id, event, source, author, body, notices_count, created_at)
SELECT f.id, f.project_id, e.event, 'system', '', '', 1, f.created_at + 3600000000 * e.n FROM faults f CROSS JOIN (SELECT 'resolved' AS event, 1 AS n UNION ALL SELECT 'reopened', 2) e WHERE f.id % 3 = 0`
	fillReadDeploys = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 999)
INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at)
SELECT $1, 'production', 'r' || k.i, '', 'josh', CAST($2 AS bigint) - k.i * CAST(7200000000 AS bigint) - 1800000000 FROM k`
)

// fillForReads fills the store and returns faults of the desk's project, those with the newest notices first. It writes
// the tables by hand: a million reports take minutes.
func (d *desk) fillForReads() (ids []int64) {
	bytes := map[bool]string{true: "blob", false: "bytea"}[d.SQLite()]
	projects := []int64{d.ProjectID}
	for n := range 19 {
		projects = append(projects, d.Project(fmt.Sprint("Project ", n)).ID)
	}
	for n, project := range projects {
		faults := map[bool]int{true: 15_250, false: 250}[n == 0]
		d.Run(fmt.Sprintf(fillReadFaults, faults, bytes), project, db.Micros(storetest.Noon), d.UserID)
		d.Run(fillReadDeploys, project, db.Micros(storetest.Noon))
	}
	d.Run(fillReadCounts, db.Micros(storetest.Noon))
	d.Run(fillReadBuckets, storetest.Noon.Unix())
	d.Run(fillReadProjectBuckets)
	d.Run(fillReadNotices, db.Micros(storetest.Noon), int64(sett.MaxNodes), "\n")
	d.Run(fillReadFaultNotices)
	d.Run(fillReadComments)
	if !d.SQLite() {
		d.Run(`ANALYZE`) // as it does by itself, but not at once
	}
	ids, err := d.ListIDs(d.T.Context(), d.Read, `SELECT fault_id FROM fault_counts WHERE project_id = $1 ORDER BY last_notice_at DESC LIMIT 100`, d.ProjectID)
	if err != nil {
		d.T.Fatal(err)
	}
	return ids
}
