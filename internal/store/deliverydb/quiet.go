package deliverydb

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// A delivery that quiet hours delay is due when they end. This is decided when the delivery is created, when an attempt fails, and when
// the quiet hours change. Claiming ignores quiet hours.
//
// Urgent messages are sent at once, but still in order: waiting messages about the same subject are sent with them.

// quietText formats quiet hours for storage.
func quietText(q *alerts.QuietHours) string {
	if q == nil {
		return ""
	}
	return db.JSONText(q)
}

// readQuiet parses the output of quietText. Unreadable text means no quiet hours: a message at night is better than none.
func readQuiet(text string) *alerts.QuietHours {
	var q *alerts.QuietHours
	if text == "" || json.Unmarshal([]byte(text), &q) != nil {
		return nil
	}
	return q
}

// place is the position of an alert's message in the order of its receiver and subject.
type place struct {
	receiverSubject
	alert int64
}

func scanPlaces(into *[]place) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var p place
		err := rows.Scan(&p.Receiver, &p.AlertSubject, &p.alert)
		*into = append(*into, p)
		return err
	}
}

const freeElders = `-- deliverydb.freeElders
UPDATE deliveries SET due_at = CASE WHEN not_before > k.at THEN not_before ELSE k.at END, quiet_until = 0
FROM {{rows k(receiver text, subject text, alert_id bigint, at bigint)}}
WHERE deliveries.receiver = k.receiver AND deliveries.subject = k.subject AND deliveries.alert_id < k.alert_id
AND deliveries.state = 'due' AND NOT deliveries.again AND NOT deliveries.trying AND deliveries.quiet_until > k.at`

// freeElders makes due the predecessors of some places that wait for the end of quiet hours: the messages at these places are sent now.
func (t Tx) freeElders(ctx context.Context, now time.Time, before ...place) error {
	var receivers, subjects []string
	var alerts []int64
	for _, p := range before {
		receivers, subjects, alerts = append(receivers, string(p.Receiver)), append(subjects, string(p.AlertSubject)), append(alerts, p.alert)
	}
	return t.Each(ctx, freeElders, receivers, subjects, alerts, db.Repeated(db.Micros(now), len(before)))
}

// The lock ensures that no delivery is created for an integration, and no quiet hours change, between reading the quiet hours and acting
// on them.
const holdQuiet = `-- deliverydb.holdQuiet
SELECT i.id, i.quiet_hours FROM {{rows k(id bigint)}} JOIN integrations i ON i.id = k.id WHERE i.quiet_hours <> '' ORDER BY i.id {{for update}}`

const keepQuiet = `-- deliverydb.keepQuiet
UPDATE deliveries SET due_at = k.until, quiet_until = k.until FROM {{rows k(id bigint, until bigint)}}
WHERE deliveries.id = k.id AND deliveries.state = 'due' AND NOT deliveries.again`

// keepQuiet delays retries until quiet hours end, except deliveries that users have requested again.
func (t Tx) keepQuiet(ctx context.Context, now time.Time, recorded []recordedDelivery) error {
	again := slices.DeleteFunc(slices.Clone(recorded), func(r recordedDelivery) bool { return r.State != alerts.DeliveryDue || r.integration == 0 })
	hours, err := t.holdQuiet(ctx, again)
	if err != nil || len(hours) == 0 {
		return err
	}
	var ids, untils []int64
	for _, r := range again {
		if until := hours[r.integration].Keep(r.event, r.subject.Test(), r.DueAt); !until.IsZero() {
			ids, untils = append(ids, r.ID), append(untils, db.Micros(until))
		}
	}
	if err := t.Each(ctx, keepQuiet, ids, untils); err != nil {
		return err
	}
	urgent := slices.DeleteFunc(again, func(r recordedDelivery) bool { return hours[r.integration] == nil || !hours[r.integration].Urgent })
	return t.freeForUrgent(ctx, now, urgent)
}

// holdQuiet returns the quiet hours of the integrations of some deliveries.
func (t Tx) holdQuiet(ctx context.Context, of []recordedDelivery) (map[int64]*alerts.QuietHours, error) {
	var ids []int64
	for _, r := range of {
		if !slices.Contains(ids, r.integration) {
			ids = append(ids, r.integration)
		}
	}
	hours := map[int64]*alerts.QuietHours{}
	err := t.EachRow(ctx, holdQuiet, func(rows *sql.Rows) error {
		var id int64
		var text string
		err := rows.Scan(&id, &text)
		hours[id] = readQuiet(text)
		return err
	}, ids)
	return hours, err
}

// Must match alerts.UrgentEvents.
const urgent = `'down', 'up', 'check_in_missing', 'check_in_failed', 'check_in_reporting', 'alarm_alert', 'alarm_ok', 'rate_exceeded', 'volume_spike'`

const urgentBehind = `-- deliverydb.urgentBehind
SELECT u.receiver, u.subject, max(u.alert_id) FROM {{rows k(receiver text, subject text)}} JOIN deliveries u ON u.receiver = k.receiver AND u.subject = k.subject
WHERE u.state = 'due' AND NOT u.again AND u.event IN (` + urgent + `) GROUP BY u.receiver, u.subject`

// freeForUrgent frees the predecessors of urgent messages about the same subjects.
func (t Tx) freeForUrgent(ctx context.Context, now time.Time, waiting []recordedDelivery) error {
	var receivers, subjects []string
	for _, r := range waiting {
		receivers, subjects = append(receivers, string(r.receiver)), append(subjects, string(r.subject))
	}
	var before []place
	if err := t.EachRow(ctx, urgentBehind, scanPlaces(&before), receivers, subjects); err != nil {
		return err
	}
	return t.freeElders(ctx, now, before...)
}

const moveQuiet = `-- deliverydb.moveQuiet
UPDATE deliveries SET due_at = CASE WHEN not_before > $3 THEN not_before ELSE $3 END, quiet_until = $4
WHERE receiver = $1 AND state = 'due' AND NOT again AND NOT trying AND quiet_until > $2`

const freeUrgent = moveQuiet + ` AND event IN (` + urgent + `)`

const urgentSubjects = `-- deliverydb.urgentSubjects
SELECT u.receiver, u.subject, max(u.alert_id) FROM deliveries u
WHERE u.receiver = $1 AND u.state = 'due' AND NOT u.again AND u.event IN (` + urgent + `) GROUP BY u.receiver, u.subject`

// The flood window moves with the messages that it counts.
const moveQuietFlood = `-- deliverydb.moveQuietFlood
UPDATE floods SET began_at = $3 WHERE receiver = $1 AND quiet AND began_at > $2`

// changeQuiet moves deliveries that wait for the end of an integration's quiet hours to the new end, or makes them due. Deliveries that
// wait for another reason keep their time.
func (t Tx) changeQuiet(ctx context.Context, now time.Time, integration int64, before, after *alerts.QuietHours) error {
	if quietText(before) == quietText(after) {
		return nil
	}
	t.Wake(DeliveryDue)
	to, at, until := string(alerts.IntegrationReceiver(integration)), db.Micros(now), db.Micros(after.Ends(now))
	due := max(at, until)
	if _, err := t.Exec(ctx, moveQuiet, to, at, due, until); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, moveQuietFlood, to, at, due); err != nil || until == 0 || !after.Urgent {
		return err
	}
	if _, err := t.Exec(ctx, freeUrgent, to, at, at, 0); err != nil {
		return err
	}
	var urgent []place
	rows, err := t.QueryContext(ctx, t.s.db.Text(urgentSubjects), to)
	if err := db.ScanAll(rows, err, scanPlaces(&urgent)); err != nil {
		return err
	}
	return t.freeElders(ctx, now, urgent...)
}
