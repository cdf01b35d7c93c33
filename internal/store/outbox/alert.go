package outbox

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// AlertRaised is the topic of alerts that are to be fanned out.
const AlertRaised db.Topic = "alert raised"

const insertAlerts = `-- store.insertAlerts
INSERT INTO alerts (project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts)
SELECT k.project_id, k.event, k.subject, k.fault_id, k.environment, k.integration_id, k.at, k.created_at, k.facts
FROM {{rows k(project_id bigint, event text, subject text, fault_id bigint, environment text, integration_id bigint, at bigint, created_at bigint, facts text)}}
WHERE true`

// Raise stores alerts in the transaction in which they happened, after it has locked what they are about: so alerts about
// one subject have growing ids in the order in which they happened, and none appears after a later one was seen.
func (t Tx) Raise(ctx context.Context, now time.Time, alerts ...sett.Alert) error {
	Dated(now, alerts)
	return db.Wrap("raise alerts", t.EachOf(ctx, []db.RowsStatement{Raising(alerts)}))
}

// RaiseHere is raise for intake, which wakes nobody in other processes.
func (t Tx) RaiseHere(ctx context.Context, now time.Time, alerts ...sett.Alert) error {
	if len(alerts) == 0 {
		return nil
	}
	t.WakeHere(AlertRaised)
	Dated(now, alerts)
	st := Raising(alerts)
	return db.Wrap("raise alerts", t.Each(ctx, st.Text, st.Columns...))
}

// Dated says of alerts that they were made at now.
func Dated(now time.Time, alerts []sett.Alert) {
	for i := range alerts {
		alerts[i].CreatedAt = now
	}
}

// Raising is the statement that stores alerts and wakes those who spread them.
func Raising(alerts []sett.Alert) db.RowsStatement {
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

// AlertFacts is how the facts of an alert are stored.
func AlertFacts(a sett.Alert) string {
	text, err := json.Marshal(a.Facts.Written())
	if err != nil {
		panic("store: facts of an alert are no JSON: " + err.Error())
	}
	return string(text)
}
