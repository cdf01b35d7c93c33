package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

// leavingKey is where a transaction keeps the work that follows when a person left an account.
type leavingKey struct{}

// endingWork runs a transaction, and begins the work that dismiss has added in it.
func (s *Store) endingWork(ctx context.Context, what string, f func(Tx) error) error {
	var left []work.Item
	err := s.inTx(ctx, what, func(t Tx) error {
		err := f(t)
		left, _ = t.Local(leavingKey{}).([]work.Item)
		return err
	})
	for _, i := range left {
		if err == nil {
			_, err = s.work.Begin(ctx, i, leaverPieces, nil)
		}
	}
	return err
}

// errLastOwner is the refusal to take the last owner from an account.
var errLastOwner = sett.Errorf(sett.Invalid, "This is the last owner of the account, who stays in it. Make another person an owner first.")

// IsLastOwner reports whether a directory was refused something because it concerns the last owner of an account.
func IsLastOwner(err error) bool { return errors.Is(err, errLastOwner) }

const (
	dismissSessions = `-- accountdb.dismiss sessions
DELETE FROM sessions WHERE user_id = $1 AND (how = $2 OR NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = $1))`
	dismissTokens = `-- accountdb.dismiss tokens
DELETE FROM tokens WHERE user_id = $1 AND account_id = $2`
)

// dismiss takes a user from an account because its directory says so. At once end: the memberships, the tokens and connected programs of
// the account, sessions that its identity provider began, and all sessions and tokens of a user who is in no other account. The last
// owner stays, with an error of which IsLastOwner holds.
func (t Tx) dismiss(ctx context.Context, accountID string, userID int64) error {
	var is accounts.Standing
	if err := t.QueryRowContext(ctx, t.s.db.Text(standing), accountID, userID, userID).Scan(&is.Asker, &is.User, &is.Owners); err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	if is.User == "" { // they left before
		return nil
	}
	if is.LastOwner() {
		return errLastOwner
	}
	if err := t.QueryRowContext(ctx, t.s.db.Text(LockUser), userID).Scan(new(int64)); err != nil {
		return fmt.Errorf("lock user: %w", err)
	}
	if err := t.leave(ctx, accountID, userID); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, dismissSessions, userID, string(signin.BySAML)); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	if _, err := t.Exec(ctx, dropLoginStepsOf, userID); err != nil {
		return fmt.Errorf("end half sign-ins: %w", err)
	}
	if _, err := t.Exec(ctx, dismissTokens, userID, accountID); err != nil {
		return fmt.Errorf("end tokens: %w", err)
	}
	i, err := t.s.work.In(t.Tx).Add(ctx, unassigning, 0, leaver{accountID, userID})
	if err != nil {
		return err
	}
	left, _ := t.Local(leavingKey{}).([]work.Item)
	t.SetLocal(leavingKey{}, append(left, i))
	return nil
}

const (
	peopleToPlace = `-- accountdb.peopleToPlace
SELECT p.id, p.user_id, coalesce(m.role, ''), coalesce(g.role, ''), coalesce(g.team_id, 0)
FROM directory_people p LEFT JOIN memberships m ON m.account_id = p.account_id AND m.user_id = p.user_id
LEFT JOIN directory_members dm ON dm.person_id = p.id LEFT JOIN directory_groups g ON g.id = dm.group_id
WHERE p.account_id = $1 AND p.active`
	teamsOfDirectory = `-- accountdb.teamsOfDirectory
SELECT tm.user_id, tm.team_id FROM team_members tm
WHERE tm.team_id IN (SELECT team_id FROM directory_groups WHERE account_id = $1 AND team_id IS NOT NULL)`
	groupsGiveRoles = `-- accountdb.groupsGiveRoles
SELECT EXISTS (SELECT 1 FROM directory_groups WHERE account_id = $1 AND role <> '' AND NOT (signed_in AND $2))`
)

// placed is a person with what their groups give them.
type placed struct {
	user  int64
	has   accounts.Role
	roles []accounts.Role
	teams []int64
}

// place gives people of a directory, or without ids all of them, the roles and teams of their groups. Who is not in the account yet joins
// it. Teams that no group is mapped to stay as they are.
func (t Tx) place(ctx context.Context, now time.Time, accountID string, ids ...string) error {
	people, err := t.toPlace(ctx, accountID, ids)
	if err != nil {
		return err
	}
	d, err := t.s.readDirectory(ctx, t, accountID)
	if err != nil {
		return err
	}
	var byGroups bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(groupsGiveRoles), accountID, d.HasToken).Scan(&byGroups); err != nil {
		return fmt.Errorf("find roles of groups: %w", err)
	}
	var users []int64
	for _, p := range people {
		users = append(users, p.user)
	}
	inTeams := map[int64][]int64{}
	list, args := db.In(t.s.db, 2, users)
	rows, err := t.QueryContext(ctx, t.s.db.Text(teamsOfDirectory+" AND tm.user_id IN "+list), append([]any{accountID}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var user, team int64
		err := rows.Scan(&user, &team)
		inTeams[user] = append(inTeams[user], team)
		return err
	})
	if err != nil {
		return fmt.Errorf("list teams of directory: %w", err)
	}
	for _, p := range people {
		gets := directory.PlaceOf(p.has, d.DefaultRole, byGroups, p.roles, p.teams)
		if err := t.give(ctx, now, accountID, p, gets.Role); err != nil {
			return err
		}
		if err := t.moveTeams(ctx, now, accountID, p.user, inTeams[p.user], gets.Teams); err != nil {
			return err
		}
	}
	return nil
}

func (t Tx) toPlace(ctx context.Context, accountID string, ids []string) (people []placed, err error) {
	statement, args := peopleToPlace, []any{accountID}
	if len(ids) > 0 {
		list, more := db.In(t.s.db, 2, ids)
		statement, args = statement+" AND p.id IN "+list, append(args, more...)
	}
	last := ""
	rows, err := t.QueryContext(ctx, t.s.db.Text(statement+" ORDER BY p.id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p placed
		var id string
		var role accounts.Role
		var team int64
		if err := rows.Scan(&id, &p.user, &p.has, &role, &team); err != nil {
			return err
		}
		if id != last {
			people, last = append(people, p), id
		}
		of := &people[len(people)-1]
		if role != "" {
			of.roles = append(of.roles, role)
		}
		if team != 0 {
			of.teams = append(of.teams, team)
		}
		return nil
	})
	return people, db.Wrap("list people of directory", err)
}

// give gives a person a role; "" leaves it. The last owner stays one.
func (t Tx) give(ctx context.Context, now time.Time, accountID string, p placed, role accounts.Role) error {
	switch {
	case role == "" || role == p.has:
		return nil
	case p.has == "":
		_, err := t.Exec(ctx, insertMembership, accountID, p.user, string(role), db.Micros(now))
		return err
	}
	var is accounts.Standing
	if err := t.QueryRowContext(ctx, t.s.db.Text(standing), accountID, p.user, p.user).Scan(&is.Asker, &is.User, &is.Owners); err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	if role = is.Follow(role); role == is.User {
		return nil
	}
	if err := t.setRole(ctx, accountID, p.user, is, role); err != nil {
		return err
	}
	person, err := t.Person(ctx, p.user)
	if err != nil {
		return err
	}
	return t.auditOf(ctx, accountID, person.Called(), map[string]string{"user_id": fmt.Sprint(p.user)}, map[string]any{"role": string(role)})
}

// moveTeams takes a person from teams of the directory that they are in and should not be, and adds them to the others.
func (t Tx) moveTeams(ctx context.Context, now time.Time, accountID string, userID int64, in, should []int64) error {
	for _, team := range in {
		if slices.Contains(should, team) {
			continue
		}
		was, err := t.s.teamScope(ctx, t, userID, team)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, removeTeamMember, team, userID); err != nil {
			return err
		}
		if err := t.loseTeam(ctx, team, was, accounts.Scope{AccountID: was.AccountID, Role: was.Role}); err != nil {
			return err
		}
	}
	for _, team := range should {
		if slices.Contains(in, team) {
			continue
		}
		if _, err := t.Exec(ctx, insertTeamMember, team, accountID, userID, false, db.Micros(now)); err != nil {
			return err
		}
	}
	return nil
}
