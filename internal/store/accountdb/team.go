package accountdb

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// scopedTeam is a team's id with the scope of the calling user's rights in it.
type scopedTeam struct {
	ID int64
	accounts.Scope
}

// TeamFilter selects teams that a user can see; they are listed in order of creation.
type TeamFilter struct {
	AccountID string // "" for all accounts
	Bare      bool   // the projects of the teams have only an id and a name
	sett.Page        // a cursor is the id of a team
}

// The last line expresses in SQL what accounts.Scope.May decides for accounts.ReadTeam; a test compares the two.
const teamsSeen = `-- accountdb.ListTeams
SELECT t.id, m.role, tm.user_id IS NOT NULL, coalesce(tm.admin, false)
FROM memberships m JOIN teams t ON t.account_id = m.account_id
LEFT JOIN team_members tm ON tm.team_id = t.id AND tm.user_id = m.user_id
WHERE m.user_id = $1 AND ($2 = '' OR m.account_id = $2) AND (m.role IN ('Owner', 'Admin') OR tm.user_id IS NOT NULL)`

const (
	listTeams     = teamsSeen + " AND t.id > $3 ORDER BY t.id LIMIT $4 OFFSET $5"
	listTeamsBack = teamsSeen + " AND t.id <= $3 ORDER BY t.id DESC LIMIT $4 OFFSET $5"
)

// bareProjects says whether the projects of teams are read with only an id and a name. All else that a project has takes longer than the team.
type bareProjects bool

const (
	whole bareProjects = false
	bare  bareProjects = true
)

// ListTeams returns a page of the teams that a user can see, each as TeamByID returns it, and its cursors. An account that the user does
// not belong to is a NotFound error, and an invalid cursor an Invalid one.
func (s *Store) ListTeams(ctx context.Context, userID int64, f TeamFilter) (teams []accounts.Team, marks sett.Marks, err error) {
	var at int64
	statement := listTeams
	if f.Back {
		statement = listTeamsBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list teams", func(q db.Querier) error {
		if err := s.CheckAccount(ctx, q, userID, f.AccountID); err != nil {
			return err
		}
		var found []scopedTeam
		skip, most := f.Rows()
		rows, err := q.QueryContext(ctx, s.db.Text(statement), userID, f.AccountID, at, most, skip)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var t scopedTeam
			err := rows.Scan(&t.ID, &t.Role, &t.OfTeam, &t.TeamAdmin)
			found = append(found, t)
			return err
		})
		if err != nil {
			return err
		}
		found, marks = sett.Cut(f.Page, found, func(t scopedTeam) string { return db.FormatMark(t.ID) })
		teams, err = s.teams(ctx, q, found, bareProjects(f.Bare))
		return err
	})
	return teams, marks, err
}

// TeamByID returns a team as a user may see it: invitations only if they may manage the team. The error is NotFound if they cannot see
// it.
func (s *Store) TeamByID(ctx context.Context, userID, teamID int64) (accounts.Team, error) {
	return s.findTeam(ctx, userID, teamID, whole)
}

// BareTeam is TeamByID with projects that have only an id and a name.
func (s *Store) BareTeam(ctx context.Context, userID, teamID int64) (accounts.Team, error) {
	return s.findTeam(ctx, userID, teamID, bare)
}

func (s *Store) findTeam(ctx context.Context, userID, teamID int64, projects bareProjects) (team accounts.Team, err error) {
	err = s.db.Snapshot(ctx, "find team", func(q db.Querier) error {
		team, err = s.team(ctx, q, userID, teamID, projects)
		return err
	})
	return team, err
}

func (s *Store) team(ctx context.Context, q db.Querier, userID, teamID int64, projects bareProjects) (accounts.Team, error) {
	found := scopedTeam{ID: teamID}
	err := q.QueryRowContext(ctx, s.db.Text(teamScope), userID, teamID).Scan(
		&found.AccountID, &found.Name, &found.Role, &found.OfTeam, &found.TeamAdmin)
	if err == nil && !found.May(accounts.ReadTeam) {
		err = sql.ErrNoRows
	}
	if err != nil {
		return accounts.Team{}, db.NotFound(err, "Team", "read scope in team")
	}
	teams, err := s.teams(ctx, q, []scopedTeam{found}, projects)
	if err != nil {
		return accounts.Team{}, err
	}
	return teams[0], nil
}

const teamRows = `-- accountdb.teams
SELECT t.id, t.name, t.created_at, coalesce(o.id, 0), coalesce(o.email, ''), coalesce(o.name, '')
FROM teams t LEFT JOIN users o ON o.id = t.owner_id WHERE t.id IN `

// teams returns teams in the order of their ids. A page of teams takes as many statements as one team.
func (s *Store) teams(ctx context.Context, q db.Querier, found []scopedTeam, projects bareProjects) ([]accounts.Team, error) {
	var ids, managed []int64
	for _, t := range found {
		ids = append(ids, t.ID)
		if t.May(accounts.ManageTeam) {
			managed = append(managed, t.ID)
		}
	}
	list, args := db.In(s.db, 1, ids)
	rows, err := q.QueryContext(ctx, s.db.Text(teamRows+list+" ORDER BY t.id"), args...)
	teams, err := db.Collect(rows, err, scanTeam)
	if err != nil {
		return nil, fmt.Errorf("read teams: %w", err)
	}
	members, err := s.teamMembers(ctx, q, ids)
	if err != nil {
		return nil, fmt.Errorf("read members of teams: %w", err)
	}
	ofTeams, err := s.teamProjects(ctx, q, ids, projects)
	if err != nil {
		return nil, fmt.Errorf("read projects of teams: %w", err)
	}
	invitations, err := s.teamInvitations(ctx, q, managed)
	if err != nil {
		return nil, fmt.Errorf("read invitations to teams: %w", err)
	}
	for i, t := range teams {
		teams[i].Members, teams[i].Projects, teams[i].Invitations = members[t.ID], ofTeams[t.ID], invitations[t.ID]
	}
	return teams, nil
}

func scanTeam(row db.Row) (accounts.Team, error) {
	var t accounts.Team
	var created int64
	var owner sett.Person
	err := row.Scan(&t.ID, &t.Name, &created, &owner.ID, &owner.Email, &owner.Name)
	t.CreatedAt, t.Owner = db.FromMicros(created), personOrNone(owner)
	return t, err
}

const projectsOfTeams = `-- accountdb.teamProjects
SELECT tp.team_id, p.id, p.name FROM team_projects tp JOIN projects p ON p.id = tp.project_id WHERE tp.team_id IN `

// teamProjects returns the projects of each team, in the order of their ids. Bare ones have only an id and a name.
func (s *Store) teamProjects(ctx context.Context, q db.Querier, teamIDs []int64, parts bareProjects) (map[int64][]accounts.Project, error) {
	list, args := db.In(s.db, 1, teamIDs)
	of := map[int64][]accounts.Project{}
	rows, err := q.QueryContext(ctx, s.db.Text(projectsOfTeams+list+" ORDER BY p.id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var team int64
		var p accounts.Project
		err := rows.Scan(&team, &p.ID, &p.Name)
		of[team] = append(of[team], p)
		return err
	})
	if err != nil || parts == bare {
		return of, err
	}
	byID := map[int64]accounts.Project{}
	for _, projects := range of {
		for _, p := range projects {
			byID[p.ID] = p
		}
	}
	found, err := s.projects(ctx, q, slices.Collect(maps.Keys(byID)), withCounts)
	for _, p := range found {
		byID[p.ID] = p
	}
	for _, projects := range of {
		for i, p := range projects {
			projects[i] = byID[p.ID]
		}
	}
	return of, err
}

// teamInvitations returns the invitations to each team, in order of creation.
func (s *Store) teamInvitations(ctx context.Context, q db.Querier, teamIDs []int64) (map[int64][]accounts.Invitation, error) {
	list, args := db.In(s.db, 1, teamIDs)
	of := map[int64][]accounts.Invitation{}
	rows, err := q.QueryContext(ctx, s.db.Text("-- accountdb.teamInvitations"+selectInvitations+"WHERE i.team_id IN "+list+" ORDER BY i.id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		i, err := s.scanInvitation(rows)
		of[i.TeamID] = append(of[i.TeamID], i)
		return err
	})
	return of, err
}
