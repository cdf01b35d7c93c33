package store

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// raised returns the alerts that were raised since it was last asked, in their order and without their ids.
func (d *desk) raised() (alerts []sett.Alert) {
	d.t.Helper()
	rows, err := d.Read.QueryContext(d.t.Context(), `SELECT project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts
		FROM alerts WHERE NOT spread ORDER BY id`)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a sett.Alert
		var at, created int64
		var facts string
		if err := rows.Scan(&a.ProjectID, &a.Event, &a.Subject, &a.FaultID, &a.Environment, &a.IntegrationID, &at, &created, &facts); err != nil {
			return err
		}
		a.At, a.CreatedAt = db.FromMicros(at), db.FromMicros(created)
		alerts = append(alerts, a)
		return json.Unmarshal([]byte(facts), &alerts[len(alerts)-1].Facts)
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.run(`UPDATE alerts SET spread = true`)
	return alerts
}

func (d *desk) wantRaised(when string, want ...sett.Alert) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.raised()); diff != "" {
		d.t.Errorf("%s: alerts (-want +got):\n%s", when, diff)
	}
}

// about is an alert about the newest fault of a class, raised at noon.
func (d *desk) about(class string, event sett.AlertEvent, facts sett.AlertFacts) sett.Alert {
	d.t.Helper()
	f := d.fault(class)
	return sett.Alert{
		ProjectID: f.ProjectID, Event: event, Subject: sett.FaultSubject(f.ID), FaultID: f.ID, Environment: f.Environment,
		At: noon, CreatedAt: noon, Facts: facts,
	}
}

// newest is the newest notice of a class.
func (d *desk) newest(class string) (id sett.NoticeID) {
	d.t.Helper()
	d.scan(`SELECT max(n.id) FROM notices n JOIN faults f ON f.id = n.fault_id WHERE f.class = $1`, []any{class}, &id)
	return id
}

// An alert and what it tells of are one transaction: where the one cannot be stored the other is not.
func TestNothingHappensWithoutItsAlert(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		ctx, later := t.Context(), noon.Add(2*time.Hour)
		d.record(noon, sett.Limits{}, d.report("Open"), d.report("Resolved"), d.report("Paused"))
		d.update("Resolved", sett.FaultChange{Resolved: sett.Some(true)})
		if err := d.PauseFault(ctx, noon, d.UserID, d.ProjectID, d.faultID("Paused"), sett.Pause{Count: sett.Some[int64](10)}); err != nil {
			t.Fatal(err)
		}
		d.live(noon, sett.Virginia)
		site := d.site(d.ProjectID)
		d.checked(noon, look(site, sett.Virginia, noon, true))
		due, missing := d.checkIn(d.ProjectID, hourly("due")), d.checkIn(d.ProjectID, hourly("missing"))
		d.ping(noon, missing)
		d.sweepAll(later, 10)
		d.ping(noon, due)
		open := d.faultID("Open")
		record := func(reports ...*Packed) func() error {
			return func() error {
				_, err := s.RecordNotices(ctx, noon, sett.Limits{}, Intake{Reports: reports})
				return err
			}
		}
		var eleven []*Packed
		for range 11 {
			eleven = append(eleven, d.report("Paused"))
		}
		pauseEnds := record(eleven...)
		if !s.SQLite() { // there a pause ends with the counts, which follow
			d.recordBusy(noon, sett.Limits{}, eleven...)
			pauseEnds = func() error { return s.Fold(ctx) }
		}
		state := func() (all [8]int64) {
			n := d.numbers(`SELECT (SELECT count(*) FROM faults), (SELECT count(*) FROM faults WHERE resolved), (SELECT count(*) FROM notices),
				(SELECT count(*) FROM comments), (SELECT count(*) FROM deploys), (SELECT count(*) FROM site_states WHERE state = 'up'),
				(SELECT count(*) FROM check_ins WHERE state = 'missing'), (SELECT count(*) FROM check_in_events)`, len(all))
			return [8]int64(n)
		}
		before := state()
		d.raised()
		d.run(`ALTER TABLE alerts RENAME TO no_alerts`)
		for what, do := range map[string]func() error{
			"a new fault":         record(d.report("New")),
			"a fault that recurs": record(d.report("Resolved")),
			"the end of a pause":  pauseEnds,
			"a fault that is mended": func() error {
				return s.UpdateFault(ctx, noon, d.UserID, d.ProjectID, open, sett.FaultChange{Resolved: sett.Some(true)})
			},
			"faults that are mended": func() error {
				_, err := s.ResolveFaults(ctx, noon, d.UserID, d.ProjectID, FaultFilter{})
				return err
			},
			"a comment": func() error {
				_, err := s.CreateComment(ctx, noon, d.UserID, d.ProjectID, open, sett.CommentChange{Body: sett.Some("Hm.")})
				return err
			},
			"a deploy": func() error { _, err := s.RecordDeploy(ctx, noon, d.ProjectID, sett.Deploy{}); return err },
			"an outage": func() error {
				d.staysLive(noon.Add(time.Minute))
				_, err := s.RecordChecks(ctx, noon.Add(time.Minute), []sett.CheckReport{look(site, sett.Virginia, noon.Add(time.Minute), false)})
				return err
			},
			"a miss": func() error { _, _, err := s.SweepCheckIns(ctx, later, 10); return err },
			"a ping after misses": func() error {
				_, err := s.RecordPings(ctx, []PingReport{{ID: missing.ID, Ping: sett.Ping{At: later}}})
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
		d.run(`ALTER TABLE no_alerts RENAME TO alerts`)
		d.wantRaised("nothing happened")
		if !s.SQLite() {
			if err := s.Fold(ctx); err != nil || len(d.raised()) != 1 {
				t.Errorf("once there is room for the end of a pause it is not told, %v", err)
			}
		}
	})
}

// And where what they tell of cannot be stored, no alert is left.
func TestNoAlertWithoutWhatItTells(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.run(`ALTER TABLE notices RENAME TO no_notices`)
		if _, err := s.RecordNotices(t.Context(), noon, sett.Limits{}, Intake{Reports: []*Packed{d.report("New")}}); err == nil {
			t.Error("notices were recorded without their table")
		}
		d.run(`ALTER TABLE no_notices RENAME TO notices`)
		d.wantRaised("no notice was stored")
		d.record(noon, sett.Limits{}, d.report("New"))
		d.wantRaised("one was", d.about("New", sett.AlertOccurred, sett.AlertFacts{NoticeID: d.newest("New"), NoticesCount: 1}))
	})
}

// Alerts wake who spreads them. What intake raises wakes nobody on other nodes; what people and the clockwork do does.
func TestAlertsWakeWhoSpreadsThem(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	s, other := c.node(t), c.node(t)
	d := newDesk(t, s)
	hearOthers(t, s)
	hearOthers(t, other)
	here, _ := s.Sleep(AlertRaised)
	there, _ := other.Sleep(AlertRaised)
	heard, _ := other.Sleep("heard")
	job := d.checkIn(d.ProjectID, hourly("job"))
	wantWoken := func(what string, hereToo, thereToo int) {
		t.Helper()
		wakeSleepers(t, s, "heard") // nodes hear of commits in their order
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
	d.ping(noon, job)
	wantWoken("a ping", 0, 0)
	d.record(noon, sett.Limits{}, d.report("E"))
	wantWoken("a new fault", 1, 0)
	d.record(noon, sett.Limits{}, d.report("E"))
	wantWoken("a notice of a known fault", 0, 0)
	d.update("E", sett.FaultChange{Resolved: sett.Some(true)})
	wantWoken("resolving", 1, 1)
	d.record(noon, sett.Limits{}, d.report("E"))
	wantWoken("a recurrence", 1, 0)
	d.sweepAll(noon.Add(65*time.Minute), 10)
	wantWoken("a miss", 1, 1)
	d.ping(noon.Add(66*time.Minute), job)
	wantWoken("the first ping after it", 1, 1)
	if err := d.PauseFault(t.Context(), noon, d.UserID, d.ProjectID, d.faultID("E"), sett.Pause{Count: sett.Some[int64](10)}); err != nil {
		t.Fatal(err)
	}
	wantWoken("a pause", 0, 0)
	for range 11 {
		d.record(noon, sett.Limits{}, d.report("E"))
	}
	wantWoken("the end of a pause", 1, 0)
}

// A site's certificate, or a clock, may say any time. None keeps an alert from being stored, nor what was stored from being
// read.
func TestTimesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	far, last := time.Date(12_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.happen(noon, sett.Alert{Event: sett.AlertDown, Subject: "site a", Facts: sett.AlertFacts{Site: &sett.SiteFacts{CertWillExpireAt: far}}})
		if got := d.raised(); len(got) != 1 || !got[0].Facts.Site.CertWillExpireAt.Equal(last) {
			t.Errorf("raised %+v, want %v", got, last)
		}
		site, err := s.CreateSite(t.Context(), noon, d.ProjectID, sett.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/")})
		if err != nil {
			t.Fatal(err)
		}
		for _, stored := range []int64{far.UnixMicro(), 1<<63 - 1} {
			d.run(`UPDATE site_states SET cert_not_after = $1`, stored)
			got, err := s.SiteByID(t.Context(), d.ProjectID, site.ID)
			if err != nil || !got.CertWillExpireAt.Equal(last) {
				t.Errorf("%d is read as %v, %v; want %v", stored, got.CertWillExpireAt, err, last)
			}
		}
		if at := db.FromMicros(db.Micros(far)); !at.Equal(last) {
			t.Errorf("%v is stored as %v", far, at)
		}
	})
}
