package fault

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const linkedIssues = `-- store.linkedIssues
SELECT f.id, f.project_id, f.environment, i.id, i.events
FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id JOIN fault_links l ON l.fault_id = f.id JOIN integrations i ON i.id = l.integration_id
WHERE i.active`

// closingIssues returns the alerts that close the issues of resolved faults, for the trackers that subscribe to this. An alert about many
// faults at once does not cover their issues.
func (t Tx) closingIssues(ctx context.Context, now time.Time, faults []int64, facts sett.AlertFacts) (alerts []sett.Alert, err error) {
	err = t.EachRow(ctx, linkedIssues, func(rows *sql.Rows) error {
		var f sett.Fault
		var tracker int64
		var events string
		var wanted []sett.AlertEvent
		if err := rows.Scan(&f.ID, &f.ProjectID, &f.Environment, &tracker, &events); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(events), &wanted); err != nil {
			return fmt.Errorf("read events of integration %d: %w", tracker, err)
		}
		if slices.Contains(wanted, sett.AlertResolved) {
			a := f.Alert(sett.AlertIssueClose, now, facts)
			a.IntegrationID = tracker
			alerts = append(alerts, a)
		}
		return nil
	}, faults)
	return alerts, db.Wrap("find issues", err)
}

// Only what was sent to a service, or may be, is closed there: a deploy may resolve thousands of faults, and a service takes two messages a second.
const pagedFaults = `-- store.pagedFaults
SELECT f.id, f.project_id, f.environment, i.id
FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id JOIN integrations i ON i.project_id = f.project_id
WHERE i.active AND i.type IN ('PagerDutyV2', 'Opsgenie', 'JSM') AND (
    coalesce((SELECT d.event FROM deliveries d WHERE d.receiver = 'integration ' || i.id AND d.subject = 'fault ' || f.id AND d.state <> 'held'
        ORDER BY d.id DESC LIMIT 1), 'resolved') <> 'resolved'
    OR EXISTS (SELECT 1 FROM alerts a WHERE a.fault_id = f.id AND a.fault_id > 0 AND NOT a.spread))
ORDER BY f.id, i.id`

// closingPages returns the alerts that close what on-call services opened about resolved faults. They know an alert by its subject, which one
// about many faults at once or about a deploy does not have.
func (t Tx) closingPages(ctx context.Context, now time.Time, faults []int64, facts sett.AlertFacts) (alerts []sett.Alert, err error) {
	err = t.EachRow(ctx, pagedFaults, func(rows *sql.Rows) error {
		var f sett.Fault
		var pager int64
		if err := rows.Scan(&f.ID, &f.ProjectID, &f.Environment, &pager); err != nil {
			return err
		}
		a := f.Alert(sett.AlertResolved, now, facts)
		a.IntegrationID = pager
		alerts = append(alerts, a)
		return nil
	}, faults)
	return alerts, db.Wrap("find pages", err)
}
