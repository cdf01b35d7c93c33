package e2e

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest/pgcluster"
)

// How a life of the server ends: at a random moment within these bounds.
const (
	mostAnswers  = 400                    // after so many notices were accepted in it,
	mostDelay    = 20 * time.Millisecond  // and so long after the last of them;
	mostStarting = 150 * time.Millisecond // or, one life in five, so long after it was begun, whether it serves or not
)

// kills is how often a server is killed: as KILLS says, or 15 times.
func kills(t testing.TB) int {
	t.Helper()
	text := os.Getenv("KILLS")
	if text == "" {
		return 15
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("KILLS=%q is no number of kills; write one such as 100", text)
	}
	return n
}

// TestKill kills the server over and over while clients report to it. Whatever it has accepted must be stored, exactly
// once, and everything that counts notices must agree.
func TestKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { killServer(t, "") })
	t.Run("postgres", func(t *testing.T) { killServer(t, durablePostgres(t)) })
}

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

func killServer(t *testing.T, database string) {
	s := prepare(t, database)
	l := newLoad(s.APIKey)
	n, starting := kills(t), 0
	for range n {
		if rand.IntN(5) == 0 {
			s.process = launch(t, s.flags...)
			<-time.After(rand.N(mostStarting))
			s.kill()
			starting++
			continue
		}
		s.restart(t)
		end := l.begin(s.base)
		l.await(t, rand.IntN(mostAnswers))
		<-time.After(rand.N(mostDelay))
		s.kill()
		end()
	}
	s.restart(t)
	l.drain(t, s.base)
	proof := s.prove(t, l)
	if len(l.refused) > 0 {
		t.Errorf("the server refused notices while it lived, by status: %v", l.refused)
	}
	s.stop(t)
	t.Logf("%d kills, %d of them while starting: %s", n, starting, proof)
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
	l.drain(t, s.base)
	proof := s.prove(t, l)
	for status := range l.refused {
		if status != http.StatusServiceUnavailable {
			t.Errorf("without its database the server answered with status %d, want %d, which clients repeat", status, http.StatusServiceUnavailable)
		}
	}
	t.Logf("%d kills of a PostgreSQL process: %s; answers without it, by status: %v", n, proof, l.refused)
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
