package accountdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestAllAccountsAndUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Project("Second project")
		other, stranger := d.Stranger()
		anna, lost := d.User("anna", accounts.Owner), d.User("lost", accounts.Member)
		d.join(other, anna, accounts.Billing)
		d.Run(`UPDATE accounts SET created_at = $1 WHERE id = $2`, db.Micros(storetest.Noon.Add(time.Hour)), other)
		d.Run(`DELETE FROM memberships WHERE user_id IN ($1, $2)`, lost, stranger)
		for user, confirmed := range map[int64]bool{anna: true, lost: false} {
			d.Run(`INSERT INTO second_factors (user_id, secret, confirmed, last_step) VALUES ($1, 'x', $2, 0)`, user, confirmed)
		}

		all, err := s.Accounts.AllAccounts(t.Context())
		first, second := accounts.Account{ID: d.AccountID, Name: "Acme", Email: "owner@example.test", Active: true, CreatedAt: storetest.Noon},
			accounts.Account{ID: other, Name: "Others", Email: "stranger@example.test", Active: true, CreatedAt: storetest.Noon.Add(time.Hour)}
		want := []accounts.AccountSummary{
			{Account: first, Owners: []string{"anna@example.test", "owner@example.test"}, Users: 2, Projects: 2},
			{Account: second, Users: 1},
		}
		if diff := cmp.Diff(want, all); diff != "" || err != nil {
			t.Errorf("accounts: %v (-want +got):\n%s", err, diff)
		}

		person := func(id int64, name, email string) sett.Person {
			return sett.Person{ID: id, Email: email + "@example.test", Name: name}
		}
		acme, others := accounts.UserAccount{ID: d.AccountID, Name: "Acme", Role: accounts.Owner}, accounts.UserAccount{ID: other, Name: "Others", Role: accounts.Billing}
		both := []accounts.UserAccount{acme, others}
		if other < d.AccountID {
			both = []accounts.UserAccount{others, acme}
		}
		everybody := []accounts.UserSummary{
			{Person: person(d.UserID, "Olga", "owner"), Accounts: []accounts.UserAccount{acme}},
			{Person: person(stranger, "Sven", "stranger")},
			{Person: person(anna, "anna", "anna"), SecondFactor: true, Accounts: both},
			{Person: person(lost, "lost", "lost")},
		}
		for account, want := range map[string][]accounts.UserSummary{"": everybody, d.AccountID: {everybody[0], everybody[2]}, other: {everybody[2]}, "nix": nil} {
			users, err := s.Accounts.AllUsers(t.Context(), account)
			if diff := cmp.Diff(want, users); diff != "" || err != nil {
				t.Errorf("users of %q: %v (-want +got):\n%s", account, err, diff)
			}
		}
	})
}
