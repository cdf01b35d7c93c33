package accountdb_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// ownChange is a self-service change.
type ownChange struct {
	name    string
	make    func(ctx context.Context, by signin.Session) error
	audited string      // the changes in its audit entry
	mail    alerts.Mail // "" as its kind for none
}

// ownChanges are all of them, in an order in which each succeeds; other is another session of the same user.
func ownChanges(s *store.Store, other func() int64) []ownChange {
	noticed := func(event alerts.SecurityEvent, name string) alerts.Mail {
		return alerts.Mail{To: "ann@example.test", Kind: alerts.SecurityNoticeMail, Fields: map[string]string{
			"event": string(event), "name": name, "address": "::1", "device": "curl",
		}}
	}
	identity := accounts.Identity{Issuer: "https://id.example.test", Subject: "7", Email: "ann@id.test"}
	changed := alerts.Mail{To: "ann@example.test", Kind: alerts.PasswordChangedMail, Fields: map[string]string{"address": "::2", "device": "Firefox"}}
	return []ownChange{
		{"password", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.SetPassword(ctx, signInNoon, by, accountdb.NewPassword{PHC: "new", Address: "::2", Device: "Firefox"})
		}, `{}`, changed},
		{"token", func(ctx context.Context, by signin.Session) error {
			token := signin.PersonalToken{Name: "cli", CreatedAt: signInNoon, ExpiresAt: signInNoon.Add(time.Hour)}
			return s.Accounts.CreatePersonalToken(ctx, by, token, hashed("t"))
		}, `{"expires_at":"2026-11-18T13:00:00Z","name":"cli","scope":"write"}`, noticed(alerts.TokenMade, "cli")},
		{"token revoked", func(ctx context.Context, by signin.Session) error {
			var id int64
			if err := s.Read.QueryRowContext(ctx, s.Text(`SELECT coalesce(max(id), 0) FROM tokens WHERE user_id = $1`), by.UserID).Scan(&id); err != nil {
				return err
			}
			return s.Accounts.RevokeToken(ctx, by, id)
		}, `{"name":"cli"}`, alerts.Mail{}},
		{"passkey", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.CreatePasskey(ctx, signInNoon, by, newKey("phone"))
		}, `{"name":"phone"}`, noticed(alerts.PasskeyAdded, "phone")},
		{"passkey removed", func(ctx context.Context, by signin.Session) error {
			var id int64
			if err := s.Read.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM passkeys`).Scan(&id); err != nil {
				return err
			}
			return s.Accounts.RemovePasskey(ctx, by, id)
		}, `{"name":"phone"}`, alerts.Mail{}},
		{"proposal", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.ProposeSecondFactor(ctx, by, "SECRET")
		}, "", alerts.Mail{}},
		{"second factor", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.ConfirmSecondFactor(ctx, signInNoon, by, "SECRET", 7, [][]byte{hashed("a")})
		}, `{}`, noticed(alerts.SecondFactorOn, "")},
		{"recovery codes", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.RenewRecoveryCodes(ctx, signInNoon, by, [][]byte{hashed("b")})
		}, `{}`, noticed(alerts.CodesRenewed, "")},
		{"second factor off", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.DropSecondFactor(ctx, signInNoon, by)
		}, `{}`, noticed(alerts.SecondFactorOff, "")},
		{"identity", func(ctx context.Context, by signin.Session) error {
			return s.Accounts.ConnectIdentity(ctx, signInNoon, by, identity, accounts.Joining{})
		}, `{"email":"ann@id.test","issuer":"https://id.example.test"}`, noticed(alerts.IdentityAdded, "ann@id.test")},
		{"session", func(ctx context.Context, by signin.Session) error { return s.Accounts.RevokeSession(ctx, by, other()) }, `{"device":"curl"}`, alerts.Mail{}},
		{"sessions", func(ctx context.Context, by signin.Session) error {
			other()
			return s.Accounts.RevokeOtherSessions(ctx, by)
		}, `{"sessions":1}`, alerts.Mail{}},
	}
}

// personally is a context under which a browser's changes are made.
func personally(t *testing.T) context.Context {
	return accountdb.WithPersonalAudit(t.Context(), func() accounts.AuditEntry {
		return accounts.AuditEntry{At: storetest.Noon, Action: "change", Target: map[string]string{}, Query: json.RawMessage(`{}`), Address: "::1", UserAgent: "curl/8"}
	})
}

// entries returns the changes in the audit log of an account, the oldest first.
func entries(t *testing.T, s *store.Store, accountID string) (lines []string) {
	t.Helper()
	found, _, err := s.Accounts.ListAudit(t.Context(), accountID, accountdb.AuditFilter{Page: sett.Page{Size: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		if e.Action != "change" || e.User.Email != "ann@example.test" || e.Address != "::1" {
			t.Errorf("entry %+v", e)
		}
		lines = append([]string{string(e.Changes)}, lines...)
	}
	return lines
}

// Self-service changes are logged in every account of the user, and for some of them the user receives a mail.
func TestWhatPeopleChangeOfTheirOwn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		elsewhere, _ := d.Stranger()
		foreign, _, err := s.Accounts.CreateAccount(t.Context(), storetest.Noon, "Foreign", accountdb.NewUser{Email: "foreign@example.test", Name: "F"})
		if err != nil {
			t.Fatal(err)
		}
		ann := d.User("ann", accounts.Member)
		d.join(elsewhere, ann, accounts.Billing)
		by := signedIn(t, s, ann)
		var audited []string
		for _, c := range ownChanges(s, func() int64 { return signedIn(t, s, ann).ID }) {
			if err := c.make(personally(t), by); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if c.audited != "" {
				audited = append(audited, c.audited)
			}
			var mails []alerts.Mail
			if c.mail.Kind != "" {
				mails = append(mails, c.mail)
			}
			if diff := cmp.Diff(mails, mailsQueued(t, s)); diff != "" {
				t.Errorf("%s: mails (-want +got):\n%s", c.name, diff)
			}
			if diff := cmp.Diff([][]string{audited, audited, nil}, [][]string{entries(t, s, d.AccountID), entries(t, s, elsewhere), entries(t, s, foreign)}); diff != "" {
				t.Fatalf("%s: entries (-want +got):\n%s", c.name, diff)
			}
		}
		for name, nothing := range map[string]error{ // to change, and so nothing to tell
			"token": s.Accounts.RevokeToken(personally(t), by, 99999), "session": s.Accounts.RevokeSession(personally(t), by, 99999),
			"sessions": s.Accounts.RevokeOtherSessions(personally(t), by), "factor": s.Accounts.DropSecondFactor(personally(t), signInNoon, by),
		} {
			if nothing != nil {
				t.Errorf("%s: %v", name, nothing)
			}
		}
		if err := s.Accounts.RemovePasskey(personally(t), by, 99999); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a passkey that is none: %v", err)
		}
		if got := entries(t, s, d.AccountID); len(got) != len(audited) || len(mailsQueued(t, s)) != 0 {
			t.Errorf("an entry without a change: %v", got)
		}
	})
}

// A reset is logged too, and whether it ended older sessions, tokens and passkeys.
func TestAResetIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.User("ann", accounts.Member)
		for _, secret := range []string{"a", "b"} {
			if err := s.Accounts.RequestReset(personally(t), storetest.Noon, "ann@example.test", secret, hashed(secret)); err != nil {
				t.Fatal(err)
			}
			if err := s.Accounts.ResetPassword(personally(t), storetest.Noon, hashed(secret), accountdb.NewPassword{PHC: secret}); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{`{"all_ways_in_ended":true}`, `{"all_ways_in_ended":false}`}
		if diff := cmp.Diff(want, entries(t, s, d.AccountID)); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
	})
}

// Changes of a user by single sign-on are logged in the account that they concern.
func TestRolesOfGroupsAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		identity := accounts.Identity{Issuer: "i", Subject: "s", Email: "ann@example.test", EmailVerified: true}
		member := accounts.Joining{AccountID: d.AccountID, Role: accounts.Member, Follow: true}
		ann, err := s.Accounts.CreateIdentityUser(personally(t), storetest.Noon, identity, member)
		if err != nil {
			t.Fatal(err)
		}
		elsewhere, _ := d.Stranger()
		d.join(elsewhere, ann.ID, accounts.Member)
		admin := member
		admin.Role = accounts.Admin
		for _, j := range []accounts.Joining{member, admin, admin, {AccountID: d.AccountID, Role: accounts.Member}} {
			if err := s.Accounts.FollowGroups(personally(t), storetest.Noon, ann.ID, j); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{`{"email":"ann@example.test","issuer":"i","role":"Member"}`, `{"role":"Admin"}`}
		if diff := cmp.Diff([][]string{want, nil}, [][]string{entries(t, s, d.AccountID), entries(t, s, elsewhere)}); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
	})
}

// A request that is on its way when its session ends makes nothing.
func TestWhoIsSignedOutChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, bob := addPerson(t, s, "ann@example.test"), addPerson(t, s, "bob@example.test")
		gone := signedIn(t, s, ann)
		if err := s.Accounts.EndSession(t.Context(), ann, gone.ID); err != nil {
			t.Fatal(err)
		}
		ofBob := signin.Session{ID: signedIn(t, s, bob).ID, UserID: ann}
		other := signedIn(t, s, ann)
		for _, by := range []signin.Session{gone, ofBob, {UserID: ann}, {}} {
			for _, c := range ownChanges(s, func() int64 { return other.ID }) {
				if err := c.make(personally(t), by); sett.CodeOf(err) != sett.Unauthenticated {
					t.Errorf("%s by %+v: %v", c.name, by, err)
				}
			}
		}
		for _, table := range []string{"tokens", "passkeys", "second_factors", "recovery_codes", "oidc_identities", "mails", "audit_log"} {
			if n := countRows(t, s, table); n != 0 {
				t.Errorf("%d rows of %s were made", n, table)
			}
		}
		if n := countRows(t, s, "sessions"); n != 2 {
			t.Errorf("%d sessions are left", n)
		}
	})
}

// A token that is made while a reset is not committed yet waits, and then is not made. On SQLite one would wait for the
// other in any case.
func TestMakingATokenDuringAReset(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	d := newDesk(t, s)
	ann := d.User("ann", accounts.Member)
	by := signedIn(t, s, ann)
	made := make(chan error, 1)
	err := s.Accounts.InOwnTx(t.Context(), "reset", func(resetting accountdb.Tx) error {
		if err := resetting.SetPassword(t.Context(), storetest.Noon, ann, 0, accountdb.NewPassword{PHC: "new"}); err != nil {
			return err
		}
		if _, err := resetting.Prove(t.Context(), ann); err != nil {
			return err
		}
		go func() {
			made <- s.Accounts.CreatePersonalToken(t.Context(), by, signin.PersonalToken{Name: "kept"}, hashed("t"))
		}()
		for waiting := int64(0); waiting == 0 && len(made) == 0; { // until it has come as far as it comes
			waiting = d.Numbers(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, 1)[0]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-made; sett.CodeOf(err) != sett.Unauthenticated || d.Numbers(`SELECT count(*) FROM tokens WHERE name = 'kept'`, 1)[0] != 0 {
		t.Errorf("a token outlives the reset: %v", err)
	}
}
