package chaos

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
)

// TestNodeCutInsideATransaction pulls the cable of a node while it is inside a transaction that changes an error. For
// PostgreSQL its connection stays open: it learns nothing of the cut. The other node must store notices of the same error
// soon.
func TestNodeCutInsideATransaction(t *testing.T) {
	t.Parallel()
	rig.NeedsNetworks(t)
	database, far := newRemote(t), newRemote(t)
	join(t, database, far)
	database.init(t)
	database.serve(t)
	s := rig.Start(t, "postgres://sett@"+database.address+":5432/postgres?sslmode=disable")
	const port = ":18080"
	args := []string{
		"netns", "exec", far.name, rig.Binary, "serve", "--listen", far.address + port, "--log-format", "json",
		"--database", "postgres://sett@" + firstEnd + ":5432/postgres?sslmode=disable", "--data", t.TempDir(), "--secret-key-file", filepath.Join(s.Data, "secret.key"),
	}
	rig.Begin(t, exec.Command("ip", args...)).Await(t)
	other := *s
	other.Base = "http://" + far.address + port
	for _, node := range []*rig.Server{s, &other} {
		if status, _ := rig.Ask(t, node, http.MethodPost, "/v1/notices", s.APIKey); status != http.StatusCreated {
			t.Fatalf("before: %d", status)
		}
	}

	cutWhileItChangesTheFault(t, database, far, &other)
	cut := time.Now()
	status := 0
	for tries := 0; status != http.StatusCreated && time.Since(cut) < time.Minute; tries++ {
		status, _ = rig.Ask(t, s, http.MethodPost, "/v1/notices", s.APIKey)
	}
	took := time.Since(cut)
	if status != http.StatusCreated {
		t.Errorf("the other node still answers %d, %s after the cut; want 201", status, took)
	}
	t.Logf("the other node stored a notice of the same error %s after the cut", took)
}

// cutWhileItChangesTheFault has a node reopen the fault, and cuts it off before it can commit: it waits for the row, which
// this test holds, and what it is answered then is lost.
func cutWhileItChangesTheFault(t testing.TB, database, far *remote, node *rig.Server) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database.local())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("UPDATE faults SET resolved = true")
	run("BEGIN")
	run("SELECT id FROM faults FOR UPDATE")
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, node.Base+"/v1/notices", strings.NewReader(rig.FrozenNotice))
		if err == nil {
			r.Header.Set("X-API-Key", node.APIKey)
			if answer, err := (&http.Client{Timeout: 20 * time.Second}).Do(r); err == nil {
				answer.Body.Close()
			}
		}
	}()
	const waits = "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
	for database.ask(t, waits) == "0" {
		if t.Context().Err() != nil {
			t.Fatal("the node never waits for the fault")
		}
	}
	far.pull(t, "cable")
	run("COMMIT")
	if state := database.ask(t, "SELECT count(*)::text FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' OR wait_event_type = 'Lock'"); state == "0" {
		t.Log("the node had given up before it was cut off")
	}
}
