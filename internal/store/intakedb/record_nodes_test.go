package intakedb_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// whileHeld runs f while another session holds every row that counts something. What waits for one of them fails.
func (d *desk) whileHeld(f func(ctx context.Context)) {
	d.T.Helper()
	held, err := d.Read.BeginTx(d.T.Context(), nil)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, table := range []string{"ledger", "project_buckets", "fault_counts", "fault_buckets", "named_buckets", "fault_users", "refusals"} {
		if _, err := held.ExecContext(d.T.Context(), `SELECT 1 FROM `+table+` FOR UPDATE`); err != nil {
			d.T.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(d.T.Context(), time.Minute)
	defer cancel()
	f(ctx)
	if err := held.Rollback(); err != nil && err != sql.ErrTxDone {
		d.T.Fatal(err)
	}
}

// A node that stands still in the middle of its counts keeps no other from storing notices, however many come at once and
// whatever becomes of them.
func TestNoNodeWaitsForTheCountsOfAnother(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	other := newDesk(t, c.Node(t))
	d := desk{storetest.DeskOf(c.Node(t), other.SetupResult, t)}
	invalid := []accounts.Refusal{{AccountID: d.AccountID, ProjectID: d.ProjectID, Outcome: accounts.InvalidNotice, Count: 5}}
	store := func(s *store.Store, ctx context.Context, at int, limits accounts.Limits, reports ...*faultdb.Packed) {
		t.Helper()
		_, err := s.Intake.RecordNotices(ctx, storetest.Noon.Add(time.Duration(at)*time.Second), limits, intakedb.Intake{Reports: reports, Refused: invalid})
		if err != nil {
			t.Fatal(err)
		}
	}
	store(other.Store, t.Context(), 0, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"))
	d.Run(`UPDATE faults SET ignored = true WHERE class = 'C'`)
	d.whileHeld(func(ctx context.Context) {
		store(d.Store, ctx, 1, accounts.Limits{}, d.Report("A"))
		store(d.Store, ctx, 2, accounts.Limits{}, d.Times(storetest.BusyBatch, "B")...)
		store(d.Store, ctx, 3, accounts.Limits{MonthlyQuota: 10_000_000}, d.Report("B"), d.Report("C"))
	})
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("in the end", storetest.All(3+storetest.BusyBatch+2))
	if _, ignored, limited, refused := d.ledger(); ignored != 1 || limited != 0 || refused != 20 {
		t.Errorf("%d ignored, %d limited, %d invalid", ignored, limited, refused)
	}
}

// Where few notices arrive, a notice is counted once it is stored.
func TestLightBatchesAreCountedAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range 3 {
			d.RecordBusy(storetest.Noon.Add(time.Duration(i)*time.Second), accounts.Limits{}, d.Report("A"))
			d.WantCounts(fmt.Sprint("after ", i), storetest.All(int64(i+1)))
		}
	})
}

// However the notices of an account are spread over nodes, its quota holds, and the ledger says how many were refused.
func TestNodesShareAQuota(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	nodes := []desk{*d, {storetest.DeskOf(c.Node(t), d.SetupResult, t)}, {storetest.DeskOf(c.Node(t), d.SetupResult, t)}}
	limits := accounts.Limits{MonthlyQuota: intakedb.MostUnseen + 100}
	for i := range 9 { // far from it, and yet to be counted
		nodes[i%3].RecordBusy(storetest.Noon.Add(time.Duration(i)*time.Second), limits, d.Many()[:5]...)
	}
	if n := d.Counts()["ledger"]; n != 0 {
		t.Errorf("%d notices were counted with their batches", n)
	}
	d.Run(`INSERT INTO ledger (account_id, day, project_id, stored, ignored, limited, invalid) VALUES ($1, $2, 999, $3, 0, 0, 0)`,
		d.AccountID, db.Micros(accounts.Day(storetest.Noon)), int64(intakedb.MostUnseen))
	for i := range nodes {
		nodes[i].RecordBusy(storetest.Noon.Add(time.Minute), limits, d.Report("A"))
	}
	stored := 9*5 + len(nodes)
	if n := d.Counts()["ledger"]; n != int64(intakedb.MostUnseen+stored) {
		t.Errorf("the ledger has %d notices, want %d", n, intakedb.MostUnseen+stored)
	}
	for i := range 60 {
		for _, o := range ends(nodes[i%3].RecordBusy(storetest.Noon.Add(2*time.Minute), limits, d.Times(3, "B")...)) {
			if o == accounts.Stored {
				stored++
			}
		}
	}
	if stored != 100 {
		t.Errorf("%d notices were stored, want 100", stored)
	}
	if _, _, limited, _ := d.ledger(); limited != 180-(100-9*5-3) {
		t.Errorf("%d notices were limited, want %d", limited, 180-(100-9*5-3))
	}
}
