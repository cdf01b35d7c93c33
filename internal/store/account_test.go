package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestListAccountsOfAUser(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		other, stranger := d.stranger()
		join := `INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, 'Member', $3)`
		d.run(join, other, d.UserID, micros(noon)+1) // after their own
		mine := sett.Account{ID: d.AccountID, Name: "Acme", Email: "owner@example.test", Active: true, CreatedAt: noon}
		theirs := sett.Account{ID: other, Name: "Others", Email: "stranger@example.test", Active: true, CreatedAt: noon}

		for _, c := range []struct {
			name          string
			user          int64
			offset, limit int
			want          []sett.Account
			more          bool
		}{
			{"both", d.UserID, 0, 25, []sett.Account{mine, theirs}, false},
			{"first page", d.UserID, 0, 1, []sett.Account{mine}, true},
			{"second page", d.UserID, 1, 1, []sett.Account{theirs}, false},
			{"past the end", d.UserID, 2, 1, nil, false},
			{"only their own", stranger, 0, 25, []sett.Account{theirs}, false},
			{"nobody", 99999, 0, 25, nil, false},
		} {
			got, more, err := s.ListAccounts(t.Context(), c.user, c.offset, c.limit)
			if diff := cmp.Diff(c.want, got); diff != "" || more != c.more || err != nil {
				t.Errorf("%s: more = %v, %v; accounts (-want +got):\n%s", c.name, more, err, diff)
			}
		}
	})
}

func TestAccountByID(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.run(`UPDATE accounts SET parked = true, active = false`)
		got, err := s.AccountByID(t.Context(), d.AccountID)
		want := sett.Account{ID: d.AccountID, Name: "Acme", Email: "owner@example.test", Parked: true, CreatedAt: noon}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, account (-want +got):\n%s", err, diff)
		}
		if _, err := s.AccountByID(t.Context(), "nowhere"); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("an account that is not there: %v", err)
		}
	})
}
