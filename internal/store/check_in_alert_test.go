package store

import (
	"testing"
	"time"

	"sett/internal/sett"
)

func TestMissesAndTheirEndAreTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		change := hourly("job")
		change.Name = sett.Some("Backup")
		c := d.checkIn(d.ProjectID, change)
		at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
		told := func(event sett.AlertEvent, happened, swept int, facts sett.CheckInFacts) sett.Alert {
			facts.ID, facts.Name = c.ID, "Backup"
			return sett.Alert{
				ProjectID: d.ProjectID, Event: event, Subject: sett.CheckInSubject(c.ID), At: at(happened), CreatedAt: at(swept),
				Facts: sett.AlertFacts{CheckIn: &facts},
			}
		}
		missing := func(n int64, due, next, swept int) sett.Alert {
			return told(sett.AlertCheckInMissing, due+5, swept, sett.CheckInFacts{
				State: sett.CheckInMissing, ReportedAt: at(0), ExpectedAt: at(next), DueAt: at(due), MissedCount: n,
			})
		}
		d.ping(at(0), c)
		d.wantRaised("the first ping")
		d.sweepAll(at(66), 10)
		d.wantRaised("a miss", missing(1, 60, 120, 66))
		d.sweepAll(at(66), 10)
		d.wantRaised("nothing new")
		d.sweepAll(at(244), 10)
		d.wantRaised("more misses", missing(2, 120, 180, 244), missing(3, 180, 240, 244))
		d.ping(at(244), c, c)
		d.wantRaised("a ping", told(sett.AlertCheckInReporting, 244, 244, sett.CheckInFacts{
			State: sett.CheckInReporting, ReportedAt: at(244), ExpectedAt: at(304),
		}))
		d.ping(at(245), c)
		if err := d.PauseCheckIn(t.Context(), at(246), d.ProjectID, c.ID, at(306)); err != nil {
			t.Fatal(err)
		}
		d.sweepAll(at(307), 10)
		if err := d.UpdateCheckIn(t.Context(), at(308), d.ProjectID, c.ID, sett.CheckInChange{GracePeriod: sett.Some[sett.PeriodText]("1 hour")}); err != nil {
			t.Fatal(err)
		}
		d.wantRaised("pings, a pause, its end, a change")
	})
}

func TestForgivenDeadlinesAreNotTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		c := d.checkIn(d.ProjectID, hourly("job"))
		at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
		d.beat(at(0))
		d.ping(at(0), c)
		d.beat(at(65))
		d.sweepAll(at(65), 10)
		d.wantRaised("forgiven")
		d.beat(at(70).Add(-10 * time.Second))
		d.sweepAll(at(70), 10)
		if got := d.raised(); len(got) != 1 || !got[0].Facts.CheckIn.DueAt.Equal(at(65)) || !got[0].At.Equal(at(70)) {
			t.Errorf("missed after that: %+v", got)
		}
	})
}

// After 60 misses in a row nothing more is said.
func TestManyMissesFallSilent(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.ping(noon, d.checkIn(d.ProjectID, hourly("job")))
		d.sweepAll(noon.Add(100*time.Hour), 10)
		if n := len(d.raised()); n != 60 {
			t.Errorf("%d alerts, want 60", n)
		}
	})
}
