// Package storetest is what tests of the store share: a new store on each engine, and a Desk that records, changes and reads as clients do.
// Stores are closed and databases deleted when their test ends. It uses what the packages of the store export and nothing else, and is
// never part of a program.
package storetest

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
)

var Noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// Desk is a store with an account, its owner and a project.
type Desk struct {
	*store.Store
	accountdb.SetupResult
	T testing.TB
}

func NewDesk(t testing.TB, s *store.Store) *Desk {
	t.Helper()
	setup, err := s.Accounts.SetUp(t.Context(), Noon, accountdb.Setup{
		Account: "Acme", Email: "owner@example.test", Name: "Olga", Project: "Shop", TokenHash: []byte("hash"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Desk{s, setup, t}
}

// Report makes a report of the given class, changed as the caller likes.
func (d *Desk) Report(class string, change ...func(*faults.Report)) *faultdb.Packed {
	trace := `[{"file":"[PROJECT_ROOT]/app/` + class + `.rb","method":"call","number":"1"}` + strings.Repeat(`,{"file":"x","number":"2"}`, 8) + `]`
	body := `{"error":{"class":"` + class + `","backtrace":` + trace + `},"server":{}}`
	r := &faults.Report{
		AccountID: d.AccountID, ProjectID: d.ProjectID, Class: class, Message: class + " happened", Component: "Orders", Action: "create",
		Environment: "production", User: "ann@example.test", Facets: "\nhostname=web-1\n\x01=-\n", Body: []byte(body),
		BacktraceStart: strings.Index(body, trace), BacktraceEnd: strings.Index(body, trace) + len(trace),
	}
	for _, c := range change {
		c(r)
	}
	sum := sha256.Sum256([]byte(r.Class + r.Environment))
	r.Grouping = faults.Grouping{Key: [16]byte(sum[:]), Rule: 1, Basis: "location", Class: r.Class, Environment: r.Environment}
	return Packed(r)
}

// Packed packs one report.
func Packed(r *faults.Report) *faultdb.Packed {
	return new(faultdb.Packer).Pack([]*faults.Report{r})[0]
}

// Record stores reports and counts them.
func (d *Desk) Record(now time.Time, limits accounts.Limits, reports ...*faultdb.Packed) []accounts.Receipt {
	d.T.Helper()
	receipts := d.RecordBusy(now, limits, reports...)
	if err := d.Intake.Flush(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
	return receipts
}

// RecordBusy stores reports and leaves the counts to whenever they are due.
func (d *Desk) RecordBusy(now time.Time, limits accounts.Limits, reports ...*faultdb.Packed) []accounts.Receipt {
	d.T.Helper()
	receipts, err := d.Intake.RecordNotices(d.T.Context(), now, limits, intakedb.Intake{Reports: reports})
	if err != nil {
		d.T.Fatal(err)
	}
	return receipts
}

// Numbers runs a query that returns one row of integers.
func (d *Desk) Numbers(query string, n int) []int64 {
	d.T.Helper()
	values := make([]int64, n)
	dst := make([]any, n)
	for i := range values {
		dst[i] = &values[i]
	}
	if err := d.Read.QueryRowContext(d.T.Context(), query).Scan(dst...); err != nil {
		d.T.Fatal(err)
	}
	return values
}

func WithToken(n byte) func(*faults.Report) {
	return func(r *faults.Report) { r.Token = sett.UUID{15: n} }
}

// DeskOf is a desk of a store that was set up before.
func DeskOf(s *store.Store, setup accountdb.SetupResult, t testing.TB) *Desk {
	return &Desk{s, setup, t}
}
