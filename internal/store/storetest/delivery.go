package storetest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/outbox"
	"sett/internal/store/queue"
)

// Raised returns the alerts that were raised since it was last asked, in their order and without their ids.
func (d *Desk) Raised() (raised []alerts.Alert) {
	d.T.Helper()
	rows, err := d.Read.QueryContext(d.T.Context(), `SELECT project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts
		FROM alerts WHERE NOT spread ORDER BY id`)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a alerts.Alert
		var at, created int64
		var facts string
		if err := rows.Scan(&a.ProjectID, &a.Event, &a.Subject, &a.FaultID, &a.Environment, &a.IntegrationID, &at, &created, &facts); err != nil {
			return err
		}
		a.At, a.CreatedAt = db.FromMicros(at), db.FromMicros(created)
		raised = append(raised, a)
		return json.Unmarshal([]byte(facts), &raised[len(raised)-1].Facts)
	})
	if err != nil {
		d.T.Fatal(err)
	}
	d.Run(`UPDATE alerts SET spread = true`)
	return raised
}

func (d *Desk) WantRaised(when string, want ...alerts.Alert) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.Raised()); diff != "" {
		d.T.Errorf("%s: alerts (-want +got):\n%s", when, diff)
	}
}

// About is an alert about the newest fault of a class, raised at noon.
func (d *Desk) About(class string, event alerts.AlertEvent, facts alerts.AlertFacts) alerts.Alert {
	d.T.Helper()
	f := d.Fault(class)
	return alerts.Alert{
		ProjectID: f.ProjectID, Event: event, Subject: alerts.FaultSubject(f.ID), FaultID: f.ID, Environment: f.Environment,
		At: Noon, CreatedAt: Noon, Facts: facts,
	}
}

// Newest is the newest notice of a class.
func (d *Desk) Newest(class string) (id sett.NoticeID) {
	d.T.Helper()
	d.Scan(`SELECT max(n.id) FROM notices n JOIN faults f ON f.id = n.fault_id WHERE f.class = $1`, []any{class}, &id)
	return id
}

// WebHook adds an active integration of the project that wants every event, changed as the caller likes.
func (d *Desk) WebHook(change ...func(*alerts.Integration)) alerts.Integration {
	d.T.Helper()
	i := alerts.Integration{ProjectID: d.ProjectID, IntegrationSettings: alerts.IntegrationSettings{
		Type: "WebHook", Active: true, Events: alerts.AlertEvents(), NotificationLimit: 1_000_000, SiteIDs: []string{}, CheckInIDs: []string{},
		Options: map[string]any{}, ExcludedEnvironments: []string{}, Filters: []alerts.IntegrationFilter{},
	}}
	for _, c := range change {
		c(&i)
	}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			d.T.Fatal(err)
		}
		return string(b)
	}
	err := d.Write.QueryRowContext(d.T.Context(), `INSERT INTO integrations
(project_id, type, active, events, site_ids, check_in_ids, options, excluded_environments, filters, notification_limit, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0) RETURNING id`, i.ProjectID, i.Type, i.Active, text(i.Events), text(i.SiteIDs),
		text(i.CheckInIDs), text(i.Options), text(i.ExcludedEnvironments), text(i.Filters), i.NotificationLimit).Scan(&i.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	return i
}

// Happen stores alerts as state changes do; what every alert has is filled in.
func (d *Desk) Happen(now time.Time, alerts ...alerts.Alert) {
	d.T.Helper()
	for i := range alerts {
		alerts[i].At = now
		if alerts[i].ProjectID == 0 {
			alerts[i].ProjectID = d.ProjectID
		}
	}
	out := outbox.New(d.DB)
	if err := d.InTx(d.T.Context(), "raise", func(t *db.Tx) error { return out.In(t).Raise(d.T.Context(), now, alerts...) }); err != nil {
		d.T.Fatal(err)
	}
}

func About(subject alerts.AlertSubject, events ...alerts.AlertEvent) (raised []alerts.Alert) {
	for _, e := range events {
		raised = append(raised, alerts.Alert{Event: e, Subject: subject})
	}
	return raised
}

// FanOut spreads all alerts and returns how many deliveries came of it.
func (d *Desk) FanOut(now time.Time) (deliveries int) {
	d.T.Helper()
	for more := true; more; {
		spread, err := d.Deliveries.FanOutAlerts(d.T.Context(), now, 100, false)
		if err != nil {
			d.T.Fatal(err)
		}
		more, deliveries = spread.More, deliveries+spread.Deliveries
	}
	return deliveries
}

const DeliveryLease = time.Minute

// AnyRoom is room for whatever there is for a receiver.
func AnyRoom(alerts.Receiver) int { return 1000 }

func (d *Desk) ClaimAll(now time.Time, busy ...alerts.Receiver) []deliverydb.ClaimedDelivery {
	d.T.Helper()
	room := func(r alerts.Receiver) int {
		if slices.Contains(busy, r) {
			return 0
		}
		return AnyRoom(r)
	}
	claimed, err := d.Deliveries.ClaimDeliveries(d.T.Context(), now, DeliveryLease, 100, room)
	if err != nil {
		d.T.Fatal(err)
	}
	return claimed
}

// Brief names claimed deliveries by subject, event and try.
func Brief(claimed []deliverydb.ClaimedDelivery) (lines []string) {
	for _, c := range claimed {
		lines = append(lines, fmt.Sprint(c.Subject, " ", c.Event, " ", c.Tries))
	}
	return lines
}

func (d *Desk) WantClaims(when string, now time.Time, want ...string) []deliverydb.ClaimedDelivery {
	d.T.Helper()
	claimed := d.ClaimAll(now)
	if diff := cmp.Diff(want, Brief(claimed)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
	return claimed
}

// Settled records how claimed deliveries ended.
func (d *Desk) Settled(now time.Time, state alerts.DeliveryState, due time.Time, claimed ...deliverydb.ClaimedDelivery) {
	d.T.Helper()
	var results []deliverydb.DeliveryResult
	for _, c := range claimed {
		r := deliverydb.DeliveryResult{ID: c.ID, Claim: c.Claim, State: state, DueAt: due, Attempt: alerts.Attempt{Number: int64(c.Tries), At: now, Status: 200}}
		if state != alerts.DeliverySent {
			r.Attempt.Status, r.Attempt.Problem = 503, "503 Service Unavailable"
		}
		results = append(results, r)
	}
	if err := d.Deliveries.RecordDeliveries(d.T.Context(), now, results); err != nil {
		d.T.Fatal(err)
	}
}

func (d *Desk) WantNext(when string, want time.Time) {
	d.T.Helper()
	at, ok, err := d.Deliveries.NextDelivery(d.T.Context())
	if err != nil || ok == want.IsZero() || !at.Equal(want) {
		d.T.Errorf("%s: the next delivery is due at %v, %v, %v; want %v", when, at, ok, err, want)
	}
}

const DeadWait = 10 * time.Second

func (d *Desk) Free(now time.Time) {
	d.T.Helper()
	for _, q := range []*queue.Queue{d.Deliveries.Queue, d.Status.Queue, d.Outbox.Queue} {
		if err := q.Free(d.T.Context(), now, DeadWait); err != nil {
			d.T.Fatal(err)
		}
	}
}

// Fence has the second node take the first for dead, whose session ends.
func Fence(t *testing.T, first, second *Desk) {
	t.Helper()
	Die(t, first.Store)
	for {
		if _, err := second.Node.TakeOver(t.Context()); err != nil {
			t.Fatal(err)
		}
		if held, err := first.Node.HoldsClaims(t.Context()); err != nil {
			t.Fatal(err)
		} else if !held {
			return
		}
	}
}

// Due makes one delivery about each subject and claims them.
func (d *Desk) Due(now time.Time, subjects ...alerts.AlertSubject) []deliverydb.ClaimedDelivery {
	d.T.Helper()
	for _, s := range subjects {
		d.Happen(now, About(s, alerts.AlertOccurred)...)
	}
	d.FanOut(now)
	claimed := d.ClaimAll(now)
	if len(claimed) != len(subjects) {
		d.T.Fatalf("claimed %v of %v", Brief(claimed), subjects)
	}
	return claimed
}

// TestKinds are a channel that notifies people and an issue tracker; they accept any options.
func TestKinds() []alerts.IntegrationKind {
	options := func(p *sett.Problems, old, sent map[string]any) map[string]any {
		if sent == nil {
			p.Add("options.url", "can't be blank")
		}
		return sent
	}
	return []alerts.IntegrationKind{{Type: "WebHook", Options: options}, {Type: "Github", Tracker: true, Options: options}}
}

func ChannelOf(kind string) alerts.IntegrationChange {
	return alerts.IntegrationChange{Type: sett.Some(kind), Options: sett.Some(map[string]any{"url": "https://x.test"})}
}
