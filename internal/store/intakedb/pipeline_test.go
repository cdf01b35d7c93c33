package intakedb_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// twoNodes returns a desk whose trips are seen, and that has stored a batch, and one at another node.
func twoNodes(t *testing.T) (d, other *desk, seen *storetest.Trips) {
	t.Helper()
	c, seen := storetest.NewCluster(t), &storetest.Trips{}
	other = newDesk(t, c.Node(t))
	d = &desk{storetest.DeskOf(storetest.OpenTest(t, db.Options{Database: c.Address, Tracer: seen}), other.SetupResult, t)}
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	return d, other, seen
}

// A batch of notices of known faults reads in one round trip to PostgreSQL, and writes in another.
func TestABatchTakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	seen := &storetest.Trips{}
	d := newDesk(t, storetest.OpenTest(t, db.Options{Database: storetest.NewCluster(t).Address, Tracer: seen}))
	limits := accounts.Limits{MonthlyQuota: 10_000_000}
	for round := range 2 {
		seen.All = nil
		reports := d.Many()
		for i, r := range reports {
			r.Token = sett.UUID{14: byte(round), 15: byte(i + 1)}
		}
		d.RecordBusy(storetest.Noon, limits, reports...)
	}
	want := [][]string{
		{"begin", "checkNode", "findTokens", "faultsByKey", "storedSince", "storedInMinute"},
		{"insertBundles", "insertBundleFacets", "insertBundleFilters", "insertNotices", "addNewTokens", "commit"},
	}
	if !slices.EqualFunc(seen.All, want, slices.Equal) {
		t.Errorf("a batch takes %d round trips: %q", len(seen.All), seen.All)
	}
}

// Of two nodes that store a token at once, one finds the notice of the other.
func TestTwoNodesStoreATokenAtOnce(t *testing.T) {
	t.Parallel()
	d, other, seen := twoNodes(t)
	token := storetest.WithToken(1)
	seen.Before = func(_ *pgx.Conn, statements []string) {
		if slices.Contains(statements, "commit") {
			seen.Before = nil
			if got := other.Record(storetest.Noon, accounts.Limits{}, d.Report("A", token))[0]; got.Duplicate {
				t.Error("the first is a duplicate")
			}
		}
	}
	receipts := d.Record(storetest.Noon, accounts.Limits{}, append(d.Many(), d.Report("A", token))...)
	if got := receipts[len(receipts)-1]; !got.Duplicate || got.Outcome != accounts.Stored {
		t.Errorf("the second ends as %+v", got)
	}
	d.WantCounts("in the end", storetest.All(2*storetest.BusyBatch+1))
}

// A batch whose session ends before its last round trip is not stored, and the next one is.
func TestASessionEndsInTheLastRoundTrip(t *testing.T) {
	t.Parallel()
	d, other, seen := twoNodes(t)
	seen.Before = func(conn *pgx.Conn, statements []string) {
		if slices.Contains(statements, "commit") {
			seen.Before = nil
			(&storetest.Cutter{T: t, Other: other.Store}).TraceQueryStart(t.Context(), conn, pgx.TraceQueryStartData{})
		}
	}
	_, err := d.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()})
	if sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("the error is %v, want %s", err, sett.Unavailable)
	}
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
	d.WantCounts("after the next batch", storetest.All(storetest.BusyBatch+1))
}

// That an id is taken is known for certain: the batch is stored under other ids, and not taken for the one that has them.
func TestAnIDIsTakenInTheLastRoundTrip(t *testing.T) {
	t.Parallel()
	d, other, seen := twoNodes(t)
	seen.Before = func(_ *pgx.Conn, statements []string) {
		if at := slices.Index(statements, "insertNotices"); at >= 0 {
			seen.Before = nil
			other.Run(`INSERT INTO notices (id, fault_id, backtrace_id, bundle_id, slot, facets) VALUES ($1, 0, 0, 0, 0, '')`,
				seen.Last.QueuedQueries[at].Arguments[0].([]int64)[0])
		}
	}
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	other.Run(`DELETE FROM notices WHERE fault_id = 0`)
	if n := d.Numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 2*storetest.BusyBatch {
		t.Errorf("%d notices are stored", n)
	}
	d.WantCounts("in the end", storetest.All(2*storetest.BusyBatch))
}

// Of two nodes that get the first events of an error at once, with messages that differ, one finds the error that the other has made.
func TestTwoNodesMakeAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	d, other, seen := twoNodes(t)
	asked := false
	seen.Before = func(_ *pgx.Conn, statements []string) {
		if slices.Contains(statements, "lockPlaces") {
			seen.Before, asked = nil, true
			other.Record(storetest.Noon, accounts.Limits{}, other.failing("10", "1", message("no price for pears")))
		}
	}
	d.Record(storetest.Noon, accounts.Limits{}, d.failing("10", "1", message("no price for plums")))
	if counts := d.eventsOfFaults(t); !asked || counts[len(counts)-1] != 2 {
		t.Errorf("errors have %v events, and the last should have 2; places were locked: %t", counts, asked)
	}
}
