package accountdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const accountRoles = `-- accountdb.accountRoles
SELECT account_id, role FROM memberships WHERE user_id = $1 AND ($2 = '' OR account_id = $2) ORDER BY created_at, account_id`

// CreateProject creates a project with an API key in an account, owned by the calling user; "" stands for the first of the user's
// accounts in which they may create projects. The error is NotFound for an account that the user does not belong to, Forbidden if they
// may not create projects in it, and Invalid if the change cannot be applied.
func (s *Store) CreateProject(ctx context.Context, now time.Time, userID int64, accountID string, change accounts.ProjectChange) (p accounts.Project, err error) {
	err = s.inTx(ctx, "create project", func(t Tx) error {
		accountID, err := s.accountFor(ctx, t, userID, accountID, accounts.CreateProject)
		if err != nil {
			return err
		}
		settings, err := t.applyProject(ctx, accountID, accounts.NewProjectSettings(), change)
		if err != nil {
			return err
		}
		id, _, err := t.AddProject(ctx, now, accountID, userID, settings)
		if err != nil {
			return err
		}
		if err := t.setProjectTeams(ctx, id, change.TeamIDs); err != nil {
			return err
		}
		p, err = s.project(ctx, t, id, withCounts)
		return err
	})
	return p, err
}

// AccountFor returns the account for which a user has a permission: the one with the given id or, for "", the first of theirs. The error
// is NotFound for an account that the user does not belong to, and Forbidden without the permission.
func (s *Store) AccountFor(ctx context.Context, userID int64, accountID string, p accounts.Permission) (string, error) {
	return s.accountFor(ctx, s.db.Read, userID, accountID, p)
}

func (s *Store) accountFor(ctx context.Context, q db.Querier, userID int64, accountID string, p accounts.Permission) (found string, err error) {
	var belongs bool
	rows, err := q.QueryContext(ctx, s.db.Text(accountRoles), userID, accountID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		var scope accounts.Scope
		err := rows.Scan(&id, &scope.Role)
		if belongs = true; found == "" && scope.May(p) {
			found = id
		}
		return err
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("read roles: %w", err)
	case !belongs && accountID != "":
		return "", sett.Errorf(sett.NotFound, "Account not found")
	case found == "":
		return "", sett.Errorf(sett.Forbidden, "Your role does not allow this. Ask an admin or owner of the account to do it.")
	}
	auditIn(ctx, found)
	return found, nil
}

// settingsOf lists the columns of a project that people write.
func settingsOf(s *accounts.ProjectSettings) db.Columns {
	return db.Columns{
		db.At("name", &s.Name),
		db.At("language", &s.Language),
		db.At("resolve_errors_on_deploy", &s.ResolveErrorsOnDeploy),
		db.At("disable_public_links", &s.DisablePublicLinks),
		db.At("user_url", &s.UserURL),
		db.At("source_url", &s.SourceURL),
		db.At("trace_url", &s.TraceURL),
		db.At("purge_days", &s.PurgeDays),
		db.At("user_search_field", &s.UserSearchField),
	}
}

var noSettings = settingsOf(&accounts.ProjectSettings{}) // for names of columns

var insertProject = "-- accountdb.createProject\nINSERT INTO projects (active, account_id, owner_id, created_at, " + noSettings.Names() + ") VALUES (true, $1, $2, $3, " + noSettings.Parameters(4) + ") RETURNING id"

const insertProjectKey = `-- accountdb.insertProjectKey
INSERT INTO project_keys (key, project_id, created_at, scope) VALUES ($1, $2, $3, $4)`

// AddProject makes a project with a key in an account, in the transaction of its caller, who has checked what is asked for.
func (t Tx) AddProject(ctx context.Context, now time.Time, accountID string, ownerID int64, settings accounts.ProjectSettings) (id int64, key string, err error) {
	row := t.QueryRowContext(ctx, t.s.db.Text(insertProject), settingsOf(&settings).Values(accountID, ownerID, db.Micros(now))...)
	if err := row.Scan(&id); err != nil {
		return 0, "", fmt.Errorf("insert project: %w", err)
	}
	key = sett.NewProjectKey(db.RandomOf(ctx))
	if _, err := t.Exec(ctx, insertProjectKey, key, id, db.Micros(now), string(accounts.ScopeAll)); err != nil {
		return 0, "", fmt.Errorf("insert project key: %w", err)
	}
	return id, key, nil
}

var projectSettings = "-- accountdb.projectSettings\nSELECT account_id, " + noSettings.Names() + " FROM projects WHERE id = $1 {{for update}}"

var updateProject = "-- accountdb.UpdateProject\nUPDATE projects SET " + noSettings.Set(2) + " WHERE id = $1"

// UpdateProject applies a change to the settings and teams of a project. The error is Invalid if the change cannot be applied.
func (s *Store) UpdateProject(ctx context.Context, projectID int64, change accounts.ProjectChange) error {
	return s.inTx(ctx, "update project", func(t Tx) error {
		var account string
		var p accounts.ProjectSettings
		err := t.QueryRowContext(ctx, s.db.Text(projectSettings), projectID).Scan(settingsOf(&p).Into(&account)...)
		if err != nil {
			return db.NotFound(err, "Project", "read settings")
		}
		if p, err = t.applyProject(ctx, account, p, change); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, updateProject, settingsOf(&p).Values(projectID)...); err != nil {
			return err
		}
		return t.setProjectTeams(ctx, projectID, change.TeamIDs)
	})
}

const teamIDs = `-- accountdb.teamIDs
SELECT id FROM teams WHERE account_id = $1`

// applyProject applies a change to a project of an account; its errors are those of accounts.ProjectChange.Apply.
func (t Tx) applyProject(ctx context.Context, accountID string, p accounts.ProjectSettings, change accounts.ProjectChange) (accounts.ProjectSettings, error) {
	var teams []int64
	if change.TeamIDs.Sent {
		var err error
		if teams, err = t.s.db.ListIDs(ctx, t, teamIDs, accountID); err != nil {
			return p, fmt.Errorf("list ids of teams: %w", err)
		}
	}
	return change.Apply(p, teams)
}

const deleteProjectTeams = `-- accountdb.deleteProjectTeams
DELETE FROM team_projects WHERE project_id = $1`

const insertProjectTeam = `-- accountdb.insertProjectTeam
INSERT INTO team_projects (team_id, project_id) VALUES ($1, $2)`

const unassignStrangers = `-- accountdb.unassignStrangers
UPDATE faults SET assignee_id = NULL WHERE project_id = $1 AND assignee_id < 0
AND NOT EXISTS (SELECT 1 FROM team_projects p WHERE p.project_id = $1 AND p.team_id = -faults.assignee_id)`

// setProjectTeams sets the teams that see a project, if they were sent; null means none. Teams that no longer see it lose its faults.
func (t Tx) setProjectTeams(ctx context.Context, projectID int64, teams sett.Optional[[]int64]) error {
	if !teams.Sent {
		return nil
	}
	if _, err := t.Exec(ctx, deleteProjectTeams, projectID); err != nil {
		return fmt.Errorf("take project from teams: %w", err)
	}
	for _, team := range slices.Compact(slices.Sorted(slices.Values(teams.Value))) {
		if _, err := t.Exec(ctx, insertProjectTeam, team, projectID); err != nil {
			return fmt.Errorf("give project to team: %w", err)
		}
	}
	if _, err := t.Exec(ctx, unassignStrangers, projectID); err != nil {
		return fmt.Errorf("unassign faults of teams that no longer see the project: %w", err)
	}
	return nil
}
