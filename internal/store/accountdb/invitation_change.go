package accountdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// host is the account or team of an invitation. A transaction that has it has locked the account: other transactions that invite to it,
// accept or change its users wait.
type host struct {
	accountID, account string // its id and name
	team               string // its name; "" if the host is the account
}

const hostOf = `-- accountdb.hostOf
SELECT a.id, a.name, coalesce(t.name, '') FROM accounts a LEFT JOIN teams t ON t.account_id = a.id AND t.id = $2
WHERE a.id = coalesce((SELECT account_id FROM teams WHERE id = $2), $1)`

// lockHost finds and locks the target of invitations.
func (t Tx) lockHost(ctx context.Context, to Inviting) (h host, err error) {
	if err := t.QueryRowContext(ctx, t.s.db.Text(hostOf), to.args()...).Scan(&h.accountID, &h.account, &h.team); err != nil {
		return h, db.NotFound(err, to.thing(), "find host")
	}
	err = t.QueryRowContext(ctx, t.s.db.Text(lockAccount), h.accountID).Scan(&h.accountID)
	return h, db.NotFound(err, "Account", "lock account")
}

const insertInvitation = `-- accountdb.insertInvitation
INSERT INTO invitations (account_id, team_id, token, mail_token_hash, email, role, admin, message, created_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`

// CreateInvitation creates an invitation to an account or a team, on behalf of a user of the account, and queues its mail. The error is
// Invalid if the change cannot be applied, or if the address already belongs to the target or is already invited; it is Forbidden if the
// user may not invite to the role.
func (s *Store) CreateInvitation(ctx context.Context, now time.Time, to Inviting, userID int64, change accounts.InvitationChange) (i accounts.Invitation, err error) {
	err = s.inTx(ctx, "create invitation", func(t Tx) error {
		h, err := t.lockHost(ctx, to)
		if err != nil {
			return err
		}
		var mailToken string
		if i, mailToken, err = t.invite(ctx, now, h, to, userID, change); err != nil {
			return err
		}
		return t.inviteByMail(ctx, now, i.Mail(h.account, h.team, mailToken))
	})
	return i, err
}

// Invite is CreateInvitation without the mail: ResendInvitation sends it.
func (t Tx) Invite(ctx context.Context, now time.Time, to Inviting, userID int64, change accounts.InvitationChange) (i accounts.Invitation, err error) {
	h, err := t.lockHost(ctx, to)
	if err != nil {
		return i, err
	}
	i, _, err = t.invite(ctx, now, h, to, userID, change)
	return i, err
}

// invite creates an invitation; mailToken is that of the link in its mail.
func (t Tx) invite(ctx context.Context, now time.Time, h host, to Inviting, userID int64, change accounts.InvitationChange) (i accounts.Invitation, mailToken string, err error) {
	var problems sett.Problems
	made, err := t.applyInvitation(ctx, &problems, accounts.NewInvitation(db.RandomOf(ctx), h.accountID, to.TeamID), userID, change)
	if err != nil {
		return i, "", err
	}
	if err := t.checkInvited(ctx, &problems, now, made); err != nil {
		return i, "", err
	}
	if err := problems.Refusal(); err != nil {
		return i, "", err
	}
	mailToken = accounts.NewInvitationToken(db.RandomOf(ctx))
	i, err = t.insertInvitation(ctx, now, made, mailToken, userID)
	return i, mailToken, err
}

// applyInvitation applies a user's change, and adds a problem for every invalid field.
func (t Tx) applyInvitation(ctx context.Context, p *sett.Problems, i accounts.Invitation, userID int64, change accounts.InvitationChange) (accounts.Invitation, error) {
	teams, err := t.s.db.ListIDs(ctx, t, teamIDs, i.AccountID)
	if err != nil {
		return i, fmt.Errorf("list ids of teams: %w", err)
	}
	var role accounts.Role
	if err := t.QueryRowContext(ctx, t.s.db.Text(accountRole), userID, i.AccountID).Scan(&role); err != nil {
		return i, db.NotFound(err, "Account", "read role in account")
	}
	if err := i.CheckInviter(role); err != nil {
		return i, err
	}
	i = change.Apply(p, i, teams)
	return i, i.CheckInviter(role)
}

const belongs = `-- accountdb.belongs
SELECT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.email = $3 AND m.account_id = $1
    AND (CAST($2 AS bigint) IS NULL OR EXISTS (SELECT 1 FROM team_members tm WHERE tm.user_id = u.id AND tm.team_id = $2)))`

const openInvitations = `-- accountdb.openInvitations` + selectInvitations + ofInviting + ` AND i.email = $3 AND i.accepted_at = 0`

// checkInvited adds a problem if the address of a new invitation already belongs to the account or team, or is already invited.
func (t Tx) checkInvited(ctx context.Context, p *sett.Problems, now time.Time, i accounts.Invitation) error {
	args := Inviting{i.AccountID, i.TeamID}.args(i.Email)
	var member bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(belongs), args...).Scan(&member); err != nil {
		return fmt.Errorf("look for user: %w", err)
	}
	invited, err := t.s.invitations(ctx, t, openInvitations, args...)
	if err != nil {
		return err
	}
	i.CheckNew(p, now, member, invited)
	return nil
}

func (t Tx) insertInvitation(ctx context.Context, now time.Time, i accounts.Invitation, mailToken string, userID int64) (accounts.Invitation, error) {
	to := Inviting{i.AccountID, i.TeamID}
	args := to.args(db.Placeholder(i.Token), db.HashOfToken(mailToken), i.Email, string(i.Role), i.Admin, i.Message, userID, db.Micros(now))
	if err := t.QueryRowContext(ctx, t.s.db.Text(insertInvitation), args...).Scan(&i.ID); err != nil {
		return i, fmt.Errorf("insert invitation: %w", err)
	}
	if err := t.setInvitationToken(ctx, i.ID, i.Token); err != nil {
		return i, err
	}
	if err := t.setInvitationTeams(ctx, i); err != nil {
		return i, err
	}
	return t.s.invitation(ctx, t, to, i.ID)
}

const deleteInvitationTeams = `-- accountdb.deleteInvitationTeams
DELETE FROM invitation_teams WHERE invitation_id = $1`

const insertInvitationTeam = `-- accountdb.insertInvitationTeam
INSERT INTO invitation_teams (invitation_id, team_id) VALUES ($1, $2)`

// setInvitationTeams sets the teams of an invitation to its TeamIDs.
func (t Tx) setInvitationTeams(ctx context.Context, i accounts.Invitation) error {
	if _, err := t.Exec(ctx, deleteInvitationTeams, i.ID); err != nil {
		return fmt.Errorf("take teams from invitation: %w", err)
	}
	for _, team := range i.TeamIDs {
		if _, err := t.Exec(ctx, insertInvitationTeam, i.ID, team); err != nil {
			return fmt.Errorf("give team to invitation: %w", err)
		}
	}
	return nil
}

const updateInvitation = `-- accountdb.UpdateInvitation
UPDATE invitations SET role = $2, admin = $3, message = $4 WHERE id = $1`

// UpdateInvitation changes an open invitation to an account or a team, on behalf of a user of the account. The error is Invalid if the
// invitation is not open or the change cannot be applied, and Forbidden if the user may not invite to the role.
func (s *Store) UpdateInvitation(ctx context.Context, now time.Time, to Inviting, userID, id int64, change accounts.InvitationChange) error {
	return s.inTx(ctx, "update invitation", func(t Tx) error {
		if _, err := t.lockHost(ctx, to); err != nil {
			return err
		}
		i, err := s.invitation(ctx, t, to, id)
		if err != nil {
			return err
		}
		var problems sett.Problems
		changed, err := t.applyInvitation(ctx, &problems, i, userID, change)
		if err != nil {
			return err
		}
		if err := i.Changeable(now); err != nil {
			return err
		}
		if err := problems.Refusal(); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, updateInvitation, id, string(changed.Role), changed.Admin, changed.Message); err != nil {
			return fmt.Errorf("update invitation: %w", err)
		}
		return t.setInvitationTeams(ctx, changed)
	})
}

const openInvitationIDs = `-- accountdb.openInvitationIDs
SELECT id FROM invitations WHERE account_id = $1 AND accepted_at = 0 ORDER BY id`

const setInvitationToken = `-- accountdb.setInvitationToken
UPDATE invitations SET token = $2, token_hash = $3 WHERE id = $1`

// setInvitationToken sets the token of an invitation that is shown to users who may invite.
func (t Tx) setInvitationToken(ctx context.Context, id int64, token string) error {
	sealed, err := t.Seal(ctx, sealedInvitation, token, id)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, setInvitationToken, id, sealed, db.HashOfToken(token))
	return err
}

// renewInvitationTokens replaces the tokens of open invitations, whose ids a statement lists, because a user who knows them no longer
// may. The links in the mails keep working.
func (t Tx) renewInvitationTokens(ctx context.Context, statement string, args ...any) error {
	ids, err := t.s.db.ListIDs(ctx, t, statement, args...)
	if err != nil {
		return fmt.Errorf("list open invitations: %w", err)
	}
	for _, id := range ids {
		if err := t.setInvitationToken(ctx, id, accounts.NewInvitationToken(db.RandomOf(ctx))); err != nil {
			return fmt.Errorf("renew token of invitation: %w", err)
		}
	}
	return nil
}

// mailsOfInvitations deletes the unsent mails of invitations; the rest of the condition on i selects the invitations. Such a mail is
// identified by its token, which no other mail has.
const mailsOfInvitations = `
DELETE FROM mails WHERE EXISTS (SELECT 1 FROM invitations i WHERE mails.recipient = i.email
    AND mails.token_hash = coalesce(i.mail_token_hash, i.token_hash) AND `

// ownInvitations selects the open invitations to account $1 that the user $2 has created for their own address.
const ownInvitations = `i.account_id = $1 AND i.created_by = $2 AND i.accepted_at = 0 AND i.email = (SELECT email FROM users WHERE id = $2)`

const dropMailsOfOwnInvitations = `-- accountdb.dropMailsOfOwnInvitations` + mailsOfInvitations + ownInvitations + `)`

const deleteOwnInvitations = `-- accountdb.deleteOwnInvitations
DELETE FROM invitations WHERE id IN (SELECT i.id FROM invitations i WHERE ` + ownInvitations + `)`

const dropMailOfInvitation = `-- accountdb.dropMailOfInvitation` + mailsOfInvitations + `i.id = $1)`

const deleteInvitation = `-- accountdb.DeleteInvitation
DELETE FROM invitations WHERE id = $1`

// DeleteInvitation withdraws an invitation to an account or a team, and deletes its mail if that was not sent yet; it also deletes
// invitations that are no longer open. The error is NotFound if there is no such invitation.
func (s *Store) DeleteInvitation(ctx context.Context, to Inviting, id int64) error {
	return s.inTx(ctx, "delete invitation", func(t Tx) error {
		if _, err := t.lockHost(ctx, to); err != nil {
			return err
		}
		if _, err := s.invitation(ctx, t, to, id); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, dropMailOfInvitation, id); err != nil {
			return fmt.Errorf("drop mail of invitation: %w", err)
		}
		_, err := t.Exec(ctx, deleteInvitation, id)
		return err
	})
}
