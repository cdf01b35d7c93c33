package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// Check-ins from before there were turns have the days that their events tell of.
func TestTurnsAreMadeFromEvents(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		at := func(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }
		var shown []any
		var all []sett.CheckIn
		for _, slug := range []string{"reports", "missing", "paused", "waits", "waited", "never"} {
			c := d.checkIn(d.ProjectID, hourly(slug))
			shown, all = append(shown, c), append(all, c)
		}
		d.pageNamed("page", shown...)
		d.alive(noon, noon)
		d.ping(noon, all[:5]...)
		d.alive(noon, at(4))
		d.sweepAll(at(4), 10)
		d.ping(at(4), all[0])
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(s.PauseCheckIn(t.Context(), at(5), d.ProjectID, all[0].ID, at(6)))
		must(s.PauseCheckIn(t.Context(), at(5), d.ProjectID, all[2].ID, at(99)))
		d.sweepAll(at(6), 10)
		rarer := sett.CheckInChange{ReportPeriod: sett.Some[sett.PeriodText]("2 hours")}
		must(s.UpdateCheckIn(t.Context(), at(6), d.ProjectID, all[3].ID, rarer))
		must(s.UpdateCheckIn(t.Context(), at(6), d.ProjectID, all[4].ID, rarer))
		d.ping(at(6), all[4])

		before := d.view(at(7), "page")
		for i, want := range []string{
			"11-18 6h0m0s down 2h55m0s, outages 1, new 1", "11-18 7h0m0s down 5h55m0s, outages 1, new 1", "11-18 5h0m0s down 3h55m0s, outages 1, new 1",
			"11-18 6h0m0s down 4h55m0s, outages 1, new 1", "11-18 7h0m0s down 4h55m0s, outages 1, new 1",
		} {
			d.wantDays(before[i].Name, before[i], want)
		}
		d.run(`DROP TABLE check_in_turns`)
		d.run(`DROP TABLE check_in_days`)
		d.run(`DELETE FROM goose_db_version WHERE version_id = 18`)
		must(s.Apply(t.Context(), 18))
		if diff := cmp.Diff(before, d.view(at(7), "page")); diff != "" {
			t.Errorf("(-written with them +made from events):\n%s", diff)
		}
	})
}
