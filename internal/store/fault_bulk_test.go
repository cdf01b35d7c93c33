package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestBulkChanges(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("C"))
		d.record(noon.Add(time.Hour), sett.Limits{}, d.report("Late"), d.report("Theirs", func(r *sett.Report) { r.ProjectID = d.project("Other").ID }))
		do := func(action sett.BulkAction, which FaultChoice, change ...func(*sett.BulkChange)) int64 {
			t.Helper()
			c := sett.BulkChange{Action: sett.Some(string(action))}
			for _, f := range change {
				f(&c)
			}
			n, err := s.ChangeFaults(t.Context(), noon, d.UserID, d.ProjectID, which, c)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		a, b := d.faultID("A"), d.faultID("B")
		two := FaultChoice{IDs: []int64{b, a, a, 999, d.faultID("Theirs")}}
		d.raised()
		got := []string{fmt.Sprint("assign ", do(sett.BulkAssign, two, func(c *sett.BulkChange) { c.AssigneeID = sett.Some(d.UserID) }), do(sett.BulkAssign, two, func(c *sett.BulkChange) { c.AssigneeID = sett.Some(d.UserID) }))}
		got = append(got, fmt.Sprint("alerts ", len(d.raised())))
		got = append(got, fmt.Sprint("resolve ", do(sett.BulkResolve, FaultChoice{AsOf: noon})))
		told := d.raised()
		got = append(got, fmt.Sprint("alerts ", len(told), " of ", len(told[0].Facts.FaultIDs)))
		got = append(got, fmt.Sprint("unresolve ", do(sett.BulkUnresolve, two), " alerts ", len(d.raised())))
		got = append(got, fmt.Sprint("ignore ", do(sett.BulkIgnore, two), " unignore ", do(sett.BulkUnignore, two)))
		hour := func(c *sett.BulkChange) { c.Pause = sett.Some(sett.Pause{Time: sett.Some("hour")}) }
		got = append(got, fmt.Sprint("pause ", do(sett.BulkPause, two, hour), " unpause ", do(sett.BulkUnpause, two)))
		got = append(got, fmt.Sprint("delete ", do(sett.BulkDelete, two), do(sett.BulkDelete, two)))
		want := []string{
			"assign 2 0", "alerts 2", "resolve 3", "alerts 1 of 3", "unresolve 2 alerts 2", "ignore 2 unignore 2", "pause 2 unpause 2", "delete 2 0",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if d.fault("Late").Resolved || !d.fault("C").Resolved || d.numbers(`SELECT count(*) FROM faults WHERE class = 'Theirs' AND NOT resolved AND assignee_id IS NULL`, 1)[0] != 1 {
			t.Error("other faults were changed than those that were meant")
		}
		lines := d.told("C")
		if diff := cmp.Diff([]string{"web resolved Olga: Resolved."}, lines); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		_, err := s.ChangeFaults(t.Context(), noon, d.UserID, d.ProjectID, FaultChoice{}, sett.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some[int64](999)})
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("assigned to nobody: %v", err)
		}
	})
}

func TestBulkChangesGoByLots(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	var reports []*Packed
	for i := range faultsInLot + 5 {
		reports = append(reports, d.report(fmt.Sprint("E", i)))
	}
	d.record(noon, sett.Limits{}, reports...)
	for _, action := range []sett.BulkAction{sett.BulkResolve, sett.BulkIgnore} {
		n, err := d.ChangeFaults(t.Context(), noon, d.UserID, d.ProjectID, FaultChoice{}, sett.BulkChange{Action: sett.Some(string(action))})
		if err != nil || n != faultsInLot+5 {
			t.Errorf("%s changed %d, %v", action, n, err)
		}
	}
	if n := d.numbers(`SELECT count(*) FROM faults WHERE resolved AND ignored`, 1)[0]; n != faultsInLot+5 {
		t.Errorf("%d faults are resolved and ignored", n)
	}
}
