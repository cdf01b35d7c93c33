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

	"github.com/google/go-cmp/cmp"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	ann := setup.UserID
	ben, err := s.Accounts.CreateUser(t.Context(), noon, accountdb.NewUser{AccountID: setup.AccountID, Email: "ben@example.test", Name: "Ben", Role: accounts.Member})
	if err != nil {
		t.Fatal(err)
	}
	l := auth.NewLimiter(s.Intake, 2)
	for i, want := range []struct {
		user      int64
		after     time.Duration
		remaining int64
		code      sett.Code
	}{
		{ann, 0, 1, ""},
		{ann, time.Minute, 0, ""},
		{ann, 2 * time.Minute, 0, sett.Forbidden},
		{ben, 2 * time.Minute, 1, ""},
		{ann, time.Hour - time.Second, 0, sett.Forbidden},
		{ann, time.Hour, 1, ""},
	} {
		q, err := l.Take(want.user, noon.Add(want.after))
		if q.Remaining != want.remaining || q.Limit != 2 || sett.CodeOf(err) != want.code {
			t.Errorf("request %d: %+v, %v; want %d remaining and code %q", i, q, err, want.remaining, want.code)
		}
		if want.user == ann && want.after < time.Hour && !q.Reset.Equal(noon.Add(time.Hour)) {
			t.Errorf("request %d: resets at %v", i, q.Reset)
		}
	}
}

func TestLimiterSaysWhenItResets(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	l := auth.NewLimiter(s.Intake, 1)
	if _, err := l.Take(setup.UserID, noon); err != nil {
		t.Fatal(err)
	}
	_, err := l.Take(setup.UserID, noon)
	if err == nil {
		t.Fatal("a request past the limit was let through")
	}
	want := "You have reached the limit of 1 requests per hour. Try again after 2026-11-18T13:00:00Z."
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("sentence (-want +got):\n%s", diff)
	}
}

// Without a limit nothing is asked of the store: there is none here.
func TestNoLimitCostsNothing(t *testing.T) {
	t.Parallel()
	free := auth.NewLimiter(nil, 0)
	for range 3 {
		if q, err := free.Take(1, noon); err != nil || q.Limit != math.MaxInt32 || q.Remaining != q.Limit {
			t.Errorf("without a limit: %+v, %v", q, err)
		}
	}
}

func TestLimiterAllowsRequestsWhileTheDatabaseDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s, setup := open(t, "token")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l := auth.NewLimiter(s.Intake, 1)
	for range 3 {
		if q, err := l.Take(setup.UserID, noon); err != nil || q.Remaining != 1 {
			t.Errorf("got %+v, %v; want a fresh quota", q, err)
		}
	}
}

// Only the bytes of an answer tell how its headers are spelled: a client of net/http spells them its own way.
func TestQuotaOnTheWire(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		auth.NewLimiter(nil, 360).Fresh(noon).WriteTo(w.Header())
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
