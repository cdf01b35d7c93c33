package accountdb

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// SeenBy holds for a membership m and a project p of the same account if the member may see the project, and the project is not being
// deleted. It expresses in SQL what
// accounts.Scope.May decides for accounts.ReadProject; a test compares the two.
const SeenBy = `NOT p.deleting AND (m.role IN ('Owner', 'Admin') OR EXISTS (SELECT 1 FROM team_projects tp
        JOIN team_members tm ON tm.team_id = tp.team_id WHERE tp.project_id = p.id AND tm.user_id = m.user_id))`

// ProjectFilter selects projects that a user can see; they are listed in order of creation.
type ProjectFilter struct {
	AccountID string // "" for all accounts
	Named     string // only projects whose name contains this, in either case; "" for all
	sett.Page        // a cursor is the id of a project
}

const ProjectsSeen = `-- accountdb.ListProjects
SELECT p.id FROM memberships m JOIN projects p ON p.account_id = m.account_id
WHERE m.user_id = $1 AND ($2 = '' OR m.account_id = $2) AND ` + SeenBy

const projectsNamed = ` AND ($6 = '' OR p.name {{like}} $6 ESCAPE '\')`

const (
	ListProjects     = ProjectsSeen + projectsNamed + " AND p.id > $3 ORDER BY p.id LIMIT $4 OFFSET $5"
	ListProjectsBack = ProjectsSeen + projectsNamed + " AND p.id <= $3 ORDER BY p.id DESC LIMIT $4 OFFSET $5"
)

// ListProjects returns a page of the projects that a user can see, and its cursors. An account that the user does not belong to is a
// NotFound error, and an invalid cursor an Invalid one.
func (s *Store) ListProjects(ctx context.Context, userID int64, f ProjectFilter) (projects []accounts.Project, marks sett.Marks, err error) {
	var at int64
	statement := ListProjects
	if f.Back {
		statement = ListProjectsBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list projects", func(q db.Querier) error {
		if err := s.CheckAccount(ctx, q, userID, f.AccountID); err != nil {
			return err
		}
		skip, most := f.Rows()
		ids, err := s.db.ListIDs(ctx, q, statement, userID, f.AccountID, at, most, skip, db.Containing(f.Named))
		if err != nil {
			return err
		}
		ids, marks = sett.Cut(f.Page, ids, func(id int64) string { return db.FormatMark(id) })
		projects, err = s.projects(ctx, q, ids, withCounts)
		return err
	})
	return projects, marks, err
}

// CheckAccount returns a NotFound error for an account that the user does not belong to; "" means no account.
func (s *Store) CheckAccount(ctx context.Context, q db.Querier, userID int64, accountID string) error {
	if accountID == "" {
		return nil
	}
	var role accounts.Role
	err := q.QueryRowContext(ctx, s.db.Text(accountRole), userID, accountID).Scan(&role)
	return db.NotFound(err, "Account", "read role in account")
}

// ProjectByID returns a project, or a NotFound error.
func (s *Store) ProjectByID(ctx context.Context, projectID int64) (accounts.Project, error) {
	return s.findProject(ctx, projectID, withCounts)
}

// ProjectWithoutCounts is ProjectByID without the counts of the project's faults, which take longer to read than all else.
func (s *Store) ProjectWithoutCounts(ctx context.Context, projectID int64) (accounts.Project, error) {
	return s.findProject(ctx, projectID, withoutCounts)
}

func (s *Store) findProject(ctx context.Context, projectID int64, counts countFaults) (p accounts.Project, err error) {
	err = s.db.Snapshot(ctx, "find project", func(q db.Querier) error {
		p, err = s.project(ctx, q, projectID, counts)
		return err
	})
	return p, err
}

// ReadProject is ProjectByID in a snapshot.
func (s *Store) ReadProject(ctx context.Context, q db.Querier, projectID int64) (accounts.Project, error) {
	return s.project(ctx, q, projectID, withCounts)
}

// ReadProjectWithoutCounts is ProjectWithoutCounts in a snapshot.
func (s *Store) ReadProjectWithoutCounts(ctx context.Context, q db.Querier, projectID int64) (accounts.Project, error) {
	return s.project(ctx, q, projectID, withoutCounts)
}

func (s *Store) project(ctx context.Context, q db.Querier, projectID int64, counts countFaults) (accounts.Project, error) {
	found, err := s.projects(ctx, q, []int64{projectID}, counts)
	if err == nil && len(found) == 0 {
		err = sett.Errorf(sett.NotFound, "Project not found")
	}
	if err != nil {
		return accounts.Project{}, err
	}
	return found[0], nil
}

const visibleProjectIDs = `-- accountdb.VisibleProjectIDs
SELECT p.id FROM memberships m JOIN projects p ON p.account_id = m.account_id WHERE m.user_id = $1 AND ` + SeenBy + ` ORDER BY p.id`

// VisibleProjectIDs returns the ids of all projects that a user can see.
func (s *Store) VisibleProjectIDs(ctx context.Context, userID int64) ([]int64, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, visibleProjectIDs, userID)
	if err != nil {
		return nil, fmt.Errorf("list visible projects: %w", err)
	}
	return ids, nil
}

const projectOfKey = `-- accountdb.ProjectOfKey
SELECT p.id, k.scope FROM project_keys k JOIN projects p ON p.id = k.project_id JOIN memberships m ON m.account_id = p.account_id
WHERE m.user_id = $1 AND k.key = $2 AND ` + SeenBy

// ProjectOfKey returns the project of an API key and the key's scope, or a NotFound error if there is none or the user cannot see it.
func (s *Store) ProjectOfKey(ctx context.Context, userID int64, key string) (p accounts.Project, scope accounts.KeyScope, err error) {
	err = s.db.Snapshot(ctx, "find project of key", func(q db.Querier) error {
		var id int64
		if err := q.QueryRowContext(ctx, s.db.Text(projectOfKey), userID, key).Scan(&id, &scope); err != nil {
			return db.NotFound(err, "Project", "find key")
		}
		p, err = s.project(ctx, q, id, withCounts)
		return err
	})
	return p, scope, err
}

const LockProject = `-- accountdb.lockProject
SELECT id FROM projects WHERE id = $1 {{for update}}`
