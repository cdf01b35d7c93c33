package accountdb

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

const accountUsers = `-- accountdb.ListAccountUsers
SELECT u.id, u.email, u.name, m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1`

// AccountUserFilter selects users of an account; they are listed in the order of their ids.
type AccountUserFilter struct {
	Named     string // only users whose name or email address contains this, in either case; "" for all
	sett.Page        // a cursor is the id of a user
}

const usersNamed = ` AND ($5 = '' OR u.name {{like}} $5 ESCAPE '\' OR u.email {{like}} $5 ESCAPE '\')`

const (
	listAccountUsers     = accountUsers + usersNamed + " AND m.user_id > $2 ORDER BY m.user_id LIMIT $3 OFFSET $4"
	listAccountUsersBack = accountUsers + usersNamed + " AND m.user_id <= $2 ORDER BY m.user_id DESC LIMIT $3 OFFSET $4"
)

// ListAccountUsers returns a page of the users of an account, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListAccountUsers(ctx context.Context, accountID string, f AccountUserFilter) (users []accounts.AccountUser, marks sett.Marks, err error) {
	var at int64
	statement := listAccountUsers
	if f.Back {
		statement = listAccountUsersBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := f.Rows()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), accountID, at, most, skip, db.Containing(f.Named))
	users, err = db.Collect(rows, err, scanAccountUser)
	if err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list users of account: %w", err)
	}
	users, marks = sett.Cut(f.Page, users, func(u accounts.AccountUser) string { return db.FormatMark(u.ID) })
	return users, marks, nil
}

const accountUserByID = accountUsers + " AND m.user_id = $2"

// AccountUserByID returns a user of an account, or a NotFound error.
func (s *Store) AccountUserByID(ctx context.Context, accountID string, userID int64) (accounts.AccountUser, error) {
	u, err := scanAccountUser(s.db.Read.QueryRowContext(ctx, s.db.Text(accountUserByID), accountID, userID))
	return u, db.NotFound(err, "User", "find user of account")
}

func scanAccountUser(row db.Row) (u accounts.AccountUser, err error) {
	err = row.Scan(&u.ID, &u.Email, &u.Name, &u.Role)
	return u, err
}

const lockAccount = `-- accountdb.lockAccount
SELECT id FROM accounts WHERE id = $1 {{for update}}`

const standing = `-- accountdb.standing
SELECT coalesce(max(role) FILTER (WHERE user_id = $2), ''), coalesce(max(role) FILTER (WHERE user_id = $3), ''),
    count(*) FILTER (WHERE role = 'Owner')
FROM memberships WHERE account_id = $1`

// changePeople calls change with a user of an account while the account's memberships are locked. The caller is a user or accounts.Operator.
// The error is NotFound if the user does not belong to the account.
func (s *Store) changePeople(ctx context.Context, what string, askerID int64, accountID string, userID int64, change func(Tx, accounts.Standing) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		if err := t.QueryRowContext(ctx, s.db.Text(lockAccount), accountID).Scan(new(string)); err != nil {
			return db.NotFound(err, "Account", "lock account")
		}
		is := accounts.Standing{Self: askerID == userID}
		err := t.QueryRowContext(ctx, s.db.Text(standing), accountID, askerID, userID).Scan(&is.Asker, &is.User, &is.Owners)
		switch {
		case err != nil:
			return fmt.Errorf("read roles: %w", err)
		case is.User == "":
			return sett.Errorf(sett.NotFound, "User not found")
		case askerID == accounts.Operator:
			is.Asker = accounts.Owner
		}
		return change(t, is)
	})
}

const updateRole = `-- accountdb.UpdateAccountUser
UPDATE memberships SET role = $3 WHERE account_id = $1 AND user_id = $2`

// UpdateAccountUser changes the role of a user of an account, on behalf of another user. Its errors are those of
// accounts.AccountUserChange.Apply and accounts.Standing.ChangeRole, and NotFound if the user does not belong to the account.
func (s *Store) UpdateAccountUser(ctx context.Context, askerID int64, accountID string, userID int64, change accounts.AccountUserChange) error {
	return s.changePeople(ctx, "update user of account", askerID, accountID, userID, func(t Tx, is accounts.Standing) error {
		role, err := change.Apply(is.User)
		if err != nil {
			return err
		}
		if err := is.ChangeRole(role); err != nil {
			return err
		}
		return t.setRole(ctx, accountID, userID, is, role)
	})
}

const openInvitationIDsOfTeamAdmin = `-- accountdb.openInvitationIDsOfTeamAdmin
SELECT i.id FROM invitations i JOIN team_members tm ON tm.team_id = i.team_id
WHERE i.account_id = $1 AND i.accepted_at = 0 AND tm.user_id = $2 AND tm.admin ORDER BY i.id`

// setRole changes the role of a user of an account. It replaces the tokens of invitations that the user could read with the old role and
// can no longer read.
func (t Tx) setRole(ctx context.Context, accountID string, userID int64, is accounts.Standing, role accounts.Role) error {
	if _, err := t.Exec(ctx, updateRole, accountID, userID, string(role)); err != nil {
		return fmt.Errorf("change role: %w", err)
	}
	switch {
	case is.Loses(role):
		return t.renewInvitationTokens(ctx, openInvitationIDs, accountID)
	case is.LosesTeams(role):
		return t.renewInvitationTokens(ctx, openInvitationIDsOfTeamAdmin, accountID, userID)
	}
	return nil
}

// RemoveAccountUser removes a user from an account, on behalf of a user of the account, with everything that they are in it: member of
// teams, owner of teams and projects, assignee of faults. Invitations whose tokens they may know get new tokens; those that they created
// for their own address are withdrawn. With their last account their personal tokens are deleted too. Its errors are those of
// accounts.Standing.Remove, and NotFound if the user does not belong to the account.
func (s *Store) RemoveAccountUser(ctx context.Context, askerID int64, accountID string, userID int64) error {
	var i work.Item
	err := s.changePeople(ctx, "remove user from account", askerID, accountID, userID, func(t Tx, is accounts.Standing) error {
		if err := is.Remove(); err != nil {
			return err
		}
		if err := t.QueryRowContext(ctx, s.db.Text(LockUser), userID).Scan(new(int64)); err != nil {
			return fmt.Errorf("lock user: %w", err) // so that if they leave two accounts at once, one is the last
		}
		if err := t.leave(ctx, accountID, userID); err != nil {
			return err
		}
		var err error
		i, err = s.work.In(t.Tx).Add(ctx, unassigning, 0, leaver{accountID, userID})
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.work.Begin(ctx, i, leaverPieces, nil)
	return err
}

// leaver is a user who was removed from an account.
type leaver struct {
	AccountID string `json:"account"`
	UserID    int64  `json:"user"`
}

const unassigning work.Kind = "unassign faults"

// How many faults are unassigned in one transaction, and in how many before the answer.
const (
	unassignedAtOnce = 500
	leaverPieces     = 3
)

// unassign takes the faults of an account from a user who left it, unless they are back.
func (s *Store) unassign(ctx context.Context, i work.Item) error {
	var l leaver
	if err := i.Read(&l); err != nil {
		return err
	}
	return s.db.Sweep(ctx, "unassign faults", unassignedAtOnce, func(t *db.Tx) (int64, error) {
		return t.Changed(ctx, unassignFaults, l.AccountID, l.UserID, unassignedAtOnce)
	})
}

const (
	deleteMembership = `-- accountdb.leave membership
DELETE FROM memberships WHERE account_id = $1 AND user_id = $2`
	leaveTeams = `-- accountdb.leave teams
DELETE FROM team_members WHERE user_id = $2 AND team_id IN (SELECT id FROM teams WHERE account_id = $1)`
	disownTeams = `-- accountdb.leave owned teams
UPDATE teams SET owner_id = NULL WHERE account_id = $1 AND owner_id = $2`
	disownProjects = `-- accountdb.leave owned projects
UPDATE projects SET owner_id = NULL WHERE account_id = $1 AND owner_id = $2`
	// No process caches assignees, so a command may run this beside a server on the same SQLite file.
	unassignFaults = `-- accountdb.leave faults
UPDATE faults SET assignee_id = NULL WHERE id IN (SELECT f.id FROM faults f JOIN projects p ON p.id = f.project_id WHERE f.assignee_id = $2
    AND p.account_id = $1 AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = $1 AND m.user_id = $2) LIMIT $3)`
)

const (
	forgetSignedIn = `-- accountdb.leave sign-ins
DELETE FROM directory_people WHERE account_id = $1 AND user_id = $2 AND signed_in`
	leaveDirectory = `-- accountdb.leave directory
UPDATE directory_people SET active = false WHERE account_id = $1 AND user_id = $2`
	forgetSAML = `-- accountdb.leave identity provider
DELETE FROM oidc_identities WHERE user_id = $2
    AND substr(issuer, 1, length(CAST($1 AS text)) + 6) = '` + samlIssuer + `' || CAST($1 AS text) || ' '`
)

const deleteIdleTokens = `-- accountdb.deleteIdleTokens
DELETE FROM tokens WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = $1)`

// leave removes a user from an account. It deletes the membership first: a transaction that adds the user to a team locks the membership
// until it ends (insertTeamMember).
func (t Tx) leave(ctx context.Context, accountID string, userID int64) error {
	for _, statement := range []string{
		deleteMembership, leaveTeams, disownTeams, disownProjects, dropMailsOfOwnInvitations, deleteOwnInvitations, forgetSignedIn, leaveDirectory,
		forgetSAML,
	} {
		if _, err := t.Exec(ctx, statement, accountID, userID); err != nil {
			return err
		}
	}
	if _, err := t.Exec(ctx, deleteIdleTokens, userID); err != nil {
		return err
	}
	return t.renewInvitationTokens(ctx, openInvitationIDs, accountID)
}
