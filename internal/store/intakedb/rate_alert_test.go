package intakedb_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// wanting creates an integration that receives one event.
func (d *desk) wanting(event alerts.AlertEvent, rate alerts.AlertRate, threshold int64) (id int64) {
	d.T.Helper()
	id = d.Numbers(`SELECT coalesce(max(id), 0) + 1 FROM integrations`, 1)[0]
	d.Run(`INSERT INTO integrations (id, project_id, type, active, events, site_ids, options, excluded_environments, filters, created_at, rate, threshold)
		VALUES ($1, $2, 'WebHook', true, $3, '[]', '{}', '[]', '[]', 0, $4, $5)`, id, d.ProjectID, `["down","`+string(event)+`"]`, string(rate), threshold)
	return id
}

// occurs records a notice of a class at each of the times, the oldest first.
func (d *desk) occurs(class string, ats ...time.Time) {
	d.T.Helper()
	for _, at := range ats {
		d.RecordBusy(at, accounts.Limits{}, d.Report(class))
	}
	if err := d.Intake.Flush(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
}

// alertsOf returns the alerts of an event, the oldest first.
func (d *desk) alertsOf(event alerts.AlertEvent) (found []alerts.Alert) {
	d.T.Helper()
	rows, err := d.Read.QueryContext(d.T.Context(), `SELECT project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts
		FROM alerts WHERE event = $1 ORDER BY id`, string(event))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a alerts.Alert
		var at, created int64
		var facts []byte
		if err := rows.Scan(&a.ProjectID, &a.Event, &a.Subject, &a.FaultID, &a.Environment, &a.IntegrationID, &at, &created, &facts); err != nil {
			return err
		}
		a.At, a.CreatedAt = db.FromMicros(at), db.FromMicros(created)
		err := json.Unmarshal(facts, &a.Facts)
		found = append(found, a)
		return err
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

// rates looks at rates and returns how many alerts came of it.
func (d *desk) rates(now time.Time) int {
	d.T.Helper()
	before := len(d.alertsOf(alerts.AlertRateExceeded))
	n, err := d.Intake.RaiseRates(d.T.Context(), now)
	if err != nil {
		d.T.Fatal(err)
	}
	if after := len(d.alertsOf(alerts.AlertRateExceeded)); after-before != n {
		d.T.Errorf("%d alerts were raised and %d are there", n, after-before)
	}
	return n
}

func (d *desk) wantRates(when string, now time.Time, want int) {
	d.T.Helper()
	if got := d.rates(now); got != want {
		d.T.Errorf("%s: %d alerts, want %d", when, got, want)
	}
}

func TestRatesAreCountedToTheMicrosecond(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		id := d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 3)
		begin := storetest.Noon.Add(17 * time.Second)
		for _, rate := range alerts.AlertRates() {
			d.Run(`UPDATE integrations SET rate = $1`, string(rate))
			within, beyond := string(rate)+" within", string(rate)+" beyond"
			span := rate.Span()
			d.occurs(beyond, begin, begin.Add(span/3), begin.Add(span/2), begin.Add(span))
			d.wantRates("the first is no part of the span", begin.Add(span), 0)
			begin = begin.Add(15 * 24 * time.Hour)
			d.occurs(within, begin, begin.Add(span/3), begin.Add(span/2))
			last := begin.Add(span - time.Microsecond)
			d.wantRates("at the threshold", last, 0)
			d.occurs(within, last)
			d.wantRates("over it", last, 1)
			a := d.alertsOf(alerts.AlertRateExceeded)
			got, want := a[len(a)-1], alerts.Alert{
				ProjectID: d.ProjectID, Event: alerts.AlertRateExceeded, Subject: alerts.FaultSubject(d.FaultID(within)), FaultID: d.FaultID(within),
				Environment: "production", IntegrationID: id, At: last, CreatedAt: last, Facts: alerts.AlertFacts{
					NoticeID:     sett.NoticeID(d.Numbers(storetest.ReplaceID(`SELECT max(id) FROM fault_notices WHERE fault_id = $`, d.FaultID(within)), 1)[0]),
					NoticesCount: 4, Rate: &alerts.RateFacts{Count: 4, Threshold: 3, Rate: rate},
				},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", rate, diff)
			}
			begin = begin.Add(15 * 24 * time.Hour)
		}
	})
}

func TestARateRaisesOneAlertInItsSpan(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 2)
		at := func(seconds int) time.Time { return storetest.Noon.Add(time.Duration(seconds) * time.Second) }
		d.occurs("A", at(0), at(1), at(2))
		d.wantRates("exceeded", at(3), 1)
		d.wantRates("looked at again", at(3), 0)
		for seconds := 5; seconds < 62; seconds += 3 {
			d.occurs("A", at(seconds))
			d.wantRates("in the same span", at(seconds+1), 0)
		}
		d.occurs("A", at(62))
		d.wantRates("still exceeded a span later", at(63), 1)
		if a := d.alertsOf(alerts.AlertRateExceeded)[1]; a.Facts.Rate.Count != 20 || !a.At.Equal(at(62)) {
			t.Errorf("the second alert is of %v with %+v", a.At, a.Facts.Rate)
		}
		d.occurs("A", at(600), at(601))
		d.wantRates("calm", at(602), 0)
		d.wanting(alerts.AlertRateExceeded, alerts.RateHour, 20)
		d.wanting(alerts.AlertRateExceeded, alerts.RateHour, 1000)
		d.occurs("A", at(603))
		d.wantRates("each integration for itself", at(604), 2)
		d.occurs("A", at(605))
		d.occurs("B", at(605), at(606), at(607))
		d.wantRates("each fault for itself", at(608), 1)
		d.Run(`UPDATE integrations SET rate = 'min', threshold = 2, active = id = 2`)
		d.occurs("A", at(663))
		d.occurs("A", at(664))
		d.wantRates("a rate that was changed, of both faults", at(665), 2)
	})
}

func TestRatesThatRaiseNoAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 2)
		now := storetest.Noon
		for _, c := range []struct{ name, before, after string }{
			{"inactive integration", `UPDATE integrations SET active = false`, `UPDATE integrations SET active = true`},
			{"another event", `UPDATE integrations SET events = '["volume_spike"]'`, `UPDATE integrations SET events = '["rate_exceeded"]'`},
			{"no threshold", `UPDATE integrations SET threshold = 0`, `UPDATE integrations SET threshold = 2`},
			{"no rate", `UPDATE integrations SET rate = ''`, `UPDATE integrations SET rate = 'min'`},
			{"inactive project", `UPDATE projects SET active = false`, `UPDATE projects SET active = true`},
			{"resolved", `UPDATE faults SET resolved = true`, `UPDATE faults SET resolved = false`},
			{"ignored", `UPDATE faults SET ignored = true`, `UPDATE faults SET ignored = false`},
			{"paused", `UPDATE faults SET paused_until = ` + fmt.Sprint(int64(1)<<60), `UPDATE faults SET paused_until = 0`},
			{"paused by count", `UPDATE faults SET paused_count = 1000000`, `UPDATE faults SET paused_count = 0`},
		} {
			now = now.Add(time.Hour)
			d.occurs("A", now, now.Add(time.Second), now.Add(2*time.Second))
			d.Run(c.before)
			d.wantRates(c.name, now.Add(3*time.Second), 0)
			d.Run(c.after)
			d.wantRates("no more: "+c.name, now.Add(8*time.Second), 1)
		}
	})
}

func TestRatesLookOnlyAtWhatOccurred(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.occurs("A", storetest.Noon, storetest.Noon, storetest.Noon)
		d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 9)
		d.wantRates("below", storetest.Noon, 0)
		d.wantRates("below", storetest.Noon.Add(31*time.Second), 0)
		d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 2)
		d.wantRates("nothing since the last look", storetest.Noon.Add(31*time.Second), 0)
		d.occurs("A", storetest.Noon.Add(32*time.Second))
		d.wantRates("once more", storetest.Noon.Add(33*time.Second), 1)
		d.occurs("B", storetest.Noon.Add(time.Hour), storetest.Noon.Add(time.Hour), storetest.Noon.Add(time.Hour))
		d.wantRates("no look for an hour", storetest.Noon.Add(2*time.Hour), 1)
		d.occurs("C", storetest.Noon.Add(3*time.Hour), storetest.Noon.Add(3*time.Hour), storetest.Noon.Add(3*time.Hour))
		d.wantRates("no look for a long time", storetest.Noon.Add(5*time.Hour), 0)
	})
}

// On PostgreSQL several nodes look at once, and one raises the alert.
func TestNodesTellOfARateOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	first, second := c.Node(t), c.Node(t)
	d := newDesk(t, first)
	d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 2)
	d.occurs("A", storetest.Noon, storetest.Noon, storetest.Noon)
	look := func(s *store.Store) func() error {
		return func() error {
			_, err := s.Intake.RaiseRates(t.Context(), storetest.Noon.Add(3*time.Second))
			return err
		}
	}
	d.RowHeld(`SELECT at FROM alert_looks WHERE name = $1 FOR UPDATE`, "rate_exceeded", look(first), look(second))
	if n := len(d.alertsOf(alerts.AlertRateExceeded)); n != 1 {
		t.Errorf("%d alerts, want 1", n)
	}
	d.occurs("B", storetest.Noon.Add(2*time.Second), storetest.Noon.Add(2*time.Second), storetest.Noon.Add(2*time.Second))
	d.RowHeld(`UPDATE faults SET resolved = true WHERE id = $1`, d.FaultID("B"), look(first))
	if n := len(d.alertsOf(alerts.AlertRateExceeded)); n != 1 {
		t.Errorf("a fault that was resolved meanwhile raises %d", n-1)
	}
}

// In whatever order notices arrive, an alert contains the state at the newest one, and none is missing.
func TestRatesAgainstAReference(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.wanting(alerts.AlertRateExceeded, alerts.RateMinute, 4)
	d.wanting(alerts.AlertRateExceeded, alerts.RateHour, 40)
	random := rand.New(rand.NewPCG(5, 6))
	var came []time.Time
	alerted := map[int64]time.Time{}
	now := storetest.Noon
	for range 250 {
		now = now.Add(time.Duration(random.Int64N((1 + random.Int64N(60)) * int64(time.Second)))).Truncate(time.Microsecond)
		came = append(came, now)
		d.occurs("A", now)
		want := ""
		for id, rate := range map[int64]alerts.AlertRate{1: alerts.RateMinute, 2: alerts.RateHour} {
			n, threshold := int64(0), []int64{0, 4, 40}[id]
			for _, at := range came {
				if at.After(now.Add(-rate.Span())) {
					n++
				}
			}
			if n > threshold && now.Sub(alerted[id]) >= rate.Span() {
				alerted[id] = now
				want += fmt.Sprintf("%s %d;", rate, n)
			}
		}
		before := len(d.alertsOf(alerts.AlertRateExceeded))
		d.rates(now)
		got := ""
		for _, a := range d.alertsOf(alerts.AlertRateExceeded)[before:] {
			got += fmt.Sprintf("%s %d;", a.Facts.Rate.Rate, a.Facts.Rate.Count)
		}
		if len(want) != len(got) || !strings.Contains(want+want, got) {
			t.Fatalf("at %v: %q, want %q", now, got, want)
		}
	}
	if n := len(d.alertsOf(alerts.AlertRateExceeded)); n < 5 {
		t.Errorf("only %d alerts: the test tries little", n)
	}
}

// A look must not take longer where there are many faults, buckets and notices.
func TestLooksForAlertsUseIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct {
		text string
		args []any
		want string
	}{
		{intakedb.RateWatchers, nil, "integrations_with_rates"},
		{intakedb.CountNotices, []any{1, 2, 3, 4}, "(fault_id=? AND id>? AND id<?)"},
		{intakedb.RatesAlerted + "($2, $3)", []any{1, 2, 3}, "fault_id=?"},
		{intakedb.SpikesAlerted + "($1, $2)", []any{1, 2}, "SEARCH volume_spikes USING INTEGER PRIMARY KEY"},
	} {
		plan := d.Plan(d.Text(q.text), q.args...)
		if !strings.Contains(plan, q.want) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nis run as\n%s", q.text, plan)
		}
	}
	for text, args := range map[string][]any{ // what a purge reads
		intakedb.KeptDays: {1, 2, 3}, intakedb.SampleFaults: {1}, intakedb.SampleNotices: {1},
	} {
		d.WantNoWholeTable(text, args...)
	}
}
