package deliverydb

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// LoggedDelivery is a delivery as the log of its integration shows it.
type LoggedDelivery struct {
	alerts.Delivery
	Title string // headline of its message; "" before the first attempt
	About string // what its alert is about, by name; "" if this has none, or none any more

	BodyV3 []byte // of one that was read alone: the payload of version 3, if a receiver was sent one
}

// ofIntegration selects the deliveries of an integration of a project.
const ofIntegration = `-- deliverydb.deliveries
SELECT ` + deliveryColumns + `, a.title, a.facts, coalesce(f.class, ''), coalesce(f.message, '')
FROM deliveries d JOIN integrations i ON i.id = d.integration_id JOIN alerts a ON a.id = d.alert_id
LEFT JOIN merged_faults m ON m.id = a.fault_id LEFT JOIN faults f ON f.id = coalesce(m.into_id, a.fault_id)
WHERE i.project_id = $1 AND d.integration_id = $2`

const (
	listDeliveries     = ofIntegration + " AND d.id <= $3 AND d.id < $4 ORDER BY d.id DESC LIMIT $5 OFFSET $6"
	listDeliveriesBack = ofIntegration + " AND d.id <= $3 AND d.id >= $4 ORDER BY d.id LIMIT $5 OFFSET $6"
	oneDelivery        = ofIntegration + " AND d.id = $3"
)

const newestDelivery = `-- deliverydb.newestDelivery
SELECT coalesce(max(id), 0) FROM deliveries WHERE integration_id = $1`

// ListDeliveries returns a page of an integration's deliveries, sent and due, newest first, and its cursors. The pages before and after
// it show the list as it was when the first page was read. An invalid cursor is an Invalid error.
func (s *Store) ListDeliveries(ctx context.Context, projectID, integrationID int64, p sett.Page) (found []LoggedDelivery, marks sett.Marks, err error) {
	var newest int64
	at, statement := int64(math.MaxInt64), listDeliveries
	if p.Back {
		statement = listDeliveriesBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &newest, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list deliveries", func(q db.Querier) error {
		if p.Mark == "" {
			if err := q.QueryRowContext(ctx, s.db.Text(newestDelivery), integrationID).Scan(&newest); err != nil {
				return err
			}
		}
		skip, most := p.Rows()
		rows, err := q.QueryContext(ctx, s.db.Text(statement), projectID, integrationID, newest, at, most, skip)
		found, err = db.Collect(rows, err, scanLogged)
		found, marks = sett.Cut(p, found, func(d LoggedDelivery) string { return db.FormatMark(newest, d.ID) })
		return err
	})
	return found, marks, err
}

// scanLogged reads a row of ofIntegration.
func scanLogged(row db.Row) (d LoggedDelivery, err error) {
	var facts []byte
	var of faults.Said
	if d.Delivery, err = scanDelivery(row, &d.Title, &facts, &of.Class, &of.Message); err != nil {
		return d, err
	}
	var known alerts.AlertFacts
	_ = json.Unmarshal(facts, &known) // the log also lists alerts that cannot be read
	d.About = cmp.Or(known.Watched(), of.Title())
	return d, nil
}

const deliveryMessage = `-- deliverydb.deliveryMessage
SELECT message, body_v3 FROM alerts WHERE id = $1`

const listAttempts = `-- deliverydb.attempts
SELECT number, at, duration, status, problem FROM attempts WHERE delivery_id = $1 ORDER BY number`

// DeliveryByID returns a delivery of an integration with its finished attempts, and the message, or nil while there is none. The error is
// NotFound if the integration of the project has no such delivery.
func (s *Store) DeliveryByID(ctx context.Context, projectID, integrationID, id int64) (d LoggedDelivery, attempts []alerts.Attempt, message []byte, err error) {
	err = s.db.Snapshot(ctx, "find delivery", func(q db.Querier) error {
		d, err = scanLogged(q.QueryRowContext(ctx, s.db.Text(oneDelivery), projectID, integrationID, id))
		if err != nil {
			return db.NotFound(err, "Delivery", "find delivery")
		}
		if attempts, err = s.attempts(ctx, q, id); err != nil {
			return err
		}
		var packed, body []byte
		if err := q.QueryRowContext(ctx, s.db.Text(deliveryMessage), d.AlertID).Scan(&packed, &body); err != nil {
			return err
		}
		if message, err = unpacked(packed); err == nil {
			d.BodyV3, err = unpacked(body)
		}
		return err
	})
	return d, attempts, message, err
}

func (s *Store) attempts(ctx context.Context, q db.Querier, delivery int64) (found []alerts.Attempt, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(listAttempts), delivery)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a alerts.Attempt
		var at, duration int64
		err := rows.Scan(&a.Number, &at, &duration, &a.Status, &a.Problem)
		a.At, a.Duration = db.FromMicros(at), time.Duration(duration)*time.Microsecond
		found = append(found, a)
		return err
	})
	return found, err
}

// An attempt that is running continues alone. A finished delivery had its place in the order, and does not block later ones now; one that
// is still due keeps its place.
const redeliver = `-- deliverydb.Redeliver
UPDATE deliveries SET due_at = CASE WHEN trying THEN due_at ELSE $2 END, quiet_until = 0, tries = CASE WHEN state = 'due' THEN tries ELSE 0 END,
    again = again OR state <> 'due', state = 'due', done_at = 0, problem = CASE WHEN state = 'due' THEN problem ELSE '' END WHERE id = $1`

// Redeliver sends a finished delivery again, whatever its outcome, and makes a waiting one due now, in its place in the order. The error
// is NotFound if the integration of the project has no such delivery.
func (s *Store) Redeliver(ctx context.Context, now time.Time, projectID, integrationID, id int64) (d alerts.Delivery, err error) {
	err = s.inTx(ctx, "send delivery again", func(t Tx) error {
		t.KeepsCaches = true
		if d, err = t.delivery(ctx, projectID, integrationID, id); err != nil {
			return err
		}
		t.Wake(DeliveryDue)
		if _, err := t.Exec(ctx, redeliver, id, db.Micros(now)); err != nil {
			return err
		}
		if err := t.freeElders(ctx, now, place{receiverSubject{d.Receiver, d.Subject}, d.AlertID}); err != nil {
			return err
		}
		d, err = t.delivery(ctx, projectID, integrationID, id)
		return err
	})
	return d, err
}

func (t Tx) delivery(ctx context.Context, projectID, integrationID, id int64) (alerts.Delivery, error) {
	d, err := scanLogged(t.QueryRowContext(ctx, t.s.db.Text(oneDelivery), projectID, integrationID, id))
	return d.Delivery, db.NotFound(err, "Delivery", "find delivery")
}

const integrationOf = `-- deliverydb.integrationOf
SELECT id FROM integrations WHERE project_id = $1 AND id = $2 {{for key share}}`

const deliveryOf = `-- deliverydb.deliveryOf
SELECT ` + deliveryColumns + ` FROM deliveries d WHERE d.alert_id = $1`

// TestIntegration sends a test message to an integration, active or not. The error is NotFound if the project has no such integration.
func (s *Store) TestIntegration(ctx context.Context, now time.Time, projectID, integrationID int64) (d alerts.Delivery, err error) {
	err = s.inTx(ctx, "test integration", func(t Tx) error {
		t.KeepsCaches = true
		var id int64
		if err := t.QueryRowContext(ctx, s.db.Text(integrationOf), projectID, integrationID).Scan(&id); err != nil {
			return db.NotFound(err, "Integration", "find integration")
		}
		a := alerts.Alert{
			ProjectID: projectID, Event: alerts.AlertOccurred, Subject: alerts.TestSubject(now), IntegrationID: id, At: now,
			Facts: alerts.AlertFacts{Test: true},
		}
		if err := t.raiseFor(ctx, now, &a, integrationReceiver(alerts.Integration{ID: id})); err != nil {
			return fmt.Errorf("raise alert: %w", err)
		}
		d, err = scanDelivery(t.QueryRowContext(ctx, s.db.Text(deliveryOf), a.ID))
		return err
	})
	return d, err
}
