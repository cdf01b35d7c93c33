package deliverydb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/maintenance"
	"sett/internal/store/db"
)

// MaintenanceChanged is the topic of maintenance windows that may have to be settled.
const MaintenanceChanged db.Topic = "maintenance changed"

// windowColumns are the columns that scanWindow reads.
const windowColumns = `w.id, w.project_id, w.reason, w.starts_at, w.ends_at, w.until_ended, w.site_ids, w.check_in_ids, w.errors, w.created_at, w.updated_at, w.closed_at, w.settled_at,
    w.held, w.sent, u.id, u.email, u.name`

const fromWindows = ` FROM maintenance_windows w LEFT JOIN users u ON u.id = w.made_by`

func scanWindow(row db.Row) (w maintenance.Window, err error) {
	var starts, ends, created, updated, closed, settled int64
	var sites, checkIns []byte
	var id sql.NullInt64
	var email, name sql.NullString
	err = row.Scan(&w.ID, &w.ProjectID, &w.Reason, &starts, &ends, &w.UntilEnded, &sites, &checkIns, &w.Errors, &created, &updated, &closed, &settled, &w.Held, &w.Sent, &id, &email, &name)
	if err != nil {
		return w, err
	}
	w.StartsAt, w.EndsAt, w.CreatedAt, w.UpdatedAt = db.FromMicros(starts), db.FromMicros(ends), db.FromMicros(created), db.FromMicros(updated)
	w.Closed = closed > 0
	if settled > 0 {
		w.SettledAt = db.FromMicros(settled)
	}
	if id.Valid {
		w.MadeBy = &sett.Person{ID: id.Int64, Email: email.String, Name: name.String}
	}
	for text, into := range map[*[]byte]*[]string{&sites: &w.SiteIDs, &checkIns: &w.CheckInIDs} {
		if err := json.Unmarshal(*text, into); err != nil {
			return w, fmt.Errorf("read what maintenance window %d is for: %w", w.ID, err)
		}
	}
	return w, nil
}

const listWindows = `-- deliverydb.ListMaintenance
SELECT ` + windowColumns + fromWindows + ` WHERE w.project_id = $1 AND w.id < $2 ORDER BY w.id DESC LIMIT $3 OFFSET $4`

const listWindowsBack = `-- deliverydb.ListMaintenanceBack
SELECT ` + windowColumns + fromWindows + ` WHERE w.project_id = $1 AND w.id >= $2 ORDER BY w.id LIMIT $3 OFFSET $4`

// ListMaintenance returns maintenance windows of a project, newest first.
func (s *Store) ListMaintenance(ctx context.Context, projectID int64, p sett.Page) (found []maintenance.Window, marks sett.Marks, err error) {
	at, statement := int64(math.MaxInt64), listWindows
	if p.Back {
		statement = listWindowsBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	if found, err = s.windows(ctx, s.db.Read, statement, projectID, at, most, skip); err != nil {
		return nil, sett.Marks{}, db.Wrap("list maintenance windows", err)
	}
	found, marks = sett.Cut(p, found, func(w maintenance.Window) string { return db.FormatMark(w.ID) })
	return found, marks, nil
}

const openWindows = `-- deliverydb.OpenMaintenance
SELECT ` + windowColumns + fromWindows + ` WHERE w.project_id = $1 AND w.settled_at = 0 AND w.ends_at > $2 ORDER BY w.starts_at, w.id`

// OpenMaintenance returns the active and the planned windows of a project, in the order in which they start.
func (s *Store) OpenMaintenance(ctx context.Context, now time.Time, projectID int64) ([]maintenance.Window, error) {
	found, err := s.windows(ctx, s.db.Read, openWindows, projectID, db.Micros(now))
	return found, db.Wrap("list open maintenance windows", err)
}

func (s *Store) windows(ctx context.Context, q db.Querier, statement string, args ...any) (found []maintenance.Window, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, scanWindow)
}

const windowByID = `-- deliverydb.MaintenanceByID
SELECT ` + windowColumns + fromWindows + ` WHERE w.project_id = $1 AND w.id = $2`

// MaintenanceByID returns a maintenance window of a project. The error is NotFound if the project has no such window.
func (s *Store) MaintenanceByID(ctx context.Context, projectID, id int64) (maintenance.Window, error) {
	w, err := scanWindow(s.db.Read.QueryRowContext(ctx, s.db.Text(windowByID), projectID, id))
	return w, db.NotFound(err, "Maintenance window", "find maintenance window")
}
