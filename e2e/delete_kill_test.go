package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// TestDeletionsSurviveKills kills the server as soon as it has answered that many faults are being deleted, and again while
// it goes on. All of them are gone in the end, though no client asks again.
func TestDeletionsSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": durablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := prepare(t, database)
			s.restart(t)
			const many = 1500
			s.report(t, many)
			var answer struct{ Count, Waiting int }
			body := s.manage(t).do(http.MethodPost, s.project()+"/faults/bulk?q=", map[string]string{"action": "delete"}, http.StatusOK)
			s.killTwice(t)
			if err := json.Unmarshal(body, &answer); err != nil || answer.Count != many || answer.Waiting == 0 {
				t.Errorf("the answer is %s, %v; want count %d and some waiting", body, err, many)
			}
			manage := s.manage(t)
			await(t, "all faults are gone", func() bool { return len(s.faults(manage)) == 0 })
			s.stop(t)
		})
	}
}

// TestBulkWorkSurvivesKills kills the server as soon as it has answered that all faults are resolved, and that their project is deleted, and
// again while it goes on. Both end after a start, though no client asks again, and no answer contradicts them meanwhile.
func TestBulkWorkSurvivesKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": durablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := prepare(t, database)
			s.restart(t)
			const many = 1500
			s.report(t, many)
			if body := s.manage(t).do(http.MethodPost, s.project()+"/faults/resolve", nil, http.StatusOK); len(body) > 0 {
				t.Errorf("resolve is answered %q, want nothing", body)
			}
			s.killTwice(t)
			manage := s.manage(t)
			await(t, "all faults are resolved", func() bool { return len(list[fault](manage, s.project()+"/faults?q=-is:resolved")) == 0 })
			if n := len(list[fault](manage, s.project()+"/faults?q=is:resolved")); n != many {
				t.Errorf("%d faults are resolved, want %d", n, many)
			}

			manage.do(http.MethodDelete, s.project(), nil, http.StatusNoContent)
			s.killTwice(t)
			manage = s.manage(t)
			manage.do(http.MethodGet, s.project(), nil, http.StatusNotFound)
			manage.do(http.MethodGet, s.project()+"/faults", nil, http.StatusNotFound)
			if all := list[struct{ ID int64 }](manage, "/v2/projects"); len(all) != 0 {
				t.Errorf("projects %v are listed", all)
			}
			if answer := s.sendNotice(t, 0); answer.StatusCode != http.StatusForbidden {
				t.Errorf("a notice with the key of a deleted project is answered %s", answer.Status)
			}
			rows := `SELECT (SELECT count(*) FROM projects) + (SELECT count(*) FROM faults) + (SELECT count(*) FROM notices) + (SELECT count(*) FROM pending_work)`
			await(t, "nothing of the project is left", func() bool { return s.number(t, database, rows) == 0 })
			s.stop(t)
		})
	}
}

// killTwice kills the server, and again once it serves, and then lets it serve.
func (s *server) killTwice(t testing.TB) {
	t.Helper()
	for range 2 {
		s.kill()
		s.restart(t)
	}
}

// number asks the database of a server for a number.
func (s *server) number(t testing.TB, database, query string) (n int64) {
	t.Helper()
	driver, name := "pgx", database
	if database == "" {
		driver, name = "sqlite", "file:"+filepath.Join(s.data, "sett.db")+"?mode=ro"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// report has clients report n faults.
func (s *server) report(t testing.TB, n int) {
	t.Helper()
	var clients sync.WaitGroup
	for client := range 10 {
		clients.Go(func() {
			for i := client; i < n; i += 10 {
				if answer := s.sendNotice(t, i); answer.StatusCode != http.StatusCreated {
					t.Errorf("notice %d is answered %s", i, answer.Status)
				}
			}
		})
	}
	clients.Wait()
}

// sendNotice sends a notice of one of many faults.
func (s *server) sendNotice(t testing.TB, fault int) *http.Response {
	t.Helper()
	return s.post(t, fmt.Sprintf(`{"error":{"class":"E%d"}}`, fault))
}

// post sends a notice, and returns the answer without its body.
func (s *server) post(t testing.TB, notice string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.base+"/v1/notices", strings.NewReader(notice))
	if err != nil {
		t.Error(err)
		return &http.Response{}
	}
	r.Header.Set("X-API-Key", s.APIKey)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return &http.Response{}
	}
	answer.Body.Close()
	return answer
}
