package store_test

import (
	"math/rand/v2"
	"testing"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestWithRandomMakesTheSameAgain(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		var keys []string
		for _, email := range []string{"ann@example.test", "ben@example.test"} {
			ctx := db.WithRandom(t.Context(), rand.NewChaCha8([32]byte{1}))
			accountID, user, err := s.Accounts.CreateAccount(ctx, storetest.Noon, "Acme", accountdb.NewUser{Email: email, Name: "Ann", Proven: true})
			if err != nil && sett.CodeOf(err) == "" && email == "ben@example.test" {
				return // the id is taken, as it is the same
			}
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, accountID)
			if user == 0 {
				t.Error("no user was made")
			}
		}
		t.Errorf("two accounts drawn from the same source are %v, want the same id, and so a conflict", keys)
	})
}
