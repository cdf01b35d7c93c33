package uptimedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Check-ins from before there were turns have the days that their events tell of.
func TestTurnsAreMadeFromEvents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(hours int) time.Time { return storetest.Noon.Add(time.Duration(hours) * time.Hour) }
		var shown []any
		var all []checks.CheckIn
		for _, slug := range []string{"reports", "missing", "paused", "waits", "waited", "never"} {
			c := d.CheckIn(d.ProjectID, storetest.Hourly(slug))
			shown, all = append(shown, c), append(all, c)
		}
		d.PageNamed("page", shown...)
		d.Alive(storetest.Noon, storetest.Noon)
		d.PingAt(storetest.Noon, all[:5]...)
		d.Alive(storetest.Noon, at(4))
		d.SweepAll(at(4), 10)
		d.PingAt(at(4), all[0])
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(s.Uptime.PauseCheckIn(t.Context(), at(5), d.ProjectID, all[0].ID, at(99)))
		must(s.Uptime.PauseCheckIn(t.Context(), at(5), d.ProjectID, all[2].ID, at(99)))
		d.SweepAll(at(6), 10)
		rarer := checks.CheckInChange{ReportPeriod: sett.Some[checks.PeriodText]("2 hours")}
		must(s.Uptime.UpdateCheckIn(t.Context(), at(6), d.ProjectID, all[3].ID, rarer))
		must(s.Uptime.UpdateCheckIn(t.Context(), at(6), d.ProjectID, all[4].ID, rarer))
		d.PingAt(at(6), all[4])

		before := d.View(at(7), "page")
		for i, want := range []string{
			"11-18 5h0m0s down 2h55m0s, outages 1, new 1", "11-18 7h0m0s down 5h55m0s, outages 1, new 1", "11-18 5h0m0s down 3h55m0s, outages 1, new 1",
			"11-18 6h0m0s down 4h55m0s, outages 1, new 1", "11-18 7h0m0s down 4h55m0s, outages 1, new 1",
		} {
			d.WantDays(before[i].Name, before[i], want)
		}
		d.Run(`DROP TABLE check_in_turns`)
		d.Run(`DROP TABLE check_in_days`)
		d.Run(`DELETE FROM goose_db_version WHERE version_id = 18`)
		must(s.Apply(t.Context(), 18))
		if diff := cmp.Diff(before, d.View(at(7), "page")); diff != "" {
			t.Errorf("(-written with them +made from events):\n%s", diff)
		}
	})
}
