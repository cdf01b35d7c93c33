package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const projectScope = `-- accountdb.ProjectScope
SELECT p.account_id, p.name, m.role,
    EXISTS (SELECT 1 FROM team_projects tp JOIN team_members tm ON tm.team_id = tp.team_id
        WHERE tp.project_id = p.id AND tm.user_id = m.user_id),
    EXISTS (SELECT 1 FROM team_projects tp JOIN team_members tm ON tm.team_id = tp.team_id
        WHERE tp.project_id = p.id AND tm.user_id = m.user_id AND tm.admin)
FROM projects p JOIN memberships m ON m.account_id = p.account_id WHERE m.user_id = $1 AND p.id = $2 AND NOT p.deleting`

// ProjectScope returns the scope of a user's rights in a project; the zero Scope if they do not belong to its account.
func (s *Store) ProjectScope(ctx context.Context, userID, projectID int64) (accounts.Scope, error) {
	var scope accounts.Scope
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(projectScope), userID, projectID).Scan(
		&scope.AccountID, &scope.Name, &scope.Role, &scope.OfTeam, &scope.TeamAdmin)
	if errors.Is(err, sql.ErrNoRows) {
		return accounts.Scope{}, nil
	}
	if err != nil {
		return accounts.Scope{}, fmt.Errorf("read scope in project: %w", err)
	}
	return scope, nil
}

const accountRole = `-- accountdb.accountRole
SELECT role FROM memberships WHERE user_id = $1 AND account_id = $2`

const accountScope = `-- accountdb.AccountScope
SELECT a.id, a.name, m.role FROM memberships m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = $1 AND m.account_id = $2`

// AccountScope returns the scope of a user's rights in an account; the zero Scope if they do not belong to it.
func (s *Store) AccountScope(ctx context.Context, userID int64, accountID string) (accounts.Scope, error) {
	var scope accounts.Scope
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(accountScope), userID, accountID).Scan(&scope.AccountID, &scope.Name, &scope.Role)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return accounts.Scope{}, fmt.Errorf("read role in account: %w", err)
	}
	return scope, nil
}

const teamScope = `-- accountdb.TeamScope
SELECT t.account_id, t.name, m.role, tm.user_id IS NOT NULL, coalesce(tm.admin, false)
FROM teams t JOIN memberships m ON m.account_id = t.account_id
LEFT JOIN team_members tm ON tm.team_id = t.id AND tm.user_id = m.user_id WHERE m.user_id = $1 AND t.id = $2`

// TeamScope returns the scope of a user's rights in a team; the zero Scope if they do not belong to its account.
func (s *Store) TeamScope(ctx context.Context, userID, teamID int64) (accounts.Scope, error) {
	return s.teamScope(ctx, s.db.Read, userID, teamID)
}

func (s *Store) teamScope(ctx context.Context, q db.Querier, userID, teamID int64) (accounts.Scope, error) {
	var scope accounts.Scope
	err := q.QueryRowContext(ctx, s.db.Text(teamScope), userID, teamID).Scan(
		&scope.AccountID, &scope.Name, &scope.Role, &scope.OfTeam, &scope.TeamAdmin)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return accounts.Scope{}, fmt.Errorf("read scope in team: %w", err)
	}
	return scope, nil
}

const hasUsers = `-- accountdb.HasUsers
SELECT EXISTS (SELECT 1 FROM users)`

const hasSchema = `-- accountdb.hasSchema
SELECT EXISTS (SELECT 1 FROM {{tables}} t WHERE t.name = 'users')`

// HasUsers reports whether any user exists who could sign in. A database without a schema has none, and is not changed.
func (s *Store) HasUsers(ctx context.Context) (has bool, err error) {
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasSchema)).Scan(&has); err != nil {
		return false, fmt.Errorf("look for schema: %w", err)
	}
	if !has {
		return false, nil
	}
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasUsers)).Scan(&has); err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return has, nil
}

// NewUser is a user to create, as a member of an account.
type NewUser struct {
	AccountID string
	Email     string // lower case
	Name      string
	Password  string // PHC text, or "" for none
	Role      accounts.Role
	Proven    bool // the address is verified
}

const insertUser = `-- accountdb.insertUser
INSERT INTO users (email, name, password, proven, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id`

const insertMembership = `-- accountdb.insertMembership
INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)`

// CreateUser creates a user and their membership of an account. The error is Conflict if the address is taken.
func (s *Store) CreateUser(ctx context.Context, now time.Time, u NewUser) (id int64, err error) {
	err = s.inTx(ctx, "create user", func(t Tx) error {
		id, err = t.createUser(ctx, now, u)
		return err
	})
	return id, err
}

func (t Tx) createUser(ctx context.Context, now time.Time, u NewUser) (id int64, err error) {
	row := t.QueryRowContext(ctx, t.s.db.Text(insertUser), u.Email, u.Name, u.Password, u.Proven, db.Micros(now))
	if err := row.Scan(&id); err != nil {
		if t.s.db.Conflict(err) {
			return 0, sett.Errorf(sett.Conflict, "A user with the address %s already exists. Choose another address.", u.Email)
		}
		return 0, err
	}
	_, err = t.Exec(ctx, insertMembership, u.AccountID, id, string(u.Role), db.Micros(now))
	return id, err
}

const insertToken = `-- accountdb.insertToken
INSERT INTO tokens (hash, user_id, name, created_at) VALUES ($1, $2, $3, $4)`

// CreateToken stores the SHA-256 hash of a personal token of a user.
func (s *Store) CreateToken(ctx context.Context, now time.Time, userID int64, name string, hash []byte) error {
	return s.inTx(ctx, "create token", func(t Tx) error {
		_, err := t.Exec(ctx, insertToken, hash, userID, name, db.Micros(now))
		return err
	})
}
