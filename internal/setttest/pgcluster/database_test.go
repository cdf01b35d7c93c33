package pgcluster

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func tables(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
	if err != nil {
		t.Fatalf("list tables: %v", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("list tables: %v", err)
	}
	return names
}

func run(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestPostgresGivesEachCallADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	a, b := connect(t, Postgres(t)), connect(t, Postgres(t))
	run(t, a, "CREATE TABLE only_in_a (n bigint)")
	if diff := cmp.Diff([]string{"only_in_a"}, tables(t, a)); diff != "" {
		t.Errorf("tables of the first database (-want +got):\n%s", diff)
	}
	if got := tables(t, b); len(got) > 0 {
		t.Errorf("tables of the second database = %v, want none", got)
	}
}

func TestPostgresDropsTheDatabase(t *testing.T) {
	t.Parallel()
	var dsn string
	t.Run("use", func(t *testing.T) {
		dsn = Postgres(t)
		left, err := pgx.Connect(t.Context(), dsn) // left open: that must not keep the database
		if err != nil {
			t.Fatalf("connect: %v", err)
		}
		run(t, left, "CREATE TABLE t (n bigint)")
	})
	if conn, err := pgx.Connect(t.Context(), dsn); err == nil {
		conn.Close(t.Context())
		t.Error("the database is still there after its test")
	}
}

func TestFreshDatabaseMigratesOnce(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	migrate := func(dsn string) error {
		runs.Add(1)
		return execute(dsn, "CREATE TABLE migrated (n bigint)")
	}
	for i := range 5 {
		t.Run(fmt.Sprint("copy ", i), func(t *testing.T) {
			conn := connect(t, FreshDatabase(t, migrate))
			run(t, conn, "INSERT INTO migrated VALUES (1)")
			var rows int
			if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM migrated").Scan(&rows); err != nil {
				t.Fatalf("count rows: %v", err)
			}
			if rows != 1 {
				t.Errorf("the copy has %d rows, want only its own", rows)
			}
		})
	}
	if runs.Load() != 1 {
		t.Errorf("migrate ran %d times, want once", runs.Load())
	}
}

func TestWithDatabase(t *testing.T) {
	t.Parallel()
	got, err := withDatabase("postgres://sett@/postgres?host=%2Ftmp%2Fx", "other")
	if err != nil || got != "postgres://sett@/other?host=%2Ftmp%2Fx" {
		t.Errorf("withDatabase = %q, %v", got, err)
	}
	if _, err := withDatabase("host=/tmp/x dbname=postgres", "other"); err == nil {
		t.Error("withDatabase took an address that is no URL")
	}
}

func BenchmarkFreshDatabase(b *testing.B) {
	migrate := func(dsn string) error { return execute(dsn, "CREATE TABLE migrated (n bigint)") }
	for b.Loop() {
		FreshDatabase(b, migrate)
	}
}
