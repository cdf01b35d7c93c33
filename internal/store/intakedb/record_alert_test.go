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
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func TestFaultsRaiseAlertsWhenTheyAreNewOrRecur(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		occurred := func(class string, count int64, reopened bool) alerts.Alert {
			return d.About(class, alerts.AlertOccurred, alerts.AlertFacts{NoticeID: d.Newest(class), NoticesCount: count, Reopened: reopened})
		}
		staging := func(r *faults.Report) { r.Environment = "staging" }
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B", staging), d.Report("A"), d.Report("A"))
		d.WantRaised("new", occurred("A", 3, false), occurred("B", 1, false))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.WantRaised("known")

		d.Update("A", faults.FaultChange{Resolved: sett.Some(true)})
		d.Update("B", faults.FaultChange{Resolved: sett.Some(true), Ignored: sett.Some(true)})
		d.Raised()
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("B", staging), d.Report("A"), d.Report("A"))
		d.WantRaised("recurs", occurred("A", 6, true))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("B", staging), d.Report("A"))
		d.WantRaised("goes on")

		limits := accounts.Limits{MonthlyQuota: 1}
		d.Record(storetest.Noon, limits, d.Report("Limited"))
		gone := d.Report("Gone", func(r *faults.Report) { r.ProjectID += 1000 })
		d.Record(storetest.Noon, accounts.Limits{}, gone)
		d.WantRaised("not stored")
	})
}

// Recurrences of a paused fault raise alerts too; routing decides whether they are sent.
func TestPausedFaultsThatRecur(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.Pause("A", faults.Pause{Time: sett.Some("day")})
		d.Update("A", faults.FaultChange{Resolved: sett.Some(true)})
		d.Raised()
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.WantRaised("recurs", d.About("A", alerts.AlertOccurred, alerts.AlertFacts{NoticeID: d.Newest("A"), NoticesCount: 2, Reopened: true}))
	})
}

// A fault that is paused for 10 notices raises an alert at the 11th, in whatever order notices arrive and are counted.
func TestTheEndOfAPauseByCount(t *testing.T) {
	t.Parallel()
	ten := faults.Pause{Count: sett.Some[int64](10)}
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		wantEnd := func(when string, count int64) {
			t.Helper()
			got := d.Raised()
			want := []alerts.Alert{d.About("A", alerts.AlertOccurred, alerts.AlertFacts{NoticeID: d.Newest("A"), NoticesCount: count})}
			want[0].At, want[0].CreatedAt = d.Newest("A").Time(), d.Newest("A").Time()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: alerts (-want +got):\n%s", when, diff)
			}
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		d.Pause("A", ten)
		d.Raised()
		for range 10 {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		}
		d.WantRaised("ten notices")
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		wantEnd("the eleventh", 12)
		d.Record(storetest.Noon, accounts.Limits{}, d.Times(40, "A")...)
		d.WantRaised("all others")

		d.Pause("A", ten)
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Times(storetest.BusyBatch, "A")...)
		d.WantRaised("not counted yet")
		for range 2 {
			if err := d.Intake.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		wantEnd("counted", 52+storetest.BusyBatch)

		for name, replace := range map[string]func(){
			"paused by time":  func() { d.Pause("A", faults.Pause{Time: sett.Some("hour")}) },
			"paused for more": func() { d.Pause("A", faults.Pause{Count: sett.Some[int64](100)}) },
		} {
			d.Pause("A", ten)
			replace()
			d.Record(storetest.Noon, accounts.Limits{}, d.Times(15, "A")...)
			d.WantRaised(name)
		}
	})
}

// If a process dies before it counts a notice, the process that counts it raises the alert, once.
func TestTheEndOfAPauseSurvivesACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
	d.Pause("A", faults.Pause{Count: sett.Some[int64](10)})
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Times(storetest.BusyBatch, "A")...)
	d.Raised()
	after := storetest.OpenTest(t, db.Options{Dir: dir})
	for want := 1; want >= 0; want-- {
		if _, err := after.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.Raised(); len(got) != want {
			t.Errorf("raised %+v, want %d alerts", got, want)
		}
	}
}

// Nodes that record the same new fault, or its recurrence, at the same time tell of it once.
func TestNodesTellOfAFaultOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	nodes := []*store.Store{c.Node(t), c.Node(t)}
	d := newDesk(t, nodes[0])
	atOnce := func(class string) {
		var wg sync.WaitGroup
		for _, s := range nodes {
			wg.Go(func() {
				if _, err := s.Intake.RecordNotices(context.Background(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Times(2, class)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	reopened := func() (reopened []bool) {
		for _, a := range d.Raised() {
			reopened = append(reopened, a.Facts.Reopened)
		}
		return reopened
	}
	for round := range 10 {
		class := fmt.Sprint("C", round)
		atOnce(class)
		if diff := cmp.Diff([]bool{false}, reopened()); diff != "" {
			t.Errorf("new (-want +got):\n%s", diff)
		}
		for range 3 {
			d.Update(class, faults.FaultChange{Resolved: sett.Some(true)})
			d.Raised()
			atOnce(class)
			if diff := cmp.Diff([]bool{true}, reopened()); diff != "" {
				t.Errorf("reopened (-want +got):\n%s", diff)
			}
		}
		d.Pause(class, faults.Pause{Count: sett.Some[int64](10)})
		for range 4 {
			atOnce(class)
		}
		for _, s := range nodes { // which may have left their counts, and with them the end of the pause, to a later flush
			if err := s.Intake.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]bool{false}, reopened()); diff != "" {
			t.Errorf("end of a pause (-want +got):\n%s", diff)
		}
	}
}
