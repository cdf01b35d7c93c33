package accountdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// StartTeam creates a team in an account for a user, who becomes its owner and also an admin of it, so that they can manage it whatever
// their role becomes. "" stands for the first of the user's accounts in which they may create teams. The error is NotFound for an account
// that the user does not belong to, Forbidden if they may not create teams in it, and Invalid if the change cannot be applied.
func (s *Store) StartTeam(ctx context.Context, now time.Time, userID int64, accountID string, change accounts.TeamChange) (team accounts.Team, err error) {
	err = s.inTx(ctx, "start team", func(t Tx) error {
		accountID, err := s.accountFor(ctx, t, userID, accountID, accounts.CreateTeam)
		if err != nil {
			return err
		}
		name, err := change.Apply("")
		if err != nil {
			return err
		}
		id, err := t.createTeam(ctx, now, accountID, name, sql.NullInt64{Int64: userID, Valid: true}, map[int64]bool{userID: true})
		if err != nil {
			return err
		}
		team, err = s.team(ctx, t, userID, id, whole)
		return err
	})
	return team, err
}

// CreateTeam creates a team of an account without an owner, with projects and members; members maps each user to whether they are an
// admin of the team. Projects and users of other accounts are skipped.
func (s *Store) CreateTeam(ctx context.Context, now time.Time, accountID, name string, projects []int64, members map[int64]bool) (id int64, err error) {
	err = s.inTx(ctx, "create team", func(t Tx) error {
		id, err = t.createTeam(ctx, now, accountID, name, sql.NullInt64{}, members)
		if err != nil {
			return err
		}
		for _, p := range projects {
			if _, err := t.Exec(ctx, insertTeamProject, id, accountID, p); err != nil {
				return err
			}
		}
		return nil
	})
	return id, err
}

// AddTeam is CreateTeam in a transaction, of a team without anything.
func (t Tx) AddTeam(ctx context.Context, now time.Time, accountID, name string) (id int64, err error) {
	name, err = accounts.TeamChange{Name: sett.Some(name)}.Apply("")
	if err != nil {
		return 0, err
	}
	return t.createTeam(ctx, now, accountID, name, sql.NullInt64{}, nil)
}

const insertTeam = `-- accountdb.insertTeam
INSERT INTO teams (account_id, name, owner_id, created_at) VALUES ($1, $2, $3, $4) RETURNING id`

const insertTeamProject = `-- accountdb.insertTeamProject
INSERT INTO team_projects (team_id, project_id) SELECT $1, id FROM projects WHERE account_id = $2 AND id = $3 AND NOT deleting`

const insertTeamMember = `-- accountdb.insertTeamMember
INSERT INTO team_members (team_id, user_id, admin, created_at)
SELECT $1, user_id, $4, $5 FROM memberships WHERE account_id = $2 AND user_id = $3 {{for key share}}`

func (t Tx) createTeam(ctx context.Context, now time.Time, accountID, name string, owner sql.NullInt64, members map[int64]bool) (id int64, err error) {
	row := t.QueryRowContext(ctx, t.s.db.Text(insertTeam), accountID, name, owner, db.Micros(now))
	if err := row.Scan(&id); err != nil {
		return 0, fmt.Errorf("insert team: %w", err)
	}
	for _, user := range db.Sorted(members, cmp.Compare[int64]) {
		if _, err := t.Exec(ctx, insertTeamMember, id, accountID, user, members[user], db.Micros(now)); err != nil {
			return 0, fmt.Errorf("insert member of team: %w", err)
		}
	}
	return id, nil
}

const teamName = `-- accountdb.teamName
SELECT name FROM teams WHERE id = $1 {{for update}}`

const updateTeam = `-- accountdb.UpdateTeam
UPDATE teams SET name = $2 WHERE id = $1`

// UpdateTeam applies a change to a team. The error is Invalid if the change cannot be applied.
func (s *Store) UpdateTeam(ctx context.Context, teamID int64, change accounts.TeamChange) error {
	return s.inTx(ctx, "update team", func(t Tx) error {
		var name string
		if err := t.QueryRowContext(ctx, s.db.Text(teamName), teamID).Scan(&name); err != nil {
			return db.NotFound(err, "Team", "read team")
		}
		name, err := change.Apply(name)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateTeam, teamID, name)
		return err
	})
}

const deleteTeam = `-- accountdb.DeleteTeam
DELETE FROM teams WHERE id = $1 RETURNING id`

const unassignTeam = `-- accountdb.unassignTeam
UPDATE faults SET assignee_id = NULL WHERE assignee_id = -CAST($1 AS bigint)`

const dropMailsOfTeam = `-- accountdb.dropMailsOfTeam` + mailsOfInvitations + `i.team_id = $1)`

// DeleteTeam deletes a team with its invitations and their mails. Its projects and users stay, but are no longer connected by it. The
// error is NotFound if there is no such team.
func (s *Store) DeleteTeam(ctx context.Context, teamID int64) error {
	return s.inTx(ctx, "delete team", func(t Tx) error {
		if _, err := t.lockHost(ctx, Inviting{TeamID: teamID}); err != nil { // prevents new invitations to it
			return err
		}
		if _, err := t.Exec(ctx, dropMailsOfTeam, teamID); err != nil {
			return fmt.Errorf("drop mails of team: %w", err)
		}
		if _, err := t.Exec(ctx, unassignTeam, teamID); err != nil {
			return fmt.Errorf("unassign faults of team: %w", err)
		}
		return db.NotFound(t.QueryRowContext(ctx, s.db.Text(deleteTeam), teamID).Scan(new(int64)), "Team", "delete")
	})
}
