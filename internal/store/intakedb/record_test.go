package intakedb_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func (d *desk) ledger() (stored, ignored, limited, invalid int64) {
	d.T.Helper()
	n := d.Numbers(`SELECT CAST(sum(stored) AS bigint), CAST(sum(ignored) AS bigint), CAST(sum(limited) AS bigint), CAST(sum(invalid) AS bigint)
		FROM (SELECT stored, ignored, limited, invalid FROM ledger UNION ALL SELECT 0, ignored, limited, invalid FROM refusals) k`, 4)
	return n[0], n[1], n[2], n[3]
}

func ends(receipts []accounts.Receipt) []accounts.Outcome {
	var o []accounts.Outcome
	for _, r := range receipts {
		o = append(o, r.Outcome)
	}
	return o
}

func TestRecordCountsEverythingOnce(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		receipts := d.Record(storetest.Noon, accounts.Limits{},
			d.Report("A", storetest.WithToken(1)), d.Report("A"), d.Report("B"), d.Report("A", storetest.WithToken(1)),
			d.Report("A", func(r *faults.Report) { r.Environment = "staging"; r.User = "" }))
		if receipts[0].ID != (sett.UUID{15: 1}) || receipts[3].ID != receipts[0].ID || !receipts[3].Duplicate {
			t.Errorf("a repeated token: %+v and %+v", receipts[0], receipts[3])
		}
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("A", storetest.WithToken(1)), d.Report("A"))

		got := map[string]int64{
			"faults":        d.Numbers(`SELECT count(*) FROM faults`, 1)[0],
			"notices":       d.Numbers(`SELECT count(*) FROM notices`, 1)[0],
			"counted":       d.Numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0],
			"backtraces":    d.Numbers(`SELECT count(*) FROM backtraces`, 1)[0],
			"environments":  d.Numbers(`SELECT count(*) FROM environments`, 1)[0],
			"minutes":       d.Numbers(`SELECT CAST(sum(count) AS bigint) FROM fault_buckets WHERE width = 60`, 1)[0],
			"days":          d.Numbers(`SELECT CAST(sum(count) AS bigint) FROM project_buckets WHERE width = 86400`, 1)[0],
			"classes":       d.Numbers(`SELECT CAST(sum(count) AS bigint) FROM named_buckets WHERE kind = 'class'`, 1)[0],
			"users":         d.Numbers(`SELECT CAST(sum(count) AS bigint) FROM fault_users WHERE name = 'ann@example.test'`, 1)[0],
			"earliest":      d.Numbers(`SELECT earliest_notice_at FROM projects`, 1)[0],
			"ledger stored": func() int64 { n, _, _, _ := d.ledger(); return n }(),
		}
		want := map[string]int64{
			"faults": 3, "notices": 5, "counted": 5, "backtraces": 2, "environments": 2, "minutes": 5, "days": 5,
			"classes": 5, "users": 4, "earliest": storetest.Noon.UnixMicro(), "ledger stored": 5,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	})
}

func TestRecordStates(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Resolved"), d.Report("Ignored"))
		d.Run(`UPDATE faults SET resolved = true WHERE class = 'Resolved'`)
		d.Run(`UPDATE faults SET ignored = true WHERE class = 'Ignored'`)
		receipts := d.Record(storetest.Noon, accounts.Limits{}, d.Report("Ignored", storetest.WithToken(9)), d.Report("Resolved"), d.Report("Ignored"))
		if diff := cmp.Diff([]accounts.Outcome{accounts.Ignored, accounts.Stored, accounts.Ignored}, ends(receipts)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if n := d.Numbers(`SELECT count(*) FROM faults WHERE resolved`, 1)[0]; n != 0 {
			t.Error("a fault that occurred again is still resolved")
		}
		if stored, ignored, _, _ := d.ledger(); stored != 3 || ignored != 2 {
			t.Errorf("ledger: stored %d, ignored %d; want 3 and 2", stored, ignored)
		}
		if n := d.Numbers(`SELECT notices_count FROM fault_counts c JOIN faults f ON f.id = c.fault_id WHERE class = 'Ignored'`, 1)[0]; n != 1 {
			t.Errorf("an ignored fault counts %d notices, want 1", n)
		}
	})
}

func TestRecordLimits(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		limits := accounts.Limits{MonthlyQuota: 4, ProjectThrottle: 2}
		receipts := d.Record(storetest.Noon, limits, d.Report("A"), d.Report("A"), d.Report("New", storetest.WithToken(7)))
		if diff := cmp.Diff([]accounts.Outcome{accounts.Stored, accounts.Stored, accounts.Limited}, ends(receipts)); diff != "" {
			t.Fatalf("first minute (-want +got):\n%s", diff)
		}
		if receipts[2].RetryAfter != time.Minute || receipts[2].Why == "" {
			t.Errorf("the answer to a limited notice is %+v", receipts[2])
		}
		if n := d.Numbers(`SELECT count(*) FROM faults`, 1)[0]; n != 1 {
			t.Errorf("%d faults: a limited notice made one", n)
		}
		next := storetest.Noon.Add(time.Minute)
		receipts = d.Record(next, limits, d.Report("New", storetest.WithToken(7)), d.Report("A"))
		if diff := cmp.Diff([]accounts.Outcome{accounts.Stored, accounts.Stored}, ends(receipts)); diff != "" {
			t.Fatalf("a limited token comes back (-want +got):\n%s", diff)
		}
		receipts = d.Record(next.Add(time.Minute), limits, d.Report("A"))
		if want := accounts.Month(storetest.Noon).AddDate(0, 1, 0).Sub(next.Add(time.Minute)); receipts[0].RetryAfter != want {
			t.Errorf("over the quota: retry after %v, want %v", receipts[0].RetryAfter, want)
		}
		if stored, _, limited, _ := d.ledger(); stored != 4 || limited != 2 {
			t.Errorf("ledger: stored %d, limited %d; want 4 and 2", stored, limited)
		}
		if receipts = d.Record(accounts.Month(storetest.Noon).AddDate(0, 1, 0), limits, d.Report("A")); receipts[0].Outcome != accounts.Stored {
			t.Error("the quota does not begin anew with the month")
		}
	})
}

func TestRecordForDeletedProject(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		gone := d.Report("A", func(r *faults.Report) { r.ProjectID += 1000 })
		receipts := d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), gone)
		if diff := cmp.Diff([]accounts.Outcome{accounts.Stored, accounts.InvalidNotice}, ends(receipts)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
	})
}

func TestRecordRefusals(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		in := intakedb.Intake{Refused: []accounts.Refusal{{AccountID: d.AccountID, ProjectID: d.ProjectID, Outcome: accounts.InvalidNotice, Count: 3}}}
		for range 2 {
			if _, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, in); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, _, invalid := d.ledger(); invalid != 6 {
			t.Errorf("ledger: %d invalid, want 6", invalid)
		}
	})
}

// Two nodes that record the same new faults at the same time lose and double nothing.
func TestRecordFromManySides(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const sides, rounds = 4, 10
		var wg sync.WaitGroup
		for side := range sides {
			wg.Go(func() {
				for i := range rounds {
					in := intakedb.Intake{}
					for k := range 5 {
						in.Reports = append(in.Reports, d.Report(fmt.Sprintf("C%d", (i+k+side)%7), func(r *faults.Report) { r.Token = sett.UUID{0: byte(i), 1: byte(k), 15: 1} }))
					}
					if _, err := s.Intake.RecordNotices(context.Background(), storetest.Noon, accounts.Limits{}, in); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		const want = rounds * 5 // every side sends the same tokens
		stored, _, _, _ := d.ledger()
		counted := d.Numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0]
		rows := d.Numbers(`SELECT count(*) FROM notices`, 1)[0]
		if stored != want || counted != want || rows != want {
			t.Errorf("stored %d, counted %d, rows %d; want %d of each", stored, counted, rows, want)
		}
	})
}

func TestRepeatedTokensInOneBatchEndAlike(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		limits := accounts.Limits{ProjectThrottle: 1}
		receipts := d.Record(storetest.Noon, limits, d.Report("A", storetest.WithToken(1)), d.Report("A", storetest.WithToken(1)), d.Report("A", storetest.WithToken(2)), d.Report("A", storetest.WithToken(2)))
		if diff := cmp.Diff([]accounts.Outcome{accounts.Stored, accounts.Stored, accounts.Limited, accounts.Limited}, ends(receipts)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if receipts[0].Duplicate || !receipts[1].Duplicate {
			t.Errorf("the first of two is %+v, the second %+v", receipts[0], receipts[1])
		}
	})
}

func TestTokensAreKnownAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		reports := append(d.Many(), d.Report("A", storetest.WithToken(7)))
		d.RecordBusy(storetest.Noon, accounts.Limits{}, reports...)
		if n, err := s.Faults.NoticeByUUID(t.Context(), d.ProjectID, sett.UUID{15: 7}); err != nil || n.ID != (sett.UUID{15: 7}) {
			t.Errorf("by its token: %v, %v", n.ID, err)
		}
		if got := d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A", storetest.WithToken(7)))[0]; !got.Duplicate {
			t.Error("a token that is not in its table yet was taken for new")
		}
	})
}
