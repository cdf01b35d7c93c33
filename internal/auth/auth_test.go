package auth_test

import (
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/auth"
	"sett/internal/sett"
	"sett/internal/store"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// open returns a store with an owner whose token is token, and a project whose API key is returned.
func open(t *testing.T, token string) (*store.Store, store.SetupResult) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	setup, err := s.SetUp(t.Context(), noon, store.Setup{Account: "A", Email: "a@example.test", Name: "Ann", Project: "P", TokenHash: auth.HashToken(token)})
	if err != nil {
		t.Fatal(err)
	}
	return s, setup
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	token := sett.NewUserToken()
	s, setup := open(t, token)
	tokens := auth.NewTokens(s)
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
	keys := auth.NewKeys(s, func() time.Time { return now })
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

func TestKeysForget(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	keys := auth.NewKeys(s, func() time.Time { return noon })
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

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := auth.NewLimiter(2)
	for i, want := range []struct {
		user      int64
		after     time.Duration
		remaining int64
		code      sett.Code
	}{
		{1, 0, 1, ""},
		{1, time.Minute, 0, ""},
		{1, 2 * time.Minute, 0, sett.Forbidden},
		{2, 2 * time.Minute, 1, ""},
		{1, time.Hour - time.Second, 0, sett.Forbidden},
		{1, time.Hour, 1, ""},
	} {
		q, err := l.Take(want.user, noon.Add(want.after))
		if q.Remaining != want.remaining || q.Limit != 2 || sett.CodeOf(err) != want.code {
			t.Errorf("request %d: %+v, %v; want %d remaining and code %q", i, q, err, want.remaining, want.code)
		}
		if want.user == 1 && want.after < time.Hour && !q.Reset.Equal(noon.Add(time.Hour)) {
			t.Errorf("request %d: resets at %v", i, q.Reset)
		}
	}
	free := auth.NewLimiter(0)
	for range 3 {
		if q, err := free.Take(1, noon); err != nil || q.Limit != math.MaxInt32 || q.Remaining != q.Limit {
			t.Errorf("without a limit: %+v, %v", q, err)
		}
	}
}

// Only the bytes of an answer tell how its headers are spelled: a client of net/http spells them its own way.
func TestQuotaOnTheWire(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		auth.NewLimiter(360).Fresh(noon).WriteTo(w.Header())
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: sett\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"X-RateLimit-Limit: 360", "X-RateLimit-Remaining: 360", "X-RateLimit-Reset: 1795006800"} {
		if strings.Count(string(answer), "\r\n"+line+"\r\n") != 1 {
			t.Errorf("%q is not in the answer once:\n%s", line, answer)
		}
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
