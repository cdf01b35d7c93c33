package uptimedb_test

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestMissesAndTheirEndRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		change := storetest.Hourly("job")
		change.Name = sett.Some("Backup")
		c := d.CheckIn(d.ProjectID, change)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		raised := func(event alerts.AlertEvent, happened, swept int, facts alerts.CheckInFacts) alerts.Alert {
			facts.ID, facts.Name = c.ID, "Backup"
			return alerts.Alert{
				ProjectID: d.ProjectID, Event: event, Subject: alerts.CheckInSubject(c.ID), At: at(happened), CreatedAt: at(swept),
				Facts: alerts.AlertFacts{CheckIn: &facts},
			}
		}
		missing := func(n int64, due, next, swept int) alerts.Alert {
			return raised(alerts.AlertCheckInMissing, due+5, swept, alerts.CheckInFacts{
				State: sett.CheckInMissing, ReportedAt: at(0), ExpectedAt: at(next), DueAt: at(due), MissedCount: n, Again: n > 1,
			})
		}
		d.PingAt(at(0), c)
		d.WantRaised("the first ping")
		d.SweepAll(at(66), 10)
		d.WantRaised("a miss", missing(1, 60, 120, 66))
		d.SweepAll(at(66), 10)
		d.WantRaised("nothing new")
		d.SweepAll(at(244), 10)
		d.WantRaised("more misses", missing(2, 120, 180, 244), missing(3, 180, 240, 244))
		d.PingAt(at(244), c, c)
		d.WantRaised("a ping", raised(alerts.AlertCheckInReporting, 244, 244, alerts.CheckInFacts{
			State: sett.CheckInReporting, ReportedAt: at(244), ExpectedAt: at(304),
		}))
		d.PingAt(at(245), c)
		if err := d.Uptime.PauseCheckIn(t.Context(), at(246), d.ProjectID, c.ID, at(306)); err != nil {
			t.Fatal(err)
		}
		d.SweepAll(at(307), 10)
		if err := d.Uptime.UpdateCheckIn(t.Context(), at(308), d.ProjectID, c.ID, checks.CheckInChange{GracePeriod: sett.Some[checks.PeriodText]("1 hour")}); err != nil {
			t.Fatal(err)
		}
		d.WantRaised("pings, a pause, its end, a change")
	})
}

func TestForgivenDeadlinesRaiseNoAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		d.BeatAt(at(0))
		d.PingAt(at(0), c)
		d.BeatAt(at(65))
		d.SweepAll(at(65), 10)
		d.WantRaised("forgiven")
		d.BeatAt(at(70).Add(-10 * time.Second))
		d.SweepAll(at(70), 10)
		if got := d.Raised(); len(got) != 1 || !got[0].Facts.CheckIn.DueAt.Equal(at(65)) || !got[0].At.Equal(at(70)) {
			t.Errorf("missed after that: %+v", got)
		}
	})
}

// The first miss is sent, and reminders after 1, 2, 4, 8, 16, 32 and 64 hours, the last of them when no more misses are counted.
func TestRemindersOfMissesGrow(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.PingAt(storetest.Noon, d.CheckIn(d.ProjectID, storetest.Hourly("job")))
		d.SweepAll(storetest.Noon.Add(100*time.Hour), 10)
		var after []float64
		for _, a := range d.Raised() {
			after = append(after, a.At.Sub(storetest.Noon.Add(65*time.Minute)).Hours())
		}
		if want := []float64{0, 1, 2, 4, 8, 16, 32, 64}; !slices.Equal(after, want) {
			t.Errorf("alerts after %v hours, want %v", after, want)
		}
	})
}
