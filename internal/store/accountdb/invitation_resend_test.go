package accountdb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// The mail of an invitation goes out again with another link, which opens an invitation that had expired.
func TestResendInvitation(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.Invite(0, storetest.ToAccount("new@example.test", accounts.Billing))
		before, later := d.mailToken(i), storetest.Noon.Add(accounts.InvitationLife+time.Hour)
		if err := d.Accounts.ResendInvitation(t.Context(), later, d.Inviting(0), d.UserID, i.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Accounts.InvitationByToken(t.Context(), later, before); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the link of before: %v", err)
		}
		after := d.mailToken(i)
		if o, err := d.Accounts.InvitationByToken(t.Context(), later, after); err != nil || o.Email != "new@example.test" || o.Role != accounts.Billing {
			t.Errorf("%+v, %v", o, err)
		}
		var mails, fresh int
		d.Scan(`SELECT count(*), count(*) FILTER (WHERE token_hash = $1) FROM mails`, []any{db.HashOfToken(after)}, &mails, &fresh)
		if mails != 1 || fresh != 1 {
			t.Errorf("%d mails, %d of them with the new link", mails, fresh)
		}
		if _, err := d.Accounts.AcceptInvitation(t.Context(), later, after, accounts.Accepting{Name: "New"}); err != nil {
			t.Fatal(err)
		}
		if err := d.Accounts.ResendInvitation(t.Context(), later, d.Inviting(0), d.UserID, i.ID); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("of one that was accepted: %v", err)
		}
		if err := d.Accounts.ResendInvitation(t.Context(), later, d.Inviting(0), d.UserID, 999); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of none: %v", err)
		}
	})
}
