// Package dashboarddb stores dashboards of projects. It takes settings that package dashboard has checked, and changes of them. It returns
// dashboards in the order in which they were made, and refuses one more than a project may have. It never runs what their widgets ask, and
// decides nothing about who may change them.
package dashboarddb

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/dashboard"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct{ db *db.DB }

// New returns the store of an open database.
func New(d *db.DB) *Store { return &Store{d} }

const dashboards = `-- dashboarddb.dashboards
SELECT d.number, d.id, d.project_id, d.title, d.default_ts, d.widgets, d.created_at, d.updated_at,
    NOT EXISTS (SELECT 1 FROM dashboards o WHERE o.project_id = d.project_id AND o.number < d.number)
FROM dashboards d WHERE d.project_id = $1`

const (
	listDashboards     = dashboards + " AND d.number > $2 ORDER BY d.number LIMIT $3 OFFSET $4"
	listDashboardsBack = dashboards + " AND d.number <= $2 ORDER BY d.number DESC LIMIT $3 OFFSET $4"
	oneDashboard       = dashboards + " AND d.id = $2"
)

// numbered is a dashboard with its key.
type numbered struct {
	number int64
	dashboard.Dashboard
}

func scan(row db.Row) (n numbered, err error) {
	var created, updated int64
	var widgets []byte
	if err := row.Scan(&n.number, &n.ID, &n.ProjectID, &n.Title, &n.DefaultTS, &widgets, &created, &updated, &n.First); err != nil {
		return n, err
	}
	n.CreatedAt, n.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
	return n, json.Unmarshal(widgets, &n.Widgets)
}

// List returns a page of the dashboards of a project, in order of creation, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) List(ctx context.Context, projectID int64, p sett.Page) (found []dashboard.Dashboard, marks sett.Marks, err error) {
	var at int64
	statement := listDashboards
	if p.Back {
		statement = listDashboardsBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), projectID, at, most, skip)
	all, err := db.Collect(rows, err, scan)
	if err != nil {
		return nil, sett.Marks{}, db.Wrap("list dashboards", err)
	}
	all, marks = sett.Cut(p, all, func(n numbered) string { return db.FormatMark(n.number) })
	for _, n := range all {
		found = append(found, n.Dashboard)
	}
	return found, marks, nil
}

// ByID returns a dashboard of a project, or a NotFound error.
func (s *Store) ByID(ctx context.Context, projectID int64, id string) (dashboard.Dashboard, error) {
	n, err := scan(s.db.Read.QueryRowContext(ctx, s.db.Text(oneDashboard), projectID, id))
	return n.Dashboard, db.NotFound(err, "Dashboard", "find dashboard")
}

const countDashboards = `-- dashboarddb.countDashboards
SELECT count(*) FROM dashboards WHERE project_id = $1`

const insertDashboard = `-- dashboarddb.Create
INSERT INTO dashboards (id, project_id, title, default_ts, widgets, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)`

// idLength is how many characters an id has.
const idLength = 12

// Create stores a dashboard. The error is Invalid if the project has too many already.
func (s *Store) Create(ctx context.Context, now time.Time, projectID int64, settings dashboard.Settings) (made dashboard.Dashboard, err error) {
	now = now.Truncate(time.Microsecond) // as it is stored
	made = dashboard.Dashboard{ID: sett.RandomStringFrom(db.RandomOf(ctx), idLength), ProjectID: projectID, CreatedAt: now, UpdatedAt: now, Settings: settings}
	err = s.db.InTx(ctx, "create dashboard", func(t *db.Tx) error {
		t.KeepsCaches = true
		if _, err := s.db.ListIDs(ctx, t, accountdb.LockProject, projectID); err != nil { // otherwise two at once could exceed the limit
			return err
		}
		var have int64
		if err := t.QueryRowContext(ctx, s.db.Text(countDashboards), projectID).Scan(&have); err != nil {
			return err
		}
		if err := dashboard.CheckRoom(have); err != nil {
			return err
		}
		made.First = have == 0
		_, err := t.Exec(ctx, insertDashboard, made.ID, projectID, settings.Title, settings.DefaultTS, db.JSONText(settings.Widgets), db.Micros(now))
		return err
	})
	return made, err
}

const updateDashboard = `-- dashboarddb.Change
UPDATE dashboards SET title = $3, default_ts = $4, widgets = $5, updated_at = $6 WHERE project_id = $1 AND id = $2`

const lockDashboard = oneDashboard + " {{for update}}"

// Change replaces the settings of a dashboard by what a function makes of it, and returns when: later than any change before. It returns the error of
// the function. The error is NotFound if the project has no such dashboard.
func (s *Store) Change(ctx context.Context, now time.Time, projectID int64, id string, change func(dashboard.Dashboard) (dashboard.Settings, error)) (at time.Time, err error) {
	err = s.db.InTx(ctx, "change dashboard", func(t *db.Tx) error {
		t.KeepsCaches = true
		n, err := scan(t.QueryRowContext(ctx, s.db.Text(lockDashboard), projectID, id))
		if err != nil {
			return db.NotFound(err, "Dashboard", "find dashboard")
		}
		settings, err := change(n.Dashboard)
		if err != nil {
			return err
		}
		if at = now.Truncate(time.Microsecond); !at.After(n.UpdatedAt) {
			at = n.UpdatedAt.Add(time.Microsecond)
		}
		_, err = t.Exec(ctx, updateDashboard, projectID, id, settings.Title, settings.DefaultTS, db.JSONText(settings.Widgets), db.Micros(at))
		return err
	})
	return at, err
}

const deleteDashboard = `-- dashboarddb.Delete
DELETE FROM dashboards WHERE project_id = $1 AND id = $2`

// Delete deletes a dashboard. The error is NotFound if the project has no such dashboard.
func (s *Store) Delete(ctx context.Context, projectID int64, id string) error {
	return s.db.InTx(ctx, "delete dashboard", func(t *db.Tx) error {
		t.KeepsCaches = true
		changed, err := t.Changed(ctx, deleteDashboard, projectID, id)
		if err == nil && changed == 0 {
			err = sett.Errorf(sett.NotFound, "Dashboard not found")
		}
		return err
	})
}
