package accountdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/store/db"
)

// followsSignIn is the action in the audit log of what follows from the groups of a sign-in.
const followsSignIn = "followSignIn"

// bySignIn returns a context under which changes are those of the directory, by a sign-in.
func bySignIn(ctx context.Context) context.Context {
	entry, ok := ctx.Value(personalAuditKey{}).(func() accounts.AuditEntry)
	if !ok {
		return ctx
	}
	return WithDirectoryAudit(ctx, func() accounts.AuditEntry {
		e := entry()
		e.Action, e.User, e.Token = followsSignIn, sett.Person{Name: accounts.DirectoryName}, "SAML"
		return e
	})
}

// followSignIn gives a user who signed in with the identity provider of an account the places of the groups that it sent. Without groups
// nothing changes. Where a directory sends people and groups by SCIM, these count alone.
func (t Tx) followSignIn(ctx context.Context, now time.Time, accountID string, u accounts.User, i accounts.Identity) error {
	if i.Groups == nil && !i.Unlisted {
		return nil
	}
	if err := t.lockAccount(ctx, accountID); err != nil {
		return err
	}
	d, err := t.s.readDirectory(ctx, t, accountID)
	if err != nil || d.HasToken {
		return err
	}
	ctx = bySignIn(ctx)
	target := map[string]string{"user_id": fmt.Sprint(u.ID)}
	if i.Unlisted {
		return t.auditOf(ctx, accountID, u.Name, target, map[string]any{"refused": directory.TooManyGroups})
	}
	id, fresh, err := t.signedIn(ctx, now, accountID, u)
	if err != nil || id == "" {
		return err
	}
	changes, err := t.joinGroups(ctx, now, accountID, id, i.Groups)
	if err != nil || len(changes) == 0 && !fresh {
		return err
	}
	if len(changes) > 0 {
		if err := t.auditOf(ctx, accountID, u.Name, target, changes); err != nil {
			return err
		}
	}
	if err := t.place(ctx, now, accountID, id); err != nil {
		return err
	}
	_, err = t.Exec(ctx, dropIdleGroups, accountID)
	return err
}

const (
	personOfUser = `-- accountdb.personOfUser
SELECT coalesce(max(CASE WHEN active THEN id ELSE '' END), ''), count(*) FROM directory_people WHERE account_id = $1 AND user_id = $2`
	insertSignedIn = `-- accountdb.insertSignedIn
INSERT INTO directory_people (id, account_id, user_id, user_name, name_key, external_id, given_name, family_name, display_name, email, active, signed_in, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, '', '', '', $6, $4, true, true, $7, $7)`
	dropIdleGroups = `-- accountdb.dropIdleGroups
DELETE FROM directory_groups WHERE account_id = $1 AND signed_in AND role = '' AND team_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM directory_members dm WHERE dm.group_id = directory_groups.id)`
)

// signedIn returns the id of a user as a person of the directory, whom it may create; "" for one whom the directory has deactivated, or
// has no room for.
func (t Tx) signedIn(ctx context.Context, now time.Time, accountID string, u accounts.User) (id string, fresh bool, err error) {
	var known int
	if err := t.QueryRowContext(ctx, t.s.db.Text(personOfUser), accountID, u.ID).Scan(&id, &known); err != nil {
		return "", false, fmt.Errorf("find person of user: %w", err)
	}
	if known > 0 {
		return id, false, nil
	}
	switch err := t.checkRoom(ctx, accountID, allPeople, directory.MostPeople, "people"); {
	case sett.CodeOf(err) == sett.Forbidden:
		return "", false, nil
	case err != nil:
		return "", false, err
	}
	id = sett.NewUUID(db.RandomOf(ctx)).String()
	key := fmt.Sprintf(" %d", u.ID) // no name that a directory sends has a key that begins with a space
	_, err = t.Exec(ctx, insertSignedIn, id, accountID, u.ID, u.Email, key, u.Name, db.Micros(now))
	return id, true, err
}

const (
	groupsOfPerson = `-- accountdb.groupsOfPerson
SELECT g.id, g.name FROM directory_members dm JOIN directory_groups g ON g.id = dm.group_id WHERE dm.person_id = $1 ORDER BY g.name`
	groupsNamed = `-- accountdb.groupsNamed
SELECT id, name FROM directory_groups WHERE account_id = $1 AND name IN `
	insertSignInGroup = `-- accountdb.insertSignInGroup
INSERT INTO directory_groups (id, account_id, name, external_id, role, signed_in, created_at, updated_at) VALUES ($1, $2, $3, '', '', true, $4, $4)`
)

// joinGroups makes a person a member of the groups with these names, and of no others. It returns what changed, for the audit log. Groups
// beyond the bound of a directory are left out.
func (t Tx) joinGroups(ctx context.Context, now time.Time, accountID, person string, names []string) (map[string]any, error) {
	in, err := t.groupIDs(ctx, groupsOfPerson, person)
	if err != nil {
		return nil, err
	}
	list, args := db.In(t.s.db, 2, names)
	known, err := t.groupIDs(ctx, groupsNamed+list, append([]any{accountID}, args...)...)
	if err != nil {
		return nil, err
	}
	var has int
	if err := t.QueryRowContext(ctx, t.s.db.Text(allGroups), accountID).Scan(&has); err != nil {
		return nil, fmt.Errorf("count groups of directory: %w", err)
	}
	var added, removed, unknown []string
	for _, name := range names {
		if in[name] != "" {
			continue
		}
		id := known[name]
		switch {
		case id == "" && has >= directory.MostGroups:
			unknown = append(unknown, name)
			continue
		case id == "":
			has++
			id = sett.NewUUID(db.RandomOf(ctx)).String()
			if _, err := t.Exec(ctx, insertSignInGroup, id, accountID, name, db.Micros(now)); err != nil {
				return nil, err
			}
		}
		added = append(added, name)
		if _, err := t.Exec(ctx, addMember, id, person); err != nil {
			return nil, err
		}
	}
	for name, id := range in {
		if slices.Contains(names, name) {
			continue
		}
		removed = append(removed, name)
		if _, err := t.Exec(ctx, dropMember, id, person); err != nil {
			return nil, err
		}
	}
	slices.Sort(removed)
	changes := map[string]any{}
	for what, names := range map[string][]string{"added": added, "removed": removed, "unknown": unknown} {
		if len(names) > 0 {
			changes[what] = names
		}
	}
	if len(added)+len(removed) == 0 {
		return nil, nil
	}
	return changes, nil
}

// groupIDs returns ids of groups by their names.
func (t Tx) groupIDs(ctx context.Context, statement string, args ...any) (map[string]string, error) {
	ids := map[string]string{}
	rows, err := t.QueryContext(ctx, t.s.db.Text(statement), args...)
	groups, err := db.Collect(rows, err, func(r db.Row) (g directory.Group, err error) { return g, r.Scan(&g.ID, &g.Name) })
	for _, g := range groups {
		ids[g.Name] = g.ID
	}
	return ids, db.Wrap("find groups of directory", err)
}
