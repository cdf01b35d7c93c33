package e2e

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest/pgcluster"
)

// durablePostgres runs a PostgreSQL server of the test's own, with fsync, and returns the address of its database.
func durablePostgres(t testing.TB) (dsn string) {
	t.Helper()
	cluster, err := pgcluster.Start(t.Context(), pgcluster.Options{Durable: true})
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return cluster.DSN()
}

// TestKillPostgres kills processes of PostgreSQL under the server, which makes PostgreSQL end all connections and
// recover. The server must live on, accept notices again by itself, and have lost none that it accepted.
func TestKillPostgres(t *testing.T) {
	t.Parallel()
	dsn := durablePostgres(t)
	s := start(t, dsn)
	l := newLoad(s.APIKey)
	n := max(1, kills(t)/3) // PostgreSQL takes its time to recover
	end := l.begin(s.base)
	for range n {
		l.await(t, rand.IntN(mostAnswers))
		<-time.After(rand.N(mostDelay))
		killBackend(t, dsn)
	}
	l.await(t, mostAnswers)
	end()
	found := s.prove(t, l)
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
