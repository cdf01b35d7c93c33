package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/delivery"
)

// hook adds an active integration of the project that wants every event, changed as the caller likes.
func (d *desk) hook(change ...func(*sett.Integration)) sett.Integration {
	d.t.Helper()
	i := sett.Integration{ProjectID: d.ProjectID, IntegrationSettings: sett.IntegrationSettings{
		Type: "WebHook", Active: true, Events: sett.AlertEvents(), NotificationLimit: 1_000_000, SiteIDs: []string{}, CheckInIDs: []string{},
		Options: map[string]any{}, ExcludedEnvironments: []string{}, Filters: []sett.IntegrationFilter{},
	}}
	for _, c := range change {
		c(&i)
	}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			d.t.Fatal(err)
		}
		return string(b)
	}
	err := d.Write.QueryRowContext(d.t.Context(), `INSERT INTO integrations
(project_id, type, active, events, site_ids, check_in_ids, options, excluded_environments, filters, notification_limit, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0) RETURNING id`, i.ProjectID, i.Type, i.Active, text(i.Events), text(i.SiteIDs),
		text(i.CheckInIDs), text(i.Options), text(i.ExcludedEnvironments), text(i.Filters), i.NotificationLimit).Scan(&i.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return i
}

// happen stores alerts as state changes do; what every alert has is filled in.
func (d *desk) happen(now time.Time, alerts ...sett.Alert) {
	d.t.Helper()
	for i := range alerts {
		alerts[i].At = now
		if alerts[i].ProjectID == 0 {
			alerts[i].ProjectID = d.ProjectID
		}
	}
	if err := d.inTx(d.t.Context(), "raise", func(t *tx) error { return t.Raise(d.t.Context(), now, alerts...) }); err != nil {
		d.t.Fatal(err)
	}
}

// nothingHappened forgets the alerts of what a test has made to begin with.
func (d *desk) nothingHappened() { d.run(`DELETE FROM alerts`) }

func about(subject sett.AlertSubject, events ...sett.AlertEvent) (alerts []sett.Alert) {
	for _, e := range events {
		alerts = append(alerts, sett.Alert{Event: e, Subject: subject})
	}
	return alerts
}

// spread spreads all alerts and returns how many deliveries came of it.
func (d *desk) spread(now time.Time) (deliveries int) {
	d.t.Helper()
	for more := true; more; {
		spread, err := d.SpreadAlerts(d.t.Context(), now, 100, false)
		if err != nil {
			d.t.Fatal(err)
		}
		more, deliveries = spread.More, deliveries+spread.Deliveries
	}
	return deliveries
}

// outbox lists all deliveries, the oldest first, as "<integration> <event> <state>".
func (d *desk) outbox() (lines []string) {
	d.t.Helper()
	found, err := d.Deliveries(d.t.Context(), d.Read, `SELECT `+delivery.DeliveryColumns+` FROM deliveries d ORDER BY d.id`)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%d %s %s", f.IntegrationID, f.Event, f.State))
	}
	return lines
}

func TestSpreadTellsEachIntegrationWhatItWants(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		all := d.hook()
		downs := d.hook(func(i *sett.Integration) { i.Events = []sett.AlertEvent{sett.AlertDown} })
		d.hook(func(i *sett.Integration) { i.Active = false })
		other := d.project("Other")
		d.hook(func(i *sett.Integration) { i.ProjectID = other.ID })
		woken, _ := s.Sleep(DeliveryDue)

		if got, err := s.SpreadAlerts(t.Context(), noon, 10, false); got.More || got.Deliveries > 0 || err != nil {
			t.Errorf("without alerts: %+v, %v", got, err)
		}
		d.happen(noon, about("site a", sett.AlertDown, sett.AlertUp, sett.AlertDown)...)
		if got, err := s.SpreadAlerts(t.Context(), noon, 2, false); !got.More || got.Deliveries != 3 || err != nil {
			t.Errorf("two of three alerts: %+v, %v", got, err)
		}
		<-woken
		if got, err := s.SpreadAlerts(t.Context(), noon, 2, false); got.More || got.Deliveries != 2 || err != nil {
			t.Errorf("the third: %+v, %v", got, err)
		}
		if n := d.spread(noon); n != 0 {
			t.Errorf("again: %d deliveries", n)
		}
		want := []string{
			fmt.Sprint(all.ID, " down due"), fmt.Sprint(downs.ID, " down due"), fmt.Sprint(all.ID, " up due"),
			fmt.Sprint(all.ID, " down due"), fmt.Sprint(downs.ID, " down due"),
		}
		if diff := cmp.Diff(want, d.outbox()); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}

		d.run(`UPDATE projects SET active = false WHERE id = $1`, d.ProjectID)
		d.happen(noon, about("site a", sett.AlertUp)...)
		if n := d.spread(noon); n != 0 {
			t.Errorf("an inactive project made %d deliveries", n)
		}
	})
}

// What an alert is about is read from the tables as they are: muted environments, states of faults, filters.
func TestSpreadAsksTheTables(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		staging := func(r *sett.Report) { r.Environment = "staging" }
		d.record(noon, sett.Limits{}, d.report("Big"), d.report("Small"), d.report("Muted", staging), d.report("Paused"), d.report("Ignored"))
		d.run(`UPDATE environments SET notifications = false WHERE name = 'staging'`)
		d.run(`UPDATE faults SET ignored = true WHERE class = 'Ignored'`)
		if err := s.PauseFault(t.Context(), noon, d.UserID, d.ProjectID, d.faultID("Paused"), sett.Pause{Time: sett.Some("hour")}); err != nil {
			t.Fatal(err)
		}
		filtered := func(f ...sett.IntegrationFilter) sett.Integration {
			return d.hook(func(i *sett.Integration) { i.Filters = f })
		}
		names := map[int64]string{
			d.hook().ID: "plain",
			filtered(sett.IntegrationFilter{Event: "all", Query: "class:Big"}).ID:                                                             "big",
			filtered(sett.IntegrationFilter{Event: "all", Query: "class:Big"}, sett.IntegrationFilter{Event: "all", Query: "class:Small"}).ID: "either",
			filtered(sett.IntegrationFilter{Event: "occurred", Query: "-is:unresolved"}).ID:                                                   "resolved",
			filtered(sett.IntegrationFilter{Event: "all", Query: "created.after:rubbish"}).ID:                                                 "unreadable",
			filtered(sett.IntegrationFilter{Event: "all", Query: "hostname:web-1 occurred.before:\"last deploy\""}).ID:                        "never deployed",
			filtered(sett.IntegrationFilter{Event: "all", Query: "last_occurred.after:2020-01-01"}).ID:                                        "counts",
		}
		fault := func(e sett.AlertEvent, class, environment string) sett.Alert {
			id := d.faultID(class)
			return sett.Alert{Event: e, Subject: sett.FaultSubject(id), FaultID: id, Environment: environment}
		}
		bulk := func(environment string, classes ...string) sett.Alert {
			a := sett.Alert{Event: sett.AlertResolved, Subject: sett.ProjectSubject(d.ProjectID), Environment: environment}
			for _, c := range classes {
				a.Facts.FaultIDs = append(a.Facts.FaultIDs, d.faultID(c))
			}
			return a
		}
		gone := sett.Alert{Event: sett.AlertCommented, Subject: sett.FaultSubject(1 << 40), FaultID: 1 << 40, Environment: "production"}
		for _, c := range []struct {
			name  string
			alert sett.Alert
			want  string
		}{
			{"a fault that one filter finds", fault(sett.AlertOccurred, "Big", "production"), "big counts either plain unreadable"},
			{"another", fault(sett.AlertOccurred, "Small", "production"), "counts either plain unreadable"},
			{"an event without a filter of its own", fault(sett.AlertResolved, "Small", "production"), "counts either plain resolved unreadable"},
			{"a muted environment", fault(sett.AlertOccurred, "Muted", "staging"), ""},
			{"a paused fault", fault(sett.AlertOccurred, "Paused", "production"), ""},
			{"what people do to it", fault(sett.AlertCommented, "Paused", "production"), "counts plain resolved unreadable"},
			{"an ignored fault", fault(sett.AlertVolumeSpike, "Ignored", "production"), ""},
			{"many faults", bulk("production", "Paused", "Small"), "counts either plain resolved unreadable"},
			{"many faults of a muted environment", bulk("staging", "Muted"), ""},
			{"a fault that is gone", gone, "plain resolved unreadable"},
		} {
			d.run(`DELETE FROM alerts`)
			d.happen(noon, c.alert)
			d.spread(noon.Add(time.Minute))
			var got []string
			for _, line := range d.outbox() {
				var id int64
				fmt.Sscan(line, &id)
				got = append(got, names[id])
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	})
}

// Alerts for one integration alone, and those that sett makes up, go nowhere else.
func TestSpreadOfWhatIsForOneIntegration(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		off := d.hook(func(i *sett.Integration) { i.Active, i.Events = false, nil })
		d.happen(noon,
			sett.Alert{Event: sett.AlertRateExceeded, Subject: "fault 1", IntegrationID: off.ID},
			sett.Alert{Event: sett.AlertIssueCreate, Subject: "fault 1", IntegrationID: off.ID},
			sett.Alert{Event: sett.AlertIssueCreate, Subject: "fault 1", IntegrationID: 1 << 40},
			sett.Alert{Event: sett.AlertFlooded, Subject: "project 1"})
		d.spread(noon)
		if diff := cmp.Diff([]string{fmt.Sprint(off.ID, " issue_create due")}, d.outbox()); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

// How many statements it takes does not depend on how many alerts there are.
func TestSpreadOfManyAlertsTakesFewStatements(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	counted := countStatements(t)
	p := newDesk(t, counted.Store)
	for _, d := range []*desk{d, p} {
		for range 3 {
			d.hook(func(i *sett.Integration) {
				i.NotificationLimit, i.Filters = 30, []sett.IntegrationFilter{{Event: "all", Query: "class:E*"}}
			})
		}
		d.record(noon, sett.Limits{}, d.report("E"))
		d.nothingHappened()
		var alerts []sett.Alert
		fault := d.faultID("E")
		for n := range 300 {
			alerts = append(alerts, sett.Alert{Event: sett.AlertOccurred, Subject: sett.FaultSubject(int64(n)), FaultID: fault, Environment: "production"})
			if n%2 == 1 {
				alerts[n].Event, alerts[n].Subject = sett.AlertResolved, alerts[n-1].Subject
			}
		}
		d.happen(noon, alerts...)
		before := counted.n.Load()
		if got, err := d.SpreadAlerts(t.Context(), noon, 300, false); got.Deliveries != 900 || err != nil {
			t.Errorf("%s: %+v, %v", d.Engine(), got, err)
		}
		if took := counted.n.Load() - before; d == p && (took < 5 || took > 20) {
			t.Errorf("300 alerts took %d statements", took)
		}
		held := d.numbers(`SELECT count(*) FROM deliveries WHERE state = 'held'`, 1)[0]
		if held != 900-3*60 {
			t.Errorf("%s: %d are held", d.Engine(), held)
		}
	}
}
