package deliverydb_test

import (
	"fmt"
	"slices"
	"strings"
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

// nothingHappened forgets the alerts of what a test has made to begin with.
func (d *desk) nothingHappened() { d.Run(`DELETE FROM alerts`) }

// outbox lists all deliveries, the oldest first, as "<integration> <event> <state>".
func (d *desk) outbox() (lines []string) {
	d.T.Helper()
	found, err := d.Deliveries.Deliveries(d.T.Context(), d.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d ORDER BY d.id`)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%d %s %s", f.IntegrationID, f.Event, f.State))
	}
	return lines
}

func TestIntegrationsGetTheEventsTheyWant(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		all := d.WebHook()
		downs := d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertDown} })
		d.WebHook(func(i *alerts.Integration) { i.Active = false })
		other := d.Project("Other")
		d.WebHook(func(i *alerts.Integration) { i.ProjectID = other.ID })
		woken, _ := s.Sleep(deliverydb.DeliveryDue)

		if got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 10, false); got.More || got.Deliveries > 0 || err != nil {
			t.Errorf("without alerts: %+v, %v", got, err)
		}
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown, alerts.AlertUp, alerts.AlertDown)...)
		if got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 2, false); !got.More || got.Deliveries != 3 || err != nil {
			t.Errorf("two of three alerts: %+v, %v", got, err)
		}
		<-woken
		if got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 2, false); got.More || got.Deliveries != 2 || err != nil {
			t.Errorf("the third: %+v, %v", got, err)
		}
		if n := d.FanOut(storetest.Noon); n != 0 {
			t.Errorf("again: %d deliveries", n)
		}
		want := []string{
			fmt.Sprint(all.ID, " down due"), fmt.Sprint(downs.ID, " down due"), fmt.Sprint(all.ID, " up due"),
			fmt.Sprint(all.ID, " down due"), fmt.Sprint(downs.ID, " down due"),
		}
		if diff := cmp.Diff(want, d.outbox()); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}

		d.Run(`UPDATE projects SET active = false WHERE id = $1`, d.ProjectID)
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertUp)...)
		if n := d.FanOut(storetest.Noon); n != 0 {
			t.Errorf("an inactive project made %d deliveries", n)
		}
	})
}

// What an alert is about is read from the tables as they are: muted environments, states of faults, filters.
func TestFanOutAsksTheTables(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		staging := func(r *faults.Report) { r.Environment = "staging" }
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Big"), d.Report("Small"), d.Report("Muted", staging), d.Report("Paused"), d.Report("Ignored"))
		d.Run(`UPDATE environments SET notifications = false WHERE name = 'staging'`)
		d.Run(`UPDATE faults SET ignored = true WHERE class = 'Ignored'`)
		if err := s.Faults.PauseFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("Paused"), faults.Pause{Time: sett.Some("hour")}); err != nil {
			t.Fatal(err)
		}
		filtered := func(f ...alerts.IntegrationFilter) alerts.Integration {
			return d.WebHook(func(i *alerts.Integration) { i.Filters = f })
		}
		names := map[int64]string{
			d.WebHook().ID: "plain",
			filtered(alerts.IntegrationFilter{Event: "all", Query: "class:Big"}).ID:                                                               "big",
			filtered(alerts.IntegrationFilter{Event: "all", Query: "class:Big"}, alerts.IntegrationFilter{Event: "all", Query: "class:Small"}).ID: "either",
			filtered(alerts.IntegrationFilter{Event: "occurred", Query: "-is:unresolved"}).ID:                                                     "resolved",
			filtered(alerts.IntegrationFilter{Event: "all", Query: "created.after:rubbish"}).ID:                                                   "unreadable",
			filtered(alerts.IntegrationFilter{Event: "all", Query: "hostname:web-1 occurred.before:\"last deploy\""}).ID:                          "never deployed",
			filtered(alerts.IntegrationFilter{Event: "all", Query: "last_occurred.after:2020-01-01"}).ID:                                          "counts",
		}
		fault := func(e alerts.AlertEvent, class, environment string) alerts.Alert {
			id := d.FaultID(class)
			return alerts.Alert{Event: e, Subject: alerts.FaultSubject(id), FaultID: id, Environment: environment}
		}
		bulk := func(environment string, classes ...string) alerts.Alert {
			a := alerts.Alert{Event: alerts.AlertResolved, Subject: alerts.ProjectSubject(d.ProjectID), Environment: environment}
			for _, c := range classes {
				a.Facts.FaultIDs = append(a.Facts.FaultIDs, d.FaultID(c))
			}
			return a
		}
		gone := alerts.Alert{Event: alerts.AlertCommented, Subject: alerts.FaultSubject(1 << 40), FaultID: 1 << 40, Environment: "production"}
		for _, c := range []struct {
			name  string
			alert alerts.Alert
			want  string
		}{
			{"a fault that one filter finds", fault(alerts.AlertOccurred, "Big", "production"), "big counts either plain unreadable"},
			{"another", fault(alerts.AlertOccurred, "Small", "production"), "counts either plain unreadable"},
			{"an event without a filter of its own", fault(alerts.AlertResolved, "Small", "production"), "counts either plain resolved unreadable"},
			{"a muted environment", fault(alerts.AlertOccurred, "Muted", "staging"), ""},
			{"a paused fault", fault(alerts.AlertOccurred, "Paused", "production"), ""},
			{"what people do to it", fault(alerts.AlertCommented, "Paused", "production"), "counts plain resolved unreadable"},
			{"an ignored fault", fault(alerts.AlertVolumeSpike, "Ignored", "production"), ""},
			{"many faults", bulk("production", "Paused", "Small"), "counts either plain resolved unreadable"},
			{"many faults of a muted environment", bulk("staging", "Muted"), ""},
			{"a fault that is gone", gone, "plain resolved unreadable"},
		} {
			d.Run(`DELETE FROM alerts`)
			d.Happen(storetest.Noon, c.alert)
			d.FanOut(storetest.Noon.Add(time.Minute))
			var got []string
			for _, line := range d.outbox() {
				var id int64
				if _, err := fmt.Sscan(line, &id); err != nil {
					t.Fatal(err)
				}
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
func TestFanOutOfWhatIsForOneIntegration(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		off := d.WebHook(func(i *alerts.Integration) { i.Active, i.Events = false, nil })
		d.Happen(storetest.Noon,
			alerts.Alert{Event: alerts.AlertRateExceeded, Subject: "fault 1", IntegrationID: off.ID},
			alerts.Alert{Event: alerts.AlertIssueCreate, Subject: "fault 1", IntegrationID: off.ID},
			alerts.Alert{Event: alerts.AlertIssueCreate, Subject: "fault 1", IntegrationID: 1 << 40},
			alerts.Alert{Event: alerts.AlertFlooded, Subject: "project 1"})
		d.FanOut(storetest.Noon)
		if diff := cmp.Diff([]string{fmt.Sprint(off.ID, " issue_create due")}, d.outbox()); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

// How many statements it takes does not depend on how many alerts there are.
func TestFanOutOfManyAlertsTakesFewStatements(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	counted := storetest.CountStatements(t)
	p := newDesk(t, counted.Store)
	for _, d := range []*desk{d, p} {
		for range 3 {
			d.WebHook(func(i *alerts.Integration) {
				i.NotificationLimit, i.Filters = 30, []alerts.IntegrationFilter{{Event: "all", Query: "class:E*"}}
			})
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.nothingHappened()
		var raised []alerts.Alert
		fault := d.FaultID("E")
		for n := range 300 {
			raised = append(raised, alerts.Alert{Event: alerts.AlertOccurred, Subject: alerts.FaultSubject(int64(n)), FaultID: fault, Environment: "production"})
			if n%2 == 1 {
				raised[n].Event, raised[n].Subject = alerts.AlertResolved, raised[n-1].Subject
			}
		}
		d.Happen(storetest.Noon, raised...)
		before := counted.N.Load()
		if got, err := d.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 300, false); got.Deliveries != 900 || err != nil {
			t.Errorf("%s: %+v, %v", d.Engine(), got, err)
		}
		if took := counted.N.Load() - before; d == p && (took < 5 || took > 20) {
			t.Errorf("300 alerts took %d statements", took)
		}
		held := d.Numbers(`SELECT count(*) FROM deliveries WHERE state = 'held'`, 1)[0]
		if held != 900-3*60 {
			t.Errorf("%s: %d are held", d.Engine(), held)
		}
	}
}
