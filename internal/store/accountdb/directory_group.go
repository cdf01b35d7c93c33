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
	"sett/internal/store/db"
)

const groupColumns = `g.id, g.name, g.external_id, g.role, coalesce(g.team_id, 0), g.signed_in, g.created_at, g.updated_at,
    (SELECT count(*) FROM directory_members dm WHERE dm.group_id = g.id)`

const directoryGroup = `-- accountdb.DirectoryGroup
SELECT ` + groupColumns + ` FROM directory_groups g WHERE g.account_id = $1 AND g.id = $2`

const membersOfGroup = `-- accountdb.membersOfGroup
SELECT person_id FROM directory_members WHERE group_id = $1 ORDER BY person_id`

// DirectoryGroup returns a group of the directory of an account, or a NotFound error.
func (s *Store) DirectoryGroup(ctx context.Context, accountID, id string) (g directory.Group, err error) {
	err = s.db.Snapshot(ctx, "read group of directory", func(q db.Querier) error {
		g, err = s.readGroup(ctx, q, accountID, id)
		return err
	})
	return g, err
}

func (s *Store) readGroup(ctx context.Context, q db.Querier, accountID, id string) (directory.Group, error) {
	g, err := scanDirectoryGroup(q.QueryRowContext(ctx, s.db.Text(directoryGroup), accountID, id))
	if err != nil {
		return g, db.NotFound(err, "Group", "find group of directory")
	}
	g.Members, err = s.groupMembers(ctx, q, id)
	return g, err
}

func (s *Store) groupMembers(ctx context.Context, q db.Querier, id string) (members []string, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(membersOfGroup), id)
	members, err = db.Collect(rows, err, func(r db.Row) (person string, err error) { return person, r.Scan(&person) })
	return members, db.Wrap("list members of group", err)
}

func scanDirectoryGroup(row db.Row) (g directory.Group, err error) {
	var created, updated int64
	err = row.Scan(&g.ID, &g.Name, &g.ExternalID, &g.Role, &g.TeamID, &g.SignedIn, &created, &updated, &g.People)
	g.CreatedAt, g.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
	return g, err
}

const groupsWhere = ` FROM directory_groups g WHERE g.account_id = $1 AND ($2 = '' OR lower(g.name) = lower($2)) AND ($3 = '' OR g.external_id = $3)
    AND NOT (g.signed_in AND $4)`

const (
	countGroups = `-- accountdb.countDirectoryGroups
SELECT count(*)` + groupsWhere
	allGroups = `-- accountdb.allDirectoryGroups
SELECT count(*) FROM directory_groups WHERE account_id = $1`
	listGroups = `-- accountdb.ListDirectoryGroups
SELECT ` + groupColumns + groupsWhere + ` ORDER BY g.created_at, g.id LIMIT $5 OFFSET $6`
)

// ListDirectoryGroups returns groups of the directory of an account, in the order of their creation and with their members if these are asked
// for, and how many the filter selects.
func (s *Store) ListDirectoryGroups(ctx context.Context, accountID string, f DirectoryFilter, members bool) (groups []directory.Group, total int, err error) {
	err = s.db.Snapshot(ctx, "list groups of directory", func(q db.Querier) error {
		if err := q.QueryRowContext(ctx, s.db.Text(countGroups), accountID, f.Name, f.ExternalID, f.Sent).Scan(&total); err != nil {
			return fmt.Errorf("count groups of directory: %w", err)
		}
		rows, err := q.QueryContext(ctx, s.db.Text(listGroups), accountID, f.Name, f.ExternalID, f.Sent, f.Count, f.Start)
		if groups, err = db.Collect(rows, err, scanDirectoryGroup); err != nil {
			return fmt.Errorf("list groups of directory: %w", err)
		}
		for i := range groups {
			if !members {
				break
			}
			if groups[i].Members, err = s.groupMembers(ctx, q, groups[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	return groups, total, err
}

const (
	insertGroup = `-- accountdb.CreateDirectoryGroup
INSERT INTO directory_groups (id, account_id, name, external_id, role, created_at, updated_at) VALUES ($1, $2, $3, $4, '', $5, $5)`
	adoptGroup = `-- accountdb.adoptDirectoryGroup
UPDATE directory_groups SET signed_in = false, external_id = $3, updated_at = $4 WHERE account_id = $1 AND name = $2 AND signed_in RETURNING id`
)

// CreateDirectoryGroup creates a group of the directory of an account, which gives no role and no team yet. A group that is known by
// sign-ins becomes the one of the directory, with its role and its team. It returns how many of its members are not in the directory; they
// are left out. The error is Conflict if the directory has the name already.
func (s *Store) CreateDirectoryGroup(ctx context.Context, now time.Time, accountID string, g directory.Group) (_ directory.Group, unknown int, err error) {
	id := ""
	err = s.inTx(ctx, "create group of directory", func(t Tx) error {
		if err := g.Check(); err != nil {
			return err
		}
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		members := g.Members
		err := t.QueryRowContext(ctx, s.db.Text(adoptGroup), accountID, g.Name, g.ExternalID, db.Micros(now)).Scan(&id)
		if err == nil {
			if g, err = s.readGroup(ctx, t, accountID, id); err != nil {
				return err
			}
			if unknown, err = t.setMembers(ctx, now, accountID, &g, members); err != nil || g.Role == "" && g.TeamID == 0 {
				return err
			}
			return t.place(ctx, now, accountID)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("find group of sign-ins: %w", err)
		}
		if err := t.checkRoom(ctx, accountID, allGroups, directory.MostGroups, "groups"); err != nil {
			return err
		}
		id = sett.NewUUID(db.RandomOf(ctx)).String()
		if _, err := t.Exec(ctx, insertGroup, id, accountID, g.Name, g.ExternalID, db.Micros(now)); err != nil {
			return t.taken(err, "displayName", g.Name)
		}
		g = directory.Group{ID: id, Name: g.Name, ExternalID: g.ExternalID, CreatedAt: now, UpdatedAt: now}
		unknown, err = t.setMembers(ctx, now, accountID, &g, members)
		return err
	})
	return g, unknown, err
}

const updateGroup = `-- accountdb.ChangeDirectoryGroup
UPDATE directory_groups SET name = $3, external_id = $4, role = $5, team_id = $6, updated_at = $7 WHERE account_id = $1 AND id = $2`

// ChangeDirectoryGroup applies a change to a group of the directory of an account. The roles and teams of people follow at once. It returns
// how many new members are not in the directory; they are left out.
func (s *Store) ChangeDirectoryGroup(ctx context.Context, now time.Time, accountID, id string, change func(*directory.Group) error) (g directory.Group, unknown int, err error) {
	err = s.inTx(ctx, "change group of directory", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		is, err := s.readGroup(ctx, t, accountID, id)
		if err != nil {
			return err
		}
		g = is
		g.Members = slices.Clone(is.Members)
		if err := change(&g); err != nil {
			return err
		}
		if err := g.Check(); err != nil {
			return err
		}
		if err := t.checkTeamOf(ctx, accountID, g.TeamID); err != nil {
			return err
		}
		g.UpdatedAt = now
		team := sql.NullInt64{Int64: g.TeamID, Valid: g.TeamID != 0}
		if _, err := t.Exec(ctx, updateGroup, accountID, id, g.Name, g.ExternalID, string(g.Role), team, db.Micros(now)); err != nil {
			return t.taken(err, "displayName", g.Name)
		}
		members := g.Members
		g.Members = is.Members
		if unknown, err = t.setMembers(ctx, now, accountID, &g, members); err != nil || g.Role == is.Role && g.TeamID == is.TeamID {
			return err
		}
		return t.remap(ctx, now, accountID, is, g)
	})
	return g, unknown, err
}

const leaveTeamOfGroup = `-- accountdb.leaveTeamOfGroup
DELETE FROM team_members WHERE team_id = $1 AND user_id IN (SELECT p.user_id FROM directory_members dm JOIN directory_people p ON p.id = dm.person_id
    WHERE dm.group_id = $2) AND NOT EXISTS (SELECT 1 FROM directory_groups g WHERE g.account_id = $3 AND g.team_id = $1)`

// remap gives everyone their roles and teams after a group was mapped to others. Its people leave a team that no group is mapped to any more.
func (t Tx) remap(ctx context.Context, now time.Time, accountID string, is, becomes directory.Group) error {
	if is.TeamID != 0 && is.TeamID != becomes.TeamID {
		if _, err := t.Exec(ctx, leaveTeamOfGroup, is.TeamID, is.ID, accountID); err != nil {
			return fmt.Errorf("leave team of group: %w", err)
		}
	}
	return t.place(ctx, now, accountID)
}

const teamInAccount = `-- accountdb.teamInAccount
SELECT id FROM teams WHERE account_id = $1 AND id = $2 {{for key share}}`

func (t Tx) checkTeamOf(ctx context.Context, accountID string, teamID int64) error {
	if teamID == 0 {
		return nil
	}
	return db.NotFound(t.QueryRowContext(ctx, t.s.db.Text(teamInAccount), accountID, teamID).Scan(new(int64)), "Team", "find team of account")
}

const (
	knownPeople = `-- accountdb.knownPeople
SELECT id FROM directory_people WHERE account_id = $1 AND id IN `
	addMember = `-- accountdb.addDirectoryMember
INSERT INTO directory_members (group_id, person_id) VALUES ($1, $2) ON CONFLICT (group_id, person_id) DO NOTHING`
	dropMember = `-- accountdb.dropDirectoryMember
DELETE FROM directory_members WHERE group_id = $1 AND person_id = $2`
)

// setMembers gives a group, whose members are in g, others, and everyone who came or went the roles and teams that follow.
func (t Tx) setMembers(ctx context.Context, now time.Time, accountID string, g *directory.Group, wanted []string) (unknown int, err error) {
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	come := slices.DeleteFunc(slices.Clone(wanted), func(id string) bool { return has(g.Members, id) })
	gone := slices.DeleteFunc(slices.Clone(g.Members), func(id string) bool { return has(wanted, id) })
	known, err := t.knownIn(ctx, accountID, come)
	if err != nil {
		return 0, err
	}
	for _, id := range known {
		if _, err := t.Exec(ctx, addMember, g.ID, id); err != nil {
			return 0, fmt.Errorf("add member of group: %w", err)
		}
	}
	for _, id := range gone {
		if _, err := t.Exec(ctx, dropMember, g.ID, id); err != nil {
			return 0, fmt.Errorf("remove member of group: %w", err)
		}
	}
	unknown = len(come) - len(known)
	g.Members = slices.DeleteFunc(append(slices.Clone(g.Members), known...), func(id string) bool { return has(gone, id) })
	slices.Sort(g.Members)
	g.People = int64(len(g.Members))
	touched := append(known, gone...)
	if len(touched) == 0 {
		return unknown, nil
	}
	changes := map[string]any{"added": len(known), "removed": len(gone), "unknown": unknown}
	if err := t.auditOf(ctx, accountID, g.Name, map[string]string{"group_id": g.ID}, changes); err != nil {
		return unknown, err
	}
	return unknown, t.place(ctx, now, accountID, touched...)
}

// has reports whether a sorted list has a text.
func has(sorted []string, text string) bool {
	_, found := slices.BinarySearch(sorted, text)
	return found
}

func (t Tx) knownIn(ctx context.Context, accountID string, ids []string) (known []string, err error) {
	list, args := db.In(t.s.db, 2, ids)
	rows, err := t.QueryContext(ctx, t.s.db.Text(knownPeople+list+" ORDER BY id"), append([]any{accountID}, args...)...)
	known, err = db.Collect(rows, err, func(r db.Row) (id string, err error) { return id, r.Scan(&id) })
	return known, db.Wrap("find people of directory", err)
}

const deleteGroup = `-- accountdb.DeleteDirectoryGroup
DELETE FROM directory_groups WHERE account_id = $1 AND id = $2`

// DeleteDirectoryGroup deletes a group of the directory of an account. Its people lose the role and the team that it gave them.
func (s *Store) DeleteDirectoryGroup(ctx context.Context, now time.Time, accountID, id string) error {
	return s.inTx(ctx, "delete group of directory", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		g, err := s.readGroup(ctx, t, accountID, id)
		if err != nil {
			return err
		}
		bare := g
		bare.Role, bare.TeamID = accounts.Role(""), 0
		if _, err := t.Exec(ctx, updateGroup, accountID, id, g.Name, g.ExternalID, "", sql.NullInt64{}, db.Micros(now)); err != nil {
			return err
		}
		if err := t.remap(ctx, now, accountID, g, bare); err != nil {
			return err
		}
		if err := t.auditOf(ctx, accountID, g.Name, map[string]string{"group_id": id}, map[string]any{"deleted": true}); err != nil {
			return err
		}
		_, err = t.Exec(ctx, deleteGroup, accountID, id)
		return err
	})
}
