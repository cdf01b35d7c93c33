package faultdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
)

// LockFault finds the environment of a fault, and locks it.
const LockFault = `-- faultdb.lockFault
SELECT environment FROM faults WHERE project_id = $1 AND id = $2 {{for update}}`

const linkedIssues = `-- faultdb.linkedIssues
SELECT f.id, f.project_id, f.environment, i.id, i.events
FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id JOIN fault_links l ON l.fault_id = f.id JOIN integrations i ON i.id = l.integration_id
WHERE i.active`

// pagedFaults finds what was sent to an on-call service, or may be, and is open there. A deploy may resolve thousands of faults of which the service
// knows nothing, and it takes a few messages a second.
const pagedFaults = `-- faultdb.pagedFaults
SELECT f.id, f.project_id, f.environment, i.id, i.events
FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id JOIN integrations i ON i.project_id = f.project_id
WHERE i.active AND i.type IN ('PagerDutyV2', 'Opsgenie', 'JSM', 'Alertmanager') AND (
    coalesce((SELECT d.event FROM deliveries d WHERE d.receiver = 'integration ' || i.id AND d.subject = 'fault ' || f.id AND d.state <> 'held'
        ORDER BY d.id DESC LIMIT 1), 'resolved') <> 'resolved'
    OR EXISTS (SELECT 1 FROM alerts a WHERE a.fault_id = f.id AND a.fault_id > 0 AND NOT a.spread))
ORDER BY f.id, i.id`

// closing returns the alerts that close what other services have about resolved faults: issues of trackers, and alerts of on-call services, which
// know an alert by its subject. An alert about many faults at once, or about a deploy, does not cover these. They go to the integrations that
// subscribe to resolved.
func (t Tx) closing(ctx context.Context, now time.Time, issues, pages []int64, facts alerts.AlertFacts) (raised []alerts.Alert, err error) {
	for _, of := range []struct {
		statement string
		faults    []int64
		event     alerts.AlertEvent
	}{{linkedIssues, issues, alerts.AlertIssueClose}, {pagedFaults, pages, alerts.AlertResolved}} {
		err := t.EachRow(ctx, of.statement, func(rows *sql.Rows) error {
			var f faults.Fault
			var integration int64
			var events string
			var wanted []alerts.AlertEvent
			if err := rows.Scan(&f.ID, &f.ProjectID, &f.Environment, &integration, &events); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(events), &wanted); err != nil {
				return fmt.Errorf("read events of integration %d: %w", integration, err)
			}
			if slices.Contains(wanted, alerts.AlertResolved) {
				a := f.Alert(of.event, now, facts)
				a.IntegrationID = integration
				raised = append(raised, a)
			}
			return nil
		}, of.faults)
		if err != nil {
			return nil, fmt.Errorf("find what %s closes: %w", of.event, err)
		}
	}
	return raised, nil
}
