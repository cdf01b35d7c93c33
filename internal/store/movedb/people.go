package movedb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// Target is where people move in: the account, and a project of the run, with which all of them go if it is deleted.
type Target struct {
	Owner
	ProjectID int64
}

// MadeTeam is the team that one of the source became.
type MadeTeam struct {
	ID    int64
	Fresh bool // it was made now
	Own   bool // it was made by an import, not by people
}

const importedTeam = `-- movedb.importedTeam
SELECT i.sett_id, i.record FROM imported i JOIN teams t ON t.id = i.sett_id AND t.account_id = $5
WHERE i.source = $1 AND i.host = $2 AND i.kind = $3 AND i.source_id = $4`

const teamNamed = `-- movedb.teamNamed
SELECT min(id) FROM teams WHERE account_id = $1 AND lower(name) = $2`

const seeProject = `-- movedb.seeProject
INSERT INTO team_projects (team_id, project_id) SELECT t.id, p.id FROM teams t JOIN projects p ON p.account_id = t.account_id
WHERE t.id = $1 AND p.id = $2 AND NOT p.deleting ON CONFLICT (team_id, project_id) DO NOTHING`

// ownTeam is what is noted of a team that an import made.
const ownTeam = "made"

// FindTeam returns the team that one of the source is or would become; an ID of 0 if it would be made. It came before if came is true.
func (s *Store) FindTeam(ctx context.Context, from move.Place, to Target, team move.Team) (m MadeTeam, came bool, err error) {
	return s.findTeam(ctx, s.db.Read, from, to, team)
}

func (s *Store) findTeam(ctx context.Context, q db.Querier, from move.Place, to Target, team move.Team) (m MadeTeam, came bool, err error) {
	record := ""
	err = q.QueryRowContext(ctx, s.db.Text(importedTeam), from.Source, from.Host, kindTeam, team.ID, to.AccountID).Scan(&m.ID, &record)
	if !errors.Is(err, sql.ErrNoRows) {
		m.Own = record == ownTeam
		return m, err == nil, err
	}
	var named sql.NullInt64
	err = q.QueryRowContext(ctx, s.db.Text(teamNamed), to.AccountID, strings.ToLower(team.Name)).Scan(&named)
	m.ID = named.Int64
	return m, false, err
}

// Team makes the team of one of the source, unless there is one: that which it became before, or one of its name. A team that comes for
// the first time sees the projects.
func (s *Store) Team(ctx context.Context, now time.Time, from move.Place, to Target, team move.Team, projects []int64) (m MadeTeam, err error) {
	err = s.inTx(ctx, "import a team", func(t Tx) error {
		var record string
		var came bool
		if m, came, err = s.findTeam(ctx, t, from, to, team); err != nil || came {
			return err
		}
		if m.ID == 0 {
			if m.ID, err = s.account.In(t.Tx).AddTeam(ctx, now, to.AccountID, team.Name); err != nil {
				return err
			}
			m.Fresh, m.Own, record = true, true, ownTeam
		}
		for _, p := range projects {
			if _, err := t.Exec(ctx, seeProject, m.ID, p); err != nil {
				return err
			}
		}
		return t.noteImported(ctx, things{from, kindTeam}, team.ID, to.ProjectID, m.ID, record)
	})
	return m, err
}

// Joined is what became of someone of the source.
type Joined string

// What becomes of people.
const (
	Invited Joined = "invited"
	IsUser  Joined = "user"   // of the account, before or by an invitation
	Came    Joined = "before" // with a run before
)

const userOf = `-- movedb.userOf
SELECT u.id FROM users u JOIN memberships m ON m.user_id = u.id WHERE m.account_id = $1 AND u.email = $2`

const joinTeam = `-- movedb.joinTeam
INSERT INTO team_members (team_id, user_id, admin, created_at) SELECT t.id, m.user_id, false, $4 FROM teams t JOIN memberships m ON m.account_id = t.account_id
WHERE t.id = $2 AND m.user_id = $3 AND m.account_id = $1 AND NOT EXISTS (SELECT 1 FROM team_members x WHERE x.team_id = t.id AND x.user_id = m.user_id)`

// FindMember returns what has become of someone of the source; "" for who would be invited.
func (s *Store) FindMember(ctx context.Context, from move.Place, to Target, m move.Member) (Joined, error) {
	joined, _, err := s.findMember(ctx, s.db.Read, from, to, strings.ToLower(m.Email))
	return joined, err
}

func (s *Store) findMember(ctx context.Context, q db.Querier, from move.Place, to Target, email string) (joined Joined, user int64, err error) {
	had, err := s.imported(ctx, q, things{from, kindMember}, []string{to.AccountID + "/" + email})
	if err != nil || len(had) > 0 {
		return Came, 0, err
	}
	err = q.QueryRowContext(ctx, s.db.Text(userOf), to.AccountID, email).Scan(&user)
	if errors.Is(err, sql.ErrNoRows) {
		return "", 0, nil
	}
	return IsUser, user, err
}

// Member invites someone of the source to the account, and sends nothing: people send the mail of the invitation, or its link. A user of the
// account keeps their role, and becomes a member of those of the teams that an import made. Each comes once: whom people remove or uninvite
// does not come back. The error is Invalid for who cannot be invited.
func (s *Store) Member(ctx context.Context, now time.Time, from move.Place, to Target, m move.Member, role accounts.Role, teams []MadeTeam) (joined Joined, err error) {
	email := strings.ToLower(m.Email)
	err = s.inTx(ctx, "import a member", func(t Tx) error {
		var user int64
		switch joined, user, err = s.findMember(ctx, t, from, to, email); {
		case err != nil || joined == Came:
			return err
		case joined == IsUser:
			err = t.joinTeams(ctx, now, to, user, teams)
		default:
			joined, err = Invited, t.invite(ctx, now, to, email, role, teams)
		}
		if err != nil {
			return err
		}
		return t.noteImported(ctx, things{from, kindMember}, to.AccountID+"/"+email, to.ProjectID, user, string(joined))
	})
	return joined, err
}

// joinTeams makes a user a member of those of some teams that an import made.
func (t Tx) joinTeams(ctx context.Context, now time.Time, to Target, user int64, teams []MadeTeam) error {
	for _, team := range teams {
		if !team.Own {
			continue
		}
		if _, err := t.Exec(ctx, joinTeam, to.AccountID, team.ID, user, db.Micros(now)); err != nil {
			return err
		}
	}
	return nil
}

func (t Tx) invite(ctx context.Context, now time.Time, to Target, email string, role accounts.Role, teams []MadeTeam) error {
	var ids []int64
	for _, team := range teams {
		ids = append(ids, team.ID)
	}
	_, err := t.s.account.In(t.Tx).Invite(ctx, now, accountdb.Inviting{AccountID: to.AccountID}, to.UserID, accounts.CreateAccountInvitation{
		Email: sett.Some(email), AccountInvitationChange: accounts.AccountInvitationChange{Role: sett.Some(role), TeamIDs: sett.Some(ids)},
	})
	return err
}
