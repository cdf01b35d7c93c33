package accountdb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestColumnsOfAUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ann, bob := d.User("ann", accounts.Member), d.User("bob", accounts.Member)
		if err := s.Accounts.SetFaultColumns(t.Context(), ann, "events,users"); err != nil {
			t.Fatal(err)
		}
		for user, want := range map[int64]string{ann: "events,users", bob: ""} {
			if got, err := s.Accounts.FaultColumns(t.Context(), user); got != want || err != nil {
				t.Errorf("user %d has %q, %v; want %q", user, got, err, want)
			}
		}
		if _, err := s.Accounts.FaultColumns(t.Context(), 1<<40); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a user that there is not: %v", err)
		}
	})
}
