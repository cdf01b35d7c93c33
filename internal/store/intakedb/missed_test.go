package intakedb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// countMissed looks at everything, and returns how many notices were counted.
func (d *desk) countMissed(s *store.Store) (counted int) {
	d.T.Helper()
	for range 100 {
		step, err := s.Intake.CountMissed(d.T.Context())
		if err != nil {
			d.T.Fatal(err)
		}
		if counted += step.Counted; step.Done {
			return counted
		}
	}
	d.T.Fatal("there is always more to look at")
	return 0
}

// missAsBefore makes flushes of a node take all before a time for counted, as earlier versions did.
func (d *desk) missAsBefore(before time.Time, kinds ...int) {
	num, _ := d.Intake.Node().Current()
	for _, kind := range kinds {
		d.Run(`UPDATE digests SET upto = $1 WHERE node = $2 AND id = $3`, int64(sett.NoticeIDAt(before)), num, d.Intake.Rollups().Kinds[kind][0].ID)
	}
}

func TestNoticesThatEarlierVersionsMissedAreCounted(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string][]int{
		"all counts":   {intakedb.ProjectRollup, intakedb.FaultRollup, intakedb.ClassRollup, intakedb.LocationRollup, intakedb.UserNameRollup, intakedb.UserRollup},
		"quick counts": {intakedb.ProjectRollup, intakedb.FaultRollup},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := storetest.NewCluster(t)
			d := newDesk(t, c.Node(t))
			late := storetest.Noon.Add(58 * time.Minute)
			d.Record(late, accounts.Limits{}, d.Many()...)
			d.missAsBefore(storetest.Noon.Add(10*time.Hour), missing...)
			d.Record(late.Add(time.Minute), accounts.Limits{}, d.Report("A"))
			d.Record(late.Add(3*time.Minute), accounts.Limits{}, d.Many()...)
			d.Record(storetest.Noon.Add(4*time.Hour), accounts.Limits{}, d.Report("D"))
			d.Run(`UPDATE nodes SET sound = false`)

			next := c.Node(t)
			for range 3 { // while the node of the earlier version lives, nothing is done
				if step, err := next.Intake.CountMissed(t.Context()); step != (intakedb.MissedStep{}) || err != nil {
					t.Fatalf("beside an earlier version: %+v, %v", step, err)
				}
			}
			storetest.Die(t, d.Store)
			for d.Numbers(`SELECT count(*) FROM nodes WHERE NOT sound`, 1)[0] > 0 {
				if _, err := next.Intake.TakeOver(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			live := desk{storetest.DeskOf(next, d.SetupResult, t)}
			live.RecordBusy(storetest.Noon.Add(4*time.Hour), accounts.Limits{}, d.Many()...) // the node will count them itself
			if got := d.countMissed(c.Node(t)); got != storetest.BusyBatch+2 {
				t.Errorf("%d notices were missed, want %d", got, storetest.BusyBatch+2)
			}
			d.WantCounts("after they are counted", storetest.All(2*storetest.BusyBatch+2))
			if err := live.Intake.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			d.countMissed(c.Node(t))
			d.WantCounts("in the end", storetest.All(3*storetest.BusyBatch+2))
			if n := d.Numbers(`SELECT count(*) FROM fault_notices`, 1)[0]; n != 3*storetest.BusyBatch+2 {
				t.Errorf("%d notices are listed", n)
			}
			d.Run(`UPDATE missed_notices SET looked_at = 0`)
			if got := d.countMissed(next); got != 0 {
				t.Errorf("%d notices were counted again", got)
			}
		})
	}
}

// What a fault had that is gone goes too.
func TestMissedNoticesOfDeletedFaultsAreDeleted(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	d.missAsBefore(storetest.Noon.Add(time.Hour), intakedb.FaultRollup)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
	d.Run(`DELETE FROM fault_counts WHERE fault_id = (SELECT id FROM faults WHERE class = 'A')`)
	d.Run(`DELETE FROM faults WHERE class = 'A'`)
	d.countMissed(d.Store)
	if got := d.Numbers(`SELECT (SELECT count(*) FROM notices), (SELECT count(*) FROM fault_notices), (SELECT sum(notices_count) FROM fault_counts)`, 3); !slices.Equal(got, []int64{1, 1, 1}) {
		t.Errorf("notices, listed and counted: %v", cmp.Diff([]int64{1, 1, 1}, got))
	}
}

func TestNothingIsMissedOnSQLite(t *testing.T) {
	t.Parallel()
	if step, err := storetest.OpenSQLite(t).Intake.CountMissed(t.Context()); !step.Done || err != nil {
		t.Errorf("%+v, %v", step, err)
	}
}
