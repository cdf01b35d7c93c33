package accountdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// placedMember is a member of a team with the member's position in the order of joining.
type placedMember struct {
	accounts.TeamMember
	team, place int64
}

// A user who does not belong to the account is not a member of its teams, whatever the table contains.
const teamMembers = `-- accountdb.teamMembers
SELECT tm.team_id, tm.id, u.id, u.email, u.name, tm.admin, tm.created_at FROM team_members tm JOIN teams t ON t.id = tm.team_id
JOIN memberships m ON m.account_id = t.account_id AND m.user_id = tm.user_id JOIN users u ON u.id = tm.user_id WHERE tm.team_id`

const (
	listTeamMembers     = teamMembers + " = $1 AND tm.id > $2 ORDER BY tm.id LIMIT $3 OFFSET $4"
	listTeamMembersBack = teamMembers + " = $1 AND tm.id <= $2 ORDER BY tm.id DESC LIMIT $3 OFFSET $4"
)

// ListTeamMembers returns a page of the members of a team in the order of joining, and its cursors. An invalid cursor is an Invalid
// error.
func (s *Store) ListTeamMembers(ctx context.Context, teamID int64, p sett.Page) (members []accounts.TeamMember, marks sett.Marks, err error) {
	var at int64
	statement := listTeamMembers
	if p.Back {
		statement = listTeamMembersBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	found, err := s.findTeamMembers(ctx, s.db.Read, statement, teamID, at, most, skip)
	if err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list members of team: %w", err)
	}
	found, marks = sett.Cut(p, found, func(m placedMember) string { return db.FormatMark(m.place) })
	for _, m := range found {
		members = append(members, m.TeamMember)
	}
	return members, marks, nil
}

// teamMembers returns the members of each team in the order of joining.
func (s *Store) teamMembers(ctx context.Context, q db.Querier, teamIDs []int64) (map[int64][]accounts.TeamMember, error) {
	list, args := db.In(s.db, 1, teamIDs)
	found, err := s.findTeamMembers(ctx, q, teamMembers+" IN "+list+" ORDER BY tm.id", args...)
	of := map[int64][]accounts.TeamMember{}
	for _, m := range found {
		of[m.team] = append(of[m.team], m.TeamMember)
	}
	return of, err
}

func (s *Store) findTeamMembers(ctx context.Context, q db.Querier, statement string, args ...any) (found []placedMember, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, scanTeamMember)
}

func scanTeamMember(row db.Row) (placedMember, error) {
	var m placedMember
	var created int64
	err := row.Scan(&m.team, &m.place, &m.ID, &m.Email, &m.Name, &m.Admin, &created)
	m.CreatedAt = db.FromMicros(created)
	return m, err
}

const teamMemberByID = teamMembers + " = $1 AND tm.user_id = $2"

// TeamMemberByID returns a member of a team by user id, or a NotFound error.
func (s *Store) TeamMemberByID(ctx context.Context, teamID, userID int64) (accounts.TeamMember, error) {
	m, err := scanTeamMember(s.db.Read.QueryRowContext(ctx, s.db.Text(teamMemberByID), teamID, userID))
	return m.TeamMember, db.NotFound(err, "Team member", "find member of team")
}

// changeMember calls change with a member of a team while the account's memberships are locked; is holds their rights in the team. The
// error is NotFound if the user is not a member.
func (s *Store) changeMember(ctx context.Context, what string, teamID, userID int64, change func(t Tx, is accounts.Scope) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		if _, err := t.lockHost(ctx, Inviting{TeamID: teamID}); err != nil {
			return err
		}
		is, err := s.teamScope(ctx, t, userID, teamID)
		switch {
		case err != nil:
			return err
		case !is.OfTeam:
			return sett.Errorf(sett.NotFound, "Team member not found")
		}
		return change(t, is)
	})
}

const updateTeamMember = `-- accountdb.UpdateTeamMember
UPDATE team_members SET admin = $3 WHERE team_id = $1 AND user_id = $2`

// UpdateTeamMember applies a change to a member of a team. The error is NotFound if there is no such member, and Invalid if the change
// cannot be applied.
func (s *Store) UpdateTeamMember(ctx context.Context, teamID, userID int64, change accounts.TeamMemberChange) error {
	return s.changeMember(ctx, "update member of team", teamID, userID, func(t Tx, is accounts.Scope) error {
		becomes := is
		var err error
		if becomes.TeamAdmin, err = change.Apply(is.TeamAdmin); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, updateTeamMember, teamID, userID, becomes.TeamAdmin); err != nil {
			return err
		}
		return t.loseTeam(ctx, teamID, is, becomes)
	})
}

const removeTeamMember = `-- accountdb.RemoveTeamMember
DELETE FROM team_members WHERE team_id = $1 AND user_id = $2`

// RemoveTeamMember removes a user from a team, on behalf of another; they stay in the account. Its errors are those of
// accounts.TeamStanding.Remove, and NotFound if the user is not a member.
func (s *Store) RemoveTeamMember(ctx context.Context, askerID, teamID, userID int64) error {
	return s.changeMember(ctx, "remove member from team", teamID, userID, func(t Tx, is accounts.Scope) error {
		asker, err := s.teamScope(ctx, t, askerID, teamID)
		if err != nil {
			return err
		}
		if err := (accounts.TeamStanding{Asker: asker, Self: askerID == userID}).Remove(); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, removeTeamMember, teamID, userID); err != nil {
			return err
		}
		return t.loseTeam(ctx, teamID, is, accounts.Scope{AccountID: is.AccountID, Role: is.Role})
	})
}

const openInvitationIDsOfTeam = `-- accountdb.openInvitationIDsOfTeam
SELECT id FROM invitations WHERE team_id = $1 AND accepted_at = 0 ORDER BY id`

// loseTeam replaces the tokens of open invitations to a team if a user who could read them may no longer manage it.
func (t Tx) loseTeam(ctx context.Context, teamID int64, was, is accounts.Scope) error {
	if !was.May(accounts.ManageTeam) || is.May(accounts.ManageTeam) {
		return nil
	}
	return t.renewInvitationTokens(ctx, openInvitationIDsOfTeam, teamID)
}

// OwnTeam is a team that a user is a member of.
type OwnTeam struct {
	accounts.TeamName
	Admin bool
}

const ownTeams = `-- accountdb.OwnTeams
SELECT t.id, t.name, tm.admin FROM team_members tm JOIN teams t ON t.id = tm.team_id
JOIN memberships m ON m.account_id = t.account_id AND m.user_id = tm.user_id
WHERE tm.user_id = $1 ORDER BY t.id LIMIT $2`

// OwnTeams returns the teams that a user is a member of, in all accounts, at most so many, in order of creation.
func (s *Store) OwnTeams(ctx context.Context, userID int64, most int) (teams []OwnTeam, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(ownTeams), userID, most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var t OwnTeam
		err := rows.Scan(&t.ID, &t.Name, &t.Admin)
		teams = append(teams, t)
		return err
	})
	return teams, db.Wrap("list teams of a user", err)
}
