package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// stateAsked is the state that a delivery gives the issue of its fault; "" for none.
func stateAsked(event alerts.AlertEvent) triage.IssueState {
	switch event {
	case alerts.AlertIssueReopen, alerts.AlertUnresolved, alerts.AlertOccurred:
		return triage.IssueOpen
	case alerts.AlertIssueClose, alerts.AlertResolved:
		return triage.IssueClosed
	}
	return ""
}

const expectStates = `-- deliverydb.expectStates
UPDATE fault_links SET issue_state = k.state FROM {{rows k(fault_id bigint, integration_id bigint, state text)}}
WHERE fault_links.fault_id = k.fault_id AND fault_links.integration_id = k.integration_id AND fault_links.issue_state <> k.state`

// expectStates keeps the states that claimed deliveries are about to give issues, before they do: the webhook about it may come before the answer,
// and must be no news.
func (t Tx) expectStates(ctx context.Context, claimed []ClaimedDelivery) error {
	var faults, integrations []int64
	var states []string
	for _, c := range claimed {
		if state := stateAsked(c.Event); c.Link != nil && state != "" {
			faults, integrations, states = append(faults, c.Alert.FaultID), append(integrations, c.IntegrationID), append(states, string(state))
		}
	}
	return db.Wrap("expect states of issues", t.Each(ctx, expectStates, faults, integrations, states))
}

const keepIssueStates = `-- deliverydb.keepIssueStates
UPDATE fault_links SET issue_state = CASE WHEN k.failed = 1 AND fault_links.issue_state = k.state THEN '' ELSE fault_links.issue_state END,
    issue_at = CASE WHEN k.at > fault_links.issue_at THEN k.at ELSE fault_links.issue_at END
FROM {{rows k(alert_id bigint, integration_id bigint, state text, at bigint, failed bigint)}} JOIN alerts a ON a.id = k.alert_id
WHERE fault_links.fault_id = a.fault_id AND fault_links.integration_id = k.integration_id`

// keepIssueStates keeps until when, by the clock of the tracker, sett has set the state of issues: what a webhook says of a time before is not news.
// The state of an issue that could not be set is not known.
func (t Tx) keepIssueStates(ctx context.Context, _ time.Time, recorded []recordedDelivery) error {
	var alertIDs, integrations, ats, failed []int64
	var states []string
	for _, r := range recorded {
		state := stateAsked(r.event)
		if state == "" || r.integration == 0 || r.State != alerts.DeliveryFailed && r.IssueAt.IsZero() {
			continue
		}
		alertIDs, integrations, states = append(alertIDs, r.alert), append(integrations, r.integration), append(states, string(state))
		ats, failed = append(ats, db.Micros(r.IssueAt)), append(failed, map[bool]int64{true: 1}[r.State == alerts.DeliveryFailed])
	}
	return t.Each(ctx, keepIssueStates, alertIDs, integrations, states, ats, failed)
}

const trackerByID = `-- deliverydb.TrackerByID
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.id = $1`

// TrackerByID returns an integration of any project, for its webhook, or a NotFound error.
func (s *Store) TrackerByID(ctx context.Context, id int64) (alerts.Integration, error) {
	found, err := s.integrations(ctx, s.db.Read, trackerByID, id)
	if err == nil && len(found) == 0 {
		return alerts.Integration{}, sett.Errorf(sett.NotFound, "Integration not found")
	}
	if err != nil {
		return alerts.Integration{}, db.Wrap("find integration", err)
	}
	return found[0], nil
}
