package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/seal"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/forward"
	"sett/internal/sett/move"
	"sett/internal/sett/scrub"
	"sett/internal/sett/signin"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/movedb"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// secretsOf are secrets that a desk has stored, and how they are read back.
type secretsOf struct {
	*desk
	site        checks.Site
	integration alerts.Integration
	invitation  accounts.Invitation
	subscriber  status.StatusSubscriber
	page        status.StatusPage
}

// hide stores a secret in each column that is encrypted, as people and servers do.
func hide(t *testing.T, s *store.Store) *secretsOf {
	t.Helper()
	d := newDesk(t, s)
	h := &secretsOf{desk: d}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	must(s.Accounts.CreateSession(ctx, storetest.Noon, signin.Session{UserID: d.UserID, How: signin.ByProxy}, "", []byte("cookie"), nil))
	by, _, err := s.Accounts.SessionByHash(ctx, storetest.Noon, []byte("cookie"))
	must(err)
	must(s.Accounts.ProposeSecondFactor(ctx, by, storetest.Needle+" factor"))
	h.site = d.Site(d.ProjectID, func(c *checks.SiteChange) {
		c.Name, c.URL = sett.Some("Shop"), sett.Some("https://ann:"+storetest.Needle+"@example.test/")
		c.RequestMethod, c.RequestBody = sett.Some("POST"), sett.Some(storetest.Needle+" body")
		c.RequestHeaders = sett.Some([]checks.ProbeHeader{{Key: "Authorization", Value: storetest.Needle}})
	})
	must(s.Accounts.SetForwarding(ctx, storetest.Noon, d.ProjectID, forward.Target{Service: forward.Honeybadger, Base: "https://old.test", Key: storetest.Needle}, storetest.Noon.AddDate(0, 0, 30)))
	_, err = s.Moves.AddImport(ctx, storetest.Noon, movedb.Owner{AccountID: d.AccountID, UserID: d.UserID}, move.Settings{From: move.FromSentry, URL: "https://old.test"}, storetest.Needle, true)
	must(err)
	change := storetest.ChannelOf("WebHook")
	change.Options = sett.Some(map[string]any{"url": "https://x.test/" + storetest.Needle})
	h.integration, err = d.Deliveries.CreateIntegration(ctx, storetest.Noon, d.ProjectID, storetest.TestKinds(), change)
	must(err)
	_, err = s.Accounts.SAMLKey(ctx, d.AccountID, func() (string, error) { return storetest.Needle + " key for SAML", nil })
	must(err)
	must(s.Accounts.SaveCertificateFile(ctx, secretFile()))
	h.invitation = d.Invite(0, storetest.ToAccount("new@example.test", accounts.Member))
	h.page = d.StatusPage("Status", h.site)
	h.subscriber = d.Subscriber(storetest.Noon, h.page, "reader@example.test")
	must(s.Accounts.RequestReset(ctx, storetest.Noon, "owner@example.test", storetest.Needle+" reset", []byte("hash")))
	_, err = s.Deliveries.UnsubscribeToken(ctx, d.UserID, d.ProjectID)
	must(err)
	_, err = s.CreateErasure(ctx, storetest.Noon, d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some("x" + storetest.Needle)})
	must(err)
	return h
}

// read returns all of them.
func (h *secretsOf) read(s *store.Store) map[string]string {
	h.T.Helper()
	ctx := h.T.Context()
	must := func(err error) {
		h.T.Helper()
		if err != nil {
			h.T.Fatal(err)
		}
	}
	factor, err := s.Accounts.SecondFactor(ctx, h.UserID)
	must(err)
	site, err := s.Uptime.SiteByID(ctx, h.ProjectID, h.site.ID)
	must(err)
	i, err := s.Deliveries.IntegrationByID(ctx, h.ProjectID, h.integration.ID)
	must(err)
	forwarding, err := s.Accounts.Forwarding(ctx, h.ProjectID)
	must(err)
	file, err := s.Accounts.CertificateFile(ctx, "key.pem")
	must(err)
	invited, err := s.Accounts.InvitationByID(ctx, accountdb.Inviting{AccountID: h.AccountID}, accounts.Owner, h.invitation.ID)
	must(err)
	_, err = s.Accounts.InvitationByToken(ctx, storetest.Noon, invited.Token)
	must(err)
	found, err := s.Status.SubscriberByToken(ctx, storetest.Noon, h.page.ID, h.subscriber.Token)
	must(err)
	unsubscribe, err := s.Deliveries.UnsubscribeToken(ctx, h.UserID, h.ProjectID)
	must(err)
	_, err = s.Deliveries.Unsubscribing(ctx, unsubscribe)
	must(err)
	encrypting, err := s.Accounts.SAMLKey(ctx, h.AccountID, func() (string, error) { return "another", nil })
	must(err)
	return map[string]string{
		"encrypting": encrypting, "forwarding": forwarding.Target.Key, "factor": factor.Secret, "site": fmt.Sprint(site.URL, site.Headers, site.Body), "options": fmt.Sprint(i.Options),
		"file": string(file.Content), "invitation": invited.Token, "subscriber": found.Token, "unsubscribe": unsubscribe,
	}
}

func secretFile() accountdb.CertificateFile {
	return accountdb.CertificateFile{Name: "key.pem", Content: []byte(storetest.Needle + " key"), ModifiedAt: storetest.Noon}
}

// plain returns what of the encrypted columns can be read in the database, and in SQLite's case the names of files that have
// the needle.
func plain(t *testing.T, s *store.Store) (found []string) {
	t.Helper()
	for _, c := range sealedColumns() {
		values, err := s.StoredValues(t.Context(), s.Read, c, db.Outside, "sealed:", 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			found = append(found, c.Name()+" is "+v.Text)
		}
	}
	if !s.SQLite() {
		return found
	}
	if err := s.EmptyLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if text, _ := os.ReadFile(s.Path() + ending); bytes.Contains(text, []byte(storetest.Needle)) {
			found = append(found, "sett.db"+ending)
		}
	}
	return found
}

func TestSecretsAreNotInTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := hide(t, s)
		if found := plain(t, s); len(found) > 0 {
			t.Errorf("can be read: %q", found)
		}
		for what, text := range h.read(s) {
			if text == "" {
				t.Errorf("%s was not stored", what)
			}
		}
		mails := storetest.ClaimMails(t, s, storetest.Noon)
		i := slices.IndexFunc(mails, func(m outbox.ClaimedMail) bool { return m.Kind == alerts.PasswordResetMail })
		if i < 0 || mails[i].Fields["token"] != storetest.Needle+" reset" {
			t.Errorf("the mails are %+v", mails)
		}
		for _, c := range sealedColumns() {
			some, err := s.StoredValues(t.Context(), s.Read, c, db.Within, "sealed:", 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(some) == 0 && !slices.Contains([]string{"invitations.mail_token", "status_pages.password_key", "status_subscribers.secret"}, c.Table+"."+c.Column) {
				t.Errorf("the test has nothing in %s", c.Name())
			}
		}
	})
}

// asBefore stores all of them as a version without encryption did.
func (h *secretsOf) asBefore() {
	h.T.Helper()
	for _, c := range sealedColumns() {
		values, err := h.StoredValues(h.T.Context(), h.Store.Read, c, db.Within, "sealed:", 100)
		if err != nil {
			h.T.Fatal(err)
		}
		for _, v := range values {
			text, err := h.Reveal(c, v.Text, v.Row...)
			if err != nil {
				h.T.Fatal(err)
			}
			set := c.Column + " = $1"
			if c.Hash != "" {
				set += ", " + c.Hash + " = NULL"
			}
			h.Run("UPDATE "+c.Table+" SET "+set+" WHERE true"+c.OfRow(2), append([]any{c.Stored(text)}, v.Row...)...)
		}
	}
	h.Run(`UPDATE invitations SET mail_token = 'm41l token', mail_token_hash = NULL`)
	h.Run(`DELETE FROM secret_keys`)
}

func TestSecretsOfAnEarlierVersionAreEncryptedAtTheNextStart(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := hide(t, s)
		want := h.read(s)
		h.asBefore()
		if found := plain(t, s); len(found) < 9 {
			t.Fatalf("only %q can be read before", found)
		}
		u, err := s.Unlock(t.Context())
		if err != nil || u.LeftOver != nil || u.Sealed < 9 {
			t.Fatalf("%+v, %v", u, err)
		}
		if found := plain(t, s); len(found) > 0 {
			t.Errorf("can still be read: %q", found)
		}
		if diff := cmp.Diff(want, h.read(s)); diff != "" {
			t.Error(diff)
		}
		if _, err := s.Accounts.InvitationByToken(t.Context(), storetest.Noon, "m41l token"); err != nil {
			t.Errorf("the link in a mail sent before does not work: %v", err)
		}
		if left, err := s.LeftOver(t.Context()); err != nil || left {
			t.Errorf("left over: %t, %v", left, err)
		}
		if again, err := s.Unlock(t.Context()); err != nil || again.Sealed > 0 || again.MadeFile != "" {
			t.Errorf("a second start does it again: %+v, %v", again, err)
		}
	})
}

func TestAValueIsReadInItsOwnRowAlone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := hide(t, s)
		other := h.desk.Site(h.ProjectID)
		h.Run(`UPDATE sites SET url = (SELECT o.url FROM sites o WHERE o.uuid = $1) WHERE uuid = $2`, h.site.ID[:], other.ID[:])
		if got, err := s.Uptime.SiteByID(t.Context(), h.ProjectID, other.ID); err == nil {
			t.Errorf("the address of another site is read as %s", got.URL)
		}
		h.Run(`UPDATE sites SET request_body = url WHERE uuid = $1`, h.site.ID[:])
		if got, err := s.Uptime.SiteByID(t.Context(), h.ProjectID, h.site.ID); err == nil {
			t.Errorf("the address is read as the body: %s", got.Body)
		}
	})
}

// node opens another store on the same database, with a key file of its own name.
func nodeWith(t *testing.T, s *store.Store, keyFile string) *store.Store {
	t.Helper()
	o := db.Options{KeyFile: keyFile}
	if s.SQLite() {
		o.Dir = filepath.Dir(s.Path())
	} else {
		o.Database = databaseOf(t, s)
	}
	return storetest.OpenTest(t, o)
}

// databaseOf is the address of the database of a store.
func databaseOf(t *testing.T, s *store.Store) string {
	t.Helper()
	return s.Address()
}

func TestAWrongOrMissingKeyIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		hide(t, s)
		dir := t.TempDir()
		missing := filepath.Join(dir, "missing.key")
		if _, err := nodeWith(t, s, missing).Unlock(t.Context()); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), missing+" does not exist; copy the file") {
			t.Errorf("without the file: %v", err)
		}
		if _, err := os.Stat(missing); err == nil {
			t.Error("a second server has made a key of its own")
		}
		wrong := filepath.Join(dir, "wrong.key")
		if err := os.WriteFile(wrong, []byte(newKeyText()), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := nodeWith(t, s, wrong).Unlock(t.Context()); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), wrong+" does not have it; copy the file") {
			t.Errorf("with another key: %v", err)
		}
		if _, err := nodeWith(t, s, wrong).CheckKeys(t.Context()); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("a check finds nothing: %v", err)
		}
		broken := filepath.Join(dir, "broken.key")
		if err := os.WriteFile(broken, []byte("hunter2"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := nodeWith(t, s, broken).Unlock(t.Context()); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "line 1 cannot be used") {
			t.Errorf("with a broken file: %v", err)
		}
		if _, err := nodeWith(t, s, s.SecretKeyFile()).Unlock(t.Context()); err != nil {
			t.Errorf("with the same file: %v", err)
		}
	})
}

func TestADatabaseWithoutAPlaceForItsKeySaysSo(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t), KeyFile: filepath.Join(t.TempDir(), "none", "secret.key")})
	if _, err := s.Unlock(t.Context()); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), "secret.key does not exist: create it, or name another file with --secret-key-file") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Dir(s.SecretKeyFile())); !os.IsNotExist(err) {
		t.Errorf("the named directory was made: %v", err)
	}
}

// The data directory is made for the key of a PostgreSQL database, as it is for an SQLite database.
func TestTheDataDirectoryIsMadeForTheKey(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there")
	s, err := store.Open(t.Context(), db.Options{Database: storetest.FreshPostgres(t), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Unlock(t.Context())
	err = errors.Join(err, s.Close())
	if err != nil || u.MadeFile != filepath.Join(dir, "secret.key") {
		t.Fatalf("%+v, %v", u, err)
	}
	for name, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, u.MadeFile: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestAKeyIsChangedWhileServersRun(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := hide(t, s)
		want := h.read(s)
		operator := nodeWith(t, s, s.SecretKeyFile())
		before, _ := s.KnownKeys(t.Context(), s.Read)
		r, err := operator.RotateKey(t.Context())
		if err != nil || r.Waiting != (!s.SQLite()) {
			t.Fatalf("%+v, %v", r, err)
		}
		if r.Waiting {
			r, err = operator.RotateKey(t.Context())
		}
		if err != nil || r.Sealed < 9 {
			t.Fatalf("%+v, %v", r, err)
		}
		after, _ := s.KnownKeys(t.Context(), s.Read)
		if len(after) != 1 || after[0] == before[0] || after[0] != r.KeyID {
			t.Errorf("the keys were %q and are %q", before, after)
		}
		if diff := cmp.Diff(want, h.read(s)); diff != "" {
			t.Errorf("a server that ran meanwhile reads: %s", diff)
		}
		if diff := cmp.Diff(want, h.read(nodeWith(t, s, s.SecretKeyFile()))); diff != "" {
			t.Errorf("a new server reads: %s", diff)
		}
		if old, err := sealedWith(t, s, before[0]); err != nil || old > 0 {
			t.Errorf("%d values have the old key: %v", old, err)
		}
	})
}

// A rotation that was cut off goes on; until then the values of both keys can be read and written.
func TestARotationThatWasCutOffGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := hide(t, s)
		want := h.read(s)
		operator := nodeWith(t, s, s.SecretKeyFile())
		ring, err := seal.ReadFile(s.SecretKeyFile())
		if err != nil {
			t.Fatal(err)
		}
		ring = append(seal.Ring{seal.NewKey()}, ring...)
		if err := seal.WriteFile(s.SecretKeyFile(), ring); err != nil {
			t.Fatal(err)
		}
		h.Run(`UPDATE secret_keys SET current = false`)
		h.Run(`INSERT INTO secret_keys (id, current) VALUES ($1, true)`, ring[0].ID())
		if err := operator.Accounts.SaveCertificateFile(t.Context(), secretFile()); err != nil { // is encrypted with the new key
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, h.read(s)); diff != "" {
			t.Errorf("in between: %s", diff)
		}
		h.desk.Site(h.ProjectID)
		if r, err := operator.RotateKey(t.Context()); err != nil || r.KeyID != ring[0].ID() || r.Waiting {
			t.Errorf("%+v, %v", r, err)
		}
		if diff := cmp.Diff(want, h.read(s)); diff != "" {
			t.Errorf("afterwards: %s", diff)
		}
		if keys, _ := s.KnownKeys(t.Context(), s.Read); len(keys) != 1 {
			t.Errorf("the keys are %q", keys)
		}
	})
}

func TestALostKeyIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := hide(t, s)
		if err := os.Remove(s.SecretKeyFile()); err != nil {
			t.Fatal(err)
		}
		fresh := nodeWith(t, s, s.SecretKeyFile())
		if _, err := fresh.Unlock(t.Context()); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), "sett secrets forget") {
			t.Fatalf("it starts without its key: %v", err)
		}
		lost, err := fresh.ForgetLost(t.Context())
		if err != nil || len(lost) < 9 {
			t.Fatalf("forgotten: %v, %v", lost, err)
		}
		after := nodeWith(t, s, s.SecretKeyFile())
		if _, err := after.Unlock(t.Context()); err != nil {
			t.Fatal(err)
		}
		site, err := after.Uptime.SiteByID(t.Context(), h.ProjectID, h.site.ID)
		if err != nil || site.Active || site.URL != "" || len(site.Headers) > 0 || site.Name != "Shop" {
			t.Errorf("the site is %+v, %v", site, err)
		}
		i, err := after.Deliveries.IntegrationByID(t.Context(), h.ProjectID, h.integration.ID)
		if err != nil || i.Active || len(i.Options) > 0 {
			t.Errorf("the integration is %+v, %v", i, err)
		}
		if f, err := after.Accounts.SecondFactor(t.Context(), h.UserID); err != nil || f.Secret != "" {
			t.Errorf("the second factor is %+v, %v", f, err)
		}
		invited, err := after.Accounts.InvitationByID(t.Context(), accountdb.Inviting{AccountID: h.AccountID}, accounts.Owner, h.invitation.ID)
		if err != nil || invited.Token == "" || invited.Token == h.invitation.Token {
			t.Errorf("the invitation is %+v, %v", invited, err)
		}
		if _, err := after.Accounts.InvitationByToken(t.Context(), storetest.Noon, invited.Token); err != nil {
			t.Errorf("its new token does not work: %v", err)
		}
		if again, err := after.ForgetLost(t.Context()); err != nil || len(again) > 0 {
			t.Errorf("forgotten once more: %v, %v", again, err)
		}
		if found := plain(t, after); len(found) > 0 {
			t.Errorf("can be read: %q", found)
		}
	})
}

func newKeyText() string { return seal.NewKey().Text() }

// sealedWith counts the values that a key has encrypted.
func sealedWith(t *testing.T, s *store.Store, id string) (n int, err error) {
	for _, c := range sealedColumns() {
		found, err := s.StoredValues(t.Context(), s.Read, c, db.Within, seal.Prefix+id+":", 100)
		if n += len(found); err != nil {
			return n, err
		}
	}
	return n, nil
}

func sealedColumns() []*db.SealedColumn {
	return slices.Concat(outbox.Sealed, accountdb.Sealed, statusdb.Sealed, uptimedb.Sealed, deliverydb.Sealed, movedb.Sealed, store.Sealed)
}
