package outbox

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// AlertRaised is the topic of alerts that have to be fanned out.
const AlertRaised db.Topic = "alert raised"

const insertAlerts = `-- outbox.insertAlerts
INSERT INTO alerts (project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts)
SELECT k.project_id, k.event, k.subject, k.fault_id, k.environment, k.integration_id, k.at, k.created_at, k.facts
FROM {{rows k(project_id bigint, event text, subject text, fault_id bigint, environment text, integration_id bigint, at bigint, created_at bigint, facts text)}}
WHERE true`

// Raise stores alerts in the transaction in which they happen, after that has locked their subjects: so alerts about one subject have
// growing ids in the order in which they happened, and none appears after a later one was visible.
func (t Tx) Raise(ctx context.Context, now time.Time, alerts ...alerts.Alert) error {
	Dated(now, alerts)
	return db.Wrap("raise alerts", t.EachOf(ctx, []db.RowsStatement{Raising(alerts)}))
}

// RaiseHere is Raise for intake: it does not wake other processes.
func (t Tx) RaiseHere(ctx context.Context, now time.Time, alerts ...alerts.Alert) error {
	if len(alerts) == 0 {
		return nil
	}
	t.WakeHere(AlertRaised)
	Dated(now, alerts)
	st := Raising(alerts)
	return db.Wrap("raise alerts", t.Each(ctx, st.Text, st.Columns...))
}

// Dated sets the creation time of alerts.
func Dated(now time.Time, alerts []alerts.Alert) {
	for i := range alerts {
		alerts[i].CreatedAt = now
	}
}

// Raising is the statement that stores alerts and wakes the fan-out.
func Raising(alerts []alerts.Alert) db.RowsStatement {
	var projects, faults, integrations, ats, created []int64
	var events, subjects, environments, facts []string
	for _, a := range alerts {
		projects, faults, integrations = append(projects, a.ProjectID), append(faults, a.FaultID), append(integrations, a.IntegrationID)
		ats, created = append(ats, db.Micros(a.At)), append(created, db.Micros(a.CreatedAt))
		events, subjects = append(events, string(a.Event)), append(subjects, string(a.Subject))
		environments, facts = append(environments, a.Environment), append(facts, AlertFacts(a))
	}
	columns := []any{projects, events, subjects, faults, environments, integrations, ats, created, facts}
	return db.RowsStatement{Text: insertAlerts, Columns: columns, Wakes: AlertRaised}
}

// AlertFacts formats the facts of an alert for storage.
func AlertFacts(a alerts.Alert) string {
	text, err := json.Marshal(a.Facts.Written())
	if err != nil {
		panic("store: facts of an alert are not JSON: " + err.Error())
	}
	return string(text)
}
