package accountdb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// However many ask, from wherever, an address gets a few mails of a kind in an hour.
func TestMailsToOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for n := range signin.MostMailsTo + 4 {
			secret := fmt.Sprint("secret", n)
			if err := s.Accounts.RequestReset(t.Context(), storetest.Noon.Add(time.Duration(n)*time.Minute), "owner@example.test", secret, db.HashOfToken(secret)); err != nil {
				t.Fatal(err)
			}
		}
		if rows := countRows(t, s, "mails"); rows != signin.MostMailsTo {
			t.Errorf("%d mails are queued, want %d", rows, signin.MostMailsTo)
		}
		i := d.Invite(0, storetest.ToAccount("new@example.test", accounts.Member))
		again := func(at time.Time) error {
			return s.Accounts.ResendInvitation(t.Context(), at, d.Inviting(0), d.UserID, i.ID)
		}
		for range signin.MostMailsTo - 1 {
			if err := again(storetest.Noon); err != nil {
				t.Fatal(err)
			}
		}
		if err := again(storetest.Noon); sett.CodeOf(err) != sett.TooMany {
			t.Errorf("one more invitation: %v", err)
		}
		if err := again(storetest.Noon.Add(signin.MailStretch)); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}
