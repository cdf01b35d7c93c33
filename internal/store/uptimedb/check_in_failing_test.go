package uptimedb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// A job reports a failure, and later a success: pages, the public incident, the days and alerts say so.
func TestAFailingCheckIn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		change := storetest.Hourly("backup")
		change.Name, change.ReminderInterval = sett.Some("Backup"), sett.Some(checks.PeriodText("6 hours"))
		c := d.CheckIn(d.ProjectID, change)
		page := d.PageOf(c)
		report := func(m int, code int) {
			t.Helper()
			ping := checks.Ping{At: storetest.Clock(m), Payload: &checks.PingPayload{ExitCode: &code, Stderr: "no space left"}}
			if found, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: c.ID, Ping: ping}}); err != nil || !found[0] {
				t.Fatalf("%v, %v", found, err)
			}
		}
		report(0, 0)
		d.Raised()
		report(60, 3)
		if got := d.checkInNow(c); got.State != sett.CheckInFailing || got.MissedCount != 0 || !got.ReportedAt.Equal(storetest.Clock(60)) ||
			!got.TroubleAt.Equal(storetest.Clock(60)) || !got.RemindAt.Equal(storetest.Clock(60+360)) || got.ReminderInterval != "6 hours" {
			t.Errorf("failing: %+v", got)
		}
		raised := d.Raised()
		if len(raised) != 1 || raised[0].Event != alerts.AlertCheckInFailed || raised[0].Facts.CheckIn.Reason != "The job ended with exit code 3.\n\nno space left" {
			t.Errorf("alerts: %+v", raised)
		}
		if got := d.View(storetest.Clock(61), page.ID)[0]; got.State != status.ComponentDown || !got.Failing {
			t.Errorf("the component: %+v", got)
		}
		began := []string{"  13:00 investigating: It has failed since 13:00 UTC."}
		d.WantAnnounced("failing", page, append([]string{"Backup has failed: investigating, automatic, about [0]"}, began...)...)
		report(70, 1)
		d.WantRaised("it fails again")
		report(90, 0)
		if raised = d.Raised(); len(raised) != 1 || raised[0].Event != alerts.AlertCheckInReporting || d.checkInNow(c).State != sett.CheckInReporting {
			t.Errorf("a success: %+v", raised)
		}
		d.WantAnnounced("a success", page, append([]string{
			"Backup has failed: resolved, automatic, over, about [0]", "  13:30 resolved: Backup has reported again. / This lasted 30 minutes.",
		}, began...)...)
		d.WantDays("failing", d.View(storetest.Clock(120), page.ID)[0], "11-18 2h0m0s down 30m0s, outages 1, new 1")
	})
}

// An upgrade keeps that receivers know of a missing check-in, and notifies channels of failures that are notified of misses.
func TestAnUpgradeKnowsWhatWasMissing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		d.PingAt(storetest.Noon, c)
		d.SweepAll(storetest.Noon.Add(66*time.Minute), 10)
		hook := d.WebHook()
		d.Run(`UPDATE integrations SET events = $1`, `["down","check_in_missing","up"]`)
		for _, column := range []string{"reminder_interval", "trouble_at", "remind_at"} {
			d.Run(`ALTER TABLE check_ins DROP COLUMN ` + column)
		}
		d.Run(`DELETE FROM goose_db_version WHERE version_id = 84`)
		if err := s.Apply(t.Context(), 84); err != nil {
			t.Fatal(err)
		}
		d.Raised()
		d.PingAt(storetest.Noon.Add(70*time.Minute), c)
		if raised := d.Raised(); len(raised) != 1 || raised[0].Event != alerts.AlertCheckInReporting {
			t.Errorf("after the upgrade: %+v", raised)
		}
		if n := d.Count(`SELECT count(*) FROM integrations WHERE events LIKE '%check_in_failed%' AND id IN `, hook.ID); n != 1 {
			t.Error("the channel is not notified of failures")
		}
	})
}
