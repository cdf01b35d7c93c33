package nodedb_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func TestDeadNodesAreCountedByOthers(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.WantCounts("while pending", storetest.All(0))

	alive := c.Node(t)
	d.WantCounts("while its node lives", storetest.All(0))
	storetest.Die(t, d.Store)
	storetest.TakeOverDead(t, alive)
	d.WantCounts("after its node died", storetest.All(storetest.BusyBatch))
	if n, err := alive.Node.TakeOver(t.Context()); n != 0 || err != nil {
		t.Errorf("adopted again: %d, %v", n, err)
	}

	// The dead node was only cut off: it takes another number, counts nothing twice and goes on.
	_, before := d.Node.Current()
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("after the dead one woke", storetest.All(storetest.BusyBatch))
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Many()...)
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("after it went on", storetest.All(2*storetest.BusyBatch))
	if _, after := d.Node.Current(); after == before {
		t.Error("a node that was taken for dead still passes as the one it was")
	}
}

func TestFencedNodesStoreNothingUncounted(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	alive := c.Node(t)
	storetest.Die(t, d.Store)
	storetest.TakeOverDead(t, alive)
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Many()...) // begins with a transaction that is fenced
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("after a fenced batch", storetest.All(2*storetest.BusyBatch))
}

func TestNodesHaveNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	seen := map[int64]bool{}
	for range 3 {
		num, _ := c.Node(t).Node.Current()
		if seen[num] {
			t.Errorf("two nodes have number %d", num)
		}
		seen[num] = true
	}
}

// Several goroutines of a node may find at once that it was taken for dead. If each took a number, what is counted under one of them
// would be counted again under another.
func TestNodesTakeOneNumberAtATime(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	_, lost := d.Node.Current()
	var renewals sync.WaitGroup
	for range 8 {
		renewals.Go(func() {
			if err := d.Node.Renew(t.Context(), lost); err != nil {
				t.Error(err)
			}
		})
	}
	renewals.Wait()
	if n := d.Numbers(`SELECT count(*) FROM nodes`, 1)[0]; n != 2 {
		t.Errorf("a node that gave up one number has %d, want the old one and a new one", n)
	}
}

// A node that loses its session while it takes a number asks clients to try again.
func TestTakingANumberIsCutOff(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	cut := &storetest.Cutter{T: t, Statement: "nodedb.listNodes"}
	d := newDesk(t, c.Node(t))
	cut.Other = d.Store
	s := storetest.OpenTest(t, db.Options{Database: c.Address, Tracer: cut})
	_, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()})
	if !cut.Done || sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("cut off: %t; the error is %v, want %s", cut.Done, err, sett.Unavailable)
	}
	if _, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()}); err != nil {
		t.Error(err)
	}
}

// What one node deletes while another has yet to count it leaves nothing behind.
func TestFaultsDeletedByAnotherNode(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	reports := d.Many()
	reports[0].Token = sett.UUID{15: 1}
	d.RecordBusy(storetest.Noon, accounts.Limits{}, reports...)
	other := c.Node(t)
	if err := other.Faults.DeleteFault(t.Context(), d.ProjectID, d.Numbers(`SELECT id FROM faults WHERE class = 'A'`, 1)[0]); err != nil {
		t.Fatal(err)
	}
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"notices", "fault_notices", "fault_users", "fault_buckets", "fault_counts"} {
		if n := d.Numbers(`SELECT count(*) FROM `+table+` WHERE fault_id NOT IN (SELECT id FROM faults)`, 1)[0]; n != 0 {
			t.Errorf("%d rows of a deleted fault in %s", n, table)
		}
	}
	if n := d.Numbers(`SELECT count(*) FROM notice_tokens`, 1)[0]; n != 0 {
		t.Error("the token of a deleted notice is not free again")
	}
	if got := d.Counts(); got["ledger"] != storetest.BusyBatch || got["faults"] != storetest.BusyBatch*2/3 {
		t.Errorf("counts are %v", got)
	}
}

// A session that has lost the lock on its number takes it again; if another keeps it, the server says so, and does not pass for alive in
// silence.
func TestLostLocks(t *testing.T) {
	t.Parallel()
	n := storetest.NewCluster(t).Node(t)
	num, _ := n.Node.Current()
	lose := func() {
		if _, err := n.Node.Locks().ExecContext(t.Context(), `SELECT pg_advisory_unlock_all()`); err != nil {
			t.Fatal(err)
		}
	}
	take := func() (err error) {
		_, err = n.Node.TakeOver(t.Context())
		return err
	}
	other, err := pgx.Connect(t.Context(), n.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	locked := func() (locked bool) {
		if err := other.QueryRow(t.Context(), `SELECT pg_try_advisory_lock($1, $2)`, db.LockClass, num).Scan(&locked); err != nil {
			t.Fatal(err)
		}
		return locked
	}
	lose()
	if err := take(); err != nil {
		t.Fatal(err)
	}
	if locked() {
		t.Fatal("the lock was not taken again")
	}
	lose()
	if !locked() {
		t.Fatal("the lock was not lost")
	}
	var noticed error
	for range 6 {
		noticed = errors.Join(noticed, take())
	}
	if sett.CodeOf(noticed) != sett.Unavailable || !strings.Contains(noticed.Error(), "--database-direct") {
		t.Errorf("a lock that another session keeps: %v", noticed)
	}
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 100 { // PostgreSQL releases the lock in a moment
		if err = take(); err == nil {
			break
		}
	}
	if err := errors.Join(err, take()); err != nil {
		t.Errorf("a lock that was released: %v", err)
	}
}
