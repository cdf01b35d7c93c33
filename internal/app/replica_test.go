package app_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/setttest"
	"sett/internal/setttest/pgcluster"
)

// TestPagesOfAReplica reads pages and the API through two servers of a primary with a read replica, which follows, stands still and dies.
// Whatever was written at one server is seen at once at both, and no page breaks.
func TestPagesOfAReplica(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that need PostgreSQL")
	}
	primary, err := pgcluster.Start(t.Context(), pgcluster.Options{Primary: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = primary.Stop() })
	standby, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = standby.Stop() })
	key := filepath.Join(t.TempDir(), "secret.key")
	start := func() *setttest.Server {
		return setttest.Start(t, "postgres", func(c *app.Config) {
			c.Database, c.Replica, c.KeyFile, c.MetricsToken = primary.DSN(), standby.DSN(), key, "token"
		})
	}
	one := start()
	nodes := []*setttest.Server{one, start()}
	turn := func(what string) {
		t.Helper()
		pages := "/v2/accounts/" + one.Setup.AccountID + "/status_pages"
		var made struct{ ID string }
		one.Post(pages, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme"}}).Want(http.StatusCreated).Into(&made)
		for n, node := range nodes {
			if status := statusOf(t, node.App.BaseURL()+"/status/acme"); status != http.StatusOK {
				t.Errorf("%s: the page is %d at server %d", what, status, n)
			}
			if got := node.Get(pages); got.Status != http.StatusOK || !strings.Contains(string(got.Body), made.ID) {
				t.Errorf("%s: the list is %d at server %d, without the new page", what, got.Status, n)
			}
		}
		one.Delete(pages + "/" + made.ID)
		for n, node := range nodes {
			if status := statusOf(t, node.App.BaseURL()+"/status/acme"); status != http.StatusNotFound {
				t.Errorf("%s: the deleted page is %d at server %d", what, status, n)
			}
		}
	}
	for range 20 {
		turn("following")
	}
	if n := figure(t, one, `sett_replica_reads_total{cause="",from="replica"}`); n == "0" || n == "" {
		t.Errorf("%q reads of the replica", n)
	}
	if n := figure(t, one, "sett_replica_up"); n != "1" {
		t.Errorf("a replica that follows is %q", n)
	}
	pause(t, standby)
	for range 5 {
		turn("standing still")
	}
	if n := figure(t, one, `sett_replica_reads_total{cause="behind",from="primary"}`); n == "0" || n == "" {
		t.Errorf("%q reads of the primary because the replica is behind", n)
	}
	if err := standby.Stop(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		turn("dead")
	}
	if n := figure(t, one, "sett_replica_up"); n != "0" {
		t.Errorf("a replica that is dead is %q", n)
	}
	findings, err := operate.Doctor(t.Context(), one.Config.Installation())
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for _, f := range findings {
		said = said || f.Check == "read replica" && f.Verdict == operate.Warn
	}
	if !said {
		t.Errorf("doctor says nothing of the dead replica: %v", findings)
	}
}

func statusOf(t *testing.T, address string) int {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func pause(t *testing.T, standby *pgcluster.Cluster) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), standby.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `SELECT pg_wal_replay_pause()`); err != nil {
		t.Fatal(err)
	}
}

// figure returns the value of a metric; "": it is not there.
func figure(t *testing.T, s *setttest.Server, name string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.App.BaseURL()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer token")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
