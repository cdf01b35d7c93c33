package nodedb_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/nodedb"
	"sett/internal/store/storetest"
)

// A node that was taken for dead gets another number. By its clock the notices of others may come later than its own; all
// the same it counts what it stores from then on.
func TestANodeThatTakesANumberAgainWithItsClockBehind(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	ahead := desk{storetest.DeskOf(c.Node(t), d.SetupResult, t)}
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	storetest.Die(t, d.Store)
	ahead.RecordBusy(storetest.Noon.Add(5*time.Second), accounts.Limits{}, d.Many()...)
	storetest.TakeOverDead(t, ahead.Store)
	const light, busy = 3, 2
	for i := range light {
		d.Record(storetest.Noon.Add(time.Duration(i)*time.Second), accounts.Limits{}, d.Report("A"))
	}
	for i := range busy {
		d.Record(storetest.Noon.Add(time.Duration(light+i)*time.Second), accounts.Limits{}, d.Many()...)
	}
	if err := ahead.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("in the end", storetest.All((2+busy)*storetest.BusyBatch+light))
	if n := d.Numbers(`SELECT count(*) FROM fault_notices`, 1)[0]; n != (2+busy)*storetest.BusyBatch+light {
		t.Errorf("%d notices are listed", n)
	}
}

// Between the start of a node and its first notice others go on, by clocks that are ahead.
func TestANodeThatStartsWithItsClockBehind(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	ahead := newDesk(t, c.Node(t))
	ahead.Record(storetest.Noon.Add(5*time.Second), accounts.Limits{}, ahead.Many()...)
	s := storetest.OpenTest(t, db.Options{Database: c.Address})
	if err := s.Node.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := desk{storetest.DeskOf(s, ahead.SetupResult, t)}
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.WantCounts("in the end", storetest.All(2*storetest.BusyBatch+1))
}

// A number that was used before goes on with ids of its own: the clock of another node is none of its business.
func TestANumberKeepsItsOwnIDs(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	ahead := desk{storetest.DeskOf(c.Node(t), d.SetupResult, t)}
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	storetest.Die(t, d.Store)
	ahead.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("A"))
	storetest.TakeOverDead(t, ahead.Store)
	before := d.Numbers(`SELECT max(id) FROM notices WHERE id < `+number(sett.NoticeIDAt(storetest.Noon.Add(time.Minute))), 1)[0]
	d.Record(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Report("A"))
	after := d.Numbers(`SELECT max(id) FROM notices WHERE id < `+number(sett.NoticeIDAt(storetest.Noon.Add(time.Minute))), 1)[0]
	if after <= before {
		t.Error("a node whose clock is right dates its notices by one that is an hour ahead")
	}
	d.WantCounts("in the end", storetest.All(storetest.BusyBatch+2))
}

// The notice that was counted last is deleted, and the clock set back.
func TestIDsGoOnFromTheLastThatWasCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("A"))
	if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, d.Numbers(`SELECT id FROM faults`, 1)[0]); err != nil {
		t.Fatal(err)
	}
	after := desk{storetest.DeskOf(storetest.OpenTest(t, db.Options{Dir: dir}), d.SetupResult, t)}
	if _, err := after.Intake.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	after.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	if got := after.Counts()["faults"]; got != storetest.BusyBatch {
		t.Errorf("%d notices are counted, want %d", got, storetest.BusyBatch)
	}
}

// A process that counts what a dead node has left, and has lost its lock on the number meanwhile, writes nothing.
func TestOnlyOneNodeCountsWhatADeadOneHasLeft(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	num, _ := d.Node.Current()
	slow, quick := c.Node(t), c.Node(t)
	if _, err := slow.Rollups.CatchUp(t.Context(), num, "another"); !errors.Is(err, nodedb.ErrFenced) {
		t.Errorf("a stranger counted: %v", err)
	}
	d.WantCounts("after a stranger came", storetest.All(0))
	storetest.Die(t, d.Store)
	storetest.TakeOverDead(t, quick)
	d.WantCounts("after the heir came", storetest.All(storetest.BusyBatch))
}

func number(n sett.NoticeID) string { return strconv.FormatInt(int64(n), 10) }
