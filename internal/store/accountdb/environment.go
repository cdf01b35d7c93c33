package accountdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const projectEnvironments = `-- accountdb.projects environments
SELECT project_id, name FROM (SELECT id, project_id, name,
    row_number() OVER (PARTITION BY project_id ORDER BY CASE WHEN name IN ('` + payload.DefaultEnvironment + `', '` + faults.OtherEnvironment + `') THEN 0 ELSE 1 END, id) AS place
    FROM environments WHERE project_id IN `

var environmentsShown = fmt.Sprintf(") few WHERE place <= %d ORDER BY id", faults.MostEnvironmentsShown)

// environments adds the environments in the order in which they were first seen, at most faults.MostEnvironmentsShown.
func (r *projectReader) environments(ctx context.Context) error {
	var name string
	return r.each(ctx, projectEnvironments, environmentsShown, func(p *accounts.Project) {
		p.Environments = append(p.Environments, name)
	}, &name)
}

const environmentsOf = `-- accountdb.environments
SELECT id, project_id, name, notifications, created_at, updated_at FROM environments WHERE project_id = $1`

const (
	listEnvironments     = environmentsOf + " AND id > $2 ORDER BY id LIMIT $3 OFFSET $4"
	listEnvironmentsBack = environmentsOf + " AND id <= $2 ORDER BY id DESC LIMIT $3 OFFSET $4"
	oneEnvironment       = environmentsOf + " AND id = $2"
)

// ListEnvironments returns a page of the environments of a project, in order of creation, and its cursors. An invalid cursor is an
// Invalid error.
func (s *Store) ListEnvironments(ctx context.Context, projectID int64, p sett.Page) (found []accounts.Environment, marks sett.Marks, err error) {
	var at int64
	statement := listEnvironments
	if p.Back {
		statement = listEnvironmentsBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	if found, err = s.environments(ctx, s.db.Read, statement, projectID, at, most, skip); err != nil {
		return nil, sett.Marks{}, err
	}
	found, marks = sett.Cut(p, found, func(e accounts.Environment) string { return db.FormatMark(e.ID) })
	return found, marks, nil
}

// ReadEnvironments returns the first environments of a project, in a snapshot.
func (s *Store) ReadEnvironments(ctx context.Context, q db.Querier, projectID int64, most int) ([]accounts.Environment, error) {
	return s.environments(ctx, q, listEnvironments, projectID, int64(0), most, 0)
}

func (s *Store) environments(ctx context.Context, q db.Querier, statement string, args ...any) (found []accounts.Environment, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	found, err = db.Collect(rows, err, scanEnvironment)
	return found, db.Wrap("list environments", err)
}

// EnvironmentsFull reports whether a project has so many environments that reports create no more.
func (s *Store) EnvironmentsFull(ctx context.Context, projectID int64) (bool, error) {
	var n int64
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(countEnvironments), projectID, faults.MostEnvironments).Scan(&n)
	return n >= faults.MostEnvironments, db.Wrap("count environments", err)
}

// EnvironmentByID returns an environment of a project, or a NotFound error.
func (s *Store) EnvironmentByID(ctx context.Context, projectID, id int64) (accounts.Environment, error) {
	e, err := scanEnvironment(s.db.Read.QueryRowContext(ctx, s.db.Text(oneEnvironment), projectID, id))
	return e, db.NotFound(err, "Environment", "find environment")
}

func scanEnvironment(row db.Row) (e accounts.Environment, err error) {
	var created, updated int64
	err = row.Scan(&e.ID, &e.ProjectID, &e.Name, &e.Notifications, &created, &updated)
	e.CreatedAt, e.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
	return e, err
}

const insertEnvironment = `-- accountdb.CreateEnvironment
INSERT INTO environments (project_id, name, notifications, created_at, updated_at)
SELECT p.id, $2, $3, $4, $4 FROM projects p WHERE p.id = $1
RETURNING id, project_id, name, notifications, created_at, updated_at`

// CreateEnvironment creates an environment of a project. The error is NotFound if there is no such project, Invalid if a field is
// rejected or another environment of the project has the name, and Conflict if there are too many.
func (s *Store) CreateEnvironment(ctx context.Context, now time.Time, projectID int64, change accounts.EnvironmentChange) (e accounts.Environment, err error) {
	settings, err := change.Apply(accounts.NewEnvironmentSettings())
	if err != nil {
		return e, err
	}
	err = s.inTx(ctx, "create environment", func(t Tx) error {
		var n int64
		if err := t.QueryRowContext(ctx, s.db.Text(countEnvironments), projectID, faults.MostOwnEnvironments).Scan(&n); err != nil {
			return err
		}
		if n >= faults.MostOwnEnvironments {
			return sett.Errorf(sett.Conflict, "A project may have %d environments. Delete one first.", faults.MostOwnEnvironments)
		}
		row := t.QueryRowContext(ctx, s.db.Text(insertEnvironment), projectID, settings.Name, settings.Notifications, db.Micros(now))
		e, err = scanEnvironment(row)
		return db.NotFound(err, "Project", "insert environment")
	})
	return e, s.nameTaken(err)
}

const environmentSettings = `-- accountdb.environmentSettings
SELECT name, notifications FROM environments WHERE project_id = $1 AND id = $2 {{for update}}`

const updateEnvironment = `-- accountdb.UpdateEnvironment
UPDATE environments SET name = $3, notifications = $4, updated_at = $5 WHERE project_id = $1 AND id = $2`

// UpdateEnvironment applies a change to an environment. Faults, notices and deploys keep their environment names, and the next notice
// with the old name creates an environment of that name. The error is NotFound if the project has no such environment; otherwise see
// CreateEnvironment.
func (s *Store) UpdateEnvironment(ctx context.Context, now time.Time, projectID, id int64, change accounts.EnvironmentChange) error {
	defer s.ForgetEnvironments(projectID)
	err := s.inTx(ctx, "update environment", func(t Tx) error {
		var have accounts.EnvironmentSettings
		if err := t.QueryRowContext(ctx, s.db.Text(environmentSettings), projectID, id).Scan(&have.Name, &have.Notifications); err != nil {
			return db.NotFound(err, "Environment", "read environment")
		}
		want, err := change.Apply(have)
		if err != nil || want == have {
			return err
		}
		_, err = t.Exec(ctx, updateEnvironment, projectID, id, want.Name, want.Notifications, db.Micros(now))
		return err
	})
	return s.nameTaken(err)
}

// nameTaken turns the error of a duplicate key into one about the name of an environment.
func (s *Store) nameTaken(err error) error {
	if s.db.Conflict(err) {
		return sett.Refuse("name", "has already been taken by another environment of this project")
	}
	return err
}

const deleteEnvironment = `-- accountdb.DeleteEnvironment
DELETE FROM environments WHERE project_id = $1 AND id = $2`

// DeleteEnvironment deletes an environment; its faults, notices and deploys stay, and the next notice or deploy that names it creates it
// again. The error is NotFound if the project has no such environment.
func (s *Store) DeleteEnvironment(ctx context.Context, projectID, id int64) error {
	defer s.ForgetEnvironments(projectID)
	return s.inTx(ctx, "delete environment", func(t Tx) error {
		found, err := t.Changed(ctx, deleteEnvironment, projectID, id)
		if err == nil && found == 0 {
			err = sett.Errorf(sett.NotFound, "Environment not found")
		}
		return err
	})
}
