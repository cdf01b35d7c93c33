package store

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/sett"
)

const insertAlerts = `-- store.insertAlerts
INSERT INTO alerts (project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts)
SELECT k.project_id, k.event, k.subject, k.fault_id, k.environment, k.integration_id, k.at, k.created_at, k.facts
FROM {{rows k(project_id bigint, event text, subject text, fault_id bigint, environment text, integration_id bigint, at bigint, created_at bigint, facts text)}}
WHERE true`

// raise stores alerts in the transaction in which they happened, after it has locked what they are about: so alerts about
// one subject have growing ids in the order in which they happened, and none appears after a later one was seen.
func (t *tx) raise(ctx context.Context, now time.Time, alerts ...sett.Alert) error {
	if len(alerts) == 0 {
		return nil
	}
	t.wake(AlertRaised)
	st := raising(now, alerts)
	return wrap("raise alerts", t.each(ctx, st.text, st.columns...))
}

// raising is the statement that stores alerts.
func raising(now time.Time, alerts []sett.Alert) rowsStatement {
	var projects, faults, integrations, ats, created []int64
	var events, subjects, environments, facts []string
	for _, a := range alerts {
		projects, faults, integrations = append(projects, a.ProjectID), append(faults, a.FaultID), append(integrations, a.IntegrationID)
		ats, created = append(ats, micros(a.At)), append(created, micros(now))
		events, subjects = append(events, string(a.Event)), append(subjects, string(a.Subject))
		environments, facts = append(environments, a.Environment), append(facts, alertFacts(a))
	}
	return rowsStatement{insertAlerts, []any{projects, events, subjects, faults, environments, integrations, ats, created, facts}}
}

// alertFacts is how the facts of an alert are stored.
func alertFacts(a sett.Alert) string {
	text, err := json.Marshal(a.Facts)
	if err != nil {
		panic("store: facts of an alert are no JSON: " + err.Error())
	}
	return string(text)
}
