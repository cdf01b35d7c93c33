package intakedb_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// trips sees each round trip to PostgreSQL of transactions that write, as the names of its statements.
type trips struct {
	all    [][]string
	last   *pgx.Batch
	before func(conn *pgx.Conn, statements []string) // is called before each of them; nil: nothing
}

func (r *trips) note(conn *pgx.Conn, texts ...string) {
	var names []string
	for _, text := range texts {
		if strings.HasPrefix(text, "SELECT set_config(") { // the settings that each transaction has behind a pooler
			continue
		}
		name, _, _ := strings.Cut(text, "\n")
		if strings.HasPrefix(name, "-- ") {
			_, name, _ = strings.Cut(name, ".") // behind its package
		}
		names = append(names, name)
	}
	r.all = append(r.all, names)
	if r.before != nil {
		r.before(conn, names)
	}
}

func (r *trips) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	r.note(conn, q.SQL)
	return ctx
}

func (*trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *trips) TraceBatchStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceBatchStartData) context.Context {
	var texts []string
	for _, st := range q.Batch.QueuedQueries {
		texts = append(texts, st.SQL)
	}
	r.last = q.Batch
	r.note(conn, texts...)
	return ctx
}

func (*trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// twoNodes returns a desk whose trips are seen, and that has stored a batch, and one at another node.
func twoNodes(t *testing.T) (d, other *desk, seen *trips) {
	t.Helper()
	c, seen := storetest.NewCluster(t), &trips{}
	other = newDesk(t, c.Node(t))
	d = &desk{storetest.DeskOf(storetest.OpenTest(t, db.Options{Database: c.Address, Tracer: seen}), other.SetupResult, t)}
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	return d, other, seen
}

// A batch of notices of known faults reads in one round trip to PostgreSQL, and writes in another.
func TestABatchTakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	seen := &trips{}
	d := newDesk(t, storetest.OpenTest(t, db.Options{Database: storetest.NewCluster(t).Address, Tracer: seen}))
	limits := accounts.Limits{MonthlyQuota: 10_000_000}
	for round := range 2 {
		seen.all = nil
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
	if !slices.EqualFunc(seen.all, want, slices.Equal) {
		t.Errorf("a batch takes %d round trips: %q", len(seen.all), seen.all)
	}
}

// Of two nodes that store a token at once, one finds the notice of the other.
func TestTwoNodesStoreATokenAtOnce(t *testing.T) {
	t.Parallel()
	d, other, seen := twoNodes(t)
	token := storetest.WithToken(1)
	seen.before = func(_ *pgx.Conn, statements []string) {
		if slices.Contains(statements, "commit") {
			seen.before = nil
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
	seen.before = func(conn *pgx.Conn, statements []string) {
		if slices.Contains(statements, "commit") {
			seen.before = nil
			(&cutter{t: t, other: other.Store}).TraceQueryStart(t.Context(), conn, pgx.TraceQueryStartData{})
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
	seen.before = func(_ *pgx.Conn, statements []string) {
		if at := slices.Index(statements, "insertNotices"); at >= 0 {
			seen.before = nil
			other.Run(`INSERT INTO notices (id, fault_id, backtrace_id, bundle_id, slot, facets) VALUES ($1, 0, 0, 0, 0, '')`,
				seen.last.QueuedQueries[at].Arguments[0].([]int64)[0])
		}
	}
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	other.Run(`DELETE FROM notices WHERE fault_id = 0`)
	if n := d.Numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 2*storetest.BusyBatch {
		t.Errorf("%d notices are stored", n)
	}
	d.WantCounts("in the end", storetest.All(2*storetest.BusyBatch))
}
