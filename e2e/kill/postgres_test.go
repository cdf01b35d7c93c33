package kill

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestKillPostgres kills processes of PostgreSQL under the server, which makes PostgreSQL end all connections and
// recover. The server must live on, accept notices again by itself, and have lost none that it accepted.
func TestKillPostgres(t *testing.T) {
	t.Parallel()
	dsn := rig.DurablePostgres(t)
	s := rig.Start(t, dsn)
	l := load.New(s.APIKey)
	n := max(1, load.Kills(t)/3) // PostgreSQL takes its time to recover
	end := l.Begin(s.Base)
	for range n {
		l.Await(t, rand.IntN(load.MostAnswers))
		<-time.After(rand.N(load.MostDelay))
		killBackend(t, dsn)
	}
	l.Await(t, load.MostAnswers)
	end()
	found := load.Prove(t, s, l)
	t.Logf("%d kills of a PostgreSQL process: %s", n, found)
}

// killBackend kills the process of PostgreSQL that serves one of the server's connections, once there is one: after
// the last kill it may still be recovering.
func killBackend(t testing.TB, dsn string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pid, err := backend(ctx, dsn)
	for ; err != nil; pid, err = backend(ctx, dsn) {
		select {
		case <-ctx.Done():
			t.Fatalf("find a connection of the server to PostgreSQL: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("kill a process of PostgreSQL: %v", err)
	}
}

// backend returns the process of PostgreSQL that serves one of the server's connections, rather one that works.
func backend(ctx context.Context, dsn string) (pid int, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
		ORDER BY state = 'active' DESC, random() LIMIT 1`).Scan(&pid)
	return pid, err
}
