package kill

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

	"sett/e2e/rig"
)

// TestDeletionsSurviveKills kills the server as soon as it has answered that many faults are being deleted, and again while
// it goes on. All of them are gone in the end, though no client asks again.
func TestDeletionsSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": rig.DurablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := rig.Prepare(t, database)
			s.Restart(t)
			const many = 1500
			reportFaults(t, s, many)
			var answer struct{ Count, Waiting int }
			body := s.Manage(t).Do(http.MethodPost, s.Project()+"/faults/bulk?q=", map[string]string{"action": "delete"}, http.StatusOK)
			killTwice(t, s)
			if err := json.Unmarshal(body, &answer); err != nil || answer.Count != many || answer.Waiting == 0 {
				t.Errorf("the answer is %s, %v; want count %d and some waiting", body, err, many)
			}
			manage := s.Manage(t)
			rig.Await(t, "all faults are gone", func() bool { return len(s.Faults(manage)) == 0 })
			s.Stop(t)
		})
	}
}

// TestBulkWorkSurvivesKills kills the server as soon as it has answered that all faults are resolved, and that their project is deleted, and
// again while it goes on. Both end after a start, though no client asks again, and no answer contradicts them meanwhile.
func TestBulkWorkSurvivesKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": rig.DurablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := rig.Prepare(t, database)
			s.Restart(t)
			const many = 1500
			reportFaults(t, s, many)
			if body := s.Manage(t).Do(http.MethodPost, s.Project()+"/faults/resolve", nil, http.StatusOK); len(body) > 0 {
				t.Errorf("resolve is answered %q, want nothing", body)
			}
			killTwice(t, s)
			manage := s.Manage(t)
			rig.Await(t, "all faults are resolved", func() bool { return len(rig.List[rig.Fault](manage, s.Project()+"/faults?q=-is:resolved")) == 0 })
			if n := len(rig.List[rig.Fault](manage, s.Project()+"/faults?q=is:resolved")); n != many {
				t.Errorf("%d faults are resolved, want %d", n, many)
			}

			manage.Do(http.MethodDelete, s.Project(), nil, http.StatusNoContent)
			killTwice(t, s)
			manage = s.Manage(t)
			manage.Do(http.MethodGet, s.Project(), nil, http.StatusNotFound)
			manage.Do(http.MethodGet, s.Project()+"/faults", nil, http.StatusNotFound)
			if all := rig.List[struct{ ID int64 }](manage, "/v2/projects"); len(all) != 0 {
				t.Errorf("projects %v are listed", all)
			}
			if answer := sendFault(t, s, 0); answer.StatusCode != http.StatusForbidden {
				t.Errorf("a notice with the key of a deleted project is answered %s", answer.Status)
			}
			rows := `SELECT (SELECT count(*) FROM projects) + (SELECT count(*) FROM faults) + (SELECT count(*) FROM notices) + (SELECT count(*) FROM pending_work)`
			rig.Await(t, "nothing of the project is left", func() bool { return readNumber(t, s, database, rows) == 0 })
			s.Stop(t)
		})
	}
}

// killTwice kills the server, and again once it serves, and then lets it serve.
func killTwice(t testing.TB, s *rig.Server) {
	t.Helper()
	for range 2 {
		s.Kill()
		s.Restart(t)
	}
}

// readNumber asks the database of a server for a number.
func readNumber(t testing.TB, s *rig.Server, database, query string) (n int64) {
	t.Helper()
	driver, name := "pgx", database
	if database == "" {
		driver, name = "sqlite", "file:"+filepath.Join(s.Data, "sett.db")+"?mode=ro"
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

// reportFaults has clients report n faults.
func reportFaults(t testing.TB, s *rig.Server, n int) {
	t.Helper()
	var clients sync.WaitGroup
	for client := range 10 {
		clients.Go(func() {
			for i := client; i < n; i += 10 {
				if answer := sendFault(t, s, i); answer.StatusCode != http.StatusCreated {
					t.Errorf("notice %d is answered %s", i, answer.Status)
				}
			}
		})
	}
	clients.Wait()
}

// sendFault sends a notice of one of many faults.
func sendFault(t testing.TB, s *rig.Server, fault int) *http.Response {
	t.Helper()
	return postNotice(t, s, fmt.Sprintf(`{"error":{"class":"E%d"}}`, fault))
}

// postNotice sends a notice, and returns the answer without its body.
func postNotice(t testing.TB, s *rig.Server, notice string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.Base+"/v1/notices", strings.NewReader(notice))
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
