package store

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/intake"
)

func TestFaultsAreToldWhenTheyAreNewOrRecur(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		occurred := func(class string, count int64, reopened bool) sett.Alert {
			return d.about(class, sett.AlertOccurred, sett.AlertFacts{NoticeID: d.newest(class), NoticesCount: count, Reopened: reopened})
		}
		staging := func(r *sett.Report) { r.Environment = "staging" }
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B", staging), d.report("A"), d.report("A"))
		d.wantRaised("new", occurred("A", 3, false), occurred("B", 1, false))
		d.record(noon, sett.Limits{}, d.report("A"))
		d.wantRaised("known")

		d.update("A", sett.FaultChange{Resolved: sett.Some(true)})
		d.update("B", sett.FaultChange{Resolved: sett.Some(true), Ignored: sett.Some(true)})
		d.raised()
		d.record(noon, sett.Limits{}, d.report("B", staging), d.report("A"), d.report("A"))
		d.wantRaised("recurs", occurred("A", 6, true))
		d.record(noon, sett.Limits{}, d.report("B", staging), d.report("A"))
		d.wantRaised("goes on")

		limits := sett.Limits{MonthlyQuota: 1}
		d.record(noon, limits, d.report("Limited"))
		gone := d.report("Gone", func(r *sett.Report) { r.ProjectID += 1000 })
		d.record(noon, sett.Limits{}, gone)
		d.wantRaised("not stored")
	})
}

// Recurrences of a paused fault are told too; whether people hear of them is for others to decide.
func TestPausedFaultsThatRecur(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("A"))
		d.pause("A", sett.Pause{Time: sett.Some("day")})
		d.update("A", sett.FaultChange{Resolved: sett.Some(true)})
		d.raised()
		d.record(noon, sett.Limits{}, d.report("A"))
		d.wantRaised("recurs", d.about("A", sett.AlertOccurred, sett.AlertFacts{NoticeID: d.newest("A"), NoticesCount: 2, Reopened: true}))
	})
}

func (d *desk) pause(class string, p sett.Pause) {
	d.t.Helper()
	if err := d.PauseFault(d.t.Context(), noon, d.UserID, d.ProjectID, d.faultID(class), p); err != nil {
		d.t.Fatal(err)
	}
}

// times returns reports of a class.
func (d *desk) times(n int, class string) (reports []*Packed) {
	for range n {
		reports = append(reports, d.report(class))
	}
	return reports
}

// A fault that is paused for 10 notices is told of with the 11th, however the notices come and are counted.
func TestTheEndOfAPauseByCount(t *testing.T) {
	t.Parallel()
	ten := sett.Pause{Count: sett.Some[int64](10)}
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		wantEnd := func(when string, count int64) {
			t.Helper()
			got := d.raised()
			want := []sett.Alert{d.about("A", sett.AlertOccurred, sett.AlertFacts{NoticeID: d.newest("A"), NoticesCount: count})}
			want[0].At, want[0].CreatedAt = d.newest("A").Time(), d.newest("A").Time()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: alerts (-want +got):\n%s", when, diff)
			}
		}
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
		d.pause("A", ten)
		d.raised()
		for range 10 {
			d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
		}
		d.wantRaised("ten notices")
		d.record(noon, sett.Limits{}, d.report("A"))
		wantEnd("the eleventh", 12)
		d.record(noon, sett.Limits{}, d.times(40, "A")...)
		d.wantRaised("all others")

		d.pause("A", ten)
		d.recordBusy(noon, sett.Limits{}, d.times(intake.BusyBatch, "A")...)
		d.wantRaised("not counted yet")
		for range 2 {
			if err := d.Fold(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		wantEnd("counted", 52+intake.BusyBatch)

		for name, replace := range map[string]func(){
			"paused by time":  func() { d.pause("A", sett.Pause{Time: sett.Some("hour")}) },
			"paused for more": func() { d.pause("A", sett.Pause{Count: sett.Some[int64](100)}) },
		} {
			d.pause("A", ten)
			replace()
			d.record(noon, sett.Limits{}, d.times(15, "A")...)
			d.wantRaised(name)
		}
	})
}

// What a process did not live to count is told by whoever counts it, once.
func TestTheEndOfAPauseSurvivesACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := openTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.record(noon, sett.Limits{}, d.report("A"))
	d.pause("A", sett.Pause{Count: sett.Some[int64](10)})
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.times(intake.BusyBatch, "A")...)
	d.raised()
	after := openTest(t, db.Options{Dir: dir})
	for want := 1; want >= 0; want-- {
		if _, err := after.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.raised(); len(got) != want {
			t.Errorf("raised %+v, want %d alerts", got, want)
		}
	}
}

// Nodes that record the same new fault, or its recurrence, at the same time tell of it once.
func TestNodesTellOfAFaultOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	nodes := []*Store{c.node(t), c.node(t)}
	d := newDesk(t, nodes[0])
	atOnce := func(class string) {
		var wg sync.WaitGroup
		for _, s := range nodes {
			wg.Go(func() {
				if _, err := s.RecordNotices(context.Background(), noon, sett.Limits{}, Intake{Reports: d.times(2, class)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	told := func() (told []bool) {
		for _, a := range d.raised() {
			told = append(told, a.Facts.Reopened)
		}
		return told
	}
	for round := range 10 {
		class := fmt.Sprint("C", round)
		atOnce(class)
		if diff := cmp.Diff([]bool{false}, told()); diff != "" {
			t.Errorf("new (-want +got):\n%s", diff)
		}
		for range 3 {
			d.update(class, sett.FaultChange{Resolved: sett.Some(true)})
			d.raised()
			atOnce(class)
			if diff := cmp.Diff([]bool{true}, told()); diff != "" {
				t.Errorf("reopened (-want +got):\n%s", diff)
			}
		}
		d.pause(class, sett.Pause{Count: sett.Some[int64](10)})
		for range 4 {
			atOnce(class)
		}
		for _, s := range nodes { // which may have left their counts, and with them the end of the pause, to a later fold
			if err := s.Fold(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]bool{false}, told()); diff != "" {
			t.Errorf("end of a pause (-want +got):\n%s", diff)
		}
	}
}
