package deliverydb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/outbox"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// An alert is stored in the transaction of its change. If the alert cannot be stored, neither is the change.
func TestNothingHappensWithoutItsAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx, later := t.Context(), storetest.Noon.Add(2*time.Hour)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Open"), d.Report("Resolved"), d.Report("Paused"))
		d.Update("Resolved", faults.FaultChange{Resolved: sett.Some(true)})
		if err := d.Faults.PauseFault(ctx, storetest.Noon, d.UserID, d.ProjectID, d.FaultID("Paused"), faults.Pause{Count: sett.Some[int64](10)}); err != nil {
			t.Fatal(err)
		}
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		d.Checked(storetest.Noon, storetest.Look(site, checks.Virginia, storetest.Noon, true))
		due, missing := d.CheckIn(d.ProjectID, storetest.Hourly("due")), d.CheckIn(d.ProjectID, storetest.Hourly("missing"))
		d.PingAt(storetest.Noon, missing)
		d.SweepAll(later, 10)
		d.PingAt(storetest.Noon, due)
		open := d.FaultID("Open")
		record := func(reports ...*faultdb.Packed) func() error {
			return func() error {
				_, err := s.Intake.RecordNotices(ctx, storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: reports})
				return err
			}
		}
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Times(storetest.BusyBatch, "Paused")...) // the pause ends with the counts, which follow
		state := func() (all [8]int64) {
			n := d.Numbers(`SELECT (SELECT count(*) FROM faults), (SELECT count(*) FROM faults WHERE resolved), (SELECT count(*) FROM notices),
				(SELECT count(*) FROM comments), (SELECT count(*) FROM deploys), (SELECT count(*) FROM site_states WHERE state = 'up'),
				(SELECT count(*) FROM check_ins WHERE state = 'missing'), (SELECT count(*) FROM check_in_events)`, len(all))
			return [8]int64(n)
		}
		before := state()
		d.Raised()
		d.Run(`ALTER TABLE alerts RENAME TO no_alerts`)
		for what, do := range map[string]func() error{
			"a new fault":         record(d.Report("New")),
			"a fault that recurs": record(d.Report("Resolved")),
			"the end of a pause":  func() error { return s.Intake.Flush(ctx) },
			"the resolution of a fault": func() error {
				return s.Faults.UpdateFault(ctx, storetest.Noon, d.UserID, d.ProjectID, open, faults.FaultChange{Resolved: sett.Some(true)})
			},
			"the resolution of all faults": func() error {
				_, err := s.Search.ResolveFaults(ctx, storetest.Noon, d.UserID, d.ProjectID, searchdb.Filter{})
				return err
			},
			"a comment": func() error {
				_, err := s.Faults.CreateComment(ctx, storetest.Noon, d.UserID, d.ProjectID, open, faults.CommentChange{Body: sett.Some("Hm.")})
				return err
			},
			"a deploy": func() error {
				_, err := s.Faults.RecordDeploy(ctx, storetest.Noon, d.ProjectID, faults.Deploy{})
				return err
			},
			"an outage": func() error {
				d.StaysLive(storetest.Noon.Add(time.Minute))
				_, err := s.Uptime.RecordChecks(ctx, storetest.Noon.Add(time.Minute), []checks.CheckReport{storetest.Look(site, checks.Virginia, storetest.Noon.Add(time.Minute), false)})
				return err
			},
			"a miss": func() error { _, _, err := s.Uptime.SweepCheckIns(ctx, later, 10); return err },
			"a ping after misses": func() error {
				_, err := s.Uptime.RecordPings(ctx, []uptimedb.PingReport{{ID: missing.ID, Ping: checks.Ping{At: later}}})
				return err
			},
		} {
			if err := do(); err == nil {
				t.Errorf("%s can go without an alert", what)
			}
			if diff := cmp.Diff(before, state()); diff != "" {
				t.Errorf("%s that failed has left (-before +after):\n%s", what, diff)
			}
		}
		d.Run(`ALTER TABLE no_alerts RENAME TO alerts`)
		d.WantRaised("nothing happened")
		if err := s.Intake.Flush(ctx); err != nil || len(d.Raised()) != 1 {
			t.Errorf("the end of a pause raised no alert once alerts could be stored, %v", err)
		}
	})
}

// If the change cannot be stored, neither is its alert.
func TestNoAlertWithoutItsChange(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(`ALTER TABLE notices RENAME TO no_notices`)
		if _, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: []*faultdb.Packed{d.Report("New")}}); err == nil {
			t.Error("notices were recorded without their table")
		}
		d.Run(`ALTER TABLE no_notices RENAME TO notices`)
		d.WantRaised("no notice was stored")
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("New"))
		d.WantRaised("one was", d.About("New", alerts.AlertOccurred, alerts.AlertFacts{NoticeID: d.Newest("New"), NoticesCount: 1}))
	})
}

// A new alert wakes the fan-out. An alert of a recorded notice wakes only its own node; any other alert wakes all nodes.
func TestAlertsWakeTheFanOut(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	s, other := c.Node(t), c.Node(t)
	d := newDesk(t, s)
	storetest.SubscribeOthers(t, s)
	storetest.SubscribeOthers(t, other)
	here, _ := s.Sleep(outbox.AlertRaised)
	there, _ := other.Sleep(outbox.AlertRaised)
	heard, _ := other.Sleep("heard")
	job := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
	wantWoken := func(what string, hereToo, thereToo int) {
		t.Helper()
		storetest.WakeSleepers(t, s, "heard") // nodes hear of commits in their order
		<-heard
		if got := [2]int{len(here), len(there)}; got != [2]int{hereToo, thereToo} {
			t.Errorf("%s woke %v here and there, want %v", what, got, [2]int{hereToo, thereToo})
		}
		for _, woken := range []<-chan struct{}{here, there} {
			if len(woken) > 0 {
				<-woken
			}
		}
	}
	d.PingAt(storetest.Noon, job)
	wantWoken("a ping", 0, 0)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
	wantWoken("a new fault", 1, 0)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
	wantWoken("a notice of a known fault", 0, 0)
	d.Update("E", faults.FaultChange{Resolved: sett.Some(true)})
	wantWoken("resolving", 1, 1)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
	wantWoken("a recurrence", 1, 0)
	d.SweepAll(storetest.Noon.Add(65*time.Minute), 10)
	wantWoken("a miss", 1, 1)
	d.PingAt(storetest.Noon.Add(66*time.Minute), job)
	wantWoken("the first ping after it", 1, 1)
	if err := d.Faults.PauseFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"), faults.Pause{Count: sett.Some[int64](10)}); err != nil {
		t.Fatal(err)
	}
	wantWoken("a pause", 0, 0)
	for range 11 {
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
	}
	wantWoken("the end of a pause", 1, 0)
}

// A site's certificate, or a clock, may say any time. None keeps an alert from being stored, nor what was stored from being
// read.
func TestTimesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	far, last := time.Date(12_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Happen(storetest.Noon, alerts.Alert{Event: alerts.AlertDown, Subject: "site a", Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{CertWillExpireAt: far}}})
		if got := d.Raised(); len(got) != 1 || !got[0].Facts.Site.CertWillExpireAt.Equal(last) {
			t.Errorf("raised %+v, want %v", got, last)
		}
		site, err := s.Uptime.CreateSite(t.Context(), storetest.Noon, d.ProjectID, checks.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/")})
		if err != nil {
			t.Fatal(err)
		}
		for _, stored := range []int64{far.UnixMicro(), 1<<63 - 1} {
			d.Run(`UPDATE site_states SET cert_not_after = $1`, stored)
			got, err := s.Uptime.SiteByID(t.Context(), d.ProjectID, site.ID)
			if err != nil || !got.CertWillExpireAt.Equal(last) {
				t.Errorf("%d is read as %v, %v; want %v", stored, got.CertWillExpireAt, err, last)
			}
		}
		if at := db.FromMicros(db.Micros(far)); !at.Equal(last) {
			t.Errorf("%v is stored as %v", far, at)
		}
	})
}
