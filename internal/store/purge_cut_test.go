package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/fault"
	"sett/internal/store/intake"
)

// cutAfter ends a purge after so many pieces, as a process does that dies.
func cutAfter(now time.Time, pieces int) Purge {
	o := purgeAt(now)
	o.Rest = func(context.Context, time.Duration) error {
		if pieces--; pieces < 0 {
			return errors.New("cut off")
		}
		return nil
	}
	return o
}

// What a purge that was cut off has left is found by the next, wherever that was.
func TestAPurgeThatIsCutOffGoesOn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		short := d.project("Short").ID
		d.keeps(short, 10)
		for n := range 40 {
			d.record(noon.Add(time.Duration(n)*days), sett.Limits{}, inOneBundle(
				d.report("A", withToken(byte(n+1))), d.report("C", of(short)), d.report("B", of(short), byUser("bea@example.test")))...)
		}
		now := noon.Add(100 * days)
		rounds := 0
		for ; ; rounds++ {
			_, err := d.PurgeProjects(t.Context(), cutAfter(now, rounds))
			if n := d.numbers(`SELECT count(*) FROM fault_notices k LEFT JOIN notices n ON n.id = k.id WHERE n.id IS NULL`, 1)[0]; n != 0 {
				t.Fatalf("round %d: %d notices of faults are not there", rounds, n)
			}
			if !d.SQLite() {
				d.run(`DELETE FROM leases`) // that of the process that died has run out
			}
			if err == nil {
				break
			}
		}
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

func TestNoticesOfMergedFaultsGo(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		long := d.project("Long").ID
		d.keeps(long, 3650)
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("A", of(long)))
		faults := d.faultsOf(d.ProjectID)
		if err := d.MergeFault(t.Context(), noon, d.UserID, d.ProjectID, faults[1], sett.FaultMerge{IntoID: sett.Some(faults[0])}); err != nil {
			t.Fatal(err)
		}
		d.record(noon.Add(50*days), sett.Limits{}, d.report("A"), d.report("B"))
		if n := d.purged(noon.Add(100 * days)); n != 2 {
			t.Errorf("%d notices went, want 2", n)
		}
		if err := d.SplitFault(t.Context(), noon.Add(101*days), d.UserID, d.ProjectID, faults[1]); err != nil {
			t.Fatal(err)
		}
		for _, id := range faults {
			notices, _, err := d.ListNotices(t.Context(), d.ProjectID, id, NoticePage{Page: sett.Page{Size: 25}})
			f, failed := d.FaultByID(t.Context(), d.ProjectID, id)
			if err != nil || failed != nil || len(notices) != 1 || f.NoticesCount != 2 {
				t.Errorf("fault %d has %d notices of %d, %v, %v; want 1 of 2", id, len(notices), f.NoticesCount, err, failed)
			}
		}
		d.purged(noon.Add(200 * days))
		if n := d.numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 1 {
			t.Errorf("%d notices are left, want that of the project that keeps them for ten years", n)
		}
		for _, id := range faults {
			if _, err := d.ExplainFault(t.Context(), noon.Add(200*days), d.ProjectID, id); err != nil {
				t.Errorf("explain a fault without notices: %v", err)
			}
			if err := d.DeleteFault(t.Context(), d.ProjectID, id); err != nil {
				t.Errorf("delete a fault without notices: %v", err)
			}
		}
	})
}

// Of several nodes one purges, and another may once that has ended or its lease has run out.
func TestOneNodePurges(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	other := c.node(t)
	d.record(noon, sett.Limits{}, d.many()...)
	now := noon.Add(100 * days)
	if _, err := d.PurgeProjects(t.Context(), Purge{Now: purgeAt(now).Now, Holder: "a", Rest: func(ctx context.Context, _ time.Duration) error {
		n, err := other.PurgeProjects(ctx, Purge{Now: purgeAt(now).Now, Holder: "b", Rest: purgeAt(now).Rest})
		if n != 0 || err != nil {
			t.Errorf("beside another that purges %d went, %v", n, err)
		}
		return errors.New("dies") // DropLease does not come about
	}}); err == nil {
		t.Fatal("the purge did not end")
	}
	d.run(`INSERT INTO leases (name, holder, held_since, held_until) VALUES ('retention', 'a', $1, $2) ON CONFLICT (name) DO NOTHING`, db.Micros(now), db.Micros(now.Add(purgeLeaseLife)))
	purge := func(now time.Time) int64 {
		n, err := other.PurgeProjects(t.Context(), Purge{Now: purgeAt(now).Now, Holder: "b", Rest: purgeAt(now).Rest})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := purge(now.Add(purgeLeaseLife / 2)); n != 0 {
		t.Errorf("%d notices went while another held the lease", n)
	}
	if n := purge(now.Add(2 * purgeLeaseLife)); n != intake.BusyBatch {
		t.Errorf("%d notices went once the lease had run out, want %d", n, intake.BusyBatch)
	}
}

// What a node has stored and not counted yet is left alone until it is.
func TestUncountedNoticesAreNotPurged(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	alive := c.node(t)
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.many()...)
	now := noon.Add(100 * days)
	if n, err := alive.PurgeProjects(t.Context(), purgeAt(now)); n != 0 || err != nil {
		t.Errorf("%d uncounted notices went, %v", n, err)
	}
	die(t, d.Store)
	adoptDead(t, alive)
	d.wantCounts("after its node died", all(2*intake.BusyBatch))
	if n, err := alive.PurgeProjects(t.Context(), purgeAt(now)); n != 2*intake.BusyBatch || err != nil {
		t.Errorf("%d counted notices went, %v; want %d", n, err, 2*intake.BusyBatch)
	}
	if got := d.numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0]; got != 2*intake.BusyBatch {
		t.Errorf("faults count %d notices", got)
	}
}

// On SQLite what is pending in memory is counted before anything goes.
func TestPendingNoticesAreCountedAndPurged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	if n := d.purged(noon.Add(100 * days)); n != intake.BusyBatch {
		t.Errorf("%d notices went, want %d", n, intake.BusyBatch)
	}
	if got := d.numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0]; got != intake.BusyBatch {
		t.Errorf("faults count %d notices, want %d", got, intake.BusyBatch)
	}
	if diff := cmp.Diff(map[string]int64{"fault_users": 0, "fault_notices": 0, "notice_tokens": 0}, d.rowsOf("fault_users", "fault_notices", "notice_tokens")); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// What is too old is looked up, however much there is that is not.
func TestPurgesReadNoWholeTable(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{oldestNotices, []any{1, 2, 10}},
		{oldestOfFaults, []any{1, 2}},
		{noticesOfFaults, []any{1, 2}},
		{purgeNotices, []any{1}},
		{dropFaultNotices, []any{1, 2}},
		{intake.LowerFaultUsers, []any{1, "x", 1}},
		{intake.DropFaultUsers, []any{1, "x"}},
		{oldestNamed, []any{fault.OfUser, 1, 10}},
		{namedOfHours + "($3, $4))", []any{fault.OfUser, 1, 1, 2}},
		{dropNamedOfHours + "($3, $4) LIMIT $5)", []any{fault.OfUser, 1, 1, 2, 10}},
		{hasOldBacktrace, []any{1, 1}},
		{dropBacktraces, []any{1, 1, 10}},
		{purgeAudit, []any{1, 10}},
		{purgeOutages, []any{1, 10}},
		{purgeUsage, []any{1, 10}},
		{purgeFaultBuckets, []any{60, 1, 10}},
		{purgeProjectBuckets, []any{60, 1, 10}},
		{purgeDeploys, []any{1, 1, 10}},
		{intake.KeptDays, []any{1, 2, 3}},
		{intake.SampleFaults, []any{1}},
		{intake.SampleNotices, []any{1}},
	} {
		plan := d.plan(d.Text(q.text), q.args...)
		for step := range strings.Lines(plan) {
			whole := strings.HasPrefix(strings.TrimSpace(step), "SCAN ")
			for _, small := range []string{"CONSTANT", "SCAN column", "SCAN k", "SCAN days", "SCAN d\n", "SCAN a ", "SCAN a\n", "SCAN (subquery", "ROW"} {
				whole = whole && !strings.Contains(step, small)
			}
			if whole {
				t.Errorf("%s\nreads a whole table:\n%s", q.text, plan)
			}
		}
	}
}
