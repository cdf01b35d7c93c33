package store

import (
	"context"
	"time"
)

const insertTeam = `-- store.insertTeam
INSERT INTO teams (account_id, name, created_at) VALUES ($1, $2, $3) RETURNING id`

const insertTeamProject = `-- store.insertTeamProject
INSERT INTO team_projects (team_id, project_id) SELECT $1, id FROM projects WHERE account_id = $2 AND id = $3`

const insertTeamMember = `-- store.insertTeamMember
INSERT INTO team_members (team_id, user_id, admin, created_at)
SELECT $1, user_id, $4, $5 FROM memberships WHERE account_id = $2 AND user_id = $3`

// CreateTeam makes a team of an account with projects and members of it; members says of each user whether they are an
// admin of the team. What does not belong to the account is left out.
func (s *Store) CreateTeam(ctx context.Context, now time.Time, accountID, name string, projects []int64, members map[int64]bool) (id int64, err error) {
	err = s.inTx(ctx, "create team", func(t *tx) error {
		if err := t.QueryRowContext(ctx, t.s.text(insertTeam), accountID, name, micros(now)).Scan(&id); err != nil {
			return err
		}
		for _, p := range projects {
			if _, err := t.exec(ctx, insertTeamProject, id, accountID, p); err != nil {
				return err
			}
		}
		for user, admin := range members {
			if _, err := t.exec(ctx, insertTeamMember, id, accountID, user, admin, micros(now)); err != nil {
				return err
			}
		}
		return nil
	})
	return id, err
}
