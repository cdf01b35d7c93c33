package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

const insertIntegration = `-- deliverydb.CreateIntegration
INSERT INTO integrations (project_id, created_at, updated_at, failed_at, problem, type, active, events, site_ids, check_in_ids, options,
    excluded_environments, filters, rate, threshold, notification_limit, quiet_hours)
SELECT p.id, $2, $2, 0, '', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM projects p WHERE p.id = $1
RETURNING id`

// CreateIntegration creates an integration of one of the kinds in a project. The error is NotFound if there is no such project, and
// Invalid if a field is rejected or the project already has alerts.MaxIntegrations.
func (s *Store) CreateIntegration(ctx context.Context, now time.Time, projectID int64, kinds []alerts.IntegrationKind, change alerts.IntegrationChange) (i alerts.Integration, err error) {
	err = s.inTx(ctx, "create integration", func(t Tx) error {
		t.KeepsCaches = true
		i, err = t.AddIntegration(ctx, now, projectID, kinds, change)
		return err
	})
	return i, err
}

// AddIntegration is CreateIntegration in a transaction.
func (t Tx) AddIntegration(ctx context.Context, now time.Time, projectID int64, kinds []alerts.IntegrationKind, change alerts.IntegrationChange) (i alerts.Integration, err error) {
	var problems sett.Problems
	want := change.Create(&problems, kinds, now)
	if err := t.checkWatched(ctx, &problems, projectID, alerts.IntegrationSettings{}, want); err != nil {
		return i, err
	}
	if err := t.checkIntegrationCount(ctx, projectID); err != nil {
		return i, err
	}
	var id int64
	args := append([]any{projectID, db.Micros(now), want.Type}, integrationArgs(want, "")...)
	if err := t.QueryRowContext(ctx, t.s.db.Text(insertIntegration), args...).Scan(&id); err != nil {
		return i, db.NotFound(err, "Project", "insert integration")
	}
	if err := t.setOptions(ctx, id, want); err != nil {
		return i, err
	}
	if err := t.setEscalation(ctx, projectID, id, want.Escalation); err != nil {
		return i, err
	}
	return t.IntegrationByID(ctx, projectID, id)
}

// IntegrationByID returns an integration of a project, or a NotFound error.
func (t Tx) IntegrationByID(ctx context.Context, projectID, id int64) (alerts.Integration, error) {
	return t.s.integration(ctx, t, projectID, id)
}

const holdIntegrationCount = `-- deliverydb.holdIntegrationCount
SELECT id FROM projects WHERE id = $1 {{for no key update}}`

const countIntegrations = `-- deliverydb.countIntegrations
SELECT count(*) FROM integrations WHERE project_id = $1`

// checkIntegrationCount returns an Invalid error if a project may have no more integrations, and prevents others from creating any. The
// error is NotFound if there is no such project.
func (t Tx) checkIntegrationCount(ctx context.Context, projectID int64) error {
	var have int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(holdIntegrationCount), projectID).Scan(new(int64)); err != nil {
		return db.NotFound(err, "Project", "hold integrations")
	}
	if err := t.QueryRowContext(ctx, t.s.db.Text(countIntegrations), projectID).Scan(&have); err != nil {
		return err
	}
	return alerts.CheckIntegrationCount(have)
}

const setOptions = `-- deliverydb.setOptions
UPDATE integrations SET options = $2 WHERE id = $1`

// setOptions writes the options of a new integration, once it has the id that they are encrypted for.
func (t Tx) setOptions(ctx context.Context, id int64, s alerts.IntegrationSettings) error {
	options, err := t.sealOptions(ctx, id, s)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, setOptions, id, options)
	return err
}

func (t Tx) sealOptions(ctx context.Context, id int64, s alerts.IntegrationSettings) (string, error) {
	if s.Options == nil {
		s.Options = map[string]any{}
	}
	return t.Seal(ctx, sealedOptions, db.JSONText(s.Options), id)
}

// integrationArgs are the changeable fields of an integration, in the order of the statements that write them.
func integrationArgs(s alerts.IntegrationSettings, sealedOptions string) []any {
	return []any{
		s.Active, jsonList(s.Events), jsonList(s.SiteIDs), jsonList(s.CheckInIDs), sealedOptions, jsonList(s.ExcludedEnvironments),
		jsonList(s.Filters), string(s.Rate), s.Threshold, s.NotificationLimit, quietText(s.QuietHours),
	}
}

// jsonList formats a list for storage, never as null.
func jsonList[T any](list []T) string {
	if list == nil {
		list = []T{}
	}
	return db.JSONText(list)
}

const lockIntegration = `-- deliverydb.lockIntegration
SELECT id FROM integrations WHERE project_id = $1 AND id = $2 {{for update}}`

const updateIntegration = `-- deliverydb.UpdateIntegration
UPDATE integrations SET updated_at = $3, failed_at = 0, problem = '', active = $4, events = $5, site_ids = $6, check_in_ids = $7,
    options = $8, excluded_environments = $9, filters = $10, rate = $11, threshold = $12, notification_limit = $13, quiet_hours = $14
WHERE project_id = $1 AND id = $2`

// UpdateIntegration applies a change to an integration and clears its error state. The error is NotFound if the project has no such
// integration, and Invalid if a field is rejected.
func (s *Store) UpdateIntegration(ctx context.Context, now time.Time, projectID, id int64, kinds []alerts.IntegrationKind, change alerts.IntegrationChange) error {
	return s.inTx(ctx, "update integration", func(t Tx) error {
		t.KeepsCaches = true
		have, err := t.lockIntegration(ctx, projectID, id)
		if err != nil {
			return err
		}
		var problems sett.Problems
		want := change.Update(&problems, kinds, have.IntegrationSettings, now)
		if err := t.checkWatched(ctx, &problems, projectID, have.IntegrationSettings, want); err != nil {
			return err
		}
		options, err := t.sealOptions(ctx, id, want)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, updateIntegration, append([]any{projectID, id, db.Micros(now)}, integrationArgs(want, options)...)...); err != nil {
			return err
		}
		if change.Escalation.Sent {
			if err := t.setEscalation(ctx, projectID, id, want.Escalation); err != nil {
				return err
			}
		}
		return t.changeQuiet(ctx, now, id, have.QuietHours, want.QuietHours)
	})
}

// lockIntegration locks an integration against changes and returns it.
func (t Tx) lockIntegration(ctx context.Context, projectID, id int64) (alerts.Integration, error) {
	if err := t.QueryRowContext(ctx, t.s.db.Text(lockIntegration), projectID, id).Scan(new(int64)); err != nil {
		return alerts.Integration{}, db.NotFound(err, "Integration", "lock integration")
	}
	return t.s.integration(ctx, t, projectID, id)
}

const closeIntegration = `-- deliverydb.closeIntegration
UPDATE integrations SET active = false WHERE project_id = $1 AND id = $2`

const sweepDeliveries = `-- deliverydb.sweepDeliveries
DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE integration_id = $1 ORDER BY id LIMIT $2)`

const deleteIntegration = `-- deliverydb.DeleteIntegration
DELETE FROM integrations WHERE project_id = $1 AND id = $2`

const forgetFlood = `-- deliverydb.forgetFlood
DELETE FROM floods WHERE receiver = $1`

const deletionOfIntegration work.Kind = "delete integration"

// integrationPieces is how many pieces of a deletion are done before the answer.
const integrationPieces = 50

// goneIntegration is an integration that is being deleted.
type goneIntegration struct {
	ID int64 `json:"id"`
}

// DeleteIntegration deletes an integration with its links and deliveries, including those that are due. They may be many and are deleted
// in small steps: the first one turns the integration off, the last deletes it. What is not done when it returns is done in the
// background. The error is NotFound if the project has no such integration.
func (s *Store) DeleteIntegration(ctx context.Context, projectID, id int64) error {
	var i work.Item
	err := s.inTx(ctx, "close integration", func(t Tx) error {
		t.KeepsCaches = true
		found, err := t.Changed(ctx, closeIntegration, projectID, id)
		if err == nil && found == 0 {
			err = sett.Errorf(sett.NotFound, "Integration not found")
		}
		if err == nil {
			i, err = s.work.In(t.Tx).Add(ctx, deletionOfIntegration, projectID, goneIntegration{id})
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.work.Begin(ctx, i, integrationPieces, nil)
	return err
}

const (
	sweepLinks = `-- deliverydb.sweepLinks
DELETE FROM fault_links WHERE (fault_id, integration_id) IN (SELECT fault_id, integration_id FROM fault_links WHERE integration_id = $1 LIMIT $2)`
	sweepRateAlerts = `-- deliverydb.sweepRateAlerts
DELETE FROM rate_alerts WHERE (fault_id, integration_id) IN (SELECT fault_id, integration_id FROM rate_alerts WHERE integration_id = $1 LIMIT $2)`
)

// continueIntegration deletes an integration that is turned off.
func (s *Store) continueIntegration(ctx context.Context, i work.Item) error {
	var gone goneIntegration
	if err := i.Read(&gone); err != nil {
		return err
	}
	for what, statement := range map[string]string{"delete deliveries": sweepDeliveries, "delete links of integration": sweepLinks, "delete rates of integration": sweepRateAlerts} {
		if err := s.sweepOf(ctx, what, statement, gone.ID); err != nil {
			return err
		}
	}
	return s.inTx(ctx, "delete integration", func(t Tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, deleteIntegration, i.ProjectID, gone.ID); err != nil {
			return err
		}
		_, err := t.Exec(ctx, forgetFlood, string(alerts.IntegrationReceiver(gone.ID))) // locked after the integration, as in a fan-out
		return err
	})
}

// sweepOf repeats a statement that deletes some rows of an owner until none is left.
func (s *Store) sweepOf(ctx context.Context, what, statement string, owner int64) error {
	return s.sweep(ctx, what, db.RowsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, statement, owner, db.RowsAtOnce)
	})
}
