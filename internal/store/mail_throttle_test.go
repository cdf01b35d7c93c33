package store

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// However many ask, from wherever, an address gets a few mails of a kind in an hour.
func TestMailsToOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		for n := range sett.MostMailsTo + 4 {
			secret := fmt.Sprint("secret", n)
			if err := s.RequestReset(t.Context(), noon.Add(time.Duration(n)*time.Minute), "owner@example.test", secret, db.HashOfToken(secret)); err != nil {
				t.Fatal(err)
			}
		}
		if rows := countRows(t, s, "mails"); rows != sett.MostMailsTo {
			t.Errorf("%d mails are queued, want %d", rows, sett.MostMailsTo)
		}
		i := d.invite(0, toAccount("new@example.test", sett.Member))
		again := func(at time.Time) error { return s.ResendInvitation(t.Context(), at, d.inviting(0), d.UserID, i.ID) }
		for range sett.MostMailsTo - 1 {
			if err := again(noon); err != nil {
				t.Fatal(err)
			}
		}
		if err := again(noon); sett.CodeOf(err) != sett.TooMany {
			t.Errorf("one more invitation: %v", err)
		}
		if err := again(noon.Add(sett.MailStretch)); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}
