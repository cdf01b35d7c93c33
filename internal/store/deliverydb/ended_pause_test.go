package deliverydb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// pausedFault is a fault with a notice that was paused at a time.
type pausedFault struct {
	*desk
	class string
	at    time.Time
}

// deskThatListens is a desk with an integration that gets only the event occurred.
func deskThatListens(t *testing.T, s *store.Store) *desk {
	t.Helper()
	d := newDesk(t, s)
	d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertOccurred} })
	return d
}

// paused makes a fault; times of a test only grow, as ids of notices do.
func (d *desk) paused(class string, at time.Time, p faults.Pause) pausedFault {
	d.T.Helper()
	f := pausedFault{d, class, at}
	f.occurs(0, 1)
	f.pausedAgain(0, p)
	f.heard()
	return f
}

func (f pausedFault) pausedAgain(after time.Duration, p faults.Pause) {
	f.T.Helper()
	if err := f.Faults.PauseFault(f.T.Context(), f.at.Add(after), f.UserID, f.ProjectID, f.FaultID(f.class), p); err != nil {
		f.T.Fatal(err)
	}
}

// heard fans out what was raised and lists the new deliveries as "<fault's notices> <reopened>".
func (f pausedFault) heard() (lines []string) {
	f.T.Helper()
	if _, err := f.Deliveries.FanOutAlerts(f.T.Context(), storetest.Noon, 100, false); err != nil {
		f.T.Fatal(err)
	}
	alerts, err := f.Deliveries.Alerts(f.T.Context(), f.Read, `SELECT `+deliverydb.AlertColumns+` FROM deliveries d JOIN alerts a ON a.id = d.alert_id ORDER BY d.id`)
	if err != nil {
		f.T.Fatal(err)
	}
	for _, a := range alerts {
		lines = append(lines, fmt.Sprint(a.Facts.NoticesCount, " ", a.Facts.Reopened))
	}
	f.Run(`DELETE FROM deliveries`)
	return lines
}

func (f pausedFault) wantHeard(when string, want ...string) {
	f.T.Helper()
	if diff := cmp.Diff(want, f.heard()); diff != "" {
		f.T.Errorf("%s: people heard (-want +got):\n%s", when, diff)
	}
}

func (f pausedFault) occurs(after time.Duration, n int) {
	f.T.Helper()
	f.Record(f.at.Add(after), accounts.Limits{}, f.Times(n, f.class)...)
}

func (f pausedFault) changed(c faults.FaultChange) {
	f.T.Helper()
	f.Update(f.class, c)
}

func (f pausedFault) unpause(after time.Duration, all bool) {
	f.T.Helper()
	at := f.at.Add(after)
	one := func() error {
		return f.Faults.UnpauseFault(f.T.Context(), at, f.UserID, f.ProjectID, f.FaultID(f.class))
	}
	if all {
		one = func() error { return f.Faults.UnpauseFaults(f.T.Context(), at, f.UserID, f.ProjectID) }
	}
	if err := one(); err != nil {
		f.T.Fatal(err)
	}
}

// occursOften leaves the notices to a later fold.
func (f pausedFault) occursOften(after time.Duration) {
	f.T.Helper()
	f.RecordBusy(f.at.Add(after), accounts.Limits{}, f.Times(storetest.BusyBatch, f.class)...)
}

func (f pausedFault) fold() {
	f.T.Helper()
	if err := f.Intake.Flush(f.T.Context()); err != nil {
		f.T.Fatal(err)
	}
}

var (
	pausedForAnHour = faults.Pause{Time: sett.Some("hour")}
	pausedForTen    = faults.Pause{Count: sett.Some[int64](10)}
)

// After a pause of an hour, the first notice of the fault sends a notification. Later ones send none.
func TestTheEndOfAPauseByTime(t *testing.T) {
	t.Parallel()
	const over = time.Hour
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := deskThatListens(t, s)
		f := d.paused("A", storetest.Noon, pausedForAnHour)
		f.occurs(0, 2)
		f.occurs(over-time.Second, 1)
		f.wantHeard("while it is paused")
		d.Record(f.at.Add(over), accounts.Limits{}, d.Report("B"))
		f.wantHeard("another fault", "1 false")
		f.occurs(over, 1)
		f.wantHeard("the first notice after it", "5 false")
		f.occurs(over+time.Minute, 3)
		f.wantHeard("all others")

		f.pausedAgain(over+time.Minute, pausedForAnHour)
		f.occursOften(2*over + time.Minute)
		f.wantHeard("not counted yet")
		f.fold()
		f.fold()
		f.wantHeard("counted", fmt.Sprint(8+storetest.BusyBatch, " false"))
	})
}

// After a pause is ended by hand, the next notice sends a notification. If the pause was already over, the notices since its end
// send one.
func TestAPauseThatIsEndedByHand(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := deskThatListens(t, s)
		for n, p := range []faults.Pause{pausedForAnHour, pausedForTen} {
			for m, all := range []bool{false, true} {
				f := d.paused(fmt.Sprint("A", n, m), storetest.Noon.Add(time.Duration(2*n+m)*time.Hour), p)
				f.occurs(0, 2)
				f.unpause(time.Minute, all)
				f.wantHeard(f.class + " unpaused")
				f.occurs(time.Minute, 2)
				f.wantHeard(f.class+" the next notice", "5 false")
				f.unpause(2*time.Minute, all)
				f.occurs(2*time.Minute, 1)
				f.wantHeard(f.class + " unpaused again")
			}
		}
		for m, all := range []bool{false, true} {
			f := d.paused(fmt.Sprint("Over", m), storetest.Noon.Add(time.Duration(5+3*m)*time.Hour), pausedForAnHour)
			f.occursOften(time.Hour)
			f.unpause(2*time.Hour, all)
			f.fold()
			f.wantHeard(f.class+" what came before", fmt.Sprint(1+storetest.BusyBatch, " false"))
		}
	})
}

// A notification that a fault was reopened is the only one. The end of its pause sends no second one.
func TestTheEndOfAPauseOfAResolvedFault(t *testing.T) {
	t.Parallel()
	yes, no := sett.Some(true), sett.Some(false)
	resolved := faults.FaultChange{Resolved: yes}
	day := func(n int) time.Time { return storetest.Noon.AddDate(0, 0, n) }
	const over = time.Hour
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := deskThatListens(t, s)
		f := d.paused("A", storetest.Noon, pausedForTen)
		f.occurs(0, 10)
		f.changed(resolved)
		f.occurs(0, 1)
		f.wantHeard("resolved at the end of a pause by count", "12 true")
		f.occurs(0, 3)
		f.wantHeard("and what follows")

		f = d.paused("B", day(1), pausedForTen)
		f.changed(resolved)
		f.occurs(0, 5)
		f.wantHeard("reopened while it is paused by count")
		f.occurs(0, 6)
		f.wantHeard("and beyond that", "12 false")

		f = d.paused("C", day(2), pausedForAnHour)
		f.changed(resolved)
		f.occurs(over, 1)
		f.wantHeard("resolved until a pause by time is over", "2 true")
		f.occurs(over, 1)
		f.wantHeard("and what follows")

		f = d.paused("D", day(3), pausedForAnHour)
		f.changed(resolved)
		f.occurs(0, 1)
		f.wantHeard("reopened while it is paused by time")
		f.occurs(over, 1)
		f.wantHeard("and after that", "3 false")

		f = d.paused("E", day(4), pausedForAnHour)
		f.occursOften(over)
		f.changed(resolved)
		f.fold()
		f.wantHeard("resolved before its notices are counted")
		f.occurs(over, 1)
		f.wantHeard("and what reopens it", fmt.Sprint(2+storetest.BusyBatch, " true"))

		f = d.paused("F", day(5), pausedForAnHour)
		f.changed(faults.FaultChange{Ignored: yes})
		f.occurs(over, 1)
		f.wantHeard("ignored when it is over")
		f.changed(faults.FaultChange{Ignored: no})
		f.occurs(over, 1)
		f.wantHeard("no longer ignored", "2 false")
	})
}
