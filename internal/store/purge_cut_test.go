package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/column"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// cutAfter ends a purge after so many pieces, as a process does that dies.
func cutAfter(now time.Time, pieces int) store.Purge {
	o := purgeAt(now)
	o.Rest = func(context.Context, time.Duration) error {
		if pieces--; pieces < 0 {
			return errors.New("cut off")
		}
		return nil
	}
	return o
}

// purgedInRounds purges, each round a piece more, until a purge is not cut off. It calls check after each round, and returns how many were cut off.
func (d *desk) purgedInRounds(o func(round int) store.Purge, check func(round int)) (cut int) {
	d.T.Helper()
	for {
		_, err := d.PurgeProjects(d.T.Context(), o(cut))
		check(cut)
		if !d.SQLite() {
			d.Run(`DELETE FROM leases`) // that of the process that died has run out
		}
		if err == nil {
			return cut
		}
		cut++
	}
}

// What a purge that was cut off has left is found by the next, wherever that was.
func TestAPurgeThatIsCutOffGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		short := d.Project("Short").ID
		d.keeps(short, 10)
		for n := range 40 {
			d.Record(storetest.Noon.Add(time.Duration(n)*days), accounts.Limits{}, inOneBundle(
				d.Report("A", storetest.WithToken(byte(n+1))), d.Report("C", of(short)), d.Report("B", of(short), byUser("bea@example.test")))...)
		}
		now := storetest.Noon.Add(100 * days)
		rounds := d.purgedInRounds(func(round int) store.Purge { return cutAfter(now, round) }, func(round int) {
			if n := d.Numbers(`SELECT count(*) FROM fault_notices k LEFT JOIN notices n ON n.id = k.id WHERE n.id IS NULL`, 1)[0]; n != 0 {
				t.Fatalf("round %d: %d notices of faults are not there", round, n)
			}
		})
		if rounds < 5 {
			t.Errorf("only %d rounds were cut off", rounds)
		}
		d.purged(now)
		if diff := cmp.Diff(map[string]int64{
			"notices": 30, "bundles": 30, "fault_notices": 30, "notice_tokens": 30, "fault_users": 1, "named_buckets": 90, "backtraces": 1,
		}, d.rowsOf(ofNotices...)); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		d.wantReadable("A", 30)
	})
}

// A block is dropped in pieces. Wherever that is cut off, searches, users and tokens agree about what is left.
func TestABlockThatIsDroppedInPart(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, now := agedBlock(t, s)
		partly := 0
		d.purgedInRounds(func(round int) store.Purge { return cutAfter(now, round) }, func(int) {
			if n := d.wantOneAnswer(); n > 0 && n < 80 {
				partly++
			}
		})
		if partly < 2 {
			t.Errorf("%d purges ended within the block", partly)
		}
		d.wantNoBlocks()
	})
}

// That also holds if another process rewrites what is left of the block between two pieces, as one with another id.
func TestABlockThatIsRewrittenWhileItIsDropped(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, now := agedBlock(t, s)
		var rewritten int64
		o := purgeAt(now)
		o.Rest = func(ctx context.Context, _ time.Duration) error {
			d.wantOneAnswer()
			n, err := s.RewriteBlocks(ctx, purgeAt(now))
			rewritten += n
			d.wantOneAnswer()
			return err
		}
		if _, err := d.PurgeProjects(t.Context(), o); err != nil || rewritten < 2 {
			t.Errorf("%d blocks rewritten, %v", rewritten, err)
		}
		d.wantNoBlocks()
	})
}

// agedBlock stores 80 notices in one block, and returns when they are kept no longer.
func agedBlock(t *testing.T, s *store.Store) (d *desk, now time.Time) {
	t.Helper()
	d = newDesk(t, s)
	var reports []*faults.Report
	for i := range 80 {
		user := fmt.Sprintf("u%d@example.test", i/2)
		facets := fmt.Sprintf("\ncontext.order=%d\n", i)
		reports = append(reports, d.Report(fmt.Sprint("Class", i%3), storetest.WithToken(byte(i+1)), byUser(user), func(r *faults.Report) { r.Facets = facets }).Report)
	}
	for some := range slices.Chunk(reports, block.MostInBundle) {
		d.Record(storetest.Noon, accounts.Limits{}, new(faultdb.Packer).Pack(some)...)
	}
	if n := d.Compact(storetest.Noon, block.Sizes{Most: 80, Least: 1}); n != 1 {
		t.Fatalf("%d blocks", n)
	}
	return d, storetest.Noon.Add(1000 * days)
}

// wantOneAnswer fails the test unless searches, users and tokens have as many notices as there are, and returns their number.
func (d *desk) wantOneAnswer() int64 {
	d.T.Helper()
	search, _ := query.Parse("context.order:*", storetest.Noon)
	found, err := d.Blocks.Find(d.T.Context(), d.Read, d.ProjectID, block.Search{Terms: column.Terms(search)})
	counted := int64(0)
	for _, n := range found.Counts {
		counted += n
	}
	users := d.Numbers(`SELECT coalesce(CAST(sum(count) AS bigint), 0) FROM fault_users`, 1)[0]
	left := d.rowsOf("notices", "fault_notices", "notice_tokens")
	n := left["notices"]
	if err != nil || counted != n || users != n || left["fault_notices"] != n || left["notice_tokens"] != n {
		d.T.Fatalf("a search finds %d (%v) and users have %d of %v", counted, err, users, left)
	}
	return n
}

func (d *desk) wantNoBlocks() {
	d.T.Helper()
	if diff := cmp.Diff(map[string]int64{"notices": 0, "blocks": 0, "block_parts": 0, "block_payloads": 0}, d.rowsOf("notices", "blocks", "block_parts", "block_payloads")); diff != "" {
		d.T.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// What retention reads beforehand is little: an index leads to each row.
func TestReadingBeforehandUsesIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for statement, columns := range map[string][]any{store.WarmNotices: {[]int64{1}, []int64{1}}, store.WarmUsers: {[]int64{1}, []string{"ann"}}} {
		var plan []string
		err := d.ReadRows(t.Context(), d.Read, "EXPLAIN QUERY PLAN "+statement, func(rows *sql.Rows) error {
			var id, parent, unused int
			var step string
			err := rows.Scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		}, columns...)
		steps := strings.Join(plan, "\n")
		if err != nil || strings.Count(steps, "SEARCH ") != strings.Count(statement, "JOIN ") || strings.Contains(steps, "AUTOMATIC") {
			t.Errorf("%s:\n%s, %v", statement, steps, err)
		}
	}
}

func TestNoticesOfMergedFaultsGo(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		long := d.Project("Long").ID
		d.keeps(long, 3650)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("A", of(long)))
		faults := d.FaultsOf(d.ProjectID)
		if err := d.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faults[1], triage.FaultMerge{IntoID: sett.Some(faults[0])}); err != nil {
			t.Fatal(err)
		}
		d.Record(storetest.Noon.Add(50*days), accounts.Limits{}, d.Report("A"), d.Report("B"))
		if n := d.purged(storetest.Noon.Add(100 * days)); n != 2 {
			t.Errorf("%d notices went, want 2", n)
		}
		if err := d.Faults.SplitFault(t.Context(), storetest.Noon.Add(101*days), d.UserID, d.ProjectID, faults[1]); err != nil {
			t.Fatal(err)
		}
		for _, id := range faults {
			notices, _, err := d.Faults.ListNotices(t.Context(), d.ProjectID, id, faultdb.NoticePage{Page: sett.Page{Size: 25}})
			f, failed := d.Faults.FaultByID(t.Context(), d.ProjectID, id)
			if err != nil || failed != nil || len(notices) != 1 || f.NoticesCount != 2 {
				t.Errorf("fault %d has %d notices of %d, %v, %v; want 1 of 2", id, len(notices), f.NoticesCount, err, failed)
			}
		}
		d.purged(storetest.Noon.Add(200 * days))
		if n := d.Numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 1 {
			t.Errorf("%d notices are left, want that of the project that keeps them for ten years", n)
		}
		for _, id := range faults {
			if _, err := d.Faults.ExplainFault(t.Context(), storetest.Noon.Add(200*days), d.ProjectID, id, nil); err != nil {
				t.Errorf("explain a fault without notices: %v", err)
			}
			if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, id); err != nil {
				t.Errorf("delete a fault without notices: %v", err)
			}
		}
	})
}

// Of several nodes one purges, and another may once that has ended or its lease has run out.
func TestOneNodePurges(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	other := c.Node(t)
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	now := storetest.Noon.Add(100 * days)
	if _, err := d.PurgeProjects(t.Context(), store.Purge{Now: purgeAt(now).Now, Holder: "a", Rest: func(ctx context.Context, _ time.Duration) error {
		n, err := other.PurgeProjects(ctx, store.Purge{Now: purgeAt(now).Now, Holder: "b", Rest: purgeAt(now).Rest})
		if n != 0 || err != nil {
			t.Errorf("beside another that purges %d went, %v", n, err)
		}
		return errors.New("dies") // DropLease does not come about
	}}); err == nil {
		t.Fatal("the purge did not end")
	}
	d.Run(`INSERT INTO leases (name, holder, held_since, held_until) VALUES ('retention', 'a', $1, $2) ON CONFLICT (name) DO NOTHING`, db.Micros(now), db.Micros(now.Add(store.PurgeLeaseLife)))
	purge := func(now time.Time) int64 {
		n, err := other.PurgeProjects(t.Context(), store.Purge{Now: purgeAt(now).Now, Holder: "b", Rest: purgeAt(now).Rest})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := purge(now.Add(store.PurgeLeaseLife / 2)); n != 0 {
		t.Errorf("%d notices went while another held the lease", n)
	}
	if n := purge(now.Add(2 * store.PurgeLeaseLife)); n != storetest.BusyBatch {
		t.Errorf("%d notices went once the lease had run out, want %d", n, storetest.BusyBatch)
	}
}

// What a node has stored and not counted yet is left alone until it is.
func TestUncountedNoticesAreNotPurged(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	alive := c.Node(t)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Many()...)
	now := storetest.Noon.Add(100 * days)
	if n, err := alive.PurgeProjects(t.Context(), purgeAt(now)); n != 0 || err != nil {
		t.Errorf("%d uncounted notices went, %v", n, err)
	}
	storetest.Die(t, d.Store)
	storetest.TakeOverDead(t, alive)
	d.WantCounts("after its node died", storetest.All(2*storetest.BusyBatch))
	if n, err := alive.PurgeProjects(t.Context(), purgeAt(now)); n != 2*storetest.BusyBatch || err != nil {
		t.Errorf("%d counted notices went, %v; want %d", n, err, 2*storetest.BusyBatch)
	}
	if got := d.Numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0]; got != 2*storetest.BusyBatch {
		t.Errorf("faults count %d notices", got)
	}
}

// On SQLite what is pending in memory is counted before anything goes.
func TestPendingNoticesAreCountedAndPurged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	if n := d.purged(storetest.Noon.Add(100 * days)); n != storetest.BusyBatch {
		t.Errorf("%d notices went, want %d", n, storetest.BusyBatch)
	}
	if got := d.Numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0]; got != storetest.BusyBatch {
		t.Errorf("faults count %d notices, want %d", got, storetest.BusyBatch)
	}
	if diff := cmp.Diff(map[string]int64{"fault_users": 0, "fault_notices": 0, "notice_tokens": 0}, d.rowsOf("fault_users", "fault_notices", "notice_tokens")); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// What is too old is looked up, however much there is that is not.
func TestPurgesReadNoWholeTable(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{store.OldestNotices, []any{1, 2, 10}},
		{store.OldestOfFaults, []any{1, 2}},
		{store.NoticesOfFaults, []any{1, 2}},
		{store.PurgeNotices, []any{1}},
		{store.DropFaultNotices, []any{1, 2}},
		{store.OldestNamed, []any{faultdb.OfUser, 1, 10}},
		{store.NamedOfHours + "($3, $4))", []any{faultdb.OfUser, 1, 1, 2}},
		{store.DropNamedOfHours + "($3, $4) LIMIT $5)", []any{faultdb.OfUser, 1, 1, 2, 10}},
		{store.HasOldBacktrace, []any{1, 1}},
		{store.DropBacktraces, []any{1, 1, 10}},
		{store.PurgeAudit, []any{1, 10}},
		{store.PurgeOutages, []any{1, 10}},
		{store.PurgeUsage, []any{1, 10}},
		{store.PurgeFaultBuckets, []any{60, 1, 10}},
		{store.PurgeProjectBuckets, []any{60, 1, 10}},
		{store.PurgeDeploys, []any{1, 1, 10}},
	} {
		d.WantNoWholeTable(q.text, q.args...)
	}
}
