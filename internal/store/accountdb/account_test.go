package accountdb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestListAccountsOfAUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		join := `INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, 'Member', $3)`
		d.Run(join, other, d.UserID, db.Micros(storetest.Noon)+1) // after their own
		mine := accounts.Account{ID: d.AccountID, Name: "Acme", Email: "owner@example.test", Active: true, CreatedAt: storetest.Noon}
		theirs := accounts.Account{ID: other, Name: "Others", Email: "stranger@example.test", Active: true, CreatedAt: storetest.Noon}

		first := d.AccountID + "." + fmt.Sprint(db.Micros(storetest.Noon))
		for _, c := range []struct {
			name  string
			user  int64
			page  sett.Page
			want  []accounts.Account
			marks sett.Marks
		}{
			{"both", d.UserID, sett.Page{Size: 25}, []accounts.Account{mine, theirs}, sett.Marks{}},
			{"first page", d.UserID, sett.Page{Size: 1}, []accounts.Account{mine}, sett.Marks{Next: first}},
			{"second page", d.UserID, sett.Page{Size: 1, Offset: 1}, []accounts.Account{theirs}, sett.Marks{Prev: first}},
			{"behind the first", d.UserID, sett.Page{Size: 1, Mark: first}, []accounts.Account{theirs}, sett.Marks{Prev: first}},
			{"back to the first", d.UserID, sett.Page{Size: 1, Mark: first, Back: true}, []accounts.Account{mine}, sett.Marks{Next: first}},
			{"far past the end", d.UserID, sett.Page{Size: 1, Offset: 3}, nil, sett.Marks{}},
			{"only their own", stranger, sett.Page{Size: 25}, []accounts.Account{theirs}, sett.Marks{}},
			{"no user", 99999, sett.Page{Size: 25}, nil, sett.Marks{}},
		} {
			got, marks, err := s.Accounts.ListAccounts(t.Context(), c.user, c.page)
			if diff := cmp.Diff(c.want, got); diff != "" || marks != c.marks || err != nil {
				t.Errorf("%s: marks %+v, want %+v, %v; accounts (-want +got):\n%s", c.name, marks, c.marks, err, diff)
			}
		}
		if _, _, err := s.Accounts.ListAccounts(t.Context(), d.UserID, sett.Page{Size: 1, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
	})
}

func TestAccountByID(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(`UPDATE accounts SET parked = true, active = false`)
		got, err := s.Accounts.AccountByID(t.Context(), d.AccountID)
		want := accounts.Account{ID: d.AccountID, Name: "Acme", Email: "owner@example.test", Parked: true, CreatedAt: storetest.Noon}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, account (-want +got):\n%s", err, diff)
		}
		if _, err := s.Accounts.AccountByID(t.Context(), "nowhere"); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("an account that is not there: %v", err)
		}
	})
}
