package store

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/intake"
)

// whileHeld runs f while another session holds every row that counts something. What waits for one of them fails.
func (d *desk) whileHeld(f func(ctx context.Context)) {
	d.t.Helper()
	held, err := d.Read.BeginTx(d.t.Context(), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, table := range []string{"ledger", "project_buckets", "fault_counts", "fault_buckets", "named_buckets", "fault_users", "refusals"} {
		if _, err := held.ExecContext(d.t.Context(), `SELECT 1 FROM `+table+` FOR UPDATE`); err != nil {
			d.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	f(ctx)
	if err := held.Rollback(); err != nil && err != sql.ErrTxDone {
		d.t.Fatal(err)
	}
}

// A node that stands still in the middle of its counts keeps no other from storing notices, however many come at once and
// whatever becomes of them.
func TestNoNodeWaitsForTheCountsOfAnother(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	other := newDesk(t, c.node(t))
	d := desk{c.node(t), other.SetupResult, t}
	invalid := []sett.Refusal{{AccountID: d.AccountID, ProjectID: d.ProjectID, Outcome: sett.InvalidNotice, Count: 5}}
	store := func(s *Store, ctx context.Context, at int, limits sett.Limits, reports ...*Packed) {
		t.Helper()
		_, err := s.RecordNotices(ctx, noon.Add(time.Duration(at)*time.Second), limits, Intake{Reports: reports, Refused: invalid})
		if err != nil {
			t.Fatal(err)
		}
	}
	store(other.Store, t.Context(), 0, sett.Limits{}, d.report("A"), d.report("B"), d.report("C"))
	d.run(`UPDATE faults SET ignored = true WHERE class = 'C'`)
	d.whileHeld(func(ctx context.Context) {
		store(d.Store, ctx, 1, sett.Limits{}, d.report("A"))
		store(d.Store, ctx, 2, sett.Limits{}, d.times(intake.BusyBatch, "B")...)
		store(d.Store, ctx, 3, sett.Limits{MonthlyQuota: 10_000_000}, d.report("B"), d.report("C"))
	})
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantCounts("in the end", all(3+intake.BusyBatch+2))
	if _, ignored, limited, refused := d.ledger(); ignored != 1 || limited != 0 || refused != 20 {
		t.Errorf("%d ignored, %d limited, %d invalid", ignored, limited, refused)
	}
}

// Where few notices arrive, a notice is counted once it is stored.
func TestLightBatchesAreCountedAtOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		for i := range 3 {
			d.recordBusy(noon.Add(time.Duration(i)*time.Second), sett.Limits{}, d.report("A"))
			d.wantCounts(fmt.Sprint("after ", i), all(int64(i+1)))
		}
	})
}

// However the notices of an account are spread over nodes, its quota holds, and the ledger says how many were refused.
func TestNodesShareAQuota(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	nodes := []desk{*d, {c.node(t), d.SetupResult, t}, {c.node(t), d.SetupResult, t}}
	limits := sett.Limits{MonthlyQuota: intake.MostUnseen + 100}
	for i := range 9 { // far from it, and yet to be counted
		nodes[i%3].recordBusy(noon.Add(time.Duration(i)*time.Second), limits, d.many()[:5]...)
	}
	if n := d.counts()["ledger"]; n != 0 {
		t.Errorf("%d notices were counted with their batches", n)
	}
	d.run(`INSERT INTO ledger (account_id, day, project_id, stored, ignored, limited, invalid) VALUES ($1, $2, 999, $3, 0, 0, 0)`,
		d.AccountID, db.Micros(sett.Day(noon)), int64(intake.MostUnseen))
	for i := range nodes {
		nodes[i].recordBusy(noon.Add(time.Minute), limits, d.report("A"))
	}
	stored := 9*5 + len(nodes)
	if n := d.counts()["ledger"]; n != int64(intake.MostUnseen+stored) {
		t.Errorf("the ledger has %d notices, want %d", n, intake.MostUnseen+stored)
	}
	for i := range 60 {
		for _, o := range ends(nodes[i%3].recordBusy(noon.Add(2*time.Minute), limits, d.times(3, "B")...)) {
			if o == sett.Stored {
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
