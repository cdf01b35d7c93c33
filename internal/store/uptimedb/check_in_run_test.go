package uptimedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func (d *desk) runAt(at time.Time, c checks.CheckIn, r run.Report, p *checks.PingPayload) {
	d.T.Helper()
	found, err := d.Uptime.RecordPings(d.T.Context(), []uptimedb.PingReport{{ID: c.ID, Ping: checks.Ping{At: at, Run: r, Payload: p}}})
	if err != nil || !found[0] {
		d.T.Fatal(found, err)
	}
}

// A run that is stored is found overdue by any server, once, and its alert and its history say why.
func TestARunIsOverdueInTheStore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		c, ended, deleted := d.CheckIn(d.ProjectID, storetest.Hourly("a")), d.CheckIn(d.ProjectID, storetest.Hourly("b")), d.CheckIn(d.ProjectID, storetest.Hourly("c"))
		start := run.Report{ID: "r1", Started: true, Longest: 10 * time.Minute}
		for _, c := range []checks.CheckIn{c, ended, deleted} {
			d.runAt(at(0), c, start, nil)
		}
		want := run.Watch{Open: run.Open{ID: "r1", StartedAt: at(0), DeadlineAt: at(10)}, Longest: 10 * time.Minute}
		if diff := cmp.Diff(want, d.checkInNow(c).Run); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		d.runAt(at(9), ended, run.Report{ID: "r1"}, &checks.PingPayload{Status: "success", Environment: "staging", Release: "shop@1"})
		if got := d.checkInNow(ended).Run; got.IsOpen() || got.Ended != "r1" {
			t.Errorf("ended: %+v", got)
		}
		if err := s.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, deleted.ID); err != nil {
			t.Fatal(err)
		}
		if _, n := d.SweepAll(at(10).Add(-time.Microsecond), 10); n != 0 {
			t.Errorf("%d events before the deadline", n)
		}
		if _, n := d.SweepAll(at(10), 10); n != 1 {
			t.Errorf("%d events at the deadline", n)
		}
		if _, n := d.SweepAll(at(10), 10); n != 0 {
			t.Errorf("%d events by another server", n)
		}
		if got := d.checkInNow(c); got.State != sett.CheckInMissing || got.Run.IsOpen() {
			t.Errorf("overdue: %+v", got)
		}
		events, _, err := s.Uptime.ListCheckInEvents(t.Context(), d.ProjectID, c.ID, sett.Page{Size: 10})
		if err != nil || len(events) != 1 || events[0].Kind != checks.CheckInMissed || events[0].Payload.Reason != "The job started on "+storetest.Noon.Format("2 January 2006, 15:04:05 UTC")+" and has not ended within 10 minutes." {
			t.Errorf("history: %+v, %v", events, err)
		}
		d.runAt(at(11), c, run.Report{ID: "r1"}, nil)
		if diff := cmp.Diff([]string{"missing 12:10:00", "reported 12:11:00", "reporting 12:11:00"}, d.checkInHistory(c)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		of, _, err := s.Uptime.ListCheckInEvents(t.Context(), d.ProjectID, ended.ID, sett.Page{Size: 10})
		if err != nil || len(of) != 1 || of[0].Payload.Environment != "staging" || of[0].Payload.Release != "shop@1" {
			t.Errorf("of the run that ended: %+v, %v", of, err)
		}
	})
}

// Runs of several check-ins are found a few at a time, beside other deadlines.
func TestOverdueRunsAndPingsInOneSweep(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		var all []checks.CheckIn
		for _, slug := range []string{"a", "b", "c", "d", "e"} {
			c := d.CheckIn(d.ProjectID, storetest.Hourly(slug))
			d.PingAt(at(-60), c)
			d.runAt(at(-30), c, run.Report{ID: slug, Started: true, Longest: 95 * time.Minute}, nil)
			all = append(all, c)
		}
		// The start is in time for the ping of 12:30 at the latest; the run must end at 13:05.
		if _, n := d.SweepAll(at(65), 2); n != 2*len(all) {
			t.Errorf("%d events, want %d", n, 2*len(all))
		}
		for _, c := range all {
			if diff := cmp.Diff([]string{"reported 11:00:00", "missing 12:35:00", "missing 13:05:00"}, d.checkInHistory(c)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		}
	})
}

func TestTheClockOfARunWasSetBack(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("a"))
		ahead := storetest.Noon.AddDate(0, 0, 2)
		d.BeatAt(ahead)
		d.runAt(ahead, c, run.Report{Started: true}, nil)
		d.BeatAt(storetest.Noon)
		if got, want := d.checkInNow(c).Run.Open, (run.Open{StartedAt: storetest.Noon, DeadlineAt: storetest.Noon.Add(run.DefaultLimit)}); !got.StartedAt.Equal(want.StartedAt) || !got.DeadlineAt.Equal(want.DeadlineAt) {
			t.Errorf("the run is %+v, want %+v", got, want)
		}
	})
}
