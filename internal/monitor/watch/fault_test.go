package watch_test

import (
	"log/slog"
	"testing"
	"time"

	"sett/internal/monitor/watch"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/storetest"
)

// The loop ends a pause once, with one alert, also if it looked before the notices came.
func TestPausesEnd(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	now := storetest.Noon
	d.Record(now, accounts.Limits{}, d.Report("A"))
	d.Pause("A", faults.Pause{Notices: sett.Some(int64(2)), Per: sett.Some("hour")})
	d.Raised()
	faults := watch.NewFaults(watch.FaultOptions{DB: d.DB, Faults: d.Faults, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	raised := func() int {
		t.Helper()
		for _, l := range faults.Loops() {
			if l.Name != "pauses" {
				continue
			}
			if more, err := l.Work(t.Context()); more || err != nil {
				t.Fatal(more, err)
			}
			return len(d.Raised())
		}
		t.Fatal("there is no loop")
		return 0
	}
	if n := raised(); n != 0 {
		t.Errorf("before any notice, there are %d alerts", n)
	}
	now = now.Add(20 * time.Minute)
	d.Record(now, accounts.Limits{}, d.Report("A"), d.Report("A"))
	now = now.Add(time.Minute)
	if first, again := raised(), raised(); first != 1 || again != 0 {
		t.Errorf("there are %d alerts, and then %d", first, again)
	}
}
