package auth_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
	"unsafe"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// open returns a store with an owner whose token is token, and a project whose API key is returned.
func open(t *testing.T, token string) (*store.Store, accountdb.SetupResult) {
	t.Helper()
	s, err := store.Open(t.Context(), fresh.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	setup, err := s.Accounts.SetUp(t.Context(), noon, accountdb.Setup{Account: "A", Email: "a@example.test", Name: "Ann", Project: "P", TokenHash: auth.HashToken(token)})
	if err != nil {
		t.Fatal(err)
	}
	return s, setup
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	token := sett.NewUserToken()
	s, setup := open(t, token)
	tokens := auth.NewTokens(s.Accounts, serve.Proxies{}, func() time.Time { return noon })
	for name, c := range map[string]struct {
		set  func(*http.Request)
		want sett.Code
	}{
		"basic":                {func(r *http.Request) { r.SetBasicAuth(token, "") }, ""},
		"bearer":               {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, ""},
		"bearer, lower case":   {func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, ""},
		"nothing":              {func(*http.Request) {}, sett.Unauthenticated},
		"wrong":                {func(r *http.Request) { r.SetBasicAuth(token+"x", "") }, sett.Unauthenticated},
		"empty":                {func(r *http.Request) { r.SetBasicAuth("", token) }, sett.Unauthenticated},
		"the hash is no token": {func(r *http.Request) { r.SetBasicAuth(string(auth.HashToken(token)), "") }, sett.Unauthenticated},
		"another scheme":       {func(r *http.Request) { r.Header.Set("Authorization", "Digest "+token) }, sett.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/projects", nil)
			c.set(r)
			p, err := tokens.Authenticate(r)
			if sett.CodeOf(err) != c.want || err == nil && p.User.ID != setup.UserID {
				t.Errorf("got %+v, %v; want code %q", p, err, c.want)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	now := noon
	keys := auth.NewKeys(s.Accounts, func() time.Time { return now })
	for _, key := range []string{"", "unknown"} {
		if _, err := keys.Project(t.Context(), key); sett.CodeOf(err) != sett.Forbidden {
			t.Errorf("key %q: %v, want Forbidden", key, err)
		}
	}
	if p, err := keys.Project(t.Context(), setup.APIKey); err != nil || p.ProjectID != setup.ProjectID || p.AccountID != setup.AccountID {
		t.Fatalf("got %+v, %v", p, err)
	}
	if err := s.DeleteProject(t.Context(), setup.ProjectID, func() {}); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Project(t.Context(), setup.APIKey); err != nil {
		t.Errorf("a key that was just known is asked for again: %v", err)
	}
	now = now.Add(time.Minute)
	if _, err := keys.Project(t.Context(), setup.APIKey); sett.CodeOf(err) != sett.Forbidden {
		t.Errorf("the key of a deleted project: %v, want Forbidden", err)
	}
}

// TestKeysKeepNoBody checks that Keys remembers a key when the memory of the body that it was a part of is used again, and so keeps no body.
func TestKeysKeepNoBody(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	keys := auth.NewKeys(s.Accounts, func() time.Time { return noon })
	body := []byte(setup.APIKey)
	if _, err := keys.Project(t.Context(), unsafe.String(&body[0], len(body))); err != nil {
		t.Fatal(err)
	}
	copy(body, bytes.Repeat([]byte("x"), len(body)))
	if used := keys.Used(); !slices.Equal(used, []string{setup.APIKey}) {
		t.Errorf("used are %q", used)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Project(t.Context(), setup.APIKey); err != nil {
		t.Errorf("a key that was just known is asked for again: %v", err)
	}
}

// TestKeysWithoutDatabase checks that a key which was known is believed for a day while the database does not respond, and no other.
func TestKeysWithoutDatabase(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	now := noon
	keys := auth.NewKeys(s.Accounts, func() time.Time { return now })
	if _, err := keys.Project(t.Context(), setup.APIKey); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(23 * time.Hour)
	if p, err := keys.Project(t.Context(), setup.APIKey); err != nil || p.ProjectID != setup.ProjectID {
		t.Errorf("a key of 23 hours ago: %+v, %v", p, err)
	}
	if _, err := keys.Project(t.Context(), "another"); err == nil || sett.CodeOf(err) == sett.Forbidden {
		t.Errorf("an unknown key: %v, want that the database failed", err)
	}
	now = now.Add(2 * time.Hour)
	if _, err := keys.Project(t.Context(), setup.APIKey); err == nil {
		t.Error("a key of 25 hours ago is believed")
	}
}

// TestKeysOfAnEarlierProcess checks that a process which starts without the database believes what an earlier one has known, for as long as that would have,
// and that what the database says is believed instead.
func TestKeysOfAnEarlierProcess(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	now := noon
	newKeys := func(known []auth.BelievedKey) *auth.Keys {
		keys := auth.NewKeys(s.Accounts, func() time.Time { return now })
		keys.Believe(known)
		return keys
	}
	first := newKeys(nil)
	for _, key := range []string{setup.APIKey, "another"} {
		_, _ = first.Project(t.Context(), key) // the other one is unknown
	}
	known := first.Believed()
	if len(known) != 1 || bytes.Contains(known[0].Hash, []byte(setup.APIKey)) {
		t.Fatalf("known are %+v, want the hash of one key", known)
	}
	revoked := newKeys(known)
	if err := s.DeleteProject(t.Context(), setup.ProjectID, func() {}); err != nil {
		t.Fatal(err)
	}
	if _, err := revoked.Project(t.Context(), setup.APIKey); sett.CodeOf(err) != sett.Forbidden || len(revoked.Believed()) != 0 {
		t.Errorf("a key that the database does not know any more: %v, %d are believed", err, len(revoked.Believed()))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(22 * time.Hour)
	second := newKeys(known)
	if p, err := second.Project(t.Context(), setup.APIKey); err != nil || p.ProjectID != setup.ProjectID {
		t.Errorf("without the database: %+v, %v", p, err)
	}
	if again := second.Believed(); len(again) != 1 {
		t.Errorf("a third process would know %+v", again)
	}
	now = now.Add(3 * time.Hour)
	if _, err := newKeys(known).Project(t.Context(), setup.APIKey); err == nil || len(second.Believed()) != 0 {
		t.Error("a key of 25 hours ago is believed")
	}
}

func TestKeysForget(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	keys := auth.NewKeys(s.Accounts, func() time.Time { return noon })
	if _, err := keys.Project(t.Context(), setup.APIKey); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteProject(t.Context(), setup.ProjectID, keys.Forget); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Project(t.Context(), setup.APIKey); sett.CodeOf(err) != sett.Forbidden {
		t.Errorf("after Forget: %v, want Forbidden", err)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	hash := auth.HashPassword("correct horse")
	if hash == auth.HashPassword("correct horse") {
		t.Error("two hashes of one password are the same: no salt")
	}
	if !auth.CheckPassword(hash, "correct horse") {
		t.Error("the password does not match its hash")
	}
	for _, wrong := range []string{"", "correct hors", "Correct horse"} {
		if auth.CheckPassword(hash, wrong) {
			t.Errorf("%q matches", wrong)
		}
	}
	for _, broken := range []string{"", "$argon2id$", "$2y$10$abc", "$argon2id$v=19$m=1,t=1,p=1$!!$!!", "$argon2id$v=19$m=x$YQ$YQ"} {
		if auth.CheckPassword(broken, "") {
			t.Errorf("the broken hash %q matches", broken)
		}
	}
}
