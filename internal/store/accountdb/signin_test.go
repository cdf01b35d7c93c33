package accountdb_test

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

var signInNoon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// addPerson makes a user with an account of their own.
func addPerson(t *testing.T, s *store.Store, email string) (userID int64) {
	t.Helper()
	_, id, err := s.Accounts.CreateAccount(t.Context(), signInNoon, "Of "+email, accountdb.NewUser{Email: email, Name: "Ann", Password: "old"})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func hashed(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// signedIn makes a session of a user, and returns it as it is found.
func signedIn(t *testing.T, s *store.Store, user int64) signin.Session {
	t.Helper()
	secret := hashed(rand.Text())
	made := signin.Session{UserID: user, How: signin.ByInvitation, Address: "::1", UserAgent: "curl/8"}
	if err := s.Accounts.CreateSession(t.Context(), signInNoon, made, "", secret, nil); err != nil {
		t.Fatal(err)
	}
	session, _, err := s.Accounts.SessionByHash(t.Context(), signInNoon, secret)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func TestSessionsOfTwoUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, bob := addPerson(t, s, "ann@example.test"), addPerson(t, s, "bob@example.test")
		begin := func(secret string, user int64, replaced []byte) {
			t.Helper()
			session := signin.Session{UserID: user, How: signin.ByPassword, Address: "::1", UserAgent: secret}
			if err := s.Accounts.CreateSession(t.Context(), signInNoon, session, "old", hashed(secret), replaced); err != nil {
				t.Fatal(err)
			}
		}
		of := func(user int64) (agents []string) {
			t.Helper()
			sessions, err := s.Accounts.ListSessions(t.Context(), signInNoon, user)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range sessions {
				agents = append(agents, found.UserAgent)
			}
			return agents
		}
		begin("a1", ann, nil)
		begin("a2", ann, nil)
		begin("b1", bob, nil)
		begin("a3", ann, hashed("b1")) // in the browser in which Bob was
		if got := of(bob); got != nil {
			t.Errorf("Bob still has %v", got)
		}
		begin("b2", bob, nil)
		session, user, err := s.Accounts.SessionByHash(t.Context(), signInNoon, hashed("a1"))
		if err != nil || user.ID != ann || user.Email != "ann@example.test" || session.How != signin.ByPassword {
			t.Fatalf("found %+v of %+v, %v", session, user, err)
		}
		ofBob, _, err := s.Accounts.SessionByHash(t.Context(), signInNoon, hashed("b2"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.EndSession(t.Context(), bob, session.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.RevokeSession(t.Context(), ofBob, session.ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"a3", "a2", "a1"}, of(ann)); diff != "" {
			t.Errorf("after another user ended one (-want +got):\n%s", diff)
		}
		if err := s.Accounts.RevokeOtherSessions(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]string{{"a1"}, {"b2"}}, [][]string{of(ann), of(bob)}); diff != "" {
			t.Errorf("after ending the others (-want +got):\n%s", diff)
		}
		if err := s.Accounts.TouchSession(t.Context(), signin.Session{ID: session.ID, UserID: bob, LastSeenAt: signInNoon.Add(time.Hour), Address: "::2"}); err != nil {
			t.Fatal(err)
		}
		if again, _, err := s.Accounts.SessionByHash(t.Context(), signInNoon, hashed("a1")); err != nil || !cmp.Equal(again, session) {
			t.Errorf("another user touches it: %+v, %v", again, err)
		}
	})
}

func TestOldSessionsGo(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann := addPerson(t, s, "ann@example.test")
		for i, secret := range []string{"first", "second"} {
			at := signInNoon.Add(time.Duration(i) * signin.SessionIdleLife)
			if err := s.Accounts.CreateSession(t.Context(), at, signin.Session{UserID: ann}, "", hashed(secret), nil); err != nil {
				t.Fatal(err)
			}
		}
		if rows := countRows(t, s, "sessions"); rows != 1 {
			t.Errorf("%d sessions are stored, want the one that is not over", rows)
		}
	})
}

// countRows counts the rows of a table.
func countRows(t *testing.T, s *store.Store, table string) (n int) {
	t.Helper()
	if err := s.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestResetMails(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		addPerson(t, s, "ann@example.test")
		for _, email := range []string{"unknown@example.test", "ann@example.test"} {
			if err := s.Accounts.RequestReset(t.Context(), signInNoon, email, "secret of "+email, hashed(email)); err != nil {
				t.Fatal(err)
			}
		}
		if rows := countRows(t, s, "password_resets"); rows != 2 {
			t.Errorf("%d links are stored: the duration differs when no user has the address", rows)
		}
		if err := s.Accounts.ResetPassword(t.Context(), signInNoon, hashed("unknown@example.test"), accountdb.NewPassword{PHC: "x"}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the link of no user: %v", err)
		}
		if err := s.Accounts.ResetPassword(t.Context(), signInNoon, hashed("ann@example.test"), accountdb.NewPassword{PHC: "new", Address: "::1", Device: "curl"}); err != nil {
			t.Fatal(err)
		}
		want := []alerts.Mail{
			{To: "ann@example.test", Kind: alerts.PasswordResetMail, Fields: map[string]string{"token": "secret of ann@example.test"}},
			{To: "ann@example.test", Kind: alerts.PasswordChangedMail, Fields: map[string]string{"address": "::1", "device": "curl"}},
		}
		if diff := cmp.Diff(want, mailsQueued(t, s)); diff != "" {
			t.Errorf("mails (-want +got):\n%s", diff)
		}
		if _, phc, err := s.Accounts.PasswordByEmail(t.Context(), "ann@example.test"); err != nil || phc != "new" {
			t.Errorf("the password is %q, %v", phc, err)
		}
		if err := s.Accounts.RequestReset(t.Context(), signInNoon.Add(time.Hour), "ann@example.test", "x", hashed("x")); err != nil {
			t.Fatal(err)
		}
		if rows := countRows(t, s, "password_resets"); rows != 1 {
			t.Errorf("%d links are stored; old ones stay", rows)
		}
	})
}

// Who knew the old password and stands before the second factor does not come in with it after the password was changed.
func TestNewPasswordEndsHalfSignIns(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, bob := addPerson(t, s, "ann@example.test"), addPerson(t, s, "bob@example.test")
		for secret, user := range map[string]int64{"a": ann, "b": bob} {
			if err := s.Accounts.CreateLoginStep(t.Context(), signInNoon, user, signin.Way{How: signin.ByPassword}, "old", hashed(secret)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Accounts.SetPassword(t.Context(), signInNoon, signedIn(t, s, ann), accountdb.NewPassword{PHC: "new"}); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := s.Accounts.LoginStep(t.Context(), signInNoon, hashed("a")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the half sign-in with the old password: %v, want NotFound", err)
		}
		if user, _, _, err := s.Accounts.LoginStep(t.Context(), signInNoon, hashed("b")); err != nil || user.ID != bob {
			t.Errorf("that of another user: %+v, %v", user, err)
		}
	})
}

// mailsQueued claims all mails that wait, in the order in which they came.
func mailsQueued(t *testing.T, s *store.Store) (mails []alerts.Mail) {
	t.Helper()
	for _, m := range storetest.ClaimMails(t, s, signInNoon.Add(time.Minute)) {
		mails = append(mails, m.Mail)
	}
	return mails
}

func TestOneLinkSetsOnePassword(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		addPerson(t, s, "ann@example.test")
		if err := s.Accounts.RequestReset(t.Context(), signInNoon, "ann@example.test", "x", hashed("x")); err != nil {
			t.Fatal(err)
		}
		if set := succeeding(8, func(int) bool {
			return s.Accounts.ResetPassword(t.Context(), signInNoon, hashed("x"), accountdb.NewPassword{PHC: "new"}) == nil
		}); set != 1 {
			t.Errorf("the link sets %d passwords", set)
		}
	})
}

// succeeding runs f so many times at once and counts how often it succeeds.
func succeeding(times int, f func(i int) bool) (n int) {
	results := make([]bool, times)
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() { results[i] = f(i) })
	}
	all.Wait()
	for _, ok := range results {
		if ok {
			n++
		}
	}
	return n
}

func TestSecondFactorOfAUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, bob := addPerson(t, s, "ann@example.test"), addPerson(t, s, "bob@example.test")
		if f, err := s.Accounts.SecondFactor(t.Context(), ann); err != nil || f != (signin.SecondFactor{}) {
			t.Fatalf("%+v, %v", f, err)
		}
		by := signedIn(t, s, ann)
		for _, secret := range []string{"FIRST", "SECOND"} {
			if err := s.Accounts.ProposeSecondFactor(t.Context(), by, secret); err != nil {
				t.Fatal(err)
			}
		}
		if fresh, err := s.Accounts.UseStep(t.Context(), ann, 7); err != nil || fresh {
			t.Errorf("a code of what is not confirmed: %t, %v", fresh, err)
		}
		if err := s.Accounts.ConfirmSecondFactor(t.Context(), signInNoon, by, "FIRST", 7, nil); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("the secret that was replaced: %v", err)
		}
		if err := s.Accounts.ConfirmSecondFactor(t.Context(), signInNoon, by, "SECOND", 7, [][]byte{hashed("a"), hashed("b")}); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.ProposeSecondFactor(t.Context(), by, "THIRD"); err != nil {
			t.Fatal(err)
		}
		if f, err := s.Accounts.SecondFactor(t.Context(), ann); err != nil || f != (signin.SecondFactor{Secret: "SECOND", Confirmed: true, RecoveryCodes: 2}) {
			t.Errorf("%+v, %v", f, err)
		}
		for _, step := range []struct {
			user, step int64
			want       bool
		}{{ann, 7, false}, {bob, 8, false}, {ann, 9, true}, {ann, 9, false}, {ann, 8, false}, {ann, 10, true}} {
			if fresh, err := s.Accounts.UseStep(t.Context(), step.user, step.step); err != nil || fresh != step.want {
				t.Errorf("%+v: %t, %v", step, fresh, err)
			}
		}
		if had, err := s.Accounts.UseRecoveryCode(t.Context(), bob, hashed("a")); err != nil || had {
			t.Errorf("Bob uses Ann's code: %t, %v", had, err)
		}
		if used := succeeding(6, func(int) bool {
			had, err := s.Accounts.UseRecoveryCode(t.Context(), ann, hashed("a"))
			return err == nil && had
		}); used != 1 {
			t.Errorf("a recovery code was used %d times", used)
		}
		if used := succeeding(6, func(int) bool {
			fresh, err := s.Accounts.UseStep(t.Context(), ann, 20)
			return err == nil && fresh
		}); used != 1 {
			t.Errorf("a code was used %d times", used)
		}
		if err := s.Accounts.DropSecondFactor(t.Context(), signInNoon, by); err != nil {
			t.Fatal(err)
		}
		if had, err := s.Accounts.UseRecoveryCode(t.Context(), ann, hashed("b")); err != nil || had {
			t.Errorf("a code of what is off: %t, %v", had, err)
		}
	})
}

func TestTriesAtOnceAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		network := accountdb.TryKey{Hash: hashed("network"), Free: 50}
		for _, account := range []string{"cid", "dora", "eve", "ann"} { // the first opens the connections
			taken := succeeding(20, func(int) bool {
				return s.Accounts.TakeTry(t.Context(), signInNoon, accountdb.TryKey{Hash: hashed(account), Free: 5}, network) == nil
			})
			if taken != 5 {
				t.Errorf("%d tries at once were taken on %s, want 5", taken, account)
			}
		}
		if err := s.Accounts.TakeTry(t.Context(), signInNoon, accountdb.TryKey{Hash: hashed("bob"), Free: 5}, network); err != nil {
			t.Errorf("another account: %v", err)
		}
		if err := s.Accounts.ForgiveTry(t.Context(), signInNoon, accountdb.PassedTry{Account: hashed("ann"), Others: [][]byte{network.Hash}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.TakeTry(t.Context(), signInNoon, accountdb.TryKey{Hash: hashed("ann"), Free: 5}, network); err != nil {
			t.Errorf("after a success: %v", err)
		}
		var count int64
		if err := s.Read.QueryRowContext(t.Context(), s.Text("SELECT count FROM login_failures WHERE key = $1"), network.Hash).Scan(&count); err != nil || count != 21 {
			t.Errorf("the network has %d failures, %v; want 20 + 1 - 1 + 1", count, err)
		}
		if err := s.Accounts.TakeTry(t.Context(), signInNoon.Add(time.Hour), accountdb.TryKey{Hash: hashed("bob"), Free: 5}); err != nil {
			t.Fatal(err)
		}
		if rows := countRows(t, s, "login_failures"); rows != 1 {
			t.Errorf("%d keys are stored, want the one that still counts", rows)
		}
	})
}

func TestSignInsThatBeginAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		begin := func(network string, now time.Time) error {
			return s.Accounts.TakeBegin(t.Context(), now, hashed(network))
		}
		for range signin.MostBegun - 4 {
			if err := begin("a", signInNoon); err != nil {
				t.Fatal(err)
			}
		}
		if taken := succeeding(8, func(int) bool { return begin("a", signInNoon) == nil }); taken != 4 {
			t.Errorf("%d more were taken at once, want 4", taken)
		}
		if err := begin("a", signInNoon.Add(signin.BegunStretch-1)); sett.CodeOf(err) != sett.TooMany {
			t.Errorf("one more: %v", err)
		}
		if err := begin("b", signInNoon); err != nil {
			t.Errorf("another network: %v", err)
		}
		if err := begin("a", signInNoon.Add(signin.BegunStretch)); err != nil {
			t.Errorf("later: %v", err)
		}
		if err := begin("c", signInNoon.Add(time.Hour)); err != nil || countRows(t, s, "login_failures") != 1 {
			t.Errorf("%d rows are kept, %v", countRows(t, s, "login_failures"), err)
		}
	})
}

func TestPersonalTokensOfAUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, bob := addPerson(t, s, "ann@example.test"), addPerson(t, s, "bob@example.test")
		token := signin.PersonalToken{Name: "deploy", ReadOnly: true, CreatedAt: signInNoon, ExpiresAt: signInNoon.Add(time.Hour)}
		if err := s.Accounts.CreatePersonalToken(t.Context(), signedIn(t, s, ann), token, hashed("t")); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.CreateToken(t.Context(), signInNoon, bob, "plain", hashed("p")); err != nil {
			t.Fatal(err)
		}
		got, user, err := s.Accounts.PersonalTokenByHash(t.Context(), hashed("t"))
		token.ID = got.ID
		if err != nil || user.ID != ann || !cmp.Equal(got, token) {
			t.Fatalf("%+v of %+v, %v; want %+v", got, user, err, token)
		}
		later := signInNoon.Add(time.Minute)
		for _, touch := range []struct {
			user int64
			from string
		}{{bob, "::2"}, {ann, "::1"}} {
			if err := s.Accounts.TouchToken(t.Context(), later, touch.user, token.ID, touch.from); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Accounts.RevokeToken(t.Context(), signedIn(t, s, bob), token.ID); err != nil {
			t.Fatal(err)
		}
		token.UsedAt, token.UsedFrom = later, "::1"
		if list, err := s.Accounts.ListTokens(t.Context(), ann); err != nil || !cmp.Equal(list, []signin.PersonalToken{token}) {
			t.Errorf("%+v, %v", list, err)
		}
		if err := s.Accounts.RevokeToken(t.Context(), signedIn(t, s, ann), token.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Accounts.PersonalTokenByHash(t.Context(), hashed("t")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a revoked token: %v", err)
		}
		if plain, _, err := s.Accounts.PersonalTokenByHash(t.Context(), hashed("p")); err != nil || plain.ReadOnly || !plain.ExpiresAt.IsZero() {
			t.Errorf("a token as before: %+v, %v", plain, err)
		}
	})
}

func TestReplacePasswordOnlyOfTheSame(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann := addPerson(t, s, "ann@example.test")
		for _, old := range []string{"another", "old", "old"} {
			if err := s.Accounts.ReplacePassword(t.Context(), ann, old, "after "+old); err != nil {
				t.Fatal(err)
			}
		}
		if _, phc, err := s.Accounts.PasswordByEmail(t.Context(), "ann@example.test"); err != nil || phc != "after old" {
			t.Errorf("the password is %q, %v", phc, err)
		}
	})
}
