package accountdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const renewInvitation = `-- accountdb.ResendInvitation
UPDATE invitations SET created_at = $2, mail_token = NULL, mail_token_hash = $3 WHERE id = $1`

// ResendInvitation sends the mail of an open invitation again, with a new link, on behalf of a user of the account, and renews its
// lifetime. The error is Invalid if the invitation was accepted, and Forbidden if the user may not invite to the role.
func (s *Store) ResendInvitation(ctx context.Context, now time.Time, to Inviting, userID, id int64) error {
	return s.inTx(ctx, "send invitation again", func(t Tx) error {
		h, err := t.lockHost(ctx, to)
		if err != nil {
			return err
		}
		i, err := s.invitation(ctx, t, to, id)
		if err != nil {
			return err
		}
		var role accounts.Role
		if err := t.QueryRowContext(ctx, s.db.Text(accountRole), userID, h.accountID).Scan(&role); err != nil {
			return db.NotFound(err, "Account", "read role in account")
		}
		if err := i.CheckInviter(role); err != nil {
			return err
		}
		if i.Accepted() {
			return i.Changeable(now)
		}
		if _, err := t.Exec(ctx, dropMailOfInvitation, id); err != nil {
			return fmt.Errorf("drop mail of invitation: %w", err)
		}
		mailToken := accounts.NewInvitationToken(db.RandomOf(ctx))
		if _, err := t.Exec(ctx, renewInvitation, id, db.Micros(now), db.HashOfToken(mailToken)); err != nil {
			return fmt.Errorf("renew invitation: %w", err)
		}
		return t.inviteByMail(ctx, now, i.Mail(h.account, h.team, mailToken))
	})
}
