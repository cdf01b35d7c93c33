package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
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
			s.kill()
			if err := json.Unmarshal(body, &answer); err != nil || answer.Count != many || answer.Waiting == 0 {
				t.Errorf("the answer is %s, %v; want count %d and some waiting", body, err, many)
			}
			for range 2 {
				s.restart(t)
				s.kill()
			}
			s.restart(t)
			manage := s.manage(t)
			await(t, "all faults are gone", func() bool { return len(s.faults(manage)) == 0 })
			s.stop(t)
		})
	}
}

// report has clients report n faults.
func (s *server) report(t testing.TB, n int) {
	t.Helper()
	var clients sync.WaitGroup
	for client := range 10 {
		clients.Go(func() {
			for i := client; i < n; i += 10 {
				r, err := http.NewRequest(http.MethodPost, s.base+"/v1/notices", strings.NewReader(fmt.Sprintf(`{"error":{"class":"E%d"}}`, i)))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("X-API-Key", s.APIKey)
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				if answer.Body.Close(); answer.StatusCode != http.StatusCreated {
					t.Errorf("notice %d is answered %s", i, answer.Status)
				}
			}
		})
	}
	clients.Wait()
}
