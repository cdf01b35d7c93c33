package searchdb_test

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// total returns how many faults a search finds, on a page that shows only some of them.
func (d *desk) total(q string, p sett.Page) int64 {
	d.T.Helper()
	search, err := sett.ParseSearch(q, storetest.Noon)
	if err != nil {
		d.T.Fatalf("%s: %v", q, err)
	}
	f := searchdb.Filter{Search: search, AskedBy: d.UserID}
	found, err := d.Search.SearchFaults(d.T.Context(), storetest.Noon, d.ProjectID, f, searchdb.Page{Order: searchdb.Recent, Page: p, Counted: true})
	if err != nil {
		d.T.Fatalf("%s: %v", q, err)
	}
	if n, err := d.Search.CountMatches(d.T.Context(), storetest.Noon, d.ProjectID, f); err != nil || n != found.Total {
		d.T.Errorf("%q: CountMatches says %d, the list %d: %v", q, n, found.Total, err)
	}
	return found.Total
}

// Whatever a search asks for, and whichever page shows it, the total is the number of faults on all pages.
func TestTotalOfSearch(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		other := d.Project("Other").ID
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Hidden", func(r *faults.Report) { r.ProjectID = other }))
		for _, c := range searches {
			for _, p := range []sett.Page{{Size: 1}, {Size: 2}, {Size: 5}, {Size: 6}, {Size: 2, Offset: 2}, {Size: 2, Offset: 100}} {
				if got := d.total(c.q, p); got != int64(len(c.want)) {
					t.Errorf("%q, %+v: %d, want %d", c.q, p, got, len(c.want))
				}
			}
		}
		if err := d.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID(keyed), triage.FaultMerge{IntoID: sett.Some(d.FaultID(method))}); err != nil {
			t.Fatal(err)
		}
		for q, want := range map[string]int64{"": 4, "hostname:web-1": 1, "hostname:web-3": 1, "-hostname:web-1": 4} {
			if got := d.total(q, sett.Page{Size: 1}); got != want {
				t.Errorf("after a merge, %q: %d, want %d", q, got, want)
			}
		}
		if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID(method)); err != nil {
			t.Fatal(err)
		}
		if got := d.total("hostname:*", sett.Page{Size: 1}); got != 2 {
			t.Errorf("after deleting a fault: %d, want 2", got)
		}
	})
}

const fillManyFaults = `WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 10001)
INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at, resolved, ignored, resolve_on_deploy, paused_until, paused_count, comments_count)
SELECT $1, CAST(CAST(k.i AS text) AS bytes), 'production', CASE WHEN k.i = 1 THEN 'One' ELSE 'Many' END, '', '', '', '', '', CAST($2 AS bigint) + k.i, false, false, false, 0, 0, 0 FROM k`

// Beyond the limit a total is one more than it, however many match.
func TestTotalIsCapped(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(strings.Replace(fillManyFaults, "bytes", map[bool]string{true: "blob", false: "bytea"}[d.SQLite()], 1), d.ProjectID, db.Micros(storetest.Noon.Add(-time.Hour)))
		d.Run(`INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at) SELECT id, project_id, 1, created_at FROM faults`)
		for q, want := range map[string]int64{"": searchdb.MostCountedFaults + 1, "class:Many": searchdb.MostCountedFaults, "class:One": 1} {
			if got := d.total(q, sett.Page{Size: 1}); got != want {
				t.Errorf("%q: %d, want %d", q, got, want)
			}
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Many"))
		if got := d.total("class:Many", sett.Page{Size: 1}); got != searchdb.MostCountedFaults+1 {
			t.Errorf("one more: %d", got)
		}
	})
}
