package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const knownIssue = `-- deliverydb.knownIssue
SELECT EXISTS (SELECT 1 FROM fault_links WHERE fault_id = $1 AND integration_id = $2),
    EXISTS (SELECT 1 FROM deliveries WHERE receiver = $3 AND subject = $4 AND event = $5 AND state = 'due')`

// AskIssue asks an integration that is an issue tracker to create an issue of a fault, or to close or reopen the linked one, on behalf of
// a user: the event is alerts.AlertIssueCreate, AlertIssueClose or AlertIssueReopen. It returns the delivery of this request. The error is
// NotFound if the project has no such fault. It is Invalid if the project has no such integration, if its kind is not a tracker, or if a
// link is missing or already exists.
func (s *Store) AskIssue(ctx context.Context, now time.Time, userID, projectID, faultID, integrationID int64, event alerts.AlertEvent, kinds []alerts.IntegrationKind) (d alerts.Delivery, err error) {
	a := alerts.Alert{ProjectID: projectID, Event: event, Subject: alerts.FaultSubject(faultID), FaultID: faultID, IntegrationID: integrationID, At: now}
	err = s.inTx(ctx, "ask for issue", func(t Tx) error {
		t.KeepsCaches = true
		if err := t.QueryRowContext(ctx, s.db.Text(faultdb.LockFault), projectID, faultID).Scan(&a.Environment); err != nil {
			return db.NotFound(err, "Fault", "lock fault")
		}
		if err := t.checkIssue(ctx, a, kinds); err != nil {
			return err
		}
		actor, err := t.account().Person(ctx, userID)
		if err != nil {
			return err
		}
		a.Facts.Actor = &actor
		if err := t.raiseFor(ctx, now, &a, integrationReceiver(alerts.Integration{ID: integrationID})); err != nil {
			return db.Wrap("raise alert", err)
		}
		d, err = scanDelivery(t.QueryRowContext(ctx, s.db.Text(deliveryOf), a.ID))
		return err
	})
	return d, err
}

// checkIssue returns why the integration cannot get the request of an alert, or nil.
func (t Tx) checkIssue(ctx context.Context, a alerts.Alert, kinds []alerts.IntegrationKind) error {
	kind, err := t.fault().Linkable(ctx, a.ProjectID, a.FaultID, a.IntegrationID)
	if err != nil {
		return err
	}
	var linked, asked bool
	row := t.QueryRowContext(ctx, t.s.db.Text(knownIssue), a.FaultID, a.IntegrationID, string(alerts.IntegrationReceiver(a.IntegrationID)),
		string(a.Subject), string(alerts.AlertIssueCreate))
	if err := row.Scan(&linked, &asked); err != nil {
		return err
	}
	known, _ := alerts.FindIntegrationKind(kinds, kind)
	return faults.CheckIssue(a.Event, known, linked, asked)
}
