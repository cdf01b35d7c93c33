package store

import (
	"errors"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/intake"
)

// A node that was taken for dead gets another number. By its clock the notices of others may come later than its own; all
// the same it counts what it stores from then on.
func TestANodeThatTakesANumberAgainWithItsClockBehind(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	ahead := desk{c.node(t), d.SetupResult, t}
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	die(t, d.Store)
	ahead.recordBusy(noon.Add(5*time.Second), sett.Limits{}, d.many()...)
	adoptDead(t, ahead.Store)
	const light, busy = 3, 2
	for i := range light {
		d.record(noon.Add(time.Duration(i)*time.Second), sett.Limits{}, d.report("A"))
	}
	for i := range busy {
		d.record(noon.Add(time.Duration(light+i)*time.Second), sett.Limits{}, d.many()...)
	}
	if err := ahead.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantCounts("in the end", all((2+busy)*intake.BusyBatch+light))
	if n := d.numbers(`SELECT count(*) FROM fault_notices`, 1)[0]; n != (2+busy)*intake.BusyBatch+light {
		t.Errorf("%d notices are listed", n)
	}
}

// Between the start of a node and its first notice others go on, by clocks that are ahead.
func TestANodeThatStartsWithItsClockBehind(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	ahead := newDesk(t, c.node(t))
	ahead.record(noon.Add(5*time.Second), sett.Limits{}, ahead.many()...)
	s := openTest(t, db.Options{Database: c.address})
	if err := s.TakeNode(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := desk{s, ahead.SetupResult, t}
	d.record(noon, sett.Limits{}, d.report("A"))
	d.record(noon, sett.Limits{}, d.many()...)
	d.wantCounts("in the end", all(2*intake.BusyBatch+1))
}

// A number that was used before goes on with ids of its own: the clock of another node is none of its business.
func TestANumberKeepsItsOwnIDs(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	ahead := desk{c.node(t), d.SetupResult, t}
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	die(t, d.Store)
	ahead.record(noon.Add(time.Hour), sett.Limits{}, d.report("A"))
	adoptDead(t, ahead.Store)
	before := d.numbers(`SELECT max(id) FROM notices WHERE id < `+number(sett.NoticeIDAt(noon.Add(time.Minute))), 1)[0]
	d.record(noon.Add(time.Second), sett.Limits{}, d.report("A"))
	after := d.numbers(`SELECT max(id) FROM notices WHERE id < `+number(sett.NoticeIDAt(noon.Add(time.Minute))), 1)[0]
	if after <= before {
		t.Error("a node whose clock is right dates its notices by one that is an hour ahead")
	}
	d.wantCounts("in the end", all(intake.BusyBatch+2))
}

// The notice that was counted last is deleted, and the clock set back.
func TestIDsGoOnFromTheLastThatWasCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := openTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.record(noon.Add(time.Hour), sett.Limits{}, d.report("A"))
	if err := d.DeleteFault(t.Context(), d.ProjectID, d.numbers(`SELECT id FROM faults`, 1)[0]); err != nil {
		t.Fatal(err)
	}
	after := desk{openTest(t, db.Options{Dir: dir}), d.SetupResult, t}
	if _, err := after.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	after.record(noon, sett.Limits{}, d.many()...)
	if got := after.counts()["faults"]; got != intake.BusyBatch {
		t.Errorf("%d notices are counted, want %d", got, intake.BusyBatch)
	}
}

// The first notice of a batch may be deleted before it is known that the batch was stored.
func TestUnansweredCommitsWhoseFirstNoticeIsGone(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		if _, err := s.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		var b *intake.Batch
		err := s.inTx(t.Context(), "record", func(tx *tx) error {
			b = intake.NewBatch(s.intakes, tx.intakeTx, noon, sett.Limits{}, Intake{Reports: d.many()})
			return b.Record(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Digests.Unsure = b
		d.run(`DELETE FROM notices WHERE id = $1`, int64(b.Ids[0]))
		if stored, err := s.MakeSure(t.Context()); !stored || err != nil {
			t.Errorf("stored is %v, %v", stored, err)
		}
	})
}

// A process that counts what a dead node has left, and has lost its lock on the number meanwhile, writes nothing.
func TestOnlyOneNodeCountsWhatADeadOneHasLeft(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	num, _ := d.Node.Current()
	slow, quick := c.node(t), c.node(t)
	if _, err := slow.CatchUp(t.Context(), num, "another"); !errors.Is(err, intake.ErrFenced) {
		t.Errorf("a stranger counted: %v", err)
	}
	d.wantCounts("after a stranger came", all(0))
	die(t, d.Store)
	adoptDead(t, quick)
	d.wantCounts("after the heir came", all(intake.BusyBatch))
}
