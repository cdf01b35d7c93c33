package store

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/intake"
)

// countMissed looks at everything, and returns how many notices were counted.
func (d *desk) countMissed(s *Store) (counted int) {
	d.t.Helper()
	for range 100 {
		step, err := s.CountMissed(d.t.Context())
		if err != nil {
			d.t.Fatal(err)
		}
		if counted += step.Counted; step.Done {
			return counted
		}
	}
	d.t.Fatal("there is always more to look at")
	return 0
}

// missAsBefore makes folds of a node take all before a time for counted, as earlier versions did.
func (d *desk) missAsBefore(before time.Time, kinds ...int) {
	num, _ := d.Node.Current()
	for _, kind := range kinds {
		d.run(`UPDATE digests SET upto = $1 WHERE node = $2 AND id = $3`, int64(sett.NoticeIDAt(before)), num, d.Digests.Kinds[kind][0].ID)
	}
}

func TestNoticesThatEarlierVersionsMissedAreCounted(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string][]int{
		"all counts":   {intake.ProjectDigest, intake.FaultDigest, intake.ClassDigest, intake.LocationDigest, intake.UserNameDigest, intake.UserDigest},
		"quick counts": {intake.ProjectDigest, intake.FaultDigest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			d := newDesk(t, c.node(t))
			late := noon.Add(58 * time.Minute)
			d.record(late, sett.Limits{}, d.many()...)
			d.missAsBefore(noon.Add(10*time.Hour), missing...)
			d.record(late.Add(time.Minute), sett.Limits{}, d.report("A"))
			d.record(late.Add(3*time.Minute), sett.Limits{}, d.many()...)
			d.record(noon.Add(4*time.Hour), sett.Limits{}, d.report("D"))
			d.run(`UPDATE nodes SET sound = false`)

			next := c.node(t)
			for range 3 { // while the node of the earlier version lives, nothing is done
				if step, err := next.CountMissed(t.Context()); step != (intake.MissedStep{}) || err != nil {
					t.Fatalf("beside an earlier version: %+v, %v", step, err)
				}
			}
			die(t, d.Store)
			for d.numbers(`SELECT count(*) FROM nodes WHERE NOT sound`, 1)[0] > 0 {
				if _, err := next.Adopt(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			live := desk{next, d.SetupResult, t}
			live.recordBusy(noon.Add(4*time.Hour), sett.Limits{}, d.many()...) // the node will count them itself
			if got := d.countMissed(c.node(t)); got != intake.BusyBatch+2 {
				t.Errorf("%d notices were missed, want %d", got, intake.BusyBatch+2)
			}
			d.wantCounts("after they are counted", all(2*intake.BusyBatch+2))
			if err := live.Fold(t.Context()); err != nil {
				t.Fatal(err)
			}
			d.countMissed(c.node(t))
			d.wantCounts("in the end", all(3*intake.BusyBatch+2))
			if n := d.numbers(`SELECT count(*) FROM fault_notices`, 1)[0]; n != 3*intake.BusyBatch+2 {
				t.Errorf("%d notices are listed", n)
			}
			d.run(`UPDATE missed_notices SET looked_at = 0`)
			if got := d.countMissed(next); got != 0 {
				t.Errorf("%d notices were counted again", got)
			}
		})
	}
}

// What a fault had that is gone goes too.
func TestMissedNoticesOfDeletedFaultsAreDeleted(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	d := newDesk(t, c.node(t))
	d.missAsBefore(noon.Add(time.Hour), intake.FaultDigest)
	d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
	d.run(`DELETE FROM fault_counts WHERE fault_id = (SELECT id FROM faults WHERE class = 'A')`)
	d.run(`DELETE FROM faults WHERE class = 'A'`)
	d.countMissed(d.Store)
	if got := d.numbers(`SELECT (SELECT count(*) FROM notices), (SELECT count(*) FROM fault_notices), (SELECT sum(notices_count) FROM fault_counts)`, 3); !slices.Equal(got, []int64{1, 1, 1}) {
		t.Errorf("notices, listed and counted: %v", cmp.Diff([]int64{1, 1, 1}, got))
	}
}

func TestNothingIsMissedOnSQLite(t *testing.T) {
	t.Parallel()
	if step, err := openSQLite(t).CountMissed(t.Context()); !step.Done || err != nil {
		t.Errorf("%+v, %v", step, err)
	}
}
