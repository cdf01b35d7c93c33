package accountdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const invitationByToken = `-- accountdb.InvitationByToken
SELECT i.id, i.account_id, coalesce(i.team_id, 0), a.name, coalesce(t.name, ''), EXISTS (SELECT 1 FROM users u WHERE u.email = i.email),
    coalesce(i.mail_token_hash = $1, false)
FROM invitations i JOIN accounts a ON a.id = i.account_id LEFT JOIN teams t ON t.id = i.team_id
WHERE i.token_hash = $1 OR i.mail_token_hash = $1`

// InvitationByToken returns the invitation with one of its tokens, as the invited person sees it. If it is unknown, accepted, withdrawn
// or expired, the error is NotFound, with a message for that person.
func (s *Store) InvitationByToken(ctx context.Context, now time.Time, token string) (o accounts.OpenInvitation, err error) {
	err = s.db.Snapshot(ctx, "find invitation of token", func(q db.Querier) error {
		o, _, err = s.openInvitation(ctx, q, now, token)
		return err
	})
	return o, err
}

// openInvitation returns an invitation that can be accepted, as the invited person sees it and in full.
func (s *Store) openInvitation(ctx context.Context, q db.Querier, now time.Time, token string) (o accounts.OpenInvitation, i accounts.Invitation, err error) {
	var to Inviting
	var id int64
	row := q.QueryRowContext(ctx, s.db.Text(invitationByToken), db.HashOfToken(token))
	err = row.Scan(&id, &to.AccountID, &to.TeamID, &o.Account, &o.Team, &o.Known, &o.ByMail)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return o, i, i.Acceptable(now)
	case err != nil:
		return o, i, fmt.Errorf("find token: %w", err)
	}
	if i, err = s.invitation(ctx, q, to, id); err != nil {
		return o, i, err
	}
	o.Email, o.Role, o.Message = i.Email, i.Role, i.Message
	if i.CreatedBy != nil {
		o.Inviter = i.CreatedBy.Name
	}
	return o, i, i.Acceptable(now)
}

const lockInvitation = `-- accountdb.lockInvitation
SELECT a.id FROM accounts a WHERE a.id = (SELECT account_id FROM invitations WHERE token_hash = $1 OR mail_token_hash = $1) {{for update}}`

// AcceptInvitation makes a user a member of the account, and of the invitation's teams, closes the invitation, and writes an entry to the
// audit log. Existing memberships are kept, and teams that were deleted since are skipped. A new user's address is verified only by the
// token from the mail. Its errors are those of InvitationByToken; Forbidden for a user with another address and without that token;
// Conflict for a new user whose address is taken; Invalid for an invalid name.
func (s *Store) AcceptInvitation(ctx context.Context, now time.Time, token string, who accounts.Accepting) (userID int64, err error) {
	err = s.inTx(ctx, "accept invitation", func(t Tx) error {
		if err := t.QueryRowContext(ctx, s.db.Text(lockInvitation), db.HashOfToken(token)).Scan(new(string)); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("lock account: %w", err)
		}
		o, i, err := s.openInvitation(ctx, t, now, token)
		if err != nil {
			return err
		}
		if userID, err = t.accepting(ctx, now, o, i, who); err != nil {
			return err
		}
		if err := t.join(ctx, now, i, userID); err != nil {
			return err
		}
		if err := t.closeInvitation(ctx, now, i, userID); err != nil {
			return err
		}
		return t.auditAccepted(ctx, now, i, cmp.Or(o.Team, o.Account), userID, who)
	})
	return userID, err
}

// auditAccepted records who has joined what: no route of the API accepts invitations, so nothing else would record it.
func (t Tx) auditAccepted(ctx context.Context, now time.Time, i accounts.Invitation, to string, userID int64, who accounts.Accepting) error {
	by, err := t.Person(ctx, userID)
	if err != nil {
		return err
	}
	return t.storeAudit(ctx, &audit{entry: func() accounts.AuditEntry { return who.Entry(now, i, to, by) }})
}

const userExists = `-- accountdb.userExists
SELECT id, email FROM users WHERE id = $1 {{for key share}}`

// accepting returns the id of the accepting user, after creating a new one.
func (t Tx) accepting(ctx context.Context, now time.Time, o accounts.OpenInvitation, i accounts.Invitation, who accounts.Accepting) (userID int64, err error) {
	if who.UserID != 0 {
		var email string
		if err := t.QueryRowContext(ctx, t.s.db.Text(userExists), who.UserID).Scan(&userID, &email); err != nil {
			return 0, db.NotFound(err, "User", "find user")
		}
		return userID, o.CheckUser(email)
	}
	var problems sett.Problems
	name := strings.TrimSpace(who.Name)
	if sett.CheckName(&problems, "name", name); len(problems) > 0 {
		return 0, problems.Refusal()
	}
	userID, err = t.createUser(ctx, now, NewUser{
		AccountID: i.AccountID, Email: i.Email, Name: name, Password: who.Password, Role: i.Role, Proven: o.ByMail,
	})
	if sett.CodeOf(err) == sett.Conflict {
		return 0, sett.Errorf(sett.Conflict, "A user with the address %s already exists. Sign in as that user, then accept the invitation.", i.Email)
	}
	return userID, err
}

const makeMember = `-- accountdb.makeMember
INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, account_id) DO UPDATE SET role = memberships.role RETURNING role`

const joinTeams = `-- accountdb.joinTeams
INSERT INTO team_members (team_id, user_id, admin, created_at)
SELECT t.id, $2, i.admin, $3 FROM invitations i JOIN teams t ON t.account_id = i.account_id
    AND (t.id = i.team_id OR t.id IN (SELECT team_id FROM invitation_teams WHERE invitation_id = i.id))
WHERE i.id = $1 ON CONFLICT (user_id, team_id) DO UPDATE SET admin = team_members.admin OR excluded.admin`

// join gives a user the memberships and roles of an invitation, unless they already have higher ones.
func (t Tx) join(ctx context.Context, now time.Time, i accounts.Invitation, userID int64) error {
	var has accounts.Role
	row := t.QueryRowContext(ctx, t.s.db.Text(makeMember), i.AccountID, userID, string(i.Role), db.Micros(now))
	if err := row.Scan(&has); err != nil {
		return fmt.Errorf("make member of account: %w", err)
	}
	if role := i.RoleFor(has); role != has {
		if _, err := t.Exec(ctx, updateRole, i.AccountID, userID, string(role)); err != nil {
			return fmt.Errorf("raise role: %w", err)
		}
	}
	if _, err := t.Exec(ctx, joinTeams, i.ID, userID, db.Micros(now)); err != nil {
		return fmt.Errorf("make member of teams: %w", err)
	}
	return nil
}

const closeInvitation = `-- accountdb.closeInvitation
UPDATE invitations SET accepted_by = $2, accepted_at = $3, email = '' WHERE id = $1`

// closeInvitation records who accepted. If the invitation was deleted with its team meanwhile, the error is NotFound.
func (t Tx) closeInvitation(ctx context.Context, now time.Time, i accounts.Invitation, userID int64) error {
	result, err := t.Exec(ctx, closeInvitation, i.ID, userID, db.Micros(now))
	if err != nil {
		return fmt.Errorf("close invitation: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return accounts.Invitation{}.Acceptable(now)
}
