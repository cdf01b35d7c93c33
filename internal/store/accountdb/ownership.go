package accountdb

import (
	"context"
	"database/sql"

	"sett/internal/sett"
	"sett/internal/sett/owner"
	"sett/internal/store/db"
)

const projectOwnership = `-- accountdb.Ownership
SELECT ownership FROM projects WHERE id = $1`

// Ownership returns the ownership rules of a project, or a NotFound error.
func (s *Store) Ownership(ctx context.Context, projectID int64) (owner.Settings, error) {
	var text string
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(projectOwnership), projectID).Scan(&text)
	return owner.SettingsOf(text), s.db.Explain(db.NotFound(err, "Project", "read ownership"))
}

const holdOwnership = projectOwnership + ` {{for update}}`

const setOwnership = `-- accountdb.setOwnership
UPDATE projects SET ownership = $2 WHERE id = $1`

// UpdateOwnership changes the ownership rules of a project. The error is Invalid if the change cannot be applied.
func (s *Store) UpdateOwnership(ctx context.Context, projectID int64, change owner.OwnershipChange) error {
	return s.inTx(ctx, "update ownership", func(t Tx) error {
		var text string
		if err := t.QueryRowContext(ctx, s.db.Text(holdOwnership), projectID).Scan(&text); err != nil {
			return db.NotFound(err, "Project", "read ownership")
		}
		settings, err := change.Apply(owner.SettingsOf(text))
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, setOwnership, projectID, settings.Text())
		return err
	})
}

const peopleOfProject = `-- accountdb.peopleOfProject
SELECT u.id, u.email, u.name FROM projects p JOIN memberships m ON m.account_id = p.account_id JOIN users u ON u.id = m.user_id
WHERE p.id = $1 AND u.email <> '' AND ` + SeenBy + ` ORDER BY u.id`

const teamsOfProject = `-- accountdb.teamsOfProject
SELECT t.id, t.name, EXISTS (SELECT 1 FROM team_projects s WHERE s.team_id = t.id AND s.project_id = p.id), m.user_id FROM projects p JOIN teams t ON t.account_id = p.account_id LEFT JOIN team_members m ON m.team_id = t.id
WHERE p.id = $1 ORDER BY t.id, m.user_id`

// Owners returns who may own the errors of a project.
func (s *Store) Owners(ctx context.Context, q db.Querier, projectID int64) (d owner.Directory, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(peopleOfProject), projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p sett.Person
		err := rows.Scan(&p.ID, &p.Email, &p.Name)
		d.People = append(d.People, p)
		return err
	})
	if err != nil {
		return d, db.Wrap("read users of project", err)
	}
	rows, err = q.QueryContext(ctx, s.db.Text(teamsOfProject), projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var name string
		var sees bool
		var member sql.NullInt64
		if err := rows.Scan(&id, &name, &sees, &member); err != nil {
			return err
		}
		if n := len(d.Teams); n == 0 || d.Teams[n-1].ID != id {
			d.Teams = append(d.Teams, owner.Team{ID: id, Sees: sees, Name: name})
		}
		if member.Valid {
			last := &d.Teams[len(d.Teams)-1]
			last.Members = append(last.Members, member.Int64)
		}
		return nil
	})
	return d, db.Wrap("read teams of project", err)
}

// ProjectOwners is Owners outside of a transaction.
func (s *Store) ProjectOwners(ctx context.Context, projectID int64) (owner.Directory, error) {
	return s.Owners(ctx, s.db.Read, projectID)
}
