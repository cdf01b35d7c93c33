package pgbouncer

import (
	"errors"
	"os"
	"testing"
)

// Variable names the variable with the directory of the socket of a running PgBouncer in transaction mode, in front of the server that
// tests use. Where it is set, stores of tests reach their databases through it.
const Variable = "SETT_TEST_PGBOUNCER"

// Between returns the addresses by which a store reaches a database of a test: through the pooler that Variable names, and of the server
// itself; the second is "" without a pooler.
func Between(dsn string) (database, direct string) {
	dir := os.Getenv(Variable)
	if dir == "" || dsn == "" {
		return dsn, ""
	}
	return Through(dsn, dir), dsn
}

// Serve starts a pooler in front of a server, which ends with the test. On a machine without PgBouncer, it skips the test; CI installs it.
func Serve(t testing.TB, dsn, mode string, settings ...string) *Pooler {
	t.Helper()
	p, err := New(dsn, mode, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("end PgBouncer: %v", err)
		}
		if t.Failed() {
			t.Logf("PgBouncer: %s", p.log)
		}
	})
	err = p.Start(t.Context())
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
