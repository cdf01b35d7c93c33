package store

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/intake"
)

// cluster is a PostgreSQL database and the nodes that tests start on it.
type cluster struct{ address string }

func newCluster(t *testing.T) cluster {
	return cluster{freshPostgres(t) + patient}
}

// patient are settings of sessions whose tests hold rows for as long as it takes to see that others wait for them.
const patient = "&lock_timeout=60000&idle_in_transaction_session_timeout=0"

// node opens a store as another process would.
func (c cluster) node(t *testing.T) *Store {
	t.Helper()
	s := openTest(t, db.Options{Database: c.address})
	if _, err := s.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// die ends the session that says that the node lives.
func die(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Node.Locks.ExecContext(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`); err == nil {
		t.Fatal("the session has survived")
	}
}

// adoptDead has a node look for dead ones until it has found something: the server takes a moment to notice a death.
func adoptDead(t *testing.T, s *Store) {
	t.Helper()
	for range 10_000 {
		counted, err := s.Adopt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counted > 0 {
			return
		}
	}
	t.Fatal("nothing of the dead node was found")
}

func TestDeadNodesAreCountedByOthers(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	d.wantCounts("while pending", all(0))

	alive := c.node(t)
	d.wantCounts("while its node lives", all(0))
	die(t, d.Store)
	adoptDead(t, alive)
	d.wantCounts("after its node died", all(intake.BusyBatch))
	if n, err := alive.Adopt(t.Context()); n != 0 || err != nil {
		t.Errorf("adopted again: %d, %v", n, err)
	}

	// The dead node was only cut off: it takes another number, counts nothing twice and goes on.
	_, before := d.Node.Current()
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantCounts("after the dead one woke", all(intake.BusyBatch))
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.many()...)
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantCounts("after it went on", all(2*intake.BusyBatch))
	if _, after := d.Node.Current(); after == before {
		t.Error("a node that was taken for dead still passes as the one it was")
	}
}

func TestFencedNodesStoreNothingUncounted(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	alive := c.node(t)
	die(t, d.Store)
	adoptDead(t, alive)
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.many()...) // begins with a transaction that is fenced
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantCounts("after a fenced batch", all(2*intake.BusyBatch))
}

func TestNodesHaveNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	seen := map[int64]bool{}
	for range 3 {
		num, _ := c.node(t).Node.Current()
		if seen[num] {
			t.Errorf("two nodes have number %d", num)
		}
		seen[num] = true
	}
}

// What one node deletes while another has yet to count it leaves nothing behind.
func TestFaultsDeletedByAnotherNode(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	reports := d.many()
	reports[0].Token = sett.UUID{15: 1}
	d.recordBusy(noon, sett.Limits{}, reports...)
	other := c.node(t)
	if err := other.DeleteFault(t.Context(), d.ProjectID, d.numbers(`SELECT id FROM faults WHERE class = 'A'`, 1)[0]); err != nil {
		t.Fatal(err)
	}
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"notices", "fault_notices", "fault_users", "fault_buckets", "fault_counts"} {
		if n := d.numbers(`SELECT count(*) FROM `+table+` WHERE fault_id NOT IN (SELECT id FROM faults)`, 1)[0]; n != 0 {
			t.Errorf("%d rows of a deleted fault in %s", n, table)
		}
	}
	if n := d.numbers(`SELECT count(*) FROM notice_tokens`, 1)[0]; n != 0 {
		t.Error("the token of a deleted notice is not free again")
	}
	if got := d.counts(); got["ledger"] != intake.BusyBatch || got["faults"] != intake.BusyBatch*2/3 {
		t.Errorf("counts are %v", got)
	}
}

// A batch whose commit was not answered is counted by whoever took its node for dead, and not by the node again.
func TestUnansweredCommitsOfAFencedNode(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	err := d.inTx(t.Context(), "record", func(tx *tx) error {
		d.Digests.Unsure = intake.NewBatch(d.Store.intakes, tx.intakeTx, noon, sett.Limits{}, Intake{Reports: d.many()})
		return d.Digests.Unsure.Record(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	alive := c.node(t)
	die(t, d.Store)
	adoptDead(t, alive)
	if err := d.RenewNode(t.Context(), d.Digests.Unsure.Holder); err != nil {
		t.Fatal(err)
	}
	d.record(noon.Add(time.Second), sett.Limits{}, d.report("A"))
	d.wantCounts("after the next batch", all(intake.BusyBatch+1))
}
