package app_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/store/db"
)

// readiness returns the answer of /readyz once its status is the wanted one, and a check says what it is to say; a look
// before may have seen less.
func readiness(t *testing.T, s *setttest.Server, want int, check, says string) (r app.Readiness, header http.Header) {
	t.Helper()
	for range 50_000 {
		answer, err := http.Get(s.App.BaseURL() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(answer.Body).Decode(&r)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode == want && strings.Contains(r.Checks[check], says) {
			return r, answer.Header
		}
	}
	t.Fatalf("/readyz never answers %d and says of %s %q: %+v", want, check, says, r)
	return r, nil
}

// notReady says that the server is not ready and when to look again, and why.
func notReady(t *testing.T, s *setttest.Server, check, why string) {
	t.Helper()
	r, header := readiness(t, s, http.StatusServiceUnavailable, check, why)
	if header.Get("Retry-After") == "" || r.Ready {
		t.Errorf("/readyz says %+v, Retry-After %q", r, header.Get("Retry-After"))
	}
	status, header := notice(t, s)
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
		t.Errorf("a notice is answered %d, Retry-After %q; want 503", status, header.Get("Retry-After"))
	}
}

func notice(t *testing.T, s *setttest.Server) (status int, header http.Header) {
	t.Helper()
	return noticeBy(t, s, s.Setup.APIKey)
}

// noticeBy sends a notice with an API key.
func noticeBy(t *testing.T, s *setttest.Server, key string) (status int, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.App.BaseURL()+"/v1/notices", strings.NewReader(`{"error":{"class":"E"}}`))
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer answer.Body.Close()
	return answer.StatusCode, answer.Header
}

func TestReadyUntilTheDataDirectoryIsDeleted(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	readiness(t, s, http.StatusOK, "writes", "ok")
	if status, _ := notice(t, s); status != http.StatusCreated {
		t.Fatalf("before: %d", status)
	}
	if err := os.RemoveAll(s.Config.Data); err != nil {
		t.Fatal(err)
	}
	notReady(t, s, "writes", "deleted or moved")
}

func TestReadyUntilPostgresTakesNoChanges(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "postgres", func(c *app.Config) { c.SpoolBytes = 0 }) // with a spool, a notice would be accepted
	readiness(t, s, http.StatusOK, "writes", "ok")
	if status, _ := notice(t, s); status != http.StatusCreated {
		t.Fatalf("before: %d", status)
	}
	db, err := sql.Open("pgx", s.Config.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	readOnly := func(set string) {
		for _, statement := range []string{
			`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ` + set + `', current_database()); END $$`,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
		} {
			if _, err := db.ExecContext(context.WithoutCancel(t.Context()), "SET default_transaction_read_only = off; "+statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	readOnly("on")
	notReady(t, s, "writes", "takes no changes")
	readOnly("off") // connections to what was no primary are not kept
	readiness(t, s, http.StatusOK, "writes", "ok")
}

// A server that is left running beside one of a newer version says so, whether it can still store or not.
func TestNotReadyOnANewerSchema(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		readiness(t, s, http.StatusOK, "schema", "ok")
		err := s.App.Store().InTx(t.Context(), "pretend to be newer", func(x *db.Tx) error {
			_, err := x.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if r, header := readiness(t, s, http.StatusServiceUnavailable, "schema", "from a newer version"); r.Ready || header.Get("Retry-After") == "" {
			t.Errorf("/readyz says %+v, Retry-After %q", r, header.Get("Retry-After"))
		}
	})
}
