package statusdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const holdPageByID = `-- statusdb.holdPageByID
SELECT number FROM status_pages WHERE account_id = $1 AND id = $2 {{for no key update}}`

// ChangeStatusPage runs f with a locked status page of an account, and evaluates the page afterwards: reported outages and maintenance
// affect the automatic incidents.
func (s *Store) ChangeStatusPage(ctx context.Context, what string, now time.Time, accountID, id string, f func(Tx, status.StatusPage) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		t.KeepsCaches = true
		return t.changeStatusPage(ctx, now, accountID, id, f)
	})
}

func (t Tx) changeStatusPage(ctx context.Context, now time.Time, accountID, id string, f func(Tx, status.StatusPage) error) error {
	var number int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(holdPageByID), accountID, id).Scan(&number); err != nil {
		return db.NotFound(err, "Status page", "lock status page")
	}
	page, err := t.s.statusPage(ctx, t, statusPageByNumber, number)
	if err != nil {
		return err
	}
	if err := f(t, page); err != nil {
		return err
	}
	return t.evaluateStatusPages(ctx, now, number)
}

// changeIncident is ChangeStatusPage for an incident of the page. The error is NotFound if the page has no such incident.
func (s *Store) changeIncident(ctx context.Context, what string, now time.Time, accountID, page string, id int64, f func(Tx, status.StatusPage, status.StatusIncident) error) error {
	return s.ChangeStatusPage(ctx, what, now, accountID, page, func(t Tx, p status.StatusPage) error {
		i, err := s.incident(ctx, t, p.Number, id)
		if err != nil {
			return err
		}
		return f(t, p, i)
	})
}

// CreateIncident creates an incident, or schedules maintenance, on a status page. The error is NotFound if the account has no such page,
// and Invalid if a field is rejected.
func (s *Store) CreateIncident(ctx context.Context, now time.Time, accountID, page string, change status.IncidentChange) (made ShownIncident, err error) {
	err = s.inTx(ctx, "create incident", func(t Tx) error {
		t.KeepsCaches = true
		made, err = t.AddIncident(ctx, now, accountID, page, change)
		return err
	})
	return made, err
}

// AddIncident is CreateIncident in a transaction.
func (t Tx) AddIncident(ctx context.Context, now time.Time, accountID, page string, change status.IncidentChange) (made ShownIncident, err error) {
	now = db.FromMicros(db.Micros(now)) // with the precision in which it is read
	err = t.changeStatusPage(ctx, now, accountID, page, func(t Tx, p status.StatusPage) error {
		i, u, err := change.Create(p, now)
		if err != nil {
			return err
		}
		i, err = t.WriteIncident(ctx, p.Number, i, u)
		made = ShownIncident{i, p}
		return err
	})
	return made, err
}

// IncidentByID returns an incident of an account's status page, or a NotFound error.
func (t Tx) IncidentByID(ctx context.Context, accountID, page string, id int64) (status.StatusIncident, error) {
	p, err := t.s.statusPage(ctx, t, oneStatusPage, accountID, page)
	if err != nil {
		return status.StatusIncident{}, err
	}
	return t.s.incident(ctx, t, p.Number, id)
}

// UpdateIncident applies a change to an incident, which is no longer automatic after that. The error is NotFound if the page has no such
// incident; otherwise see CreateIncident.
func (s *Store) UpdateIncident(ctx context.Context, now time.Time, accountID, page string, id int64, change status.IncidentChange) error {
	return s.changeIncident(ctx, "update incident", now, accountID, page, id, func(t Tx, p status.StatusPage, i status.StatusIncident) error {
		i, err := change.Update(i, p, now)
		if err != nil {
			return err
		}
		if err := t.writePostMortem(ctx, i); err != nil {
			return err
		}
		_, err = t.WriteIncident(ctx, p.Number, i, status.IncidentUpdate{})
		return err
	})
}

const deleteIncident = `-- statusdb.DeleteIncident
DELETE FROM status_incidents WHERE id = $1`

// DeleteIncident deletes an incident with its updates. The error is NotFound if the page has no such incident, and Invalid if it is
// automatic and still open.
func (s *Store) DeleteIncident(ctx context.Context, now time.Time, accountID, page string, id int64) error {
	return s.changeIncident(ctx, "delete incident", now, accountID, page, id, func(t Tx, _ status.StatusPage, i status.StatusIncident) error {
		if err := i.CheckDelete(); err != nil {
			return err
		}
		_, err := t.Exec(ctx, deleteIncident, i.ID)
		return db.Wrap("delete incident", err)
	})
}

// AddIncidentUpdate adds an update to an incident, which is no longer automatic after that. The error is NotFound if the page has no such
// incident, and Invalid if a field is rejected.
func (s *Store) AddIncidentUpdate(ctx context.Context, now time.Time, accountID, page string, id int64, change status.IncidentUpdateChange) (u status.IncidentUpdate, err error) {
	now = db.FromMicros(db.Micros(now)) // with the precision in which it is read
	err = s.changeIncident(ctx, "add update of incident", now, accountID, page, id, func(t Tx, p status.StatusPage, i status.StatusIncident) error {
		i, said, err := change.Create(i, now)
		if err != nil {
			return err
		}
		if i, err = t.WriteIncident(ctx, p.Number, i, said); err == nil {
			u = i.Updates[0]
		}
		return err
	})
	return u, err
}

const writeIncidentUpdate = `-- statusdb.ChangeIncidentUpdate
UPDATE status_updates SET message = $2, automatic = false, facts = '' WHERE id = $1`

// ChangeIncidentUpdate changes the message of an incident's update. The error is NotFound if the incident has no such update; otherwise
// see AddIncidentUpdate.
func (s *Store) ChangeIncidentUpdate(ctx context.Context, now time.Time, accountID, page string, id, update int64, change status.IncidentUpdateChange) error {
	return s.changeIncident(ctx, "change update of incident", now, accountID, page, id, func(t Tx, p status.StatusPage, i status.StatusIncident) error {
		have, err := i.UpdateByID(update)
		if err != nil {
			return err
		}
		u, err := change.Update(have)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, writeIncidentUpdate, u.ID, u.Message); err != nil {
			return fmt.Errorf("write update of incident: %w", err)
		}
		_, err = t.WriteIncident(ctx, p.Number, i.Written(now), status.IncidentUpdate{})
		return err
	})
}

const deleteIncidentUpdate = `-- statusdb.DeleteIncidentUpdate
DELETE FROM status_updates WHERE id = $1`

// DeleteIncidentUpdate deletes an update of an incident, whose state then follows from its other updates. The error is NotFound if the
// incident has no such update, and Invalid if it has no other.
func (s *Store) DeleteIncidentUpdate(ctx context.Context, now time.Time, accountID, page string, id, update int64) error {
	return s.changeIncident(ctx, "delete update of incident", now, accountID, page, id, func(t Tx, p status.StatusPage, i status.StatusIncident) error {
		i, err := i.Without(update, now)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, deleteIncidentUpdate, update); err != nil {
			return fmt.Errorf("delete update of incident: %w", err)
		}
		_, err = t.WriteIncident(ctx, p.Number, i, status.IncidentUpdate{})
		return err
	})
}
