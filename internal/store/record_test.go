package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/fault"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// desk is a store with an account, its owner and a project.
type desk struct {
	*Store
	SetupResult
	t testing.TB
}

func newDesk(t testing.TB, s *Store) *desk {
	t.Helper()
	setup, err := s.SetUp(t.Context(), noon, Setup{
		Account: "Acme", Email: "owner@example.test", Name: "Olga", Project: "Shop", TokenHash: []byte("hash"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{s, setup, t}
}

// report makes a report of the given class, changed as the caller likes.
func (d *desk) report(class string, change ...func(*sett.Report)) *Packed {
	trace := `[{"file":"[PROJECT_ROOT]/app/` + class + `.rb","method":"call","number":"1"}` + strings.Repeat(`,{"file":"x","number":"2"}`, 8) + `]`
	body := `{"error":{"class":"` + class + `","backtrace":` + trace + `},"server":{}}`
	r := &sett.Report{
		AccountID: d.AccountID, ProjectID: d.ProjectID, Class: class, Message: class + " happened", Component: "Orders", Action: "create",
		Environment: "production", User: "ann@example.test", Facets: "\nhostname=web-1\n", Body: []byte(body),
		BacktraceStart: strings.Index(body, trace), BacktraceEnd: strings.Index(body, trace) + len(trace),
	}
	for _, c := range change {
		c(r)
	}
	sum := sha256.Sum256([]byte(r.Class + r.Environment))
	r.Grouping = sett.Grouping{Key: [16]byte(sum[:]), Rule: 1, Basis: "location", Class: r.Class, Environment: r.Environment}
	return packed(r)
}

// packed packs one report.
func packed(r *sett.Report) *Packed { return new(Packer).Pack([]*sett.Report{r})[0] }

// record stores reports and counts them.
func (d *desk) record(now time.Time, limits sett.Limits, reports ...*Packed) []sett.Receipt {
	d.t.Helper()
	receipts := d.recordBusy(now, limits, reports...)
	if err := d.Fold(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	return receipts
}

// recordBusy stores reports and leaves the counts to whenever they are due.
func (d *desk) recordBusy(now time.Time, limits sett.Limits, reports ...*Packed) []sett.Receipt {
	d.t.Helper()
	receipts, err := d.RecordNotices(d.t.Context(), now, limits, Intake{Reports: reports})
	if err != nil {
		d.t.Fatal(err)
	}
	return receipts
}

// numbers runs a query that returns one row of integers.
func (d *desk) numbers(query string, n int) []int64 {
	d.t.Helper()
	values := make([]int64, n)
	dst := make([]any, n)
	for i := range values {
		dst[i] = &values[i]
	}
	if err := d.Read.QueryRowContext(d.t.Context(), query).Scan(dst...); err != nil {
		d.t.Fatal(err)
	}
	return values
}

func (d *desk) ledger() (stored, ignored, limited, invalid int64) {
	d.t.Helper()
	n := d.numbers(`SELECT CAST(sum(stored) AS bigint), CAST(sum(ignored) AS bigint), CAST(sum(limited) AS bigint), CAST(sum(invalid) AS bigint)
		FROM (SELECT stored, ignored, limited, invalid FROM ledger UNION ALL SELECT 0, ignored, limited, invalid FROM refusals) k`, 4)
	return n[0], n[1], n[2], n[3]
}

func ends(receipts []sett.Receipt) []sett.Outcome {
	var o []sett.Outcome
	for _, r := range receipts {
		o = append(o, r.Outcome)
	}
	return o
}

func withToken(n byte) func(*sett.Report) {
	return func(r *sett.Report) { r.Token = sett.UUID{15: n} }
}

func TestRecordCountsEverythingOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		receipts := d.record(noon, sett.Limits{},
			d.report("A", withToken(1)), d.report("A"), d.report("B"), d.report("A", withToken(1)),
			d.report("A", func(r *sett.Report) { r.Environment = "staging"; r.User = "" }))
		if receipts[0].ID != (sett.UUID{15: 1}) || receipts[3].ID != receipts[0].ID || !receipts[3].Duplicate {
			t.Errorf("a repeated token: %+v and %+v", receipts[0], receipts[3])
		}
		d.record(noon.Add(time.Hour), sett.Limits{}, d.report("A", withToken(1)), d.report("A"))

		got := map[string]int64{
			"faults":        d.numbers(`SELECT count(*) FROM faults`, 1)[0],
			"notices":       d.numbers(`SELECT count(*) FROM notices`, 1)[0],
			"counted":       d.numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0],
			"backtraces":    d.numbers(`SELECT count(*) FROM backtraces`, 1)[0],
			"environments":  d.numbers(`SELECT count(*) FROM environments`, 1)[0],
			"minutes":       d.numbers(`SELECT CAST(sum(count) AS bigint) FROM fault_buckets WHERE width = 60`, 1)[0],
			"days":          d.numbers(`SELECT CAST(sum(count) AS bigint) FROM project_buckets WHERE width = 86400`, 1)[0],
			"classes":       d.numbers(`SELECT CAST(sum(count) AS bigint) FROM named_buckets WHERE kind = 'class'`, 1)[0],
			"users":         d.numbers(`SELECT CAST(sum(count) AS bigint) FROM fault_users WHERE name = 'ann@example.test'`, 1)[0],
			"earliest":      d.numbers(`SELECT earliest_notice_at FROM projects`, 1)[0],
			"ledger stored": func() int64 { n, _, _, _ := d.ledger(); return n }(),
		}
		want := map[string]int64{
			"faults": 3, "notices": 5, "counted": 5, "backtraces": 2, "environments": 2, "minutes": 5, "days": 5,
			"classes": 5, "users": 4, "earliest": noon.UnixMicro(), "ledger stored": 5,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	})
}

func TestRecordKeepsThePayload(t *testing.T) {
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		sent := d.report("A")
		d.record(noon, sett.Limits{}, sent)
		var slot int
		var bundle, backtrace []byte
		err := s.Read.QueryRowContext(t.Context(), `SELECT n.slot, u.body, b.body FROM notices n JOIN bundles u ON u.id = n.bundle_id
			JOIN backtraces b ON b.id = n.backtrace_id`).Scan(&slot, &bundle, &backtrace)
		if err != nil {
			t.Fatal(err)
		}
		payload, err := fault.PayloadAt(bundle, slot)
		if err != nil {
			t.Fatal(err)
		}
		body, err := fault.Unpack(payload, backtrace)
		if err != nil || string(body) != string(sent.Body) {
			t.Errorf("body is %q, %v; want %q", body, err, sent.Body)
		}
	})
}

func TestRecordStates(t *testing.T) {
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("Resolved"), d.report("Ignored"))
		d.run(`UPDATE faults SET resolved = true WHERE class = 'Resolved'`)
		d.run(`UPDATE faults SET ignored = true WHERE class = 'Ignored'`)
		receipts := d.record(noon, sett.Limits{}, d.report("Ignored", withToken(9)), d.report("Resolved"), d.report("Ignored"))
		if diff := cmp.Diff([]sett.Outcome{sett.Ignored, sett.Stored, sett.Ignored}, ends(receipts)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if n := d.numbers(`SELECT count(*) FROM faults WHERE resolved`, 1)[0]; n != 0 {
			t.Error("a fault that occurred again is still resolved")
		}
		if stored, ignored, _, _ := d.ledger(); stored != 3 || ignored != 2 {
			t.Errorf("ledger: stored %d, ignored %d; want 3 and 2", stored, ignored)
		}
		if n := d.numbers(`SELECT notices_count FROM fault_counts c JOIN faults f ON f.id = c.fault_id WHERE class = 'Ignored'`, 1)[0]; n != 1 {
			t.Errorf("an ignored fault counts %d notices, want 1", n)
		}
	})
}

func TestRecordLimits(t *testing.T) {
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		limits := sett.Limits{MonthlyQuota: 4, ProjectThrottle: 2}
		receipts := d.record(noon, limits, d.report("A"), d.report("A"), d.report("New", withToken(7)))
		if diff := cmp.Diff([]sett.Outcome{sett.Stored, sett.Stored, sett.Limited}, ends(receipts)); diff != "" {
			t.Fatalf("first minute (-want +got):\n%s", diff)
		}
		if receipts[2].RetryAfter != time.Minute || receipts[2].Why == "" {
			t.Errorf("a limited notice is told %+v", receipts[2])
		}
		if n := d.numbers(`SELECT count(*) FROM faults`, 1)[0]; n != 1 {
			t.Errorf("%d faults: a limited notice made one", n)
		}
		next := noon.Add(time.Minute)
		receipts = d.record(next, limits, d.report("New", withToken(7)), d.report("A"))
		if diff := cmp.Diff([]sett.Outcome{sett.Stored, sett.Stored}, ends(receipts)); diff != "" {
			t.Fatalf("a limited token comes back (-want +got):\n%s", diff)
		}
		receipts = d.record(next.Add(time.Minute), limits, d.report("A"))
		if want := sett.Month(noon).AddDate(0, 1, 0).Sub(next.Add(time.Minute)); receipts[0].RetryAfter != want {
			t.Errorf("over the quota: retry after %v, want %v", receipts[0].RetryAfter, want)
		}
		if stored, _, limited, _ := d.ledger(); stored != 4 || limited != 2 {
			t.Errorf("ledger: stored %d, limited %d; want 4 and 2", stored, limited)
		}
		if receipts = d.record(sett.Month(noon).AddDate(0, 1, 0), limits, d.report("A")); receipts[0].Outcome != sett.Stored {
			t.Error("the quota does not begin anew with the month")
		}
	})
}

func TestRecordForDeletedProject(t *testing.T) {
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		gone := d.report("A", func(r *sett.Report) { r.ProjectID += 1000 })
		receipts := d.record(noon, sett.Limits{}, d.report("A"), gone)
		if diff := cmp.Diff([]sett.Outcome{sett.Stored, sett.InvalidNotice}, ends(receipts)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
	})
}

func TestRecordRefusals(t *testing.T) {
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		in := Intake{Refused: []sett.Refusal{{AccountID: d.AccountID, ProjectID: d.ProjectID, Outcome: sett.InvalidNotice, Count: 3}}}
		for range 2 {
			if _, err := s.RecordNotices(t.Context(), noon, sett.Limits{}, in); err != nil {
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
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		const sides, rounds = 4, 10
		var wg sync.WaitGroup
		for side := range sides {
			wg.Go(func() {
				for i := range rounds {
					in := Intake{}
					for k := range 5 {
						in.Reports = append(in.Reports, d.report(fmt.Sprintf("C%d", (i+k+side)%7), func(r *sett.Report) { r.Token = sett.UUID{0: byte(i), 1: byte(k), 15: 1} }))
					}
					if _, err := s.RecordNotices(context.Background(), noon, sett.Limits{}, in); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := s.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		const want = rounds * 5 // every side sends the same tokens
		stored, _, _, _ := d.ledger()
		counted := d.numbers(`SELECT CAST(sum(notices_count) AS bigint) FROM fault_counts`, 1)[0]
		rows := d.numbers(`SELECT count(*) FROM notices`, 1)[0]
		if stored != want || counted != want || rows != want {
			t.Errorf("stored %d, counted %d, rows %d; want %d of each", stored, counted, rows, want)
		}
	})
}

func TestRepeatedTokensInOneBatchEndAlike(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		limits := sett.Limits{ProjectThrottle: 1}
		receipts := d.record(noon, limits, d.report("A", withToken(1)), d.report("A", withToken(1)), d.report("A", withToken(2)), d.report("A", withToken(2)))
		if diff := cmp.Diff([]sett.Outcome{sett.Stored, sett.Stored, sett.Limited, sett.Limited}, ends(receipts)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		if receipts[0].Duplicate || !receipts[1].Duplicate {
			t.Errorf("the first of two is %+v, the second %+v", receipts[0], receipts[1])
		}
	})
}

func TestTokensAreKnownAtOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		reports := append(d.many(), d.report("A", withToken(7)))
		d.recordBusy(noon, sett.Limits{}, reports...)
		if n, err := s.NoticeByUUID(t.Context(), d.ProjectID, sett.UUID{15: 7}); err != nil || n.ID != (sett.UUID{15: 7}) {
			t.Errorf("by its token: %v, %v", n.ID, err)
		}
		if got := d.recordBusy(noon, sett.Limits{}, d.report("A", withToken(7)))[0]; !got.Duplicate {
			t.Error("a token that is not in its table yet was taken for new")
		}
	})
}
