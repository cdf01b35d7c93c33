package accountdb_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

func newKey(text string) signin.Passkey {
	return signin.Passkey{Name: text, CredentialID: hashed(text), Handle: []byte("handle"), PublicKey: []byte("key"), Count: 7, Syncs: true}
}

func TestPasskeysOfTwoUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, bob := addPerson(t, s, "ann@example.test"), addPerson(t, s, "bob@example.test")
		for name, user := range map[string]int64{"a": ann, "b": bob} {
			if err := s.Accounts.CreatePasskey(t.Context(), signInNoon, signedIn(t, s, user), newKey(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Accounts.CreatePasskey(t.Context(), signInNoon, signedIn(t, s, bob), newKey("a")); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("one passkey of two users: %v", err)
		}
		if err := s.Accounts.CreatePasskey(t.Context(), signInNoon, signin.Session{ID: 1, UserID: 999}, newKey("c")); sett.CodeOf(err) != sett.Unauthenticated {
			t.Errorf("a passkey of no user: %v", err)
		}
		key, user, err := s.Accounts.PasskeyByCredential(t.Context(), hashed("a"))
		if err != nil {
			t.Fatal(err)
		}
		want := newKey("a")
		want.UserID, want.CreatedAt = ann, signInNoon
		if diff := cmp.Diff(want, key, cmpopts.IgnoreFields(signin.Passkey{}, "ID")); diff != "" {
			t.Errorf("the passkey (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(accounts.User{ID: ann, Email: "ann@example.test", Name: "Ann"}, user); diff != "" {
			t.Errorf("its user (-want +got):\n%s", diff)
		}
		if good, err := s.Accounts.UsePasskey(t.Context(), signInNoon, bob, key.ID, 8); good || err != nil {
			t.Errorf("Bob uses Ann's passkey: %v", err)
		}
		if err := s.Accounts.RemovePasskey(t.Context(), signedIn(t, s, bob), key.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("Bob removes Ann's passkey: %v", err)
		}
		if got, err := s.Accounts.ListPasskeys(t.Context(), ann); err != nil || len(got) != 1 || got[0].Copied || !got[0].UsedAt.IsZero() {
			t.Errorf("Ann has %+v, %v", got, err)
		}
	})
}

// Of signatures with one count, at the same time, one counts.
func TestOnePasskeyCountCountsOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann := addPerson(t, s, "ann@example.test")
		if err := s.Accounts.CreatePasskey(t.Context(), signInNoon, signedIn(t, s, ann), newKey("a")); err != nil {
			t.Fatal(err)
		}
		key, _, err := s.Accounts.PasskeyByCredential(t.Context(), hashed("a"))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		accepted := 0
		for range 4 {
			wg.Go(func() {
				good, err := s.Accounts.UsePasskey(t.Context(), signInNoon.Add(time.Hour), ann, key.ID, 8)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if good {
					accepted++
				}
			})
		}
		wg.Wait()
		if accepted != 1 {
			t.Errorf("%d were accepted, want 1", accepted)
		}
		keys, err := s.Accounts.ListPasskeys(t.Context(), ann)
		if err != nil || !keys[0].Copied || keys[0].Count != 8 || !keys[0].UsedAt.Equal(signInNoon.Add(time.Hour)) {
			t.Errorf("the passkey is %+v, %v", keys, err)
		}
		if good, err := s.Accounts.UsePasskey(t.Context(), signInNoon, ann, key.ID, 9); good || err != nil {
			t.Errorf("a copied passkey is accepted again, %v", err)
		}
	})
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann := addPerson(t, s, "ann@example.test")
		ask := func(secret string, purpose signin.Purpose, user int64) {
			t.Helper()
			if err := s.Accounts.CreateChallenge(t.Context(), signInNoon, purpose, user, hashed(secret), []byte(secret)); err != nil {
				t.Fatal(err)
			}
		}
		ask("a", signin.AddPasskey, ann)
		ask("b", signin.UsePasskey, 0)
		ask("c", signin.SignInByOIDC, 0)
		for _, c := range []struct {
			secret  string
			purpose signin.Purpose
			user    int64
			after   time.Duration
			found   bool
		}{
			{"a", signin.AddPasskey, ann, 5*time.Minute - 1000, true},
			{"a", signin.AddPasskey, ann, 5 * time.Minute, false},
			{"a", signin.AddPasskey, 0, 0, false},
			{"a", signin.AddPasskey, ann + 1, 0, false},
			{"a", signin.UsePasskey, ann, 0, false},
			{"b", signin.UsePasskey, 0, 0, true},
			{"b", signin.UsePasskey, ann, 0, false},
			{"c", signin.SignInByOIDC, 0, 10*time.Minute - 1000, true},
			{"c", signin.SignInByOIDC, 0, 10 * time.Minute, false},
			{"x", signin.UsePasskey, 0, 0, false},
		} {
			got, err := s.Accounts.Challenge(t.Context(), signInNoon.Add(c.after), c.purpose, c.user, hashed(c.secret))
			if found := err == nil && string(got) == c.secret; found != c.found || !found && sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%+v: %q, %v", c, got, err)
			}
			if c.found {
				continue
			}
			if _, err := s.Accounts.TakeChallenge(t.Context(), signInNoon.Add(c.after), c.purpose, c.user, hashed(c.secret)); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%+v is taken: %v", c, err)
			}
		}
		taken := [2]bool{}
		for i := range taken {
			state, err := s.Accounts.TakeChallenge(t.Context(), signInNoon, signin.UsePasskey, 0, hashed("b"))
			taken[i] = err == nil && string(state) == "b"
		}
		if taken != [2]bool{true, false} {
			t.Errorf("taken twice: %v", taken)
		}
		if err := s.Accounts.CreateChallenge(t.Context(), signInNoon.Add(time.Hour), signin.UsePasskey, 0, hashed("d"), []byte("d")); err != nil {
			t.Fatal(err)
		}
		var left int
		if err := s.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM challenges").Scan(&left); err != nil || left != 1 {
			t.Errorf("%d are left, want the new one, %v", left, err)
		}
	})
}

// First sign-ins of one identity at the same time make one user.
func TestIdentitiesAtTheSameTime(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		addPerson(t, s, "owner@example.test")
		identity := accounts.Identity{Issuer: "https://id.test", Subject: "1", Email: "ann@example.test", EmailVerified: true, Name: "Ann"}
		joining := accounts.Joining{Role: accounts.Member}
		var wg sync.WaitGroup
		made := make(chan int64, 4)
		for range cap(made) {
			wg.Go(func() {
				u, err := s.Accounts.CreateIdentityUser(t.Context(), signInNoon, identity, joining)
				switch sett.CodeOf(err) {
				case "":
					if err != nil {
						t.Error(err)
					}
					made <- u.ID
				case sett.Conflict:
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		close(made)
		if len(made) != 1 {
			t.Fatalf("%d users were made", len(made))
		}
		u, err := s.Accounts.UserByIdentity(t.Context(), identity)
		if want := (accounts.User{ID: <-made, Email: "ann@example.test", Name: "Ann"}); err != nil || u != want {
			t.Errorf("the user is %+v, %v, want %+v", u, err, want)
		}
		for name, other := range map[string]accounts.Identity{
			"of another issuer": {Issuer: "https://other.test", Subject: "1"}, "another subject": {Issuer: "https://id.test", Subject: "2"},
		} {
			if _, err := s.Accounts.UserByIdentity(t.Context(), other); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, err := s.Accounts.IdentityOf(t.Context(), u.ID, "https://id.test"); err != nil || got.Subject != "1" || got.Email != "ann@example.test" {
			t.Errorf("who Ann is: %+v, %v", got, err)
		}
		if got, err := s.Accounts.IdentityOf(t.Context(), u.ID, "https://other.test"); err != nil || got.Subject != "" {
			t.Errorf("who Ann is to another: %+v, %v", got, err)
		}
	})
}

// Groups that take two owners their role at the same time leave one.
func TestFollowersLeaveAnOwner(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		account, first, err := s.Accounts.CreateAccount(t.Context(), signInNoon, "Acme", accountdb.NewUser{Email: "0@example.test", Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		owners := []int64{first}
		for i := range 3 {
			id, err := s.Accounts.CreateUser(t.Context(), signInNoon, accountdb.NewUser{AccountID: account, Email: fmt.Sprintf("%d@x.test", i), Name: "x", Role: accounts.Owner})
			if err != nil {
				t.Fatal(err)
			}
			owners = append(owners, id)
		}
		var wg sync.WaitGroup
		for _, id := range owners {
			wg.Go(func() {
				if err := s.Accounts.FollowGroups(t.Context(), signInNoon, id, accounts.Joining{AccountID: account, Role: accounts.Member, Follow: true}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		users, _, err := s.Accounts.ListAccountUsers(t.Context(), account, accountdb.AccountUserFilter{Page: sett.Page{Size: 10}})
		left := 0
		for _, u := range users {
			if u.Role == accounts.Owner {
				left++
			}
		}
		if err != nil || left != 1 {
			t.Errorf("%d owners are left, want 1, %v", left, err)
		}
	})
}
