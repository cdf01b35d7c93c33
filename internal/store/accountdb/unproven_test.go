package accountdb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// proven reports whether the address of a user was shown to be theirs.
func (d *desk) proven(user int64) (proven bool) {
	d.T.Helper()
	d.Scan(`SELECT proven FROM users WHERE id = $1`, []any{user}, &proven)
	return proven
}

func TestWhoIsProven(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		shown, mailed := d.Invite(0, storetest.ToAccount("shown@example.test", accounts.Member)), d.Invite(0, storetest.ToAccount("mailed@example.test", accounts.Member))
		made, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, shown.Token, accounts.Accepting{Name: "New"})
		if err != nil {
			t.Fatal(err)
		}
		identity := accounts.Identity{Issuer: "i", Subject: "s", Email: "single@example.test", EmailVerified: true}
		single, err := s.Accounts.CreateIdentityUser(t.Context(), storetest.Noon, identity, accounts.Joining{AccountID: d.AccountID, Role: accounts.Member})
		if err != nil {
			t.Fatal(err)
		}
		want := []bool{true, false, true, true}
		got := []bool{d.proven(d.UserID), d.proven(made), d.proven(d.accept(mailed, accounts.Accepting{Name: "New"})), d.proven(single.ID)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by setup, the shown token, the mailed one, single sign-on (-want +got):\n%s", diff)
		}
	})
}

// The mail, and only the mail, has the token with which anybody may accept.
func TestTheTokenOfTheMailIsAnother(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		_, stranger := d.Stranger()
		i := d.Invite(0, storetest.ToAccount("new@example.test", accounts.Member))
		mail := mailsQueued(t, s)[0]
		token := mail.Fields["token"]
		if token == i.Token || token != d.mailToken(i) {
			t.Errorf("the mail has %q, the interface %q, stored is %q", token, i.Token, d.mailToken(i))
		}
		for found, byMail := range map[string]bool{i.Token: false, token: true} {
			if o, err := s.Accounts.InvitationByToken(t.Context(), storetest.Noon, found); err != nil || o.ByMail != byMail {
				t.Errorf("by mail %t: %+v, %v", byMail, o, err)
			}
		}
		_, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, i.Token, accounts.Accepting{UserID: stranger})
		const want = "This invitation is for new@example.test. Sign in as the user with that address, or open the link in the mail."
		if sett.CodeOf(err) != sett.Forbidden || err.Error() != want || d.roleOf(d.AccountID, stranger) != "" {
			t.Errorf("another user with the token of the API: %v", err)
		}
		if _, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, token, accounts.Accepting{UserID: stranger}); err != nil {
			t.Errorf("another user with the token of the mail: %v", err)
		}
		d.Run(`UPDATE users SET email = 'own@example.test' WHERE id = $1`, stranger)
		own := d.Invite(d.Team(d.ProjectID), toTeam("Own@example.test", false))
		if _, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, own.Token, accounts.Accepting{UserID: stranger}); err != nil {
			t.Errorf("the user with the address: %v", err)
		}
	})
}

// waysIn counts the rows with which a user could act.
const waysIn = `SELECT (SELECT count(*) FROM tokens WHERE user_id = $1), (SELECT count(*) FROM sessions WHERE user_id = $1),
	(SELECT count(*) FROM passkeys WHERE user_id = $1), (SELECT count(*) FROM oidc_identities WHERE user_id = $1),
	(SELECT count(*) FROM challenges WHERE user_id = $1), (SELECT count(*) FROM second_factors WHERE user_id = $1),
	(SELECT count(*) FROM recovery_codes WHERE user_id = $1), (SELECT count(*) FROM login_steps WHERE user_id = $1)`

// giveWaysIn gives a user one row in each table that waysIn counts.
func (d *desk) giveWaysIn(user int64) {
	d.T.Helper()
	for table, columns := range map[string]string{
		"tokens":          `hash, user_id, name, created_at) VALUES ($2, $1, 'x', 0`,
		"sessions":        `hash, user_id, how, created_at, last_seen_at, address, user_agent) VALUES ($2, $1, 'passkey', $3, $3, '', ''`,
		"passkeys":        `credential_id, user_id, name, handle, public_key, sign_count, syncs, copied, created_at, used_at) VALUES ($2, $1, 'x', $2, $2, 0, false, false, 0, 0`,
		"oidc_identities": `subject, user_id, issuer, email, created_at) VALUES ((SELECT email FROM users WHERE id = $1), $1, CAST(length(CAST($2 AS bytea)) AS text), '', 0`,
		"challenges":      `hash, user_id, purpose, state, expires_at) VALUES ($2, $1, 'x', $2, 0`,
		"second_factors":  `user_id, secret, confirmed, last_step) VALUES ($1, CAST(length(CAST($2 AS bytea)) AS text), true, 0`,
		"recovery_codes":  `hash, user_id) VALUES ($2, $1`,
		"login_steps":     `hash, user_id, how, expires_at) VALUES ($2, $1, 'password', 0`,
	} {
		args := []any{user, hashed(string(rune(user)))}
		if table == "sessions" { // one that is not over
			args = append(args, db.Micros(storetest.Noon))
		}
		d.Run(`INSERT INTO `+table+` (`+columns+`)`, args...)
	}
}

func TestAResetByMailProvesTheUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ann, bob := d.User("ann", accounts.Member), d.User("bob", accounts.Member)
		d.giveWaysIn(ann)
		d.giveWaysIn(bob)
		d.WantNumbers("before", waysIn, []any{ann}, 1, 1, 1, 1, 1, 1, 1, 1)
		d.reset("ann@example.test")
		d.WantNumbers("after the proof", waysIn, []any{ann}, 0, 0, 0, 0, 0, 0, 0, 0)
		d.WantNumbers("of another user", waysIn, []any{bob}, 1, 1, 1, 1, 1, 1, 1, 1)
		if !d.proven(ann) || d.proven(bob) {
			t.Error("who has read the mail is not who is proven")
		}
		d.Run(`UPDATE users SET proven = true WHERE id = $1`, bob)
		d.reset("bob@example.test")
		d.WantNumbers("of a proven user", waysIn, []any{bob}, 1, 0, 1, 1, 1, 1, 1, 0)
	})
}

// The password goes as well, which a reset would have replaced.
func TestASignInByProxyProvesTheUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		signIn := func(user int64, how signin.How) {
			t.Helper()
			hash := hashed(fmt.Sprint("session ", how, user))
			if err := s.Accounts.CreateSession(t.Context(), storetest.Noon, signin.Session{UserID: user, How: how}, "", hash, nil); err != nil {
				t.Fatal(err)
			}
		}
		password := func(user int64) (phc string) {
			t.Helper()
			d.Scan(`SELECT password FROM users WHERE id = $1`, []any{user}, &phc)
			return phc
		}
		ann, bob := d.User("ann", accounts.Member), d.User("bob", accounts.Member)
		for _, user := range []int64{ann, bob} {
			d.giveWaysIn(user)
			d.Run(`UPDATE users SET password = 'old' WHERE id = $1`, user)
		}
		signIn(ann, signin.ByPasskey)
		d.WantNumbers("by a passkey", waysIn, []any{ann}, 1, 2, 1, 1, 1, 1, 1, 1)
		signIn(ann, signin.ByProxy)
		d.WantNumbers("by the proxy", waysIn, []any{ann}, 0, 1, 0, 0, 0, 0, 0, 0)
		if !d.proven(ann) || password(ann) != "" {
			t.Errorf("proven %t, with the password %q", d.proven(ann), password(ann))
		}
		d.WantNumbers("of another user", waysIn, []any{bob}, 1, 1, 1, 1, 1, 1, 1, 1)
		d.Run(`UPDATE users SET proven = true WHERE id = $1`, bob)
		signIn(bob, signin.ByProxy)
		d.WantNumbers("of a proven user", waysIn, []any{bob}, 1, 2, 1, 1, 1, 1, 1, 1)
		if password(bob) != "old" || d.proven(d.User("eve", accounts.Member)) {
			t.Error("a proven user has lost their password, or all are proven")
		}
	})
}

// reset sets a password by mail.
func (d *desk) reset(email string) {
	d.T.Helper()
	if err := d.Accounts.RequestReset(d.T.Context(), storetest.Noon, email, email, hashed(email)); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Accounts.ResetPassword(d.T.Context(), storetest.Noon, hashed(email), accountdb.NewPassword{PHC: "new"}); err != nil {
		d.T.Fatal(err)
	}
}

func TestTokensThatAUserHasReadAreRenewed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		ada := d.User("ada", accounts.Admin)
		ofAccount, ofTeam := d.Invite(0, storetest.ToAccount("a@example.test", accounts.Member)), d.Invite(d.Team(d.ProjectID), toTeam("a@example.test", false))
		foreign, err := s.Accounts.CreateInvitation(t.Context(), storetest.Noon, accountdb.Inviting{AccountID: other}, stranger, storetest.ToAccount("a@example.test", accounts.Member))
		if err != nil {
			t.Fatal(err)
		}
		read := func() (tokens [3]string) {
			t.Helper()
			for n, i := range []accounts.Invitation{ofAccount, ofTeam, foreign} {
				d.Scan(`SELECT token FROM invitations WHERE id = $1`, []any{i.ID}, &tokens[n])
			}
			return tokens
		}
		mailed := d.mailToken(ofTeam)
		become := func(role accounts.Role) func() error {
			return func() error {
				return s.Accounts.UpdateAccountUser(t.Context(), d.UserID, d.AccountID, ada, accounts.AccountUserChange{Role: sett.Some(role)})
			}
		}
		groups := func() error {
			return s.Accounts.FollowGroups(t.Context(), storetest.Noon, ada, accounts.Joining{AccountID: d.AccountID, Role: accounts.Member, Follow: true})
		}
		leave := func() error { return s.Accounts.RemoveAccountUser(t.Context(), d.UserID, d.AccountID, ada) }
		for _, step := range []struct {
			name   string
			change func() error
			renews bool
		}{
			{"to an owner", become(accounts.Owner), false},
			{"to an admin", become(accounts.Admin), true},
			{"to a member", become(accounts.Member), true},
			{"to an admin again", become(accounts.Admin), false},
			{"by groups", groups, true},
			{"removed", leave, true},
		} {
			before := read()
			if err := step.change(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			after := read()
			if got := [3]bool{before[0] != after[0], before[1] != after[1], before[2] != after[2]}; got != [3]bool{step.renews, step.renews, false} {
				t.Errorf("%s renews %v", step.name, got)
			}
		}
		if _, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, ofTeam.Token, accounts.Accepting{Name: "Ada again"}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the token that she has read: %v", err)
		}
		if d.mailToken(ofTeam) != mailed {
			t.Error("the link in the mail is another one")
		}
	})
}

func TestSigningInWithAPasswordThatWasReplaced(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann := addPerson(t, s, "ann@example.test")
		begin := func(how signin.How, phc, secret string) error {
			return s.Accounts.CreateSession(t.Context(), signInNoon, signin.Session{UserID: ann, How: how}, phc, hashed(secret), nil)
		}
		half := func(phc, secret string) error {
			return s.Accounts.CreateLoginStep(t.Context(), signInNoon, ann, signin.Way{How: signin.ByPassword}, phc, hashed(secret))
		}
		if err := half("old", "half"); err != nil {
			t.Fatal(err)
		}
		if _, _, phc, err := s.Accounts.LoginStep(t.Context(), signInNoon, hashed("half")); err != nil || phc != "old" {
			t.Errorf("the password of a half sign-in is %q, %v", phc, err)
		}
		if err := s.Accounts.SetPassword(t.Context(), signInNoon, signedIn(t, s, ann), accountdb.NewPassword{PHC: "new"}); err != nil {
			t.Fatal(err)
		}
		want := signin.WrongPassword().Error()
		for name, err := range map[string]error{
			"a session":     begin(signin.ByPassword, "old", "a"),
			"with nothing":  begin(signin.ByPassword, "", "b"),
			"an invitation": begin(signin.ByInvitation, "old", "c"),
			"half":          half("old", "d"),
		} {
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := countRows(t, s, "sessions") + countRows(t, s, "login_steps"); n != 1 { // that in which the password was set
			t.Errorf("%d sessions and half ones", n)
		}
		for name, err := range map[string]error{"new": begin(signin.ByPassword, "new", "e"), "half": half("new", "g"), "proxy": begin(signin.ByProxy, "", "f")} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A sign-in that comes while a new password is not committed yet waits, and then is refused. On SQLite one would wait for
// the other in any case.
func TestSigningInWhileThePasswordIsReplaced(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	d := newDesk(t, s)
	ann := addPerson(t, s, "ann@example.test")
	signedIn := make(chan error, 1)
	err := s.Accounts.InOwnTx(t.Context(), "reset", func(resetting accountdb.Tx) error {
		if err := resetting.SetPassword(t.Context(), signInNoon, ann, 0, accountdb.NewPassword{PHC: "new"}); err != nil {
			return err
		}
		go func() {
			signedIn <- s.Accounts.CreateSession(t.Context(), signInNoon, signin.Session{UserID: ann, How: signin.ByPassword}, "old", hashed("a"), nil)
		}()
		for waiting := int64(0); waiting == 0 && len(signedIn) == 0; { // until it has come as far as it comes
			waiting = d.Numbers(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, 1)[0]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-signedIn; sett.CodeOf(err) != sett.Invalid {
		t.Errorf("signed in with the old password: %v", err)
	}
}

// Who has shown a passkey or an identity and comes to their session only after a reset has ended both is not signed in.
func TestSigningInByMeansThatAResetHasEnded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ann, bob := d.User("ann", accounts.Member), d.User("bob", accounts.Member)
		begin := func(user int64, how signin.How) error {
			return s.Accounts.CreateSession(t.Context(), storetest.Noon, signin.Session{UserID: user, How: how}, "", hashed(fmt.Sprint(user, how)), nil)
		}
		for name, user := range map[string]int64{"ann": ann, "bob": bob} {
			by := signedIn(t, s, user)
			if err := s.Accounts.CreatePasskey(t.Context(), storetest.Noon, by, newKey(name)); err != nil {
				t.Fatal(err)
			}
			if err := s.Accounts.ConnectIdentity(t.Context(), storetest.Noon, by, accounts.Identity{Issuer: "i", Subject: name}, accounts.Joining{}); err != nil {
				t.Fatal(err)
			}
		}
		d.reset("ann@example.test")
		for _, how := range []signin.How{signin.ByPasskey, signin.ByOIDC} {
			if err := begin(ann, how); err == nil || err.Error() != signin.MeansGone().Error() {
				t.Errorf("by %s: %v", how, err)
			}
			if err := begin(bob, how); err != nil {
				t.Errorf("Bob, by %s: %v", how, err)
			}
		}
	})
}
